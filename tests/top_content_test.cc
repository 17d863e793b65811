#include <doctest/doctest.h>

#include "adapters/top/entry.h"
#include "adapters/top/wire.h"
#include "agent/json.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using tmc::testing::Sample;
using tmc::top::ReadContent;

namespace {
constexpr const char* kChanged = "taobao_trade_TradeChanged";

Trigger Read(const std::string& topic, const std::string& body) {
  const auto content = ReadContent(topic, body);
  CAPTURE(body);
  REQUIRE(std::holds_alternative<Trigger>(content));
  return std::get<Trigger>(content);
}

Rejected Reject(const std::string& body, const std::string& topic = kChanged) {
  const auto content = ReadContent(topic, body);
  CAPTURE(body.substr(0, 100));
  REQUIRE(std::holds_alternative<Rejected>(content));
  return std::get<Rejected>(content);
}

bool Names(const Rejected& rejected, const char* word) {
  return rejected.detail.find(word) != std::string::npos;
}

int AnnouncedByClose(const std::string& rest) {
  return Read("taobao_trade_TradeClose", "{\"tid\":3812000000000410193" + rest + "}").announced_rank;
}
}  // namespace

TEST_CASE("Content: each sample asks for its order, or for none") {
  const struct {
    const char* name;
    const char* order_id;
    int rank;
    bool order;
  } rows[] = {{"TradeCreate", "3812000000000210193", 0, true},
              {"TradeModifyFee", "3812000000000210193", 0, true},
              {"TradeBuyerPay", "3812000000000210193", 18, true},
              {"TradeMemoModified", "3812000000000210193", 0, true},
              {"TradeLogisticsAddressChanged", "3812000000000210193", 0, true},
              {"TradePartlySellerShip", "3812000000000310193", 30, true},
              {"TradeSellerShip", "3812000000000210193", 40, true},
              {"TradePartlyRefund", "3812000000000310193", 0, true},
              {"TradeSuccess", "3812000000000210193", 100, true},
              {"TradeClose", "3812000000000410193", 100, true},
              {"TradeChanged", "3812000000000210193", 0, true},
              {"TradeRated", "3812000000000210193", 0, true},
              {"RefundCreated", "3812000000000210193", 0, true},
              {"RefundSellerAgreeAgreement", "3812000000000210193", 0, true},
              {"RefundBuyerReturnGoods", "3812000000000210193", 0, true},
              {"RefundSuccess", "3812000000000210193", 0, true},
              {"RefundClosed", "3812000000000210193", 0, true},
              {"LogsticDetailTrace", "3812000000000210193", 0, false},
              {"ItemStockChanged", "", 0, false},
              {"ItemUpdate", "", 0, false},
              {"icbu_trade_OrderNotify", "", 0, false},
              {"aliexpress_order_PlaceOrderSuccess", "", 0, false}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    json::Document document;
    REQUIRE_FALSE(document.Parse(Sample("top_msg_" + std::string(row.name) + ".json")));
    const auto entry = std::get<Envelope>(top::ReadEntry(document.root()));
    const Trigger trigger = Read(entry.topic, entry.body);
    CHECK(trigger.order_id == row.order_id);
    CHECK(trigger.announced_rank == row.rank);
    CHECK((trigger.kind == SubjectKind::kOrder) == row.order);
    CHECK(trigger.subject_id == (row.order ? row.order_id : ""));
  }
}

TEST_CASE("Content: a tid may be a number or text of up to twenty digits") {
  CHECK(Read(kChanged, R"({"tid":9007199254740993})").order_id == "9007199254740993");
  CHECK(Read(kChanged, R"({"tid":"18446744073709551616"})").order_id == "18446744073709551616");
  CHECK(Read(kChanged, R"({"tid":7})").order_id == "7");
}

TEST_CASE("Content: a trade or refund message without a usable tid") {
  for (const char* body :
       {"{}", "{\"oid\":1}", "{\"tid\":null}", "{\"tid\":\"\"}", "{\"tid\":0}", "{\"tid\":\"000\"}",
        "{\"tid\":-5}", "{\"tid\":1.5}", "{\"tid\":1e5}", "{\"tid\":\"A1\"}",
        "{\"tid\":\"123456789012345678901\"}", "{\"tid\":{}}", "{\"tid\":[1]}", "{\"tid\":true}",
        "{\"tid\":\" 1\"}", "{\"tid\":\"1\\u0000\"}", "{\"TID\":1}", "{\"tid\":\"01\"}"}) {
    CHECK(Reject(body).reason == "missing_order_id");
    CHECK(Reject(body, "taobao_refund_RefundCreated").reason == "missing_order_id");
    CHECK(Reject(body, "taobao_trade_SomethingNew").reason == "missing_order_id");
  }
}

