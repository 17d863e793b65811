// Faults of the wire that others met in the field: confirms, polling, numbers, NULs, hung transfers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "tests/blackbox/scene.h"

using namespace tmc;
using namespace std::chrono_literals;

namespace {

const Words kNoPass{"--reconcile-interval", "0"};

std::string Fresh(Scene& scene) {
  return scene.Rows(
      "SELECT value > strftime('%s', 'now', '-2 seconds') * 1000 FROM tally "
      "WHERE name = 'last_consume_at'");
}

// One poll fails in this way; the agent warns, polls again and is the same process.
void Survives(Scene& scene, Child& agent, const std::string& fault) {
  CAPTURE(fault);
  const size_t warned = agent.Err().size();
  scene.Delete("/faults");
  // A closed connection that was kept alive is no fault yet: another is opened in its place.
  const std::string times = fault.find("reset") != fault.npos || fault.find("drop") != fault.npos ? "3" : "1";
  scene.Fault(R"({"api":"consume","times":)" + times + "," + fault + "}");
  CHECK(WaitUntil([&] { return agent.Err().find("consume", warned) != std::string::npos; }));
  const int calls = scene.Calls("consume");
  CHECK(WaitUntil([&] { return scene.Calls("consume") >= calls + 2; }));
  CHECK(agent.Running());
}

}  // namespace

