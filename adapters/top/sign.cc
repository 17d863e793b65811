#include "adapters/top/sign.h"
