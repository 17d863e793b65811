#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tests/simulator/chance.h"

namespace tmc::sim {

struct ApiError {
  int code = 0;
  std::string msg, sub_code, sub_msg;
};

// Members of an answer, their values as JSON text.
using Members = std::vector<std::pair<std::string_view, std::string>>;
using Answer = std::variant<Members, ApiError>;

// The forms in which the same answer may come.
struct Style {
  bool simplify = false;        // no wrapper levels
  bool bare_single = false;     // a list of one comes as the bare object
  bool shuffle = true;          // fields in any order
  bool unknown_fields = false;  // fields that no document names
};

// [a,b] of JSON texts as the platform wraps a list: {"item":[a,b]}, plain with simplify.
std::string WrapList(const std::vector<std::string_view>& items, std::string_view item_name,
                     const Style& style);
std::string WrapObject(Members members, const Style& style, Chance& chance);

// The whole body, as JSON.
std::string WrapAnswer(std::string_view api, Members members, const Style& style, std::string_view request_id,
                       Chance& chance);
std::string WrapError(const ApiError& error, std::string_view request_id);
// taobao.tmc.messages.consume -> tmc_messages_consume_response
std::string AnswerKey(std::string_view api);
// The same answer as XML.
std::string ToXml(std::string_view json_text);

}  // namespace tmc::sim
