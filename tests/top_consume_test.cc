#include <doctest/doctest.h>

#include "adapters/top/wire.h"
#include "tests/support/top_samples.h"

using namespace tmc;
using tmc::testing::Answered;
using tmc::testing::Sample;
using tmc::top::ReadConsume;

namespace {

ConsumeAnswer Read(const std::string& body) {
  const auto answer = ReadConsume(Answered(body));
  CAPTURE(body.substr(0, 200));
  if (!answer) FAIL(answer.error().text);
  return *answer;
}

std::string Wrapped(const std::string& entries) {
  return "{\"tmc_messages_consume_response\":{\"messages\":{\"tmc_message\":" + entries +
         "},\"request_id\":\"r\"}}";
}

ConsumeAnswer ReadEntries(const std::string& entries) {
  return Read(Wrapped(entries));
}

BadEntry OneBad(const std::string& entry) {
  const ConsumeAnswer answer = ReadEntries("[" + entry + R"(,{"id":1,"topic":"t","content":"{}"}])");
  REQUIRE(answer.bad.size() == 1);
  CHECK(answer.messages.size() == 1);
  CHECK(answer.bad[0].raw == entry);
  return answer.bad[0];
}

Error Refused(const std::string& body) {
  const auto answer = ReadConsume(Answered(body));
  CAPTURE(body.substr(0, 200));
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == Fault::kOutside);
  return answer.error();
}

}  // namespace

TEST_CASE("Consume: every field of the sample, content byte for byte") {
  const ConsumeAnswer answer = Read(Sample("top_consume_response.json"));
  REQUIRE(answer.messages.size() == 4);
  CHECK(answer.bad.empty());
  const Envelope& first = answer.messages[0];
  CHECK(first.msg_id == "7104300007400000102");
  CHECK(first.shop == "123456789");
  CHECK(first.shop_nick == "测试店铺01");
  CHECK(first.topic == "taobao_trade_TradeCreate");
  CHECK(first.published_at == FromMillis(1768437000000));
  CHECK(
      first.body ==
      R"({"buyer_nick":"测试买家a1","buyer_open_uid":"AAEXAAAAAInventedOpenUid0000000000","payment":"120.00",)"
      R"("oid":3812000000000210193,"tid":3812000000000210193,"type":"guarantee_trade",)"
      R"("seller_nick":"测试店铺01","status":"WAIT_BUYER_PAY"})");
  CHECK(answer.messages[3].msg_id == "7104300007400000114");
}

TEST_CASE("Consume: the simplified form, a byte order mark and ids beyond 2^53") {
  CHECK(Read(Sample("top_consume_response_simplify.json")).messages.size() == 2);
  CHECK(Read(Sample("consume_utf8_bom.bin")).messages.at(0).shop_nick == "张三");
  const ConsumeAnswer large = Read(Sample("large_ids.json"));
  REQUIRE(large.messages.size() == 3);
  CHECK(large.messages[0].msg_id == "7104300007405429231");
  CHECK(large.messages[1].msg_id == "7104300007405429232");
  CHECK(large.messages[2].msg_id == "7104300007405429233");
  CHECK(large.messages[2].body.find("3012345678901234569") != std::string::npos);
}

TEST_CASE("Consume: every form of an empty queue") {
  for (const char* name :
       {"top_consume_response_empty_list_INFERRED.json", "top_consume_response_empty_missing_INFERRED.json",
        "top_consume_response_empty_object_INFERRED.json",
        "top_consume_response_simplify_empty_INFERRED.json"})
    CHECK(Read(Sample(name)).entries() == 0);
  for (const char* messages : {"{}", "null", "\"\"", "[]", "{\"tmc_message\":[]}", "{\"tmc_message\":{}}",
                               "{\"tmc_message\":\"\"}", "{\"tmc_message\":null}"}) {
    const std::string inner = "{\"messages\":" + std::string(messages) + ",\"request_id\":\"r\"}";
    CHECK(Read(inner).entries() == 0);
    CHECK(Read("{\"tmc_messages_consume_response\":" + inner + "}").entries() == 0);
  }
  CHECK(Read("{\"tmc_messages_consume_response\":{}}").entries() == 0);
}

