#include <doctest/doctest.h>

#include "adapters/top/sign.h"

using tmc::top::Parameters;
using tmc::top::Sign;

namespace {
constexpr const char* kMethods[] = {"md5", "hmac", "hmac-sha256"};

// The signatures by md5, hmac and hmac-sha256, each with its own name among the parameters.
void CheckAll(Parameters parameters, const char* secret, const char* const (&expected)[3]) {
  for (int i = 0; i < 3; ++i) {
    CAPTURE(kMethods[i]);
    parameters["sign_method"] = kMethods[i];
    CHECK(Sign(parameters, kMethods[i], secret) == expected[i]);
  }
}
}  // namespace

TEST_CASE("Sign: V1, the document's own example") {
  CheckAll({{"method", "taobao.item.seller.get"},
            {"app_key", "12345678"},
            {"session", "test"},
            {"timestamp", "2016-01-01 12:00:00"},
            {"format", "json"},
            {"v", "2.0"},
            {"fields", "num_iid,title,nick,price,num"},
            {"num_iid", "11223344"}},
           "helloworld",
           {"66987CB115214E59E6EC978214934FB8", "D56D7858309C31B6251083A874D48273",
            "04DB15AD0774D5CFCE2C837DE43E3FCEA9011ED74F3038FB6AB5F3C4CEA119E8"});
}

TEST_CASE("Sign: V2, consume without a session") {
  CheckAll({{"method", "taobao.tmc.messages.consume"},
            {"app_key", "12345678"},
            {"timestamp", "2026-01-15 08:30:00"},
            {"format", "json"},
            {"v", "2.0"},
            {"group_name", "orders_east"},
            {"quantity", "100"}},
           "helloworld",
           {"452D06B0FA41DD0D4AD7B49CD89EBF3C", "628692AE762DBD2B56EFFAA6F6038F11",
            "49FAF48678684D45F5C25871DD30D61C30AD2B8402002DF1A369139D5A96239A"});
}

TEST_CASE("Sign: V3, confirm with two ids") {
  CheckAll({{"method", "taobao.tmc.messages.confirm"},
            {"app_key", "12345678"},
            {"timestamp", "2026-01-15 08:30:01"},
            {"format", "json"},
            {"v", "2.0"},
            {"group_name", "orders_east"},
            {"s_message_ids", "7104300007400000102,7104300007400000104"}},
           "helloworld",
           {"435081EAF151473F4FDDD9C3A7B5FA82", "D5A915183ED65B401A818F5302EFDAF5",
            "CCAACC1E9C3F59866726773B673CD1D58A384FE81F3571D44813E19FFCF607D9"});
}

TEST_CASE("Sign: V4, a Chinese nick") {
  CheckAll({{"method", "taobao.tmc.user.get"},
            {"app_key", "12345678"},
            {"timestamp", "2026-01-15 08:30:02"},
            {"format", "json"},
            {"v", "2.0"},
            {"simplify", "true"},
            {"fields", "user_nick,topics"},
            {"nick", "测试店铺01"}},
           "helloworld",
           {"828C2E41424A5305707E7340887728DB", "BEFC1FEAE6E2F4E19CC3A537E83AFC38",
            "AE62ABB6EBABC2C9EEE0DD556183034DFC94B5880EFBE00099872B13703D99E7"});
}

TEST_CASE("Sign: V5, two parameters of a public test") {
  CHECK(Sign({{"b", "2"}, {"a", "1"}}, "hmac-sha256", "secret") ==
        "3A9F9E53162A24430830CCA87B7FB623401B81EB6616A6EA75B3614AEBDC7F4D");
}

TEST_CASE("Sign: blanks, plus, tilde, percent, quotes and an emoji (B23)") {
  CheckAll({{"method", "taobao.trade.memo.add"},
            {"app_key", "12345678"},
            {"session", "sess-A"},
            {"timestamp", "2026-03-05 09:08:07"},
            {"format", "json"},
            {"v", "2.0"},
            {"tid", "3012345678901234567"},
            {"memo", "a+b & c=d ~ %2B \"引号\" 😀"}},
           "testsecret0123456789abcdef01234",
           {"CB5077C2B610BC20D5C637F16F2F8B6E", "AFF5641CDEF13E0D075C93CD1593848A",
            "DAB4A37F3A2E1DA64920BDA8B72B6403704CFC3BE532336215166A20A82F34D0"});
}

TEST_CASE("Sign: empty names, empty values and the sign itself are left out") {
  const std::string bare = Sign({{"a", "1"}, {"b", "2"}}, "md5", "s");
  CHECK(Sign({{"", "x"}, {"a", "1"}, {"aa", ""}, {"b", "2"}, {"sign", "old"}}, "md5", "s") == bare);
}

TEST_CASE("Sign: names go in byte order, the underscore below the letters") {
  CHECK(Sign({{"foobar", "4"}, {"foo_bar", "3"}, {"foo", "2"}, {"bar", "1"}}, "md5", "s") ==
        Sign({{"bar1foo2foo_bar3foobar", "4"}}, "md5", "s"));
}

TEST_CASE("Sign: an unknown method is refused") {
  CHECK_THROWS(Sign({{"a", "1"}}, "sha1", "s"));
}
