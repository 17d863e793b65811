#include <doctest/doctest.h>

#include "adapters/top/answer.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using namespace tmc::top;
using tmc::testing::Answered;
using tmc::testing::Sample;

namespace {
Error Refused(const HttpResponse& response) {
  const auto answer = Open(response, kConfirm);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == Fault::kOutside);
  CHECK_FALSE(answer.error().from_platform);
  CHECK_FALSE(answer.error().unreadable);
  return answer.error();
}
bool Names(const Error& error, const char* word) {
  return error.text.find(word) != std::string::npos;
}

std::optional<size_t> Count(const std::string& list) {
  json::Document document;
  REQUIRE_FALSE(document.Parse("{\"list\":" + list + "}"));
  const auto items = Items(document.root()["list"], "trade", "tid");
  return items ? std::optional(items->size()) : std::nullopt;
}
}  // namespace

TEST_CASE("Answer: a transport failure keeps its words") {
  HttpResponse response;
  response.transport = "connection refused";
  const Error error = Refused(response);
  CHECK(error.code == "transport");
  CHECK(error.text == "taobao.tmc.messages.confirm: connection refused");
  CHECK_FALSE(error.too_large);
  response.too_large = true;
  CHECK(Refused(response).too_large);
  CHECK(Refused(response).code == "too_large");
}

TEST_CASE("Answer: another status than 200 is the outside's, whatever the body says") {
  HttpResponse response = Answered(Sample("top_confirm_response.json"));
  for (int status : {0, 204, 302, 400, 401, 500, 502, 503}) {
    response.status = status;
    CHECK(Refused(response).code == "http_" + std::to_string(status));
  }
  response.body = "<html>\n<h1>Bad Gateway";
  CHECK(Names(Refused(response), "<html>\\x0A<h1>Bad Gateway"));
}

TEST_CASE("Answer: what is no JSON object of ours is named by its first bytes") {
  for (const char* body :
       {"", " ", "<html><body>login</body></html>", "{\"tmc_messages_confirm_response\":", "[]", "{}", "true",
        "\"x\"", "{\"foo\":1}", "{\"other_response\":{\"is_success\":true}}",
        "{\"other_response\":{},\"is_success\":true}", "{\"tmc_messages_confirm_response\":[]}",
        "{\"tmc_messages_confirm_response\":null}", "{\"error_response\":7}"})
    CHECK(Refused(Answered(body)).code == "bad_answer");
  CHECK(Names(Refused(Answered("<html>\x1b[2J")), "<html>\\x1B[2J"));
  CHECK(Names(Refused(Answered("[]")), "[]"));
  CHECK(Names(Refused(Answered("")), "empty"));
  CHECK(Refused(Answered(std::string(100000, '<'))).text.size() < 300);
}

TEST_CASE("Answer: a charset that is not UTF-8 is named") {
  const std::string body = Sample("top_confirm_response.json");
  for (const char* type :
       {"application/json; charset=GBK", "text/html;CHARSET=\"GBK\"", "a/b; charset= GBK ;x=y"}) {
    const Error error = Refused(Answered(body, type));
    CHECK(error.code == "bad_charset");
    CHECK(Names(error, " GBK,"));
  }
  for (const char* type :
       {"", "application/json", "application/json;charset=utf-8", "text/javascript; charset=\"UTF8\""})
    CHECK(Open(Answered(body, type), kConfirm));
}

TEST_CASE("Answer: wrapped, simplified and with a byte order mark are taken") {
  CHECK(Open(Answered(Sample("top_confirm_response.json")), kConfirm)->result["is_success"].Bool() == true);
  CHECK(Open(Answered(Sample("top_confirm_response_simplify.json")), kConfirm)->result["is_success"].Bool() ==
        true);
  CHECK(Open(Answered("\xEF\xBB\xBF" + Sample("top_confirm_response.json")), kConfirm));
  CHECK(Open(Answered(R"({"request_id":"x"})"), kConfirm));
}

TEST_CASE("Answer: a list in any of its dresses") {
  for (const char* nothing : {"null", "\"\"", "{}", "[]", "{\"trade\":[]}", "{\"trade\":{}}",
                              "{\"trade\":null}", "{\"trade\":\"\"}"})
    CHECK(Count(nothing) == 0);
  for (const char* one :
       {"{\"trade\":[{\"tid\":1}]}", "{\"trade\":{\"tid\":1}}", "[{\"tid\":1}]", "{\"tid\":1}"})
    CHECK(Count(one) == 1);
  CHECK(Count("{\"trade\":[1,2]}") == 2);
  for (const char* other : {"\"x\"", "7", "true", "{\"foo\":1}"}) CHECK_FALSE(Count(other));
}
