#include <doctest/doctest.h>

#include <map>

#include "adapters/top/platform.h"
#include "adapters/top/sign.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using namespace tmc::top;
using tmc::testing::Answered;
using tmc::testing::Sample;

namespace {

const CallContext kContext{FromMillis(1768437000000), "helloworld", "sess-A"};

TopSettings Settings() {
  TopSettings settings;
  settings.app_key = "12345678";
  settings.gateway = "http://127.0.0.1:1/router/rest";
  return settings;
}

std::string Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Parameters Form(std::string_view body) {
  Parameters form;
  while (!body.empty()) {
    const size_t end = std::min(body.find('&'), body.size());
    const std::string_view pair = body.substr(0, end);
    const size_t equals = pair.find('=');
    form[Decoded(pair.substr(0, equals))] = Decoded(pair.substr(equals + 1));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return form;
}

// What every call carries, checked and taken away: the call's own parameters stay.
Parameters Own(const HttpRequest& request, bool session) {
  Parameters form = Form(request.body);
  const std::string sign = form.at("sign");
  form.erase("sign");
  CHECK(Sign(form, form.at("sign_method"), "helloworld") == sign);
  CHECK(form.at("method") == request.api);
  CHECK(form.at("app_key") == "12345678");
  CHECK(form.at("timestamp") == "2026-01-15 08:30:00");
  CHECK(form.at("format") == "json");
  CHECK(form.at("v") == "2.0");
  CHECK(form.count("session") == (session ? 1 : 0));
  CHECK(request.url == "http://127.0.0.1:1/router/rest");
  CHECK(request.content_type == "application/x-www-form-urlencoded;charset=utf-8");
  for (const auto& [name, value] : form) CHECK_FALSE(value.empty());
  for (const char* common : {"method", "app_key", "timestamp", "format", "v", "sign_method", "session"})
    form.erase(common);
  return form;
}

}  // namespace

TEST_CASE("Platform: consume is V2 on the wire") {
  TopSettings settings = Settings();
  settings.group = "orders_east";
  settings.sign_method = "md5";
  const HttpRequest request = MakeTop(settings)->Consume(100, kContext);
  CHECK(request.body ==
        "app_key=12345678&format=json&group_name=orders_east&method=taobao.tmc.messages.consume&quantity=100&"
        "sign=452D06B0FA41DD0D4AD7B49CD89EBF3C&sign_method=md5&timestamp=2026-01-15%2008%3A30%3A00&v=2.0");
  CHECK(Own(request, false) == Parameters{{"group_name", "orders_east"}, {"quantity", "100"}});
}

TEST_CASE("Platform: consume's limits widen with the poll's hold, and for the smallest batch") {
  TopSettings settings = Settings();
  const auto top = MakeTop(settings);
  const HttpRequest request = top->Consume(200, kContext);
  CHECK(request.timeout == 30s);
  CHECK_FALSE(request.idle_allowed);
  CHECK(request.max_body == 16u << 20);
  CHECK(top->Consume(11, kContext).max_body == 16u << 20);
  CHECK(top->Consume(10, kContext).max_body == 64u << 20);
  settings.poll_hold = 20s;
  CHECK(MakeTop(settings)->Consume(100, kContext).timeout == 50s);
  CHECK(MakeTop(settings)->Consume(100, kContext).idle_allowed);
  CHECK(MakeTop(settings)->ServerTime(kContext).timeout == 30s);
}

TEST_CASE("Platform: confirm joins the ids") {
  const std::vector<std::string> ids = {"7104300007400000102", "7104300007400000104"};
  const HttpRequest request = MakeTop(Settings())->Confirm(ids, kContext);
  CHECK(request.api == "taobao.tmc.messages.confirm");
  CHECK(Own(request, false) == Parameters{{"s_message_ids", "7104300007400000102,7104300007400000104"}});
}

TEST_CASE("Platform: order, window, shop, time and permit ask for what they need") {
  const auto top = MakeTop(Settings());
  Parameters order = Own(top->Order("3812000000000210193", kContext), true);
  CHECK(order.at("tid") == "3812000000000210193");
  CHECK(order.at("fields").ends_with(",orders"));
  const WindowWish wish{FromMillis(1768437000000), FromMillis(1768438800000), 3, 50, false};
  Parameters window = Own(top->Window(wish, kContext), true);
  CHECK(window.at("start_modified") == "2026-01-15 08:30:00");
  CHECK(window.at("end_modified") == "2026-01-15 09:00:00");
  CHECK(window.at("page_no") == "3");
  CHECK(window.at("page_size") == "50");
  CHECK(window.at("use_has_next") == "true");
  CHECK(Own(top->Window({.from = {}, .to = {}}, kContext), true).at("use_has_next") == "false");
  CHECK(Own(top->ServerTime(kContext), false).empty());
  CHECK(Own(top->Shop("测试店铺01", kContext), false) ==
        Parameters{{"fields", "user_nick,topics,user_id"}, {"nick", "测试店铺01"}});
  CHECK(Own(top->Permit({}, kContext), true).empty());
  const std::vector<std::string> topics = {"taobao_trade_TradeCreate", "taobao_trade_TradeClose"};
  CHECK(Own(top->Permit(topics, kContext), true).at("topics") ==
        "taobao_trade_TradeCreate,taobao_trade_TradeClose");
}

TEST_CASE("Platform: text of any kind survives the form (B23)") {
  const std::string memo = "a+b & c=d ~ %2B \"引号\" 😀";
  const CallContext context{kContext.platform_now, "helloworld", memo};
  const HttpRequest request = MakeTop(Settings())->Permit({}, context);
  CHECK(Form(request.body).at("session") == memo);
  CHECK(request.body.find(
            "session=a%2Bb%20%26%20c%3Dd%20~%20%252B%20%22%E5%BC%95%E5%8F%B7%22%20%F0%9F%98%80") !=
        std::string::npos);
  Own(request, true);
}

TEST_CASE("Platform: without a session none is sent, and simplify is asked for by setting") {
  const CallContext context{kContext.platform_now, "helloworld", ""};
  CHECK(Form(MakeTop(Settings())->Order("1", context).body).count("session") == 0);
  CHECK(Form(MakeTop(Settings())->Order("1", context).body).count("simplify") == 0);
  TopSettings settings = Settings();
  settings.simplify = true;
  CHECK(Form(MakeTop(settings)->Order("1", context).body).at("simplify") == "true");
  settings.sign_method = "sha1";
  CHECK_THROWS(MakeTop(settings));
}

TEST_CASE("Platform: confirm and permit look into the answer") {
  const auto top = MakeTop(Settings());
  CHECK(top->ReadConfirm(Answered(Sample("top_confirm_response.json"))));
  CHECK(top->ReadConfirm(Answered(Sample("top_confirm_response_simplify.json"))));
  CHECK(top->ReadConfirm(Answered(R"({"is_success":"true"})")));
  CHECK(top->ReadPermit(Answered(Sample("top_user_permit_response.json"))));
  const auto refused =
      top->ReadConfirm(Answered(R"({"tmc_messages_confirm_response":{"is_success":false}})"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::kMessage);
  CHECK(refused.error().code == "not_success");
  CHECK(refused.error().from_platform);
  for (const char* body :
       {R"({"tmc_messages_confirm_response":{}})", R"({"is_success":null})", R"({"is_success":1})"}) {
    const auto odd = top->ReadConfirm(Answered(body));
    REQUIRE_FALSE(odd);
    CHECK(odd.error().code == "bad_answer");
    CHECK(odd.error().fault == Fault::kOutside);
  }
  CHECK(top->ReadConfirm(Answered(Sample("top_error_40_missing_argument.json"))).error().fault ==
        Fault::kMessage);
  CHECK(top->ReadConsume(Answered(Sample("top_error_41_invalid_argument.json"))).error().fault ==
        Fault::kAgent);
}

TEST_CASE("Platform: the server's time") {
  const auto top = MakeTop(Settings());
  CHECK(*top->ReadServerTime(Answered(Sample("top_time_get_response.json"))) == FromMillis(1768437000000));
  CHECK(*top->ReadServerTime(Answered(R"({"time":"2026-01-15 08:30:00"})")) == FromMillis(1768437000000));
  CHECK(top->ReadServerTime(Answered(R"({"time":"soon"})")).error().code == "bad_answer");
}

TEST_CASE("Platform: a shop's id and topics") {
  const auto top = MakeTop(Settings());
  const auto shop = top->ReadShop(Answered(Sample("top_user_get_response.json")));
  REQUIRE(shop);
  CHECK(shop->user_id == "123456789");
  CHECK(shop->nick == "测试店铺01");
  CHECK(shop->topics == std::vector<std::string>{"taobao_trade_TradeCreate", "taobao_trade_TradeBuyerPay"});
  CHECK(top->ReadShop(Answered(R"({"tmc_user":{"user_id":"7","topics":["a"]}})"))->topics.size() == 1);
  CHECK(top->ReadShop(Answered(R"({"tmc_user":{"user_id":7,"topics":{"string":"a"}}})"))->topics.size() == 1);
  CHECK(top->ReadShop(Answered(R"({"tmc_user":{"user_id":7}})"))->topics.empty());
  CHECK(top->ReadShop(Answered(R"({"tmc_user":{"user_nick":"x"}})")).error().code == "bad_answer");
  CHECK(top->ReadShop(Answered(R"({"tmc_user_get_response":{"request_id":"x"}})")).error().fault ==
        Fault::kUnknown);
}

TEST_CASE("Platform: names and tables are handed on") {
  const auto top = MakeTop(Settings());
  CHECK(top->Name() == "top");
  CHECK(top->MessageChannel() == "tmc");
  CHECK(top->Rank("TRADE_FINISHED") == 100);
  CHECK(top->Final("TRADE_CLOSED"));
  CHECK(std::get<Trigger>(top->ReadContent("taobao_trade_TradeBuyerPay", R"({"tid":5})")).announced_rank ==
        18);
}
