#include <doctest/doctest.h>

#include "adapters/top/answer.h"
#include "adapters/top/errors.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using namespace tmc::top;
using tmc::testing::Answered;
using tmc::testing::Sample;

namespace {

struct Sorting {
  int code;
  const char* sub_code;
  Fault subject, confirm, consume;
};

void CheckAll(const std::vector<Sorting>& rows) {
  for (const Sorting& row : rows) {
    CAPTURE(row.code);
    CAPTURE(row.sub_code);
    CHECK(SortFault(row.code, row.sub_code, Asked::kSubject) == row.subject);
    CHECK(SortFault(row.code, row.sub_code, Asked::kConfirm) == row.confirm);
    CHECK(SortFault(row.code, row.sub_code, Asked::kConsume) == row.consume);
  }
}

Sorting Same(int code, Fault fault, const char* sub_code = "") {
  return {code, sub_code, fault, fault, fault};
}

Error ErrorOf(const std::string& body, const Call& call = kOrder) {
  const auto answer = Open(Answered(body), call);
  REQUIRE_FALSE(answer);
  return answer.error();
}

Error Limited(const std::string& sub_msg) {
  return ErrorOf(R"({"error_response":{"code":7,"msg":"App Call Limited","sub_msg":")" + sub_msg + "\"}}");
}

}  // namespace

TEST_CASE("Errors: each main code is sorted") {
  using enum Fault;
  CheckAll({Same(3, kOutside), Same(4, kLimited),   Same(5, kLimited),   Same(6, kLimited),
            Same(7, kLimited), Same(8, kLimited),   Same(9, kAgent),     Same(10, kOutside),
            Same(11, kApi),    Same(13, kAgent),    Same(21, kAgent),    Same(22, kApi),
            Same(23, kAgent),  Same(24, kAgent),    Same(25, kAgent),    Same(28, kAgent),
            Same(29, kAgent),  Same(30, kAgent),    Same(31, kClock),    Same(32, kAgent),
            Same(33, kAgent),  Same(34, kAgent),    Same(47, kAgent),    Same(48, kAgent),
            Same(51, kAgent),  Same(530, kOutside), Same(560, kOutside), Same(700, kOutside)});
}

TEST_CASE("Errors: an unknown code is the outside's") {
  using enum Fault;
  for (int code : {0, 1, 2, 14, 16, 20, 35, 39, 45, 46, 49, 52, 54, 60, 100, 499, 1000, -1})
    CheckAll({Same(code, kOutside), Same(code, kOutside, "isv.trade-not-exist")});
  for (int code : {15, 50, 500, 902, 999}) CheckAll({Same(code, kOutside), Same(code, kOutside, "odd")});
}

TEST_CASE("Errors: a session's fault is the shop's only where a session was sent") {
  using enum Fault;
  for (int code : {12, 26, 27, 42, 44, 53}) CheckAll({{code, "", kShop, kAgent, kAgent}});
  CheckAll({{27, "invalid-sessionkey", kShop, kAgent, kAgent}});
}

TEST_CASE("Errors: a refused argument is the message's, for consume our own") {
  using enum Fault;
  CheckAll({{40, "isv.missing-parameter:tid", kMessage, kMessage, kAgent},
            {41, "isv.invalid-parameter:tid", kMessage, kMessage, kAgent},
            {43, "", kMessage, kMessage, kAgent}});
}

TEST_CASE("Errors: business codes are sorted by their sub_code") {
  using enum Fault;
  for (int code : {15, 50, 530, 700, 900}) {
    CheckAll({Same(code, kOutside, "isp.trade-service-unavailable"),
              Same(code, kOutside, "isp.remote-service-error"),
              Same(code, kOutside, "isp.remote-service-timeout"),
              Same(code, kOutside, "isp.remote-connection-error"),
              Same(code, kOutside, "isp.top-remote-connection-timeout"),
              Same(code, kOutside, "isp.top-remote-connection-timeout-tmall"),
              Same(code, kOutside, "isp.top-remote-connection-error"),
              Same(code, kOutside, "isp.top-remote-service-unavailable"),
              Same(code, kOutside, "isp.top-remote-unknown-error"),
              Same(code, kOutside, "isp.unknown-error"),
              Same(code, kOutside, "isp.system-busy"),
              {code, "isp.null-pointer-exception", kMessage, kOutside, kOutside},
              {code, "isp.top-parse-error", kMessage, kOutside, kOutside},
              {code, "isp.top-mapping-parse-error", kMessage, kOutside, kOutside},
              Same(code, kLimited, "accesscontrol.limited-by-api-access-count"),
              Same(code, kLimited, "ApiCallLimit"),
              Same(code, kLimited, "AppApiCallLimit"),
              Same(code, kApi, "isv.permission-api-package-empty"),
              Same(code, kApi, "isv.permission-ip-whitelist-limit"),
              {code, "isv.invalid-permission", kShop, kAgent, kAgent},
              {code, "isv.trade-not-exist", kUnknown, kOutside, kAgent},
              {code, "isv.user-not-exist:nick", kUnknown, kOutside, kAgent},
              {code, "isv.missing-parameter:tid", kMessage, kMessage, kAgent},
              {code, "isv.invalid-parameter:tid", kMessage, kMessage, kAgent},
              {code, "isv.parameters-mismatch:tid-and-oid", kMessage, kMessage, kAgent},
              {code, "isv.trade-service-error:x", kMessage, kOutside, kOutside},
              {code, "isv.whatever", kMessage, kOutside, kAgent}});
  }
  CheckAll({{562, "", kUnknown, kOutside, kOutside}});
}