TEST_CASE("Content: an unknown trade topic is an order's when it has a tid") {
  const Trigger trigger = Read("taobao_trade_SomethingNew", R"({"tid":5})");
  CHECK(trigger.kind == SubjectKind::kOrder);
  CHECK(trigger.announced_rank == 0);
}

TEST_CASE("Content: what is no JSON object") {
  for (const char* body :
       {"", " ", "{\"tid\":", "tid=1", "<xml/>", "[]", "\"x\"", "7", "null", "{\"tid\":1}x"})
    CHECK(Reject(body).reason == "bad_json");
  CHECK(Reject(std::string("{\"tid\":1}\0{\"tid\":2}", 19)).reason == "bad_json");
}

TEST_CASE("Content: bytes that are no UTF-8, and half a surrogate pair") {
  CHECK(Reject("{\"tid\":1,\"nick\":\"\xD5\xC5\"}").reason == "bad_encoding");
  CHECK(Reject("{\"tid\":1,\"nick\":\"\xF0\x9F\x98\"}").reason == "bad_encoding");
  CHECK(Reject("{\"tid\":1,\"nick\":\"\\ud83d\"}").reason == "bad_encoding");
  CHECK(Reject("{\"tid\":1,\"nick\":\"\\ude00\"}").reason == "bad_encoding");
  CHECK(Reject("{\"tid\":1,\xFF}").reason == "bad_encoding");
}

TEST_CASE("Content: nesting deeper than 64 levels is named, 64 are taken") {
  const auto nested = [](size_t levels) {
    return "{\"tid\":1,\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  CHECK(Read(kChanged, nested(64)).order_id == "1");
  CHECK(Reject(nested(65)).reason == "bad_json");
  CHECK(Names(Reject(nested(65)), "nesting"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  CHECK(Names(Reject(deep), "nesting"));
}

TEST_CASE("Content: more than 1 MiB") {
  const std::string frame = "{\"tid\":1,\"a\":\"\"}";
  const auto sized = [&](size_t size) {
    return "{\"tid\":1,\"a\":\"" + std::string(size - frame.size(), 'x') + "\"}";
  };
  CHECK(Read(kChanged, sized(1u << 20)).order_id == "1");
  CHECK(Reject(sized((1u << 20) + 1)).reason == "body_too_large");
}

TEST_CASE("Content: a repeated tid is refused by name") {
  CHECK(Reject(R"({"tid":1,"tid":1})").reason == "bad_json");
  CHECK(Names(Reject(R"({"tid":1,"tid":2})"), "tid"));
  CHECK(Read(kChanged, R"({"tid":1,"x":1,"x":2})").order_id == "1");
}

TEST_CASE("Content: only the close of a whole trade announces an end") {
  CHECK(AnnouncedByClose("") == 100);
  CHECK(AnnouncedByClose(",\"oid\":null") == 100);
  CHECK(AnnouncedByClose(",\"oid\":3812000000000410193") == 100);
  CHECK(AnnouncedByClose(",\"oid\":\"3812000000000410193\"") == 100);
  CHECK(AnnouncedByClose(",\"oid\":3812000000000410194") == 0);
  CHECK(AnnouncedByClose(",\"oid\":3812000000000410193,\"oid\":3812000000000410194") == 0);
}

TEST_CASE("Content: any other topic is kept, whatever it holds") {
  for (const std::string& body :
       {std::string(), std::string("{\"tid\":"), std::string("<xml/>"), std::string("\xFF"),
        std::string((1u << 20) + 5, 'x'), std::string("{\"tid\":1,\"tid\":2}")}) {
    const Trigger trigger = Read("taobao_item_ItemUpdate", body);
    CHECK(trigger.kind == SubjectKind::kNone);
    CHECK(trigger.order_id.empty());
  }
  CHECK(Read("", R"({"tid":12})").order_id == "12");
}
