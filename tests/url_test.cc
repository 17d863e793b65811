#include "agent/url.h"

#include <doctest/doctest.h>

using namespace tmc;

TEST_CASE("Url: scheme, host and port are read") {
  const auto url = ParseUrl("HTTPS://GW.api.Taobao.com/router/rest?x=1");
  REQUIRE(url);
  CHECK(url->scheme == "https");
  CHECK(url->host == "gw.api.taobao.com");
  CHECK(url->port == 443);
  CHECK(ParseUrl("http://127.0.0.1:8080/router")->port == 8080);
  CHECK(ParseUrl("http://[::1]:9/")->host == "::1");
  CHECK(ParseUrl("http://a")->port == 80);
}

TEST_CASE("Url: what two readers could understand differently is refused") {
  for (const char* text : {"",
                           "gw.api.taobao.com",
                           "ftp://a/",
                           "http://",
                           "http:///x",
                           "http://:80/",
                           "http://a:/",
                           "http://a:0/",
                           "http://a:65536/",
                           "http://a:+1/",
                           "http://a:80x/",
                           "http://u:p@a/",
                           "http://127.0.0.1@evil.example/",
                           "http://127.0.0.1#@evil.example/",
                           "http://a b/",
                           "http://a\\b/",
                           "http://a/\n",
                           "http://[::1/",
                           "http://[]/",
                           "http://[::1]x/",
                           "http://127.0.0.1\t.evil.example/"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseUrl(text));
  }
}

TEST_CASE("Url: only this machine's own addresses are loopback") {
  for (const char* host : {"localhost", "127.0.0.1", "127.255.1.2", "::1"}) CHECK(IsLoopback(host));
  for (const char* host : {"", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.1", "128.0.0.1",
                           "::2", "1127.0.0.1", "127.0.0.1.5", "127evil.0.0", "127.evil.0.1"})
    CHECK_FALSE(IsLoopback(host));
}