TEST_CASE("Consume: a bare object stands for a list of one") {
  const std::string entry = R"({"id":"7104300007400000102","topic":"t","content":"{}"})";
  CHECK(ReadEntries(entry).messages.at(0).msg_id == "7104300007400000102");
  CHECK(Read("{\"messages\":" + entry + "}").messages.size() == 1);
  CHECK(Read("{\"messages\":{\"tmc_message\":" + entry + "}}").messages.size() == 1);
}

TEST_CASE("Consume: messages of another shape are a failed call") {
  for (const char* messages : {"7", "true", "\"x\"", "{\"foo\":1}"}) {
    const Error error = Refused("{\"messages\":" + std::string(messages) + "}");
    CHECK(error.code == "bad_answer");
    CHECK(error.from_platform);
    CHECK_FALSE(error.unreadable);
  }
}

TEST_CASE("Consume: numbers or text, unknown and missing fields") {
  const ConsumeAnswer answer = ReadEntries(
      R"([{"id":"7104300007405429400","user_id":"900001","extra":{"deep":[1]},"topic":"t","content":"x"},)"
      R"({"id":5},{"id":6,"content":{"tid":1},"topic":null,"user_id":{},"pub_time":"soon"}])");
  REQUIRE(answer.messages.size() == 2);
  CHECK(answer.messages[0].msg_id == "7104300007405429400");
  CHECK(answer.messages[0].shop == "900001");
  CHECK(answer.messages[1].body.empty());
  CHECK(answer.messages[1].topic.empty());
  CHECK(answer.messages[1].shop.empty());
  CHECK_FALSE(answer.messages[1].published_at);
  REQUIRE(answer.bad.size() == 1);
  CHECK(answer.bad[0].reason == "bad_json");
  CHECK(answer.bad[0].msg_id == "6");
  CHECK_MESSAGE(answer.bad[0].raw.find(R"({"tid":1})") != std::string::npos, "what came is kept");
}

TEST_CASE("Consume: a content with a NUL or a slash escape is not cut") {
  const ConsumeAnswer answer = ReadEntries(R"([{"id":1,"content":"a\u0000b\/c"}])");
  CHECK(answer.messages.at(0).body == std::string("a\0b/c", 5));
}

TEST_CASE("Consume: an entry without a usable id is bad, with its bytes") {
  const std::string rest = R"("topic":"taobao_trade_TradeCreate","user_id":900001,"content":"{}"})";
  for (const std::string& id :
       {std::string(), std::string("\"id\":null,"), std::string("\"id\":\"\","), std::string("\"id\":{},"),
        std::string("\"id\":[1],"), std::string("\"id\":true,"), std::string("\"id\":\"a\\u0000b\","),
        std::string("\"id\":\"a\\nb\","), std::string("\"id\":\"a b\","), std::string("\"id\":\"1,2\","),
        std::string("\"id\":\"reconcile:1\","), std::string("\"id\":\"号\","), std::string("\"id\":\"abc\","),
        std::string("\"id\":\"8&x=y\","), std::string("\"id\":-1,"), std::string("\"id\":1.5,"),
        std::string("\"id\":1e3,"), std::string("\"id\":40.0,"),
        "\"id\":\"" + std::string(21, '7') + "\","}) {
    const BadEntry bad = OneBad("{" + id + rest);
    CHECK(bad.reason == "missing_msg_id");
    CHECK_FALSE(bad.msg_id);
    CHECK(bad.topic == "taobao_trade_TradeCreate");
    CHECK(bad.shop == "900001");
  }
  CHECK(OneBad("7").reason == "missing_msg_id");
  CHECK(OneBad("null").reason == "missing_msg_id");
  CHECK(OneBad("[]").reason == "missing_msg_id");
  CHECK(ReadEntries("[{\"id\":\"" + std::string(20, '7') + "\"}]").messages.size() == 1);
}

