#pragma once

#include <string>
#include <string_view>

#include "agent/http.h"
#include "agent/outcome.h"
#include "tests/fuzz/fuzz.h"

namespace tmc::fuzz {

// As it would come from the platform.
inline HttpResponse Answer(std::string_view body) {
  HttpResponse response;
  response.status = 200;
  response.body = std::string(body);
  response.content_type = "application/json;charset=UTF-8";
  return response;
}

inline void CheckError(const Error& error) {
  PROMISE(!error.code.empty());
  PROMISE(!error.text.empty());
  PROMISE(!error.wait || *error.wait > milliseconds(0));
}

}  // namespace tmc::fuzz
