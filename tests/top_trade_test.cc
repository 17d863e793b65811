#include <doctest/doctest.h>

#include "adapters/top/trade.h"
#include "adapters/top/wire.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using tmc::testing::Answered;
using tmc::testing::Sample;
using tmc::top::ReadOrder;
using tmc::top::ReadWindow;

namespace {

constexpr const char* kTid = "3812000000000210193";

// A trade with the given members in place of, or beside, the usual ones.
struct TradeText {
  std::string payment = R"("110.00")", total_fee = R"("110.00")", pay_time = R"("2026-01-15 08:35:40")";
  std::string post_fee = R"("0.00")", status = R"("WAIT_SELLER_SEND_GOODS")";
  std::string modified = R"("2026-01-15 08:41:00")", tid = kTid;
  std::string orders = R"({"order":[{"oid":1,"payment":"110.00","refund_status":"NO_REFUND"}]})";
  std::string Text() const {
    std::string text = "{";
    const std::pair<const char*, const std::string&> members[] = {
        {"tid", tid},           {"payment", payment}, {"total_fee", total_fee}, {"pay_time", pay_time},
        {"post_fee", post_fee}, {"status", status},   {"modified", modified},   {"orders", orders}};
    for (const auto& [key, value] : members)
      if (!value.empty()) text += (text.size() > 1 ? ",\"" : "\"") + std::string(key) + "\":" + value;
    return text + "}";
  }
};

HttpResponse Order(const std::string& trade) {
  return Answered("{\"trade_fullinfo_get_response\":{\"trade\":" + trade + ",\"request_id\":\"r\"}}");
}

OrderTruth Truth(const std::string& trade) {
  const auto truth = ReadOrder(kTid, Order(trade));
  CAPTURE(trade);
  if (!truth) FAIL(truth.error().text);
  return *truth;
}
OrderTruth Truth(const TradeText& trade) {
  return Truth(trade.Text());
}
std::string Digest(const std::string& trade) {
  return Truth(trade).digest;
}

void CheckRefused(const std::string& trade) {
  CAPTURE(trade);
  const auto truth = ReadOrder(kTid, Order(trade));
  REQUIRE_FALSE(truth);
  CHECK(truth.error().code == "bad_answer");
  CHECK(truth.error().fault == Fault::kOutside);
  CHECK(truth.error().from_platform);
  CHECK(truth.error().text.starts_with("taobao.trade.fullinfo.get: "));
}

TradeText WithLines(const std::string& lines) {
  TradeText trade;
  trade.orders = "{\"order\":[" + lines + "]}";
  return trade;
}

std::string Line(int oid, const std::string& refund_status, const std::string& payment = "0.10") {
  return "{\"oid\":" + std::to_string(oid) + ",\"payment\":\"" + payment + "\",\"refund_status\":\"" +
         refund_status + "\"}";
}

std::string RefundStatus(const std::string& lines) {
  return Truth(WithLines(lines)).refund_status;
}

const WindowWish kCount{.from = {}, .to = {}, .want_total = true};
const WindowWish kRows{.from = {}, .to = {}, .want_total = false};

Result<WindowPage> Window(const std::string& members, const WindowWish& wish = kRows) {
  return ReadWindow(wish, Answered("{\"trades_sold_increment_get_response\":{" + members + "}}"));
}

void CheckWindowRefused(const std::string& members, const WindowWish& wish = kRows) {
  CAPTURE(members);
  const auto page = Window(members, wish);
  REQUIRE_FALSE(page);
  CHECK(page.error().code == "bad_answer");
  CHECK(page.error().fault == Fault::kOutside);
}

}  // namespace

TEST_CASE("Order: every field of the sample, and its own bytes") {
  const std::string body = Sample("top_trade_fullinfo_get_response.json");
  const auto truth = ReadOrder(kTid, Answered(body));
  REQUIRE(truth);
  CHECK(truth->order_id == kTid);
  CHECK(truth->shop_nick == "测试店铺01");
  CHECK(truth->status == "WAIT_SELLER_SEND_GOODS");
  CHECK(truth->rank == 20);
  CHECK_FALSE(truth->final);
  CHECK(truth->modified == FromMillis(1768437660000));
  CHECK(truth->paid_amount == "110.00");
  CHECK(truth->total_amount == "110.00");
  CHECK(truth->post_fee == "0.00");
  CHECK(truth->refund_amount == "0.00");
  CHECK(truth->currency == "CNY");
  CHECK(truth->refund_status == "NO_REFUND");
  CHECK(truth->digest.size() == 64);
  CHECK(body.find(truth->raw) != std::string::npos);
  CHECK(truth->raw.starts_with("{\n      \"tid\": 3812000000000210193,"));
  CHECK(truth->raw.ends_with("}"));
}

