#pragma once

#include <memory>
#include <string>

#include "agent/platform.h"

namespace tmc::top {

struct TopSettings {
  std::string gateway = "https://gw.api.taobao.com/router/rest";
  std::string app_key;
  std::string group;                        // empty: the default group
  std::string sign_method = "hmac-sha256";  // md5, hmac, hmac-sha256
  bool simplify = false;                    // ask for answers without the wrapper levels
  milliseconds poll_hold{0};                // widens the consume call's time limit
};

// The Taobao Open Platform (TOP). Pure: see agent/platform.h.
std::unique_ptr<Platform> MakeTop(TopSettings settings);

}  // namespace tmc::top
