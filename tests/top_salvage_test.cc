#include <doctest/doctest.h>

#include <random>
#include <set>

#include "adapters/top/bytewise.h"
#include "adapters/top/salvage.h"
#include "adapters/top/wire.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using namespace tmc::top;
using tmc::testing::Sample;

namespace {

std::string Entry(int id, const std::string& nick = "seller", const std::string& rest = "") {
  return "{\"content\":\"{\\\"tid\\\":" + std::to_string(id) +
         ",\\\"memo\\\":\\\"急\\\"}\",\"id\":" + std::to_string(7000 + id) +
         ",\"topic\":\"taobao_trade_TradeChanged\",\"user_id\":900001,\"user_nick\":\"" + nick + "\"" + rest +
         "}";
}

std::string Wrapped(const std::string& entries) {
  return "{\"tmc_messages_consume_response\":{\"messages\":{\"tmc_message\":" + entries +
         "},\"request_id\":\"r\"}}";
}

// Good, bad, good.
ConsumeAnswer Between(const std::string& bad) {
  return Salvage(Wrapped("[" + Entry(1) + "," + bad + ", " + Entry(3) + "]"));
}

void CheckBetween(const std::string& bad, const char* msg_id = "7002", bool told = true) {
  CAPTURE(bad);
  const ConsumeAnswer answer = Between(bad);
  REQUIRE(answer.messages.size() == 2);
  CHECK(answer.messages[0].msg_id == "7001");
  CHECK(answer.messages[0].body == "{\"tid\":1,\"memo\":\"急\"}");
  CHECK(answer.messages[1].msg_id == "7003");
  REQUIRE(answer.bad.size() == 1);
  CHECK(answer.bad[0].raw == bad);
  CHECK(answer.bad[0].reason == "bad_encoding");
  CHECK_FALSE(answer.bad[0].detail.empty());
  CHECK(answer.bad[0].msg_id == (msg_id ? std::optional<std::string>(msg_id) : std::nullopt));
  CHECK(answer.bad[0].topic == (told ? "taobao_trade_TradeChanged" : ""));
  CHECK(answer.bad[0].shop == (told ? "900001" : ""));
}

}  // namespace

TEST_CASE("Salvage: half an emoji, as cut bytes or as half an escape") {
  for (const char* nick : {"\xF0\x9F\x98", "\xF0\x9F", "\xF0", "小\xF0\x9F\x98", "\\ud83d", "\\ude00",
                           "a\\ud83db", "\\ud83d\\ud83d"})
    CheckBetween(Entry(2, nick));
  CheckBetween(Entry(2, "\xF0\x9F\x98", ",\"x\":1"));
  CheckBetween(Entry(2, "\\ud83d", ",\"x\":\"\\\\\""));
}

TEST_CASE("Salvage: half an emoji in front of an escaped quote") {
  std::string entry = Entry(2);
  for (const char* half : {"\xF0\x9F\x98", "\xF0\x9F", "\xF0", "\\ud83d"}) {
    std::string broken = entry;
    broken.replace(broken.find("急"), 3, half);
    CheckBetween(broken);
  }
}

TEST_CASE("Salvage: GBK, also where a trail byte is a backslash") {
  for (const char* nick : {"\xD5\xC5\xC8\xFD", "\x95\\", "a\x95\\", "\x95\\\x95\\"})
    for (const char* rest : {"", ",\"x\":1", ",\"x\":\"y\""}) CheckBetween(Entry(2, nick, rest));
}

TEST_CASE("Salvage: GBK that looks like UTF-8, where only pairs make sense") {
  for (const char* nick : {"\xE4\xB8\xAD\\", "\xE4\xB8\x95\\"})
    for (const char* rest : {"", ",\"x\":1", ",\"x\":\"y\""}) {
      std::string entry = Entry(2, nick, rest);
      entry.replace(entry.find("急"), 3, "\xBC\xB1");
      CheckBetween(entry);
    }
  // Beside UTF-8 no reading is right for all; the entry's end is found by the next one.
  CheckBetween(Entry(2, "\xE4\xB8\xAD\\"), "7002", false);
}

TEST_CASE("Salvage: control characters and impossible escapes") {
  for (const std::string& nick :
       {std::string("a\nb"), std::string("\x01"), std::string("\0", 1), std::string("\x1b[2J"),
        std::string("\\x"), std::string("\\u12"), std::string("\\uZZZZ")})
    CheckBetween(Entry(2, nick));
}