TEST_CASE("Order: the simplified form says the same") {
  const std::string trade =
      R"({"tid":"3812000000000210193","status":"TRADE_CLOSED","modified":"2026-01-15 08:41:00",)"
      R"("total_fee":"1.00","orders":[{"oid":1,"payment":"1.00","refund_status":"SUCCESS"}]})";
  const auto truth = ReadOrder(kTid, Answered("{\"trade\":" + trade + ",\"request_id\":\"r\"}"));
  REQUIRE(truth);
  CHECK(truth->raw == trade);
  CHECK(truth->final);
  CHECK(truth->refund_status == "SUCCESS");
  CHECK(truth->refund_amount == "1.00");
}

TEST_CASE("Order: another order, or none, is no answer") {
  TradeText other;
  other.tid = "3812000000000210194";
  CheckRefused(other.Text());
  for (const char* trade : {"{}", "null", "\"\"", "[]", "7", "[{\"tid\":3812000000000210193}]"})
    CheckRefused(trade);
  CHECK(ReadOrder(kTid, Answered(R"({"trade_fullinfo_get_response":{"request_id":"r"}})")).error().code ==
        "bad_answer");
  CHECK(ReadOrder(kTid, Answered(Sample("top_error_15_isv_trade_not_exist.json"))).error().fault ==
        Fault::kUnknown);
}

TEST_CASE("Order: tid, status and modified must be there, once, and valid") {
  for (std::string TradeText::*member : {&TradeText::tid, &TradeText::status, &TradeText::modified})
    for (const char* value : {"", "null", "\"\"", "{}", "[]", "true"}) {
      TradeText trade;
      trade.*member = value;
      CheckRefused(trade.Text());
    }
  TradeText trade;
  for (const char* modified : {"\"soon\"", "\"2026-02-30 08:41:00\"", "1768437660000"}) {
    trade.modified = modified;
    CheckRefused(trade.Text());
  }
  trade = {};
  trade.status = R"("TRADE_FINISHED","status":"WAIT_BUYER_PAY")";
  CheckRefused(trade.Text());
}

TEST_CASE("Order: an unknown status is taken, with rank 0, and may be left") {
  TradeText trade;
  trade.status = R"("SOMETHING_NEW")";
  CHECK(Truth(trade).status == "SOMETHING_NEW");
  CHECK(Truth(trade).rank == 0);
  CHECK_FALSE(Truth(trade).final);
}

TEST_CASE("Order: what is not paid yet has paid nothing") {
  TradeText trade;
  for (const char* pay_time : {"", "\"\"", "null"}) {
    trade.pay_time = pay_time;
    CHECK(Truth(trade).paid_amount == "0.00");
    CHECK(Truth(trade).total_amount == "110.00");
  }
  trade.payment = "";
  CHECK(Truth(trade).paid_amount == "0.00");
}

TEST_CASE("Order: amounts stay as they are written, as text or as a number") {
  for (const char* amount :
       {"599.80", "19.99", "0.10", "1.10", "0.07", "1234567890.12", "0.001", "1.1", "7"}) {
    TradeText trade;
    trade.payment = trade.total_fee = trade.post_fee = "\"" + std::string(amount) + "\"";
    const OrderTruth text = Truth(trade);
    trade.payment = trade.total_fee = trade.post_fee = amount;
    const OrderTruth number = Truth(trade);
    for (const OrderTruth* truth : {&text, &number}) {
      CHECK(truth->paid_amount == amount);
      CHECK(truth->total_amount == amount);
      CHECK(truth->post_fee == amount);
    }
    CHECK(text.digest == number.digest);
  }
}

