#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "agent/http.h"

namespace tmc::testing {

// A golden sample's bytes.
inline std::string Sample(const std::string& name) {
  std::ifstream file(std::string(TMC_TEST_DATA) + "/top/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no sample " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An answer with status 200, as TOP sends even its errors.
inline HttpResponse Answered(std::string body, std::string content_type = "application/json;charset=UTF-8") {
  HttpResponse response;
  response.status = 200;
  response.body = std::move(body);
  response.content_type = std::move(content_type);
  return response;
}

}  // namespace tmc::testing