TEST_CASE("Salvage: an entry whose end is lost reaches to the next one") {
  std::string cut = Entry(2);
  CheckBetween(cut.substr(0, cut.size() - 1), "7002", false);
  CheckBetween(cut.substr(0, cut.size() - 2), "7002", false);
  CheckBetween(cut.substr(0, cut.find(",\"topic\"")), nullptr, false);
  CheckBetween(cut.substr(0, 12), nullptr, false);
  CheckBetween("{", nullptr, false);
  CheckBetween("garbage", nullptr, false);
  CheckBetween(Entry(2) + "x", "7002", false);
  CheckBetween(Entry(2) + std::string("\0", 1), "7002", false);
  CheckBetween("{\"id\":70,\"topic\"", "70", false);
  CheckBetween("{\"id\":70", nullptr, false);
  CheckBetween("{\"id\":\"70\",\"x\":\"\"\"}", "70", false);
  CheckBetween("{\"id\":1,\"x\":2,\"id\":3", nullptr, false);
}

TEST_CASE("Salvage: the last entry, the first, the only one, and none of them good") {
  const std::string bad = Entry(2, "\x95\\");
  const ConsumeAnswer last = Salvage(Wrapped("[" + Entry(1) + "," + bad + "]"));
  CHECK(last.messages.size() == 1);
  CHECK(last.bad.at(0).raw == bad);
  const ConsumeAnswer first = Salvage(Wrapped("[ " + bad + "\n," + Entry(3) + "]"));
  CHECK(first.messages.size() == 1);
  CHECK(first.bad.at(0).raw == bad);
  for (const std::string& body :
       {Wrapped("[" + bad + "]"), Wrapped(bad), "{\"messages\":[" + bad + "],\"request_id\":\"r\"}",
        "{\"messages\":" + bad + "}",
        "{\"request_id\":\"r\",\"messages\":{\"tmc_message\":[" + bad + "]}}\n"}) {
    const ConsumeAnswer only = Salvage(body);
    CHECK(only.messages.empty());
    REQUIRE(only.bad.size() == 1);
    CHECK(only.bad[0].raw == bad);
    CHECK(only.bad[0].msg_id == "7002");
  }
  std::string many = bad;
  for (int i = 0; i < 199; ++i) many += "," + bad;
  CHECK(Salvage(Wrapped("[" + many + "]")).bad.size() == 200);
}

TEST_CASE("Salvage: lists that stand behind the messages are no part of them") {
  const std::string bad = Entry(2, "\x95\\");
  for (const char* behind :
       {R"(},"request_id":"r","x":{"list":[1,null,"x"]}}})", R"(,"x":[1]}}})", R"(},"x":[{"y":[]}]}})"}) {
    CAPTURE(behind);
    const ConsumeAnswer answer = Salvage(R"({"tmc_messages_consume_response":{"messages":{"tmc_message":[)" +
                                         bad + "," + Entry(3) + "]" + behind);
    REQUIRE(answer.messages.size() == 1);
    CHECK(answer.messages[0].msg_id == "7003");
    REQUIRE(answer.bad.size() == 1);
    CHECK(answer.bad[0].raw == bad);
  }
}

TEST_CASE("Salvage: the real answer in GBK") {
  const ConsumeAnswer answer = Salvage(Sample("consume_gbk.bin"));
  CHECK(answer.messages.empty());
  REQUIRE(answer.bad.size() == 1);
  CHECK(answer.bad[0].msg_id == "7104300007405429231");
  CHECK(answer.bad[0].topic == "taobao_trade_TradeBuyerPay");
  CHECK(answer.bad[0].shop == "900001");
}

TEST_CASE("Salvage: an entry that parses but has no id keeps its own reason") {
  const ConsumeAnswer answer = Salvage(Wrapped("[{\"topic\":\"t\"}," + Entry(2, "\xFF") + "]"));
  REQUIRE(answer.bad.size() == 2);
  CHECK(answer.bad[0].reason == "missing_msg_id");
  CHECK(answer.bad[0].raw == "{\"topic\":\"t\"}");
  CHECK(answer.bad[1].reason == "bad_encoding");
}

TEST_CASE("Salvage: what is no object has a reason as well") {
  for (const char* entry : {"null", "\"x\"", "[]", "17"}) {
    CAPTURE(entry);
    const ConsumeAnswer answer =
        Salvage(Wrapped("[" + Entry(1, "\xD5\xC5") + "," + entry + "," + Entry(3) + "]"));
    REQUIRE(answer.bad.size() == 2);
    for (const BadEntry& bad : answer.bad) {
      CHECK_FALSE(bad.reason.empty());
      CHECK_FALSE(bad.detail.empty());
    }
  }
}

