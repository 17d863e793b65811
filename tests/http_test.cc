#include "agent/http.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "agent/version.h"
#include "tests/support/loopback_server.h"

using namespace tmc;

namespace {

HttpRequest Post(std::string url, std::string body = "method=x") {
  HttpRequest request;
  request.url = std::move(url);
  request.body = std::move(body);
  request.timeout = 20s;
  return request;
}

HttpResponse Finish(HttpClient& client, HttpId id) {
  const auto done = client.Wait(30s);
  REQUIRE(done.size() == 1);
  REQUIRE(done[0].id == id);
  return done[0].response;
}

HttpResponse Exchange(HttpClient& client, HttpRequest request) {
  return Finish(client, client.Start(std::move(request)));
}

HttpResponse ExchangeWith(std::function<void(Connection&)> script, HttpRequest request = Post("")) {
  const LoopbackServer server(std::move(script));
  request.url = server.Url();
  return Exchange(*MakeCurlClient({}), std::move(request));
}

void AnswerAll(Connection& connection) {
  while (connection.Read()) connection.Answer("{}");
}

void CheckTransport(const HttpResponse& response, std::string_view part) {
  CAPTURE(response.transport);
  CHECK(response.transport.find(part) != std::string::npos);
  CHECK(response.status == 0);
  CHECK(response.body.empty());
}

}  // namespace

TEST_CASE("Http: a request is a plain POST and its answer comes whole") {
  std::string seen;
  const HttpResponse response = ExchangeWith(
      [&](Connection& connection) {
        seen = *connection.Read();
        connection.Answer("{\"a\":1}",
                          "Content-Type: text/json;charset=UTF-8\r\nDate: Thu, 15 Jan 2026 00:30:00 GMT\r\n");
      },
      Post("", "method=taobao.time.get&x=%E4%B8%AD"));
  CHECK(response.transport == "");
  CHECK(response.status == 200);
  CHECK(response.body == "{\"a\":1}");
  CHECK(response.content_type == "text/json;charset=UTF-8");
  CHECK(response.date == FromMillis(1768437000000));
  CHECK(seen.starts_with("POST /router/rest HTTP/1.1\r\n"));
  CHECK(seen.ends_with("\r\n\r\nmethod=taobao.time.get&x=%E4%B8%AD"));
  CHECK(seen.find("Content-Type: application/x-www-form-urlencoded;charset=utf-8\r\n") != std::string::npos);
  CHECK(seen.find("User-Agent: tmc-agent/" + Version() + "\r\n") != std::string::npos);
  CHECK(seen.find("Expect") == std::string::npos);
  CHECK(seen.find("Accept-Encoding") == std::string::npos);
}

TEST_CASE("Http: a body beyond a megabyte is sent without asking first") {
  const std::string body(2'000'000, 'x');
  std::string seen;
  const HttpResponse response = ExchangeWith(
      [&](Connection& connection) {
        seen = *connection.Read();
        connection.Answer("{}");
      },
      Post("", body));
  CHECK(response.status == 200);
  CHECK(seen.ends_with(body));
  CHECK(seen.find("Expect") == std::string::npos);
}

TEST_CASE("Http: a missing or senseless Date is no date") {
  CHECK_FALSE(ExchangeWith([](Connection& c) { c.Read(), c.Answer("{}"); }).date);
  CHECK_FALSE(ExchangeWith([](Connection& c) { c.Read(), c.Answer("{}", "Date: soon\r\n"); }).date);
}

TEST_CASE("Http: a connection is used again") {
  const LoopbackServer server(AnswerAll);
  const auto client = MakeCurlClient({});
  for (int i = 0; i < 5; ++i) CHECK(Exchange(*client, Post(server.Url())).status == 200);
  CHECK(server.connections() == 1);
}

