#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/top/calls.h"
#include "agent/http.h"
#include "agent/json.h"
#include "agent/outcome.h"

namespace tmc::top {

// An answer of the platform that is no error.
struct Answer {
  json::Document document;
  json::Node result;                   // what stands inside the wrapper; with simplify=true the root itself
  std::vector<std::string_view> path;  // to it, for json::Slice
};

// Transport, status, charset, JSON, error_response, wrapper: in that order.
Result<Answer> Open(const HttpResponse& response, const Call& call);

// What speaks against looking into the body at all: no whole answer, another status than 200, another
// charset.
std::optional<Error> Unfit(const HttpResponse& response, const Call& call);

// The platform's own answer, but not of the shape that was asked for.
Error BadAnswer(const Call& call, std::string_view what);

// The items of a list in any of its dresses: {"trade":[…]}, […] (simplify), one bare object where a list of
// one is meant (known by its member `mark`), or nothing ({}, "", null, missing). Nothing at all for another
// shape.
std::optional<std::vector<json::Node>> Items(json::Node list, std::string_view item, std::string_view mark);

}  // namespace tmc::top