TEST_CASE("Salvage: an entry that nests too deep is bad JSON") {
  const std::string deep = "{\"id\":7002,\"x\":" + std::string(70, '[') + std::string(70, ']') + "}";
  const ConsumeAnswer answer = Between(deep);
  CHECK(answer.messages.size() == 2);
  REQUIRE(answer.bad.size() == 1);
  CHECK(answer.bad[0].reason == "bad_json");
  CHECK(answer.bad[0].raw == deep);
  CHECK(answer.bad[0].msg_id == "7002");
}

TEST_CASE("Salvage: an answer that was cut off gives nothing") {
  const std::string whole = Wrapped("[" + Entry(1) + "," + Entry(2, "\xFF") + "]");
  for (size_t size = 0; size < whole.size(); ++size) CHECK(Salvage(whole.substr(0, size)).entries() == 0);
  CHECK(Salvage(whole).entries() == 2);
}

TEST_CASE("Salvage: text made to be looked at again and again is given up") {
  std::string hostile;
  while (hostile.size() < 1u << 20) hostile += ",{\"aaa";
  const ConsumeAnswer answer = Salvage(Wrapped("[" + Entry(1) + hostile + "]"));
  CHECK(answer.messages.size() == 1);
  size_t bytes = 0;
  for (const BadEntry& bad : answer.bad) bytes += bad.raw.size();
  CHECK(bytes >= hostile.size() - 2 * answer.bad.size());
}

TEST_CASE("Salvage: any one byte of an entry may change, the others stay") {
  const std::string entry = Entry(2);
  const std::string changes("\xFF\x95\x81\xE4\xF0\\\"{}[],:\x01\n\0a0 ", 19);
  for (size_t at = 0; at < entry.size(); ++at)
    for (char change : changes) {
      std::string broken = entry;
      broken[at] = change;
      CAPTURE(broken);
      const ConsumeAnswer answer = Between(broken);
      std::multiset<std::string> ids;
      for (const Envelope& message : answer.messages) ids.insert(message.msg_id);
      CHECK(ids.count("7001") == 1);
      CHECK(ids.count("7003") == 1);
    }
}

TEST_CASE("Salvage: whatever is done to an answer, it ends, and no byte is taken twice") {
  const std::string sample = Sample("top_consume_response.json");
  std::mt19937 random(20260115);
  const auto pick = [&](size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random); };
  size_t salvaged = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = sample;
    for (size_t i = 1 + pick(4); i > 0; --i) {
      const size_t at = pick(text.size());
      switch (pick(4)) {
        case 0:
          text[at] = static_cast<char>(pick(256));
          break;
        case 1:
          text.erase(at, 1 + pick(20));
          break;
        case 2:
          text.insert(at, 1, "\"\\{}[],:\xF0\x95"[pick(10)]);
          break;
        default:
          text.insert(at, text.substr(pick(text.size()), pick(200)));
      }
    }
    CAPTURE(round);
    const auto answer = ReadConsume(testing::Answered(text));
    const bool unreadable = !answer && answer.error().unreadable;
    const ConsumeAnswer found = Salvage(text);
    if (unreadable) ++salvaged;
    if (unreadable) CHECK(found.entries() > 0);
    size_t at = 0, bytes = 0;
    for (const BadEntry& bad : found.bad) {
      at = text.find(bad.raw, at);
      REQUIRE(at != std::string::npos);
      at += bad.raw.size();
      bytes += bad.raw.size();
      CHECK_FALSE(bad.raw.empty());
    }
    for (const Envelope& message : found.messages) bytes += message.body.size();
    CHECK(bytes <= text.size());
  }
  CHECK(salvaged > 500);
}

TEST_CASE("StepOver: the budget falls by what was looked at, and ends the search") {
  size_t budget = 10;
  CHECK(StepOver("{\"a\":1}xx", Stepping::kBytes, budget)->size == 7);
  CHECK(budget == 3);
  CHECK_FALSE(StepOver("{\"a\":1}", Stepping::kBytes, budget));
  CHECK(budget == 0);
  CHECK_FALSE(StepOver("{}", Stepping::kBytes, budget));
}

TEST_CASE("StepOver: what remains is ASCII that can be parsed") {
  size_t budget = 1000;
  CHECK(StepOver("{\"a\":\"\xF0\x9F\\\"\\ud83d\n\",\"b\":[{}]}", Stepping::kBytes, budget)->ascii ==
        "{\"a\":\"??\\\"??\",\"b\":[{}]}");
  CHECK(StepOver("{\"a\":\"中\x95\\\"}", Stepping::kMixed, budget)->ascii == "{\"a\":\"??\"}");
  CHECK(StepOver("{\"a\":\"\xE4\xB8\xAD\\\"}", Stepping::kPairs, budget)->ascii == "{\"a\":\"??\"}");
}
