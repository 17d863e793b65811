#include "agent/event.h"

#include <doctest/doctest.h>

#include <set>

#include "agent/json.h"

using namespace tmc;

namespace {

constexpr char kRaw[] =
    R"({"tid":3012345678901234567, "payment":"1.10","price":1.10,"note":"a\/\u4e2d","x":null})";
const EventSource kFrom{"top", "12345678"};
const Time kNow = FromMillis(1'772'672'400'123);  // 2026-03-05T01:00:00.123Z

OrderTruth Truth() {
  OrderTruth truth;
  truth.order_id = "3012345678901234567";
  truth.status = "WAIT_SELLER_SEND_GOODS";
  truth.paid_amount = "1.10";
  truth.refund_status = "NO_REFUND";
  truth.digest = "d1";
  truth.raw = kRaw;
  return truth;
}

Event Changed(const OrderTruth& truth, int64_t version = 1000) {
  return OrderChanged(kFrom, truth, version, std::nullopt, {"message", "7104"}, kNow);
}

std::string Text(const json::Node& node) {
  return std::string(node.Text().value_or("(none)"));
}

}  // namespace

TEST_CASE("Event: the same change has the same id, whenever and by whatever it was found") {
  OrderSnapshot before;
  before.status = "WAIT_BUYER_PAY";
  const Event again = OrderChanged(kFrom, Truth(), 1000, before, {"reconcile", "reconcile:x"}, kNow + 72h);
  CHECK(again.id == Changed(Truth()).id);
  CHECK(again.id ==
        "order-3012345678901234567-1000-979ea899b57cc8244cca1ffbfeb3d928");  // kept for ever: subscribers
                                                                             // dedupe on it
}

TEST_CASE("Event: whatever tells two changes apart tells their ids apart") {
  OrderTruth other_order = Truth(), other_content = Truth(), shifted = Truth();
  other_order.order_id = "3012345678901234568";
  other_content.digest = "d2";
  shifted.order_id = "30123456789012345671";  // with version 000 it reads like the first, run together
  const std::set<std::string> ids{
      Changed(Truth()).id,
      Changed(Truth(), 1001).id,
      Changed(other_order).id,
      Changed(other_content).id,
      Changed(shifted, 0).id,
      OrderChanged({"1688", "12345678"}, Truth(), 1000, std::nullopt, {"message", "7104"}, kNow).id};
  CHECK(ids.size() == 6);
}

TEST_CASE("Event: no two tuples give one id where a part holds the separators") {
  const auto id = [](std::string order, std::string digest) {
    OrderTruth truth = Truth();
    truth.order_id = std::move(order);
    truth.digest = std::move(digest);
    return Changed(truth, 1).id;
  };
  const std::set<std::string> ids{id("a", "1,b"),
                                  id("a,1", "b"),
                                  id("a,1:1", "b"),
                                  id("a", "1:1,b"),
                                  id("a:1", "b"),
                                  id("a,1:1,1:b", ""),
                                  id("", "a,1:1,1:b"),
                                  id("1:a", "b"),
                                  id("a,", "1:1,b"),
                                  id(std::string("a\0", 2), "b"),
                                  id("a", std::string("\0b", 2)),
                                  id("a", "b")};
  CHECK(ids.size() == 12);
}

TEST_CASE("Event: a message's event can't be taken for an order's") {
  OrderTruth truth = Truth();
  truth.order_id = "m1";
  truth.digest = "";
  const Event message = MessageReceived(kFrom, "m1", "t", "900001", "", "{}", kNow);
  CHECK(message.id != Changed(truth, 0).id);
  CHECK(message.id != MessageReceived(kFrom, "m2", "t", "900001", "", "{}", kNow).id);
  CHECK(message.id == MessageReceived(kFrom, "m1", "t", "900001", "", "{}", kNow + 1h).id);
}

TEST_CASE("Event: order.changed says what the contract promises, field by field") {
  OrderSnapshot before;
  before.status = "WAIT_BUYER_PAY";
  const Event event = OrderChanged(kFrom, Truth(), 1772672400000, before, {"message", "7104"}, kNow);
  json::Document document;
  REQUIRE_FALSE(document.Parse(event.payload));
  const json::Node root = document.root(), data = root["data"];
  CHECK(root.Size() == 8);
  CHECK(Text(root["specversion"]) == "1.0");
  CHECK(Text(root["id"]) == event.id);
  CHECK(Text(root["source"]) == "tmc-agent/12345678");
  CHECK(Text(root["type"]) == "order.changed");
  CHECK(Text(root["subject"]) == "3012345678901234567");
  CHECK(Text(root["time"]) == "2026-03-05T01:00:00.123Z");
  CHECK(Text(root["datacontenttype"]) == "application/json");
  CHECK(Text(data["platform"]) == "top");
  CHECK(Text(data["subject_kind"]) == "order");
  CHECK(Text(data["order_id"]) == "3012345678901234567");
  CHECK(Text(data["status"]) == "WAIT_SELLER_SEND_GOODS");
  CHECK(Text(data["previous_status"]) == "WAIT_BUYER_PAY");
  CHECK(data["status_version"].Int() == 1772672400000);
  CHECK(Text(data["paid_amount"]) == "1.10");
  CHECK(Text(data["refund_status"]) == "NO_REFUND");
  CHECK(Text(data["trigger"]) == "message");
  CHECK(Text(data["msg_id"]) == "7104");
  CHECK(data["order"].IsObject());
  CHECK(event.status_version == 1772672400000);
  CHECK(event.order_id == event.subject_id);
}

TEST_CASE("Event: money is a text, a version a number, the first truth has no status before it") {
  const std::string payload = Changed(Truth()).payload;
  CHECK(payload.find(R"("paid_amount":"1.10")") != std::string::npos);
  CHECK(payload.find(R"("status_version":1000,)") != std::string::npos);
  CHECK(payload.find(R"("previous_status":null)") != std::string::npos);
}

TEST_CASE("Event: the platform's own object goes on byte for byte") {
  CHECK(Changed(Truth()).payload.find(std::string(R"("order":)") + kRaw + "}}") != std::string::npos);
}

TEST_CASE("Event: message.received hands on the content as it came, escaped") {
  const std::string body = "{\"a\":\"\\u0000\"}\n\x01 \"中";
  const Event event = MessageReceived(kFrom, "7104", "taobao_item_ItemUpdate", "900001", "", body, kNow);
  json::Document document;
  REQUIRE_FALSE(document.Parse(event.payload));
  const json::Node root = document.root(), data = root["data"];
  CHECK(Text(root["type"]) == "message.received");
  CHECK(Text(root["subject"]) == "7104");
  CHECK(Text(root["id"]) == event.id);
  CHECK(Text(data["platform"]) == "top");
  CHECK(Text(data["subject_kind"]) == "message");
  CHECK(Text(data["msg_id"]) == "7104");
  CHECK(Text(data["topic"]) == "taobao_item_ItemUpdate");
  CHECK(Text(data["shop"]) == "900001");
  CHECK(Text(data["content"]) == body);
  CHECK(event.status.empty());
}

TEST_CASE("Event: times are RFC 3339, UTC, with milliseconds") {
  CHECK(Rfc3339(FromMillis(0)) == "1970-01-01T00:00:00.000Z");
  CHECK(Rfc3339(FromMillis(1709251199007)) == "2024-02-29T23:59:59.007Z");
  CHECK(Rfc3339(FromMillis(-1)) == "1969-12-31T23:59:59.999Z");
}
