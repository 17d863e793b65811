// Bad input: what a message may hold.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kTopic[] = "taobao_trade_TradeChanged";

std::string Content(Scene& scene, std::string_view content, std::string_view topic = kTopic) {
  json::Writer draft;
  draft.BeginObject().Member("topic", topic).Member("content", content).EndObject();
  return scene.MessageOf(draft.Take());
}

// What became of a message: state, reason of its letter, whether it was confirmed.
std::string FateOf(const Scene& scene, const std::string& id) {
  return scene.Rows(
      "SELECT m.state, d.reason, m.confirmed_at IS NOT NULL FROM inbound_message m "
      "LEFT JOIN dead_letter d USING (msg_id) WHERE msg_id = '" +
      id + "'");
}

std::string LetterBody(const Scene& scene, const std::string& id) {
  return scene.Rows("SELECT CAST(body AS TEXT) FROM dead_letter WHERE msg_id = '" + id + "'");
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02X}", static_cast<unsigned char>(byte));
  return hex;
}

// Three orders, a message of the first before the bad ones of a batch and of the last behind them.
struct Batch {
  Scene scene;
  std::string first, last;

  Batch() {
    for (const char* tid : {"1001", "1002", "1003"}) scene.Order(tid);
    first = scene.Message("1001");
  }
  Ended Drain(int wanted_status) {
    last = scene.Message("1003");
    const Ended ended = scene.Once({"--reconcile-interval", "0"});
    CHECK_MESSAGE(ended.status == wanted_status, ended.err);
    CHECK(FateOf(scene, first) == "applied|null|1");
    CHECK(FateOf(scene, last) == "applied|null|1");
    CHECK(scene.Violations() == "");
    return ended;
  }
};

// One entry of a batch makes the whole answer no JSON text.
void BreaksTheAnswer(const char* flaw, std::string_view bytes_of_the_flaw) {
  Batch batch;
  Scene& scene = batch.scene;
  const std::string bad =
      scene.MessageOf(fmt::format(R"({{"tid":"1002","topic":"{}","flaw":"{}"}})", kTopic, flaw));
  const Ended ended = batch.Drain(65);
  CHECK(ended.err.find(bad) != std::string::npos);
  CHECK(FateOf(scene, bad) == "dlq|bad_encoding|1");
  CHECK(scene.Rows(fmt::format("SELECT instr(body, x'{}') > 0, instr(body, CAST('{}' AS BLOB)) > 0 "
                               "FROM dead_letter",
                               Hex(bytes_of_the_flaw), bad)) == "1|1");
  CHECK(scene.Confirmed() == std::set{batch.first, bad, batch.last});
}

}  // namespace

TEST_CASE("Bad input: content that is no JSON, empty, too deep, too large or repeats tid") {
  Batch batch;
  Scene& scene = batch.scene;
  const auto nested = [](int levels) {
    return R"({"tid":1002,"deep":)" + std::string(static_cast<size_t>(levels - 1), '[') +
           std::string(static_cast<size_t>(levels - 1), ']') + "}";
  };
  const auto padded = [](size_t bytes) {
    const std::string head = R"({"tid":1002,"note":")";
    return head + std::string(bytes - head.size() - 2, 'x') + "\"}";
  };
  const size_t most = 1 << 20;
  const std::pair<std::string, const char*> bad[] = {{R"({"tid":)", "bad_json"},
                                                     {"no JSON at all", "bad_json"},
                                                     {"", "bad_json"},
                                                     {nested(65), "bad_json"},
                                                     {padded(most + 1), "body_too_large"},
                                                     {R"({"tid":1001,"tid":1002})", "bad_json"},
                                                     {"[1002]", "bad_json"}};
  std::set<std::string> all{batch.first};
  std::vector<std::string> ids;
  for (const auto& [content, reason] : bad) all.insert(ids.emplace_back(Content(scene, content)));
  // Just within what is allowed, or nothing that decides.
  for (const std::string& good :
       {nested(64), padded(most), std::string(R"({"tid":1002,"oid":1002,"note":1,"note":2})")})
    all.insert(ids.emplace_back(Content(scene, good)));
  batch.Drain(65);
  all.insert(batch.last);
  for (size_t i = 0; i < ids.size(); ++i) {
    CAPTURE(i);
    const bool is_bad = i < std::size(bad);
    CHECK(FateOf(scene, ids[i]) == (is_bad ? fmt::format("dlq|{}|1", bad[i].second) : "applied|null|1"));
    if (is_bad) CHECK_MESSAGE(LetterBody(scene, ids[i]) == bad[i].first, "the body is kept as it came");
  }
  CHECK(scene.Rows("SELECT count(*) FROM dead_letter WHERE detail = '' OR attempts > 1") == "0");
  CHECK(scene.Confirmed() == all);
}

TEST_CASE("Bad input: half an emoji in an entry") {
  BreaksTheAnswer("half_emoji", "\xF0\x9F\x98\"");
}
TEST_CASE("Bad input: GBK bytes in an entry") {
  BreaksTheAnswer("gbk_nick", "\xD5\xC5\xC8\xFD");
}
TEST_CASE("Bad input: a raw control character in an entry") {
  BreaksTheAnswer("control_char", "\x01");
}