TEST_CASE("Http: many exchanges are in flight at once and keep their connections") {
  // Nobody is answered before all have asked.
  constexpr int kMany = 16;
  std::mutex mutex;
  std::condition_variable all;
  int asked = 0;
  const LoopbackServer server([&](Connection& connection) {
    while (const auto request = connection.Read()) {
      std::unique_lock lock(mutex);
      if (++asked % kMany == 0) all.notify_all();
      const int round = (asked - 1) / kMany;
      all.wait_for(lock, 20s, [&] { return asked >= (round + 1) * kMany; });
      lock.unlock();
      connection.Answer(request->substr(request->find("\r\n\r\n") + 4));
    }
  });
  HttpSettings settings;
  settings.connections = kMany;
  const auto client = MakeCurlClient(settings);
  for (int round = 0; round < 3; ++round) {
    std::map<HttpId, std::string> expected;
    for (int i = 0; i < kMany; ++i) {
      const std::string body = "n=" + std::to_string(i);
      expected[client->Start(Post(server.Url(), body))] = body;
    }
    while (!expected.empty()) {
      const auto done = client->Wait(30s);
      REQUIRE_FALSE(done.empty());
      for (const HttpDone& one : done) {
        CHECK(one.response.body == expected.at(one.id));
        expected.erase(one.id);
      }
    }
  }
  CHECK(server.connections() == kMany);
}

TEST_CASE("Http: a body that is cut short is a transport error") {
  const auto cut = [](Connection& c) {
    c.Read(), c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\"");
  };
  CheckTransport(ExchangeWith(cut), "127.0.0.1 closed the connection before its answer was whole");
  const auto chunk = [](Connection& c) {
    c.Read(), c.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":");
  };
  CHECK(ExchangeWith(chunk).transport != "");
  CHECK(ExchangeWith(chunk).body == "");
}

TEST_CASE("Http: a body that ends with the connection is taken") {
  const auto script = [](Connection& c) {
    c.Read(), c.Send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"a\":1}");
  };
  const HttpResponse response = ExchangeWith(script);
  CHECK(response.transport == "");
  CHECK(response.body == "{\"a\":1}");
}

TEST_CASE("Http: no answer, a reset and senseless bytes are transport errors") {
  CheckTransport(ExchangeWith([](Connection& c) { c.Read(); }),
                 "127.0.0.1 closed the connection without an answer");
  CheckTransport(ExchangeWith([](Connection& c) { c.Read(), c.Reset(); }), "127.0.0.1");
  CheckTransport(ExchangeWith([](Connection& c) { c.Read(), c.Send("220 mail.example ESMTP\r\n"); }),
                 "127.0.0.1");
}

TEST_CASE("Http: a refused connection names address and port") {
  int port = 0;
  { port = LoopbackServer(AnswerAll).port(); }
  const auto client = MakeCurlClient({});
  const std::string address = "127.0.0.1:" + std::to_string(port);
  CHECK(Exchange(*client, Post("http://" + address + "/")).transport ==
        "could not connect to 127.0.0.1 port " + std::to_string(port) + ": refused");
}

TEST_CASE("Http: a silent server ends the exchange at its time limit") {
  HttpRequest request = Post("");
  request.timeout = 50ms;
  CheckTransport(ExchangeWith([](Connection& c) { c.AwaitClosed(); }, request),
                 "no whole answer from 127.0.0.1 within 0.05 s");
}

TEST_CASE("Http: a server that stalls in mid-answer is a hang, unless idling is allowed") {
  const auto stall = [](Connection& c) {
    c.Read(), c.Send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), c.AwaitClosed();
  };
  const LoopbackServer server(stall);
  HttpSettings settings;
  settings.low_speed_time = 1s;
  const auto client = MakeCurlClient(settings);
  HttpRequest patient = Post(server.Url());
  patient.idle_allowed = true;
  patient.timeout = 2500ms;
  const HttpId waiting = client->Start(patient);
  const HttpId hanging = client->Start(Post(server.Url()));
  CheckTransport(Finish(*client, hanging), "127.0.0.1 sent next to nothing for 1 s");
  CheckTransport(Finish(*client, waiting), "no whole answer from 127.0.0.1 within 2.5 s");
}

TEST_CASE("Http: an answer beyond the limit is cut off and marked") {
  HttpRequest request = Post("");
  request.max_body = 1000;
  const std::string body(1001, 'x');
  const HttpResponse told =
      ExchangeWith([&](Connection& c) { c.Read(), c.Answer(body), c.AwaitClosed(); }, request);
  CheckTransport(told, "larger than 1000 bytes");
  CHECK(told.too_large);
  const HttpResponse untold = ExchangeWith(
      [&](Connection& c) { c.Read(), c.Send("HTTP/1.1 200 OK\r\n\r\n" + body), c.AwaitClosed(); }, request);
  CheckTransport(untold, "larger than 1000 bytes");
  CHECK(untold.too_large);
  const HttpResponse fits = ExchangeWith([&](Connection& c) { c.Read(), c.Answer(body.substr(1)); }, request);
  CHECK(fits.body.size() == 1000);
  CHECK_FALSE(fits.too_large);
}