TEST_CASE("Consume: a repeated deciding key is bad") {
  const BadEntry id = OneBad(R"({"id":5,"topic":"t","id":6})");
  CHECK(id.reason == "bad_json");
  CHECK(id.detail.find("id") != std::string::npos);
  CHECK_FALSE(id.msg_id);
  const BadEntry content = OneBad(R"({"id":5,"content":"a","content":"b"})");
  CHECK(content.reason == "bad_json");
  CHECK(content.msg_id == "5");
  CHECK(ReadEntries(R"([{"id":5,"x":1,"x":2}])").messages.size() == 1);
}

TEST_CASE("Consume: the bytes of bad entries are theirs in every form") {
  CHECK(Read(R"({"messages":[{"id":1},{"topic":"a"},{"topic":"b"}]})").bad.at(1).raw == R"({"topic":"b"})");
  CHECK(Read(R"({"messages":{"tmc_message":{"topic":"a"}}})").bad.at(0).raw == R"({"topic":"a"})");
  CHECK(Read("\xEF\xBB\xBF{\"messages\":[ {\"topic\":\"a\"} ]}").bad.at(0).raw == R"({"topic":"a"})");
}

TEST_CASE("Consume: a whole answer whose bytes do not parse is unreadable") {
  for (const std::string& nick :
       {std::string("\xF0\x9F\x98"), std::string("\\ud83d"), std::string("\xD5\xC5\xC8\xFD"),
        std::string("\x95\\"), std::string("a\nb"), std::string("\0", 1), std::string("\\x")}) {
    for (const std::string& body :
         {Wrapped("[{\"id\":1,\"user_nick\":\"" + nick + "\"}]"),
          Wrapped("{\"id\":1,\"user_nick\":\"" + nick + "\"}"),
          "{\"messages\":[{\"user_nick\":\"" + nick + "\"}],\"request_id\":\"r\"}\r\n",
          "{\"request_id\":\"r\",\"messages\":[{\"user_nick\":\"" + nick + "\"}]}"}) {
      const Error error = Refused(body);
      CHECK(error.unreadable);
      CHECK(error.code == "bad_encoding");
    }
  }
  CHECK(Refused(Sample("consume_gbk.bin")).unreadable);
}

TEST_CASE("Consume: a cut answer is never unreadable, wherever it is cut") {
  std::string broken = Sample("top_consume_response.json");
  broken.replace(broken.find("测试店铺01"), 3, "\xF0\x9F\x98");
  CHECK(Refused(broken).unreadable);
  const size_t end = broken.find_last_of('}') + 1;
  for (const std::string& whole : {broken, Sample("top_consume_response.json"), Sample("consume_gbk.bin")}) {
    for (size_t size = 0; size < std::min(whole.size(), end - 1) && size < whole.find_last_of('}'); ++size) {
      const auto answer = ReadConsume(Answered(whole.substr(0, size)));
      REQUIRE_FALSE(answer);
      CHECK_FALSE(answer.error().unreadable);
      CHECK(answer.error().code == "bad_answer");
    }
  }
}

TEST_CASE("Consume: what is no consume answer is not unreadable") {
  for (const char* body :
       {"<html>\xFF</html>", "{\"x\":\"\xFF\"}", "\xFF", "{\"error_response\":{\"msg\":\"\xFF\"}}",
        "{\"messages\":\"\xFF\"}", "{\"trades\":[{\"id\":\"\xFF\"}]}"})
    CHECK_FALSE(Refused(body).unreadable);
  HttpResponse cut = Answered(Sample("consume_gbk.bin"));
  cut.transport = "the connection was closed";
  CHECK_FALSE(ReadConsume(cut).error().unreadable);
  HttpResponse named = Answered(Sample("consume_gbk.bin"), "application/json; charset=GBK");
  CHECK(ReadConsume(named).error().code == "bad_charset");
  CHECK_FALSE(ReadConsume(named).error().unreadable);
  named.content_type = "application/json";
  named.status = 502;
  CHECK_FALSE(ReadConsume(named).error().unreadable);
}