TEST_CASE("Bad input: a whole answer in GBK is bad bytes unsaid, and a failed call where it is said") {
  Scene scene;
  const std::string sample = FileContent(TMC_TEST_DATA "/top/consume_gbk.bin");
  // Its only entry, as the platform's queue holds it.
  const size_t begin = sample.find("[{") + 1, end = sample.find("}]") + 1;
  const std::string id = "7104300007405429231";
  scene.Post("/messages", fmt::format(R"({{"id":"{}","raw_entry_hex":"{}"}})", id,
                                      Hex(sample.substr(begin, end - begin))));
  SUBCASE("unsaid") {
    CHECK(scene.Once({"--reconcile-interval", "0"}).status == 65);
    CHECK(FateOf(scene, id) == "dlq|bad_encoding|1");
    CHECK(scene.Rows("SELECT instr(body, x'D5C5C8FD') > 0 FROM dead_letter") == "1");
  }
  SUBCASE("said") {
    scene.Fault(fmt::format(R"({{"api":"consume","times":0,"content_type":"application/json; charset=GBK",
                                 "body_hex":"{}"}})",
                            Hex(sample)));
    const Ended ended = scene.Once({"--once-wait", "1s"});
    CHECK_MESSAGE(ended.status == 69, ended.err);
    CHECK(ended.err.find("GBK") != std::string::npos);
    CHECK(scene.Rows("SELECT count(*) FROM inbound_message") == "0");
    CHECK(scene.Confirmed().empty());
  }
  CHECK(scene.Violations() == "");
}

TEST_CASE("Bad input: three ids and orders that are one and the same double") {
  Scene scene;
  scene.Post("/shops", R"({"user_id":"900001","nick":"seller_a","session":"session-a"})");
  scene.folder.File("session", "900001 session-a\n");
  const std::string sample = FileContent(TMC_TEST_DATA "/top/large_ids.json");
  std::set<std::string> ids;
  for (const std::string_view entry :
       json::SliceElements(sample, {"tmc_messages_consume_response", "messages", "tmc_message"})) {
    const std::string id(json::Slice(entry, {"id"}).value_or(""));
    json::Writer draft;
    draft.BeginObject().Member("id", id).Member("shop", "900001").Member("raw_entry", entry).EndObject();
    ids.insert(scene.MessageOf(draft.Take()));
  }
  for (const char* tid : {"3012345678901234567", "3012345678901234568", "3012345678901234569"})
    scene.Post(
        "/orders",
        fmt::format(R"({{"tid":"{}","shop":"900001","status":"WAIT_SELLER_SEND_GOODS","at":"-30m"}})", tid));
  const Ended ended = scene.Once({"--reconcile-interval", "0"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Rows("SELECT msg_id, order_id, state FROM inbound_message WHERE channel = 'tmc' ORDER BY 1") ==
        "7104300007405429231|3012345678901234567|applied\n"
        "7104300007405429232|3012345678901234568|applied\n"
        "7104300007405429233|3012345678901234569|applied");
  CHECK(scene.Rows("SELECT order_id FROM order_snapshot ORDER BY 1") ==
        "3012345678901234567\n3012345678901234568\n3012345678901234569");
  CHECK(scene.Confirmed() == ids);
  CHECK(scene.Violations() == "");
}

TEST_CASE("Bad input: a trade message without a usable tid") {
  Batch batch;
  Scene& scene = batch.scene;
  std::set<std::string> all{batch.first}, bad;
  for (const char* content :
       {"{}", R"({"tid":null})", R"({"tid":""})", R"({"tid":"abc"})", R"({"tid":0})", R"({"tid":-5})",
        R"({"tid":1.5})", R"({"tid":"123456789012345678901"})", R"({"tid":{"id":1002}})", R"({"tid":true})"})
    bad.insert(Content(scene, content));
  bad.insert(Content(scene, R"({"refund_id":5})", "taobao_refund_RefundCreated"));
  const std::string other = Content(scene, R"({"num_iid":5})", "taobao_item_ItemUpdate");
  batch.Drain(65);
  for (const std::string& id : bad) CHECK(FateOf(scene, id) == "dlq|missing_order_id|1");
  // A topic that names no order is no dead letter.
  CHECK(FateOf(scene, other) == "applied|null|1");
  CHECK(scene.Rows("SELECT type FROM outbox_event WHERE msg_id = '" + other + "'") == "message.received");
  all.merge(bad);
  all.insert({other, batch.last});
  CHECK(scene.Confirmed() == all);
}

TEST_CASE("Bad input: an entry without id, once a content") {
  Batch batch;
  Scene& scene = batch.scene;
  const auto entry = [&](const char* tid) {
    json::Writer draft;
    draft.BeginObject().Member("flaw", "no_id");
    draft.Member(
        "raw_entry",
        fmt::format(R"({{"topic":"{}","user_id":123456789,"content":"{{\"tid\":{}}}"}})", kTopic, tid));
    scene.MessageOf(draft.EndObject().Take());
  };
  for (const char* tid : {"1001", "1002", "1001"}) entry(tid);
  batch.Drain(65);
  const char* letters = "SELECT msg_id, channel, reason, length(body) > 0 FROM dead_letter";
  const char* two = "null|tmc|missing_msg_id|1\nnull|tmc|missing_msg_id|1";
  CHECK(scene.Rows(letters) == two);
  CHECK(scene.Rows("SELECT count(DISTINCT body) FROM dead_letter") == "2");
  CHECK(scene.Confirmed() == std::set{batch.first, batch.last});
  // It can't be confirmed, so it comes again: nothing new, and the batch goes on.
  scene.Post("/redeliver", "{}");
  scene.Order("1004");
  const std::string next = scene.Message("1004");
  const Ended again = scene.Once({"--reconcile-interval", "0"});
  CHECK_MESSAGE(again.status == 0, again.err);
  CHECK(scene.Rows(letters) == two);
  CHECK(FateOf(scene, next) == "applied|null|1");
  CHECK(scene.Violations() == "");
}