TEST_CASE("Order: what is no amount, and an amount that must be there, is refused") {
  for (std::string TradeText::*member : {&TradeText::payment, &TradeText::total_fee, &TradeText::post_fee})
    for (const char* value :
         {"\"1e3\"", "1e3", "\"x\"", "\"1,00\"", "{}", "true", "\" 1\"", "\"1234567890123\""}) {
      TradeText trade;
      trade.*member = value;
      CheckRefused(trade.Text());
    }
  for (std::string TradeText::*member : {&TradeText::payment, &TradeText::total_fee}) {
    TradeText trade;
    trade.*member = "";
    CheckRefused(trade.Text());
  }
  TradeText trade;
  trade.post_fee = "";
  CHECK(Truth(trade).post_fee == "0.00");
}

TEST_CASE("Order: lines in any of their dresses") {
  const std::string line = Line(1, "SUCCESS", "0.30");
  for (const std::string& orders :
       {"{\"order\":[" + line + "]}", "{\"order\":" + line + "}", "[" + line + "]", line}) {
    TradeText trade;
    trade.orders = orders;
    CHECK(Truth(trade).refund_status == "SUCCESS");
    CHECK(Truth(trade).refund_amount == "0.30");
  }
  for (const char* orders :
       {"", "{}", "\"\"", "null", "[]", "{\"order\":[]}", "{\"order\":{}}", "{\"order\":\"\"}"}) {
    TradeText trade;
    trade.orders = orders;
    CHECK(Truth(trade).refund_status == "NO_REFUND");
    CHECK(Truth(trade).refund_amount == "0.00");
  }
  for (const char* orders :
       {"7", "\"x\"", "{\"foo\":1}", "[7]", "{\"order\":[null]}", "{\"order\":[\"x\"]}"}) {
    TradeText trade;
    trade.orders = orders;
    CheckRefused(trade.Text());
  }
}

TEST_CASE("Order: what was paid back is the exact sum of its lines") {
  const std::string three = Line(1, "SUCCESS") + "," + Line(2, "SUCCESS") + "," + Line(3, "SUCCESS");
  CHECK(Truth(WithLines(three)).refund_amount == "0.30");
  CHECK(Truth(WithLines(three + "," + Line(4, "CLOSED", "5.00"))).refund_amount == "0.30");
  CHECK(Truth(WithLines(R"({"oid":1,"payment":0.1,"refund_status":"SUCCESS"})")).refund_amount == "0.10");
  CheckRefused(WithLines(R"({"oid":1,"refund_status":"SUCCESS"})").Text());
  CheckRefused(WithLines(R"({"oid":1,"payment":"x","refund_status":"NO_REFUND"})").Text());
  std::string many = Line(0, "SUCCESS", "999999999999.99");
  for (int i = 1; i < 40; ++i) many += "," + Line(i, "SUCCESS", "999999999999.99");
  CheckRefused(WithLines(many).Text());
}

TEST_CASE("Order: the refund status is that of the least advanced open line") {
  const char* order[] = {"WAIT_SELLER_AGREE", "SELLER_REFUSE_BUYER", "WAIT_BUYER_RETURN_GOODS",
                         "WAIT_SELLER_CONFIRM_GOODS", "WAIT_BUYER_CONFIRM_EXCHANGE_SELLER_SEND_GOODS"};
  for (int i = 0; i < 5; ++i) {
    CHECK(RefundStatus(Line(1, order[i]) + "," + Line(2, "SUCCESS") + "," + Line(3, "NO_REFUND")) ==
          order[i]);
    for (int later = i; later < 5; ++later) {
      CHECK(RefundStatus(Line(1, order[i]) + "," + Line(2, order[later])) == order[i]);
      CHECK(RefundStatus(Line(1, order[later]) + "," + Line(2, order[i])) == order[i]);
    }
  }
  CHECK(RefundStatus(Line(1, "SUCCESS") + "," + Line(2, "SUCCESS")) == "SUCCESS");
  CHECK(RefundStatus(Line(1, "SUCCESS") + "," + Line(2, "NO_REFUND")) == "NO_REFUND");
  CHECK(RefundStatus(Line(1, "CLOSED")) == "NO_REFUND");
  CHECK(RefundStatus(R"({"oid":1})") == "NO_REFUND");
}

