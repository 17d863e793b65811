#include "agent/json.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tmc;

namespace {
json::Flaw FlawOf(const std::string& text, size_t most = json::kMaxText) {
  json::Document document;
  const auto error = document.Parse(text, most);
  REQUIRE(error);
  CHECK_FALSE(document.root().Exists());
  return error->flaw;
}
std::string Nested(size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}
}  // namespace

TEST_CASE("Json: ids beyond 2^53 and money keep their digits") {
  json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"id":7104300007405429231,"a":{"b":[{"pay":1.10}]},"t":"x"})"));
  const json::Node root = document.root();
  CHECK(root["id"].Text() == "7104300007405429231");
  CHECK(root["id"].Int() == 7104300007405429231);
  CHECK(root["a"]["b"].At(0)["pay"].Text() == "1.10");
  CHECK_FALSE(root["missing"]["deeper"].At(3).Exists());
}

TEST_CASE("Json: hostile texts are refused with their flaw") {
  CHECK(FlawOf("") == json::Flaw::kEmpty);
  CHECK(FlawOf("  ") == json::Flaw::kEmpty);
  CHECK(FlawOf("{\"a\":1", 3) == json::Flaw::kTooLarge);
  CHECK(FlawOf(Nested(65)) == json::Flaw::kTooDeep);
  CHECK(FlawOf(std::string(1000000, '[')) == json::Flaw::kTooDeep);
  CHECK(FlawOf("{\"tid\":") == json::Flaw::kSyntax);
  CHECK(FlawOf(std::string("{\"a\":1}\0{\"evil\":1}", 18)) == json::Flaw::kSyntax);
  CHECK(FlawOf("{\"n\":\"\xD5\xC5\xC8\xFD\"}") == json::Flaw::kBadEncoding);
  CHECK(FlawOf("{\"n\":\"\\ud83d\"}") == json::Flaw::kBadEncoding);
  CHECK(FlawOf("{\"n\":\"\\ude00\"}") == json::Flaw::kBadEncoding);
  CHECK(FlawOf("{\"n\":\"a\nb\"}") == json::Flaw::kBadEncoding);
}

TEST_CASE("Json: numbers that crashed a parser, 64 levels and a BOM are taken") {
  json::Document document;
  CHECK_FALSE(document.Parse("[1.23456789012345678901e-2147483639]"));
  CHECK_FALSE(document.Parse(Nested(64)));
  CHECK_FALSE(document.Parse("\xEF\xBB\xBF{\"a\":\"\\ud83d\\ude00\"}"));
  CHECK(document.root()["a"].Text() == "\xF0\x9F\x98\x80");
}

TEST_CASE("Json: a NUL inside a text does not cut it") {
  json::Document document;
  REQUIRE_FALSE(document.Parse(R"(["A\u0000B","A\u0000C"])"));
  CHECK(document.root().At(0).Text() == std::string_view("A\0B", 3));
  CHECK(document.root().At(0).Text() != document.root().At(1).Text());
}

TEST_CASE("Json: repeated keys are counted") {
  json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"tid":1,"x":0,"tid":2})"));
  CHECK(document.root().Count("tid") == 2);
  CHECK(document.root()["tid"].Text() == "1");
}

TEST_CASE("Json: a slice is the value's own bytes") {
  const std::string text = R"({"r":{"list":{"t":[ {"a" : 1.10, "s":"}\"]"} , {"b":2}]}},"n":17})";
  CHECK(json::Slice(text, {"r", "list", "t", "[]"}) == R"({"a" : 1.10, "s":"}\"]"})");
  CHECK(json::Slice(text, {"n"}) == "17");
  CHECK_FALSE(json::Slice(text, {"r", "none"}));
  CHECK(json::SliceElements(text, {"r", "list", "t"}).size() == 2);
  CHECK(json::SliceElements(R"({"t":{"a":1}})", {"t"}).size() == 1);
  CHECK(json::SliceElements(R"({"t":[]})", {"t"}).empty());
}

TEST_CASE("Json: what is written can be read again, whatever it holds") {
  json::Writer writer;
  writer.BeginObject().Member("a\n", std::string_view("\x00\"\\\xFF中", 7)).Key("l").BeginArray();
  writer.Int(1).Bool(true).Null().EndArray().Key("raw").Raw(R"({"x":1})").EndObject();
  json::Document document;
  REQUIRE_FALSE(document.Parse(writer.text()));
  CHECK(document.root()["a\n"].Text() == std::string_view("\x00\"\\\xEF\xBF\xBD中", 9));
  CHECK(document.root()["l"].Size() == 3);
  CHECK(document.root()["raw"]["x"].Text() == "1");
}

TEST_CASE("Json: numbers of full precision and any length stay the text they were, or are too big") {
  const std::string digits(300, '9');
  for (const std::string& number : {std::string("0.12345678901234567890123456789"),
                                    std::string("2.2250738585072011e-308"), std::string("1e-999999999999"),
                                    std::string("-0"), digits, "-" + digits + "." + digits + "e-" + digits}) {
    json::Document document;
    REQUIRE_FALSE(document.Parse("[" + number + "]"));
    CHECK(document.root().At(0).Text() == number);
  }
  for (const std::string& number : {std::string("1e309"), std::string("1e999999999999"), digits + digits})
    CHECK(FlawOf("[" + number + "]") == json::Flaw::kSyntax);
  json::Document document;
  REQUIRE_FALSE(document.Parse("[9223372036854775808,-9223372036854775808,1.0,1e3]"));
  CHECK_FALSE(document.root().At(0).Int());
  CHECK(document.root().At(1).Int() == INT64_MIN);
  CHECK_FALSE(document.root().At(2).Int());
  CHECK_FALSE(document.root().At(3).Int());
}

TEST_CASE("Json: a text ends where it is said to end, with no NUL behind it") {
  const std::vector<char> exact{'[', '1', '2', ']'};  // on the heap, so that sanitizers see a byte too many
  json::Document document;
  REQUIRE_FALSE(document.Parse({exact.data(), exact.size()}));
  CHECK(document.root().At(0).Text() == "12");
  CHECK(document.Parse({exact.data(), exact.size() - 1}));
  REQUIRE_FALSE(document.Parse({exact.data() + 1, 2}));
  CHECK(document.root().Text() == "12");
}

TEST_CASE("Json: what is not there, or of another kind, is nothing") {
  json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"n":1,"t":"x","l":[1],"z":null})"));
  const json::Node root = document.root();
  for (const char* key : {"n", "t", "l", "z", "none"}) {
    CHECK_FALSE(root[key]["deeper"].Exists());
    CHECK_FALSE(root[key].At(7).Exists());
    CHECK_FALSE(root[key].MemberAt(0).Exists());
    CHECK(root[key].Count("deeper") == 0);
  }
  CHECK_FALSE(root.At(0).Exists());
  CHECK_FALSE(root["l"].Text());
  CHECK_FALSE(json::Node()["x"].At(1).Int());
}

TEST_CASE("Json: a surrogate alone, as bytes, is refused and never written") {
  CHECK(FlawOf("[\"\xED\xA0\xBD\"]") == json::Flaw::kBadEncoding);
  json::Writer writer;
  writer.BeginArray().String("a\xED\xA0\xBD").EndArray();
  json::Document document;
  REQUIRE_FALSE(document.Parse(writer.text()));
  CHECK(document.root().At(0).Text()->starts_with("a\xEF\xBF\xBD"));
}
