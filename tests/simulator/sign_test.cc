#include "tests/simulator/sign.h"

#include <doctest/doctest.h>

using namespace tmc::sim;

namespace {

std::string SignWith(std::string_view form, std::string_view method, std::string_view secret = "helloworld") {
  Params params;
  DecodeForm(form, params);
  params["sign_method"] = method;
  return Sign(params, secret, method);
}

void Check(std::string_view form, std::string_view md5, std::string_view hmac, std::string_view sha256) {
  CHECK(SignWith(form, "md5") == md5);
  CHECK(SignWith(form, "hmac") == hmac);
  CHECK(SignWith(form, "hmac-sha256") == sha256);
}

}  // namespace

TEST_CASE("Sign: V1, the document's own example") {
  Check(
      "app_key=12345678&method=taobao.item.seller.get&session=test&timestamp=2016-01-01+12:00:00&format=json&"
      "v=2.0"
      "&fields=num_iid,title,nick,price,num&num_iid=11223344",
      "66987CB115214E59E6EC978214934FB8", "D56D7858309C31B6251083A874D48273",
      "04DB15AD0774D5CFCE2C837DE43E3FCEA9011ED74F3038FB6AB5F3C4CEA119E8");
}

TEST_CASE("Sign: V2, consume, blanks as %20 and underscores") {
  Check(
      "app_key=12345678&method=taobao.tmc.messages.consume&timestamp=2026-01-15%2008%3A30%3A00&format=json&v="
      "2.0"
      "&group_name=orders_east&quantity=100",
      "452D06B0FA41DD0D4AD7B49CD89EBF3C", "628692AE762DBD2B56EFFAA6F6038F11",
      "49FAF48678684D45F5C25871DD30D61C30AD2B8402002DF1A369139D5A96239A");
}

TEST_CASE("Sign: V3, confirm, commas raw or encoded") {
  const std::string form =
      "app_key=12345678&method=taobao.tmc.messages.confirm&timestamp=2026-01-15+08:30:01&format=json&v=2.0"
      "&group_name=orders_east&s_message_ids=7104300007400000102";
  for (const char* comma : {",", "%2C", "%2c"})
    Check(form + comma + "7104300007400000104", "435081EAF151473F4FDDD9C3A7B5FA82",
          "D5A915183ED65B401A818F5302EFDAF5",
          "CCAACC1E9C3F59866726773B673CD1D58A384FE81F3571D44813E19FFCF607D9");
}

TEST_CASE("Sign: V4, Chinese text, simplify, and empty parameters left out") {
  Check(
      "app_key=12345678&method=taobao.tmc.user.get&timestamp=2026-01-15+08:30:02&format=json&v=2.0&simplify="
      "true"
      "&fields=user_nick,topics&nick=%E6%B5%8B%E8%AF%95%E5%BA%97%E9%93%BA01&user_platform=&sign=XYZ",
      "828C2E41424A5305707E7340887728DB", "BEFC1FEAE6E2F4E19CC3A537E83AFC38",
      "AE62ABB6EBABC2C9EEE0DD556183034DFC94B5880EFBE00099872B13703D99E7");
}

TEST_CASE("Sign: V5, two parameters in the wrong order") {
  CHECK(Sign({{"b", "2"}, {"a", "1"}}, "secret", "hmac-sha256") ==
        "3A9F9E53162A24430830CCA87B7FB623401B81EB6616A6EA75B3614AEBDC7F4D");
}

TEST_CASE("Sign: an unknown method gives nothing") {
  CHECK(Sign({{"a", "1"}}, "secret", "sha1").empty());
  CHECK_FALSE(KnownSignMethod("MD5"));
}