TEST_CASE("Digest: the same content has the same digest, however it is written") {
  const std::string first =
      R"({"tid":3812000000000210193,"status":"WAIT_SELLER_SEND_GOODS","modified":"2026-01-15 08:41:00",)"
      R"("payment":"110.00","pay_time":"2026-01-15 08:35:40","total_fee":"110.00","post_fee":"0.00","orders":{"order":[)"
      R"({"oid":1,"num":2,"price":"55.00","payment":"110.00","title":"测试"},{"oid":2,"num":1,"payment":"3.10"}]}})";
  const std::string other =
      R"({"orders":[{"payment":3.1,"oid":"2","num":"1","oid_str":"2","foo":1},)"
      R"({"title":"\u6d4b\u8bd5","payment":110,"price":55.0,"num":"2","oid":"1","sku_id":null,"status":""}],)"
      R"("post_fee":0,"unknown":{"x":1},"buyer_nick":"n","consign_time":"","total_fee":110.0,)"
      R"("pay_time":"2026-01-15 08:35:40","payment":110,"modified":"2026-01-15 08:41:00",)"
      R"("status":"WAIT_SELLER_SEND_GOODS","tid":"3812000000000210193"})";
  CHECK(Digest(first) == Digest(other));
}

TEST_CASE("Digest: it stays the same from release to release") {
  CHECK(ReadOrder(kTid, Answered(Sample("top_trade_fullinfo_get_response.json")))->digest ==
        "51e1b58adbc69a4c1a41d3468f6d96dd1a1f0bd64ec9d86adfb2ee6cf274d454");
}

TEST_CASE("Digest: any field that was asked for changes it") {
  const std::string base = TradeText().Text();
  const std::string open = base.substr(0, base.size() - 1);
  std::string_view fields = top::kTradeFields;
  std::vector<std::string> digests{Digest(base)};
  for (const char* field : {"type", "received_payment", "created", "consign_time", "end_time",
                            "step_trade_status", "step_paid_fee", "seller_nick", "buyer_open_uid"}) {
    CHECK(fields.find(field) != fields.npos);
    digests.push_back(Digest(open + ",\"" + field + "\":\"1\"}"));
  }
  TradeText trade;
  for (std::string TradeText::*member : {&TradeText::payment, &TradeText::total_fee, &TradeText::post_fee}) {
    trade = {};
    trade.*member = "\"9.99\"";
    digests.push_back(Digest(trade.Text()));
  }
  trade = {};
  trade.status = "\"TRADE_FINISHED\"";
  digests.push_back(Digest(trade.Text()));
  trade = {};
  trade.modified = "\"2026-01-15 08:41:01\"";
  digests.push_back(Digest(trade.Text()));
  trade = {};
  trade.pay_time = "\"2026-01-15 08:35:41\"";
  digests.push_back(Digest(trade.Text()));
  for (size_t i = 0; i < digests.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(digests[i] != digests[j]);
    }
}

TEST_CASE("Digest: any known field of a line changes it, and so does another line") {
  const auto of = [](const std::string& lines) { return Digest(WithLines(lines).Text()); };
  const std::string base = of("{\"oid\":1}");
  for (const char* field : {"status",
                            "refund_status",
                            "refund_id",
                            "payment",
                            "total_fee",
                            "price",
                            "num",
                            "num_iid",
                            "sku_id",
                            "outer_iid",
                            "outer_sku_id",
                            "title",
                            "sku_properties_name",
                            "adjust_fee",
                            "discount_fee",
                            "divide_order_fee",
                            "part_mjz_discount",
                            "consign_time",
                            "end_time",
                            "invoice_no",
                            "logistics_company",
                            "shipping_type",
                            "store_code",
                            "buyer_rate",
                            "seller_rate"}) {
    CAPTURE(field);
    CHECK(of("{\"oid\":1,\"" + std::string(field) + "\":\"1\"}") != base);
  }
  CHECK(of("{\"oid\":1,\"timeout_action_time\":\"2026-01-18 08:35:40\",\"pic_path\":\"x\"}") == base);
  CHECK(of("{\"oid\":2}") != base);
  CHECK(of("{\"oid\":1},{\"oid\":1}") != base);
  CHECK(of("{\"oid\":1},{\"oid\":2}") == of("{\"oid\":2},{\"oid\":1}"));
  CHECK(of("{\"oid\":1,\"num\":1},{\"oid\":2,\"num\":2}") !=
        of("{\"oid\":1,\"num\":2},{\"oid\":2,\"num\":1}"));
  CHECK(of("{\"oid\":1,\"buyer_rate\":true}") == of("{\"oid\":1,\"buyer_rate\":\"true\"}"));
  CHECK(of("{\"oid\":1,\"payment\":\"0.10\"}") == of("{\"oid\":1,\"payment\":0.1}"));
  CHECK(of("{\"oid\":1,\"num\":\"0.10\"}") != of("{\"oid\":1,\"num\":0.1}"));
}