TEST_CASE("Cases: B03 400 ids are confirmed once each, at most 200 a call, also one that came as a text") {
  Scene scene;
  std::string drafts = "[";
  for (int i = 0; i < 400; ++i)
    drafts += fmt::format(R"({}{{"id":"{}","topic":"taobao_item_ItemUpdate","content":"{{}}"{}}})",
                          i ? "," : "", 7104300007405429001 + i, i == 399 ? R"(,"flaw":"id_text")" : "");
  scene.Post("/messages", drafts + "]");
  const Ended ended = scene.Once({"--reconcile-interval", "0", "--batch", "200"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  std::set<std::string> wanted;
  for (int i = 0; i < 400; ++i) wanted.insert(std::to_string(7104300007405429001 + i));
  CHECK(scene.Confirmed() == wanted);
  // The simulator reports a method, signature or id that is not exact, more than 200, and an id twice.
  CHECK(scene.Violations() == "");
  CHECK(scene.Rows("SELECT count(*), min(deliveries), max(deliveries) FROM inbound_message") == "400|1|1");
}

TEST_CASE(
    "Cases: B04 polling goes on after any failure, and the status shows how old the last good poll is") {
  Scene scene;
  Child& agent = scene.Start(kNoPass);
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  for (const char* fault :
       {R"("reset":true)", R"("drop":"before")", R"("status":500,"content_type":"text/html","body":"<html>")",
        R"("body":"{\"tmc_messages_consume_response\":")", R"("body":"[]")", R"("status":204,"body":"")",
        R"("status":302,"body":"")", R"("body_hex":"15030300020228")", R"("body":"{\"error_response\":7}")",
        R"("error":{"code":99999,"msg":"?"})"})
    Survives(scene, agent, fault);
  scene.Delete("/faults");
  CHECK(WaitUntil([&] { return Fresh(scene) == "1"; }));
  scene.Fault(R"({"api":"consume","times":0,"status":502})");
  CHECK(WaitUntil([&] { return Fresh(scene) == "0"; }));
  scene.Delete("/faults");
  scene.Order("1001");
  const std::string id = scene.Message("1001");
  CHECK(WaitUntil([&] { return scene.Confirmed() == std::set{id}; }));
  CHECK(scene.Stop().status == 0);
  CHECK(scene.Violations() == "");
}

TEST_CASE("Cases: B16 money keeps its text, or its exact value where it came as a number") {
  Scene scene;
  const char* amounts[] = {"599.80", "19.99", "0.10", "1.10", "0.07", "1234567890.12", "0.001"};
  std::map<std::string, std::string> paid;
  for (int i = 0; i < 14; ++i) {
    const std::string tid = std::to_string(1001 + i), amount = amounts[i / 2];
    const std::string json = i % 2 ? amount : '"' + amount + '"';
    scene.Post("/orders", fmt::format(R"({{"tid":"{}","status":"TRADE_FINISHED","at":"-30m","payment":{}}})",
                                      tid, json));
    scene.Message(tid, "taobao_trade_TradeSuccess");
    paid[tid] = amount;
  }
  CHECK(scene.Once(kNoPass).status == 0);
  for (const auto& [tid, amount] : paid)
    CHECK(scene.Rows("SELECT total_amount FROM order_snapshot WHERE order_id = '" + tid + "'") == amount);
  CHECK(scene.Rows("SELECT DISTINCT total_minor FROM order_snapshot ORDER BY 1") ==
        "null\n7\n10\n110\n1999\n59980\n123456789012");
}

TEST_CASE("Cases: B16 a fully refunded order of three lines adds up in decimal") {
  Scene scene;
  const std::string line =
      R"({{"oid":"{}","payment":"0.10","divide_order_fee":"0.10","refund_status":"SUCCESS"}})";
  scene.Post("/orders", R"({"tid":"1001","status":"TRADE_CLOSED","at":"-30m","payment":"0.30","lines":[)" +
                            fmt::format(fmt::runtime(line), 1) + "," + fmt::format(fmt::runtime(line), 2) +
                            "," + fmt::format(fmt::runtime(line), 3) + "]}");
  scene.Message("1001", "taobao_trade_TradeClose");
  CHECK(scene.Once(kNoPass).status == 0);
  CHECK(scene.Rows("SELECT total_minor, refund_minor, refund_minor = total_minor FROM order_snapshot") ==
        "30|30|1");
}

TEST_CASE("Cases: B17 deep contents are letters, also on a small stack") {
  Scene scene;
  std::string objects;
  for (int i = 0; i < 170'000; ++i) objects += R"({"a":)";
  const std::string contents[] = {std::string(500'000, '[') + std::string(500'000, ']'), objects,
                                  std::string(900'000, '[')};
  for (const std::string& content : contents) {
    json::Writer draft;
    draft.BeginObject().Member("topic", "taobao_trade_TradeBuyerPay").Member("content", content).EndObject();
    scene.MessageOf(draft.Take());
  }
  scene.Order("1001");
  scene.Message("1001");
  Words words{"/bin/sh", "-c", "ulimit -s 1024; exec \"$@\"", "sh"};
  for (const std::string& word : scene.RunWords({"--once", "--reconcile-interval", "0"}))
    words.push_back(word);
  const Ended ended = scene.Spawn({.words = words})->Wait();
  CHECK_MESSAGE(ended.status == 65, ended.err);
  CHECK(scene.Rows("SELECT reason, length(body) FROM dead_letter ORDER BY length(body)") ==
        "bad_json|850000\nbad_json|900000\nbad_json|1000000");
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message WHERE state = 'applied'") == "1");
}

TEST_CASE("Cases: B20 ids with a NUL are two letters, not one cut id, and a note keeps its NUL") {
  Scene scene;
  for (const char* id : {R"("A\u0000B")", R"("A\u0000C")"}) {
    json::Writer draft;
    draft.BeginObject().Member("raw_entry", fmt::format(R"({{"id":{},"topic":"taobao_trade_TradeBuyerPay",)"
                                                        R"("content":"{{\"tid\":1001}}"}})",
                                                        id));
    scene.MessageOf(draft.EndObject().Take());
  }
  scene.Post("/orders", R"({"tid":"1001","status":"WAIT_SELLER_SEND_GOODS","at":"-30m",
                            "lines":[{"title":"x\u0000y"}]})");
  scene.Message("1001");
  CHECK(scene.Once({"--reconcile-interval", "0", "--once-wait", "2s"}).status == 65);
  CHECK(scene.Rows("SELECT count(*), count(DISTINCT body) FROM dead_letter WHERE msg_id IS NULL") == "2|2");
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message WHERE msg_id LIKE 'A%'") == "0");
  CHECK(scene.Rows("SELECT state FROM inbound_message") == "applied");
  CHECK(scene.Rows("SELECT instr(raw, CAST('x\\u0000y' AS BLOB)) > 0 FROM order_snapshot") == "1");
}

TEST_CASE("Cases: B69 a redirect is not followed, and a portal's page is no answer") {
  for (const auto& [status, where] :
       {std::pair{301, "http://127.0.0.1:9/"}, std::pair{302, "/router/rest"}, std::pair{303, "/router/rest"},
        std::pair{307, "file:///etc/passwd"}, std::pair{308, "http://127.0.0.1:9/"}}) {
    CAPTURE(status);
    Scene scene;
    scene.Order("1001");
    scene.Message("1001");
    scene.Fault(fmt::format(R"({{"api":"confirm","times":0,"status":{},"content_type":"text/html",)"
                            R"("body":"<a href=\"{}\">moved</a>"}})",
                            status, where));
    const Ended ended =
        scene.Once({"--reconcile-interval", "0", "--once-wait", "300ms", "--drain-timeout", "1s"});
    CHECK(ended.status == 75);
    CHECK(ended.err.find("HTTP status " + std::to_string(status)) != std::string::npos);
    CHECK(scene.Confirmed().empty());
    CHECK(scene.Rows("SELECT state, confirmed_at FROM inbound_message") == "applied|null");
  }
}

TEST_CASE("Cases: B62 connections that close under the calls kill nobody") {
  Scene scene;
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    scene.Order(std::to_string(1001 + i));
    ids.insert(scene.Message(std::to_string(1001 + i)));
  }
  for (const char* how : {R"("drop":"before")", R"("drop":"after")", R"("reset":true)", R"("cut":10)"})
    scene.Fault(fmt::format(R"({{"api":"*","chance":0.2,"times":0,"for":"3s",{}}})", how));
  scene.Post("/switches", R"({"visibility":"1s","jitter":0})");
  scene.Start({"--reconcile-interval", "0", "--idle-max", "100ms"});
  CHECK(WaitUntil([&] { return scene.Confirmed() == ids; }, 40s));
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Rows("SELECT count(*) FROM order_history") == "100");
  CHECK(scene.Rows("SELECT max(attempts) FROM inbound_message") == "0");
}

TEST_CASE("Cases: B64 hung reads hold back neither polling nor a stop") {
  for (const char* how : {R"("hang":true)", R"("hang":"headers")", R"("stall":5)", R"("trickle":"5s")"}) {
    CAPTURE(how);
    Scene scene;
    for (const char* tid : {"1001", "1002"}) scene.Order(tid);
    const std::string hung = scene.Message("1001");
    scene.Fault(fmt::format(R"({{"api":"fullinfo.get","match":{{"tid":"1001"}},"times":0,{}}})", how));
    scene.Start({"--reconcile-interval", "0", "--drain-timeout", "300ms"});
    CHECK(WaitUntil([&] { return scene.Calls("fullinfo.get") > 0; }));
    const std::string other = scene.Message("1002");
    CHECK(WaitUntil([&] { return scene.Confirmed() == std::set{other}; }));
    const auto began = std::chrono::steady_clock::now();
    CHECK(scene.Stop().status == 75);
    CHECK(std::chrono::steady_clock::now() - began < 10s);
    CHECK(scene.Rows("SELECT state, attempts FROM inbound_message WHERE msg_id = '" + hung + "'") ==
          "received|0");
  }
}