TEST_CASE("Errors: an error_response keeps its code, sub_code and text") {
  const Error error = ErrorOf(Sample("top_error_27_invalid_session.json"));
  CHECK(error.fault == Fault::kShop);
  CHECK(error.code == "27 invalid-sessionkey");
  CHECK(error.text == "taobao.trade.fullinfo.get: Invalid session: SessionKey非法");
  CHECK(error.from_platform);
  CHECK_FALSE(error.wait);
  CHECK_FALSE(error.unreadable);
}

TEST_CASE("Errors: each sample is sorted") {
  const std::vector<std::pair<const char*, Fault>> samples = {
      {"top_error_11_package_limit.json", Fault::kApi},
      {"top_error_15_isp_timeout.json", Fault::kOutside},
      {"top_error_15_isp_unavailable.json", Fault::kOutside},
      {"top_error_15_isv_trade_not_exist.json", Fault::kUnknown},
      {"top_error_22_invalid_method.json", Fault::kApi},
      {"top_error_25_invalid_signature.json", Fault::kAgent},
      {"top_error_29_invalid_app_key.json", Fault::kAgent},
      {"top_error_31_invalid_timestamp.json", Fault::kClock},
      {"top_error_40_missing_argument.json", Fault::kMessage},
      {"top_error_41_invalid_argument.json", Fault::kMessage},
      {"top_error_7_limited_by_api_access_count.json", Fault::kLimited},
      {"top_error_7_limited_by_app_access_count_long.json", Fault::kLimited},
      {"top_error_7_limited_by_app_api_access_count.json", Fault::kLimited}};
  for (const auto& [name, fault] : samples) {
    CAPTURE(name);
    CHECK(ErrorOf(Sample(name)).fault == fault);
  }
  CHECK(ErrorOf(Sample("top_error_22_invalid_method.json")).code == "22");
}

TEST_CASE("Errors: a ban tells how long it lasts and whose it is") {
  const Error api = ErrorOf(Sample("top_error_7_limited_by_api_access_count.json"));
  CHECK(api.wait == 1s);
  CHECK_FALSE(api.whole_app);
  const Error frequency = ErrorOf(Sample("top_error_7_limited_by_app_api_access_count.json"));
  CHECK(frequency.wait == 2s);
  CHECK_FALSE(frequency.whole_app);
  const Error quota = ErrorOf(Sample("top_error_7_limited_by_app_access_count_long.json"));
  CHECK(quota.wait == 31062s);
  CHECK(quota.whole_app);
}

TEST_CASE("Errors: the end of a ban is bounded, and read from nothing else") {
  CHECK(Limited("This ban will last for 71 more seconds").wait == 71s);
  CHECK(Limited("this ban will last for 1 more second.").wait == 1s);
  CHECK(Limited("This ban will last for 0 more seconds").wait == 1s);
  CHECK(Limited("This ban will last for 172801 more seconds").wait == 48h);
  CHECK(Limited("This ban will last for 99999999999999999999999 more seconds").wait == 48h);
  for (const char* text : {"", "This ban will last", "last for more seconds", "last for -5 more seconds",
                           "last for 5 more minutes", "last for 5"})
    CHECK_FALSE(Limited(text).wait);
}

TEST_CASE("Errors: a ban's end may stand in msg") {
  const Error error =
      ErrorOf(R"({"error_response":{"code":7,"msg":"This ban will last for 9 more seconds"}})");
  CHECK(error.wait == 9s);
}

TEST_CASE("Errors: a code may be text, and its absence is the outside's") {
  CHECK(ErrorOf(R"({"error_response":{"code":"27","msg":"Invalid session"}})").fault == Fault::kShop);
  const Error none = ErrorOf(R"({"error_response":{"msg":"odd"}})");
  CHECK(none.fault == Fault::kOutside);
  CHECK(none.code == "bad_answer");
  CHECK(none.from_platform);
}