TEST_CASE("Window: both samples give their row, with the order's own amounts") {
  const auto counted =
      ReadWindow(kCount, Answered(Sample("top_trades_sold_increment_get_response_total.json")));
  REQUIRE(counted);
  CHECK(counted->total == 87);
  REQUIRE(counted->rows.size() == 1);
  const WindowRow& row = counted->rows[0];
  const auto truth = ReadOrder(kTid, Answered(Sample("top_trade_fullinfo_get_response.json")));
  CHECK(row.order_id == truth->order_id);
  CHECK(row.shop_nick == truth->shop_nick);
  CHECK(row.status == truth->status);
  CHECK(row.refund_status == truth->refund_status);
  CHECK(row.modified == truth->modified);
  CHECK(row.paid_amount == truth->paid_amount);
  CHECK(row.total_amount == truth->total_amount);
  CHECK(row.post_fee == truth->post_fee);
  CHECK(row.refund_amount == truth->refund_amount);
  const auto listed =
      ReadWindow(kRows, Answered(Sample("top_trades_sold_increment_get_response_has_next.json")));
  REQUIRE(listed);
  CHECK(listed->rows.size() == 1);
  CHECK_FALSE(listed->total);
}

TEST_CASE("Window: one, two or no rows in any dress") {
  const std::string row = TradeText().Text();
  for (const std::string& trades : {"{\"trade\":[" + row + "]}", "{\"trade\":" + row + "}", "[" + row + "]"})
    CHECK(Window("\"trades\":" + trades)->rows.size() == 1);
  CHECK(Window("\"trades\":{\"trade\":[" + row + "," + row + "]}")->rows.size() == 2);
  for (const char* trades : {"{}", "\"\"", "null", "[]", "{\"trade\":[]}"})
    CHECK(Window("\"trades\":" + std::string(trades))->rows.empty());
  CHECK(Window("\"has_next\":false")->rows.empty());
  CHECK(Window("\"total_results\":\"0\"", kCount)->total == 0);
  CHECK(ReadWindow(kCount, Answered("{\"total_results\":0}"))->rows.empty());
  CHECK(ReadWindow(kRows, Answered("{\"trades\":{\"trade\":[" + row + "]}}"))->rows.size() == 1);
}

TEST_CASE("Window: an unexpected shape is a failed read, never an end") {
  CHECK(ReadWindow(kRows, Answered("[]")).error().code == "bad_answer");
  CHECK(ReadWindow(kRows, Answered("{}")).error().code == "bad_answer");
  for (const char* trades :
       {"7", "true", "\"x\"", "{\"foo\":1}", "[7]", "{\"trade\":[null]}", "{\"trade\":\"x\"}"})
    CheckWindowRefused("\"trades\":" + std::string(trades));
  for (const char* total : {"\"trades\":{}", "\"total_results\":null", "\"total_results\":\"many\"",
                            "\"total_results\":-1", "\"total_results\":1.5", "\"total_results\":{}"})
    CheckWindowRefused(total, kCount);
  for (std::string TradeText::*member : {&TradeText::tid, &TradeText::modified, &TradeText::status}) {
    TradeText trade;
    trade.*member = "";
    CheckWindowRefused("\"trades\":{\"trade\":[" + TradeText().Text() + "," + trade.Text() + "]}");
  }
  TradeText trade;
  trade.payment = "\"x\"";
  CheckWindowRefused("\"trades\":{\"trade\":" + trade.Text() + "}");
}

TEST_CASE("Window: what the list does not tell stays empty") {
  TradeText trade;
  trade.total_fee = trade.payment = trade.orders = "";
  const auto page = Window("\"trades\":{\"trade\":" + trade.Text() + "}");
  REQUIRE(page);
  const WindowRow& row = page->rows.at(0);
  CHECK(row.paid_amount.empty());
  CHECK(row.total_amount.empty());
  CHECK(row.refund_amount.empty());
  CHECK(row.refund_status.empty());
  const auto lines =
      Window("\"trades\":{\"trade\":" + WithLines(R"({"oid":1,"refund_status":"SUCCESS"})").Text() + "}");
  CHECK(lines->rows.at(0).refund_amount.empty());
  CHECK(lines->rows.at(0).refund_status == "SUCCESS");
}