TEST_CASE("Http: a redirect is an answer, not a way to go") {
  const auto script = [](Connection& c) {
    while (c.Read()) c.Send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
  };
  CHECK(ExchangeWith(script).status == 302);
}

TEST_CASE("Http: other schemes are refused") {
  const auto client = MakeCurlClient({});
  CHECK(Exchange(*client, Post("file:///etc/passwd")).transport != "");
}

TEST_CASE("Http: an aborted exchange has no result and others go on") {
  const LoopbackServer server([](Connection& connection) {
    while (const auto request = connection.Read()) {
      if (request->ends_with("hold")) return connection.AwaitClosed();
      connection.Answer("{}");
    }
  });
  const auto client = MakeCurlClient({});
  const HttpId held = client->Start(Post(server.Url(), "hold"));
  const HttpId other = client->Start(Post(server.Url(), "go"));
  CHECK(Finish(*client, other).status == 200);
  CHECK_FALSE(client->Answering(held));
  client->Abort(held);
  client->Abort(held);
  CHECK(client->Wait(0ms).empty());
  CHECK(Exchange(*client, Post(server.Url(), "go")).status == 200);
}

TEST_CASE("Http: an exchange answers from its first header byte on") {
  const LoopbackServer server([](Connection& connection) {
    if (connection.Read()->ends_with("hold"))
      connection.Send("HTTP/1.1 200 OK\r\n");
    else
      connection.Answer("{}");
    connection.AwaitClosed();
  });
  const auto client = MakeCurlClient({});
  const HttpId held = client->Start(Post(server.Url(), "hold"));
  CHECK_FALSE(client->Answering(held));
  while (!client->Answering(held)) REQUIRE(client->Wait(1ms).empty());
  // The handle of an aborted exchange is used again, and nothing of it shows.
  client->Abort(held);
  CHECK_FALSE(client->Answering(held));
  const HttpId next = client->Start(Post(server.Url(), "go"));
  CHECK_FALSE(client->Answering(next));
  CHECK(Finish(*client, next).body == "{}");
}

TEST_CASE("Http: a wake-up from another thread ends the wait at once, also one that came before it") {
  const auto client = MakeCurlClient({});
  const SystemClock clock;
  const milliseconds start = clock.Steady();
  std::promise<void> waiting;
  std::jthread waker([&] {
    waiting.get_future().wait();
    client->Wake();
  });
  waiting.set_value();
  CHECK(client->Wait(60s).empty());
  client->Wake();
  CHECK(client->Wait(60s).empty());
  CHECK(clock.Steady() - start < 30s);
}

TEST_CASE("Http: a wait without an event lasts its time") {
  const auto client = MakeCurlClient({});
  const SystemClock clock;
  client->Wake();
  CHECK(client->Wait(60s).empty());
  const milliseconds start = clock.Steady();
  CHECK(client->Wait(30ms).empty());
  CHECK(clock.Steady() - start >= 30ms);
}

TEST_CASE(
    "Http: a kept connection that died comes back as an answer or as a transport error, never as a signal") {
  std::signal(SIGPIPE, SIG_DFL);
  const LoopbackServer server([](Connection& connection) {
    if (connection.Read()) connection.Answer("{}");
    connection.Reset();
  });
  const auto client = MakeCurlClient({});
  for (int i = 0; i < 100; ++i) {
    const HttpResponse response = Exchange(*client, Post(server.Url(), std::string(200'000, 'x')));
    CHECK((response.status == 200) == response.transport.empty());
  }
}

TEST_CASE("Http: the environment's proxy is obeyed, but never for this machine") {
  std::string seen;
  const LoopbackServer proxy([&](Connection& connection) {
    seen = connection.Read().value_or("");
    connection.Answer("by proxy");
  });
  const LoopbackServer server([](Connection& connection) { connection.Read(), connection.Answer("direct"); });
  setenv("http_proxy", proxy.Url("").c_str(), 1);
  const auto client = MakeCurlClient({});
  CHECK(Exchange(*client, Post(server.Url())).body == "direct");
  CHECK(proxy.connections() == 0);
  CHECK(Exchange(*client, Post("http://gateway.invalid/x")).body == "by proxy");
  CHECK(seen.starts_with("POST http://gateway.invalid/x HTTP/1.1\r\n"));
  CHECK(Exchange(*client, Post(server.Url())).body == "direct");
  unsetenv("http_proxy");
}
