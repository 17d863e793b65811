#include "tests/simulator/server.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "tests/simulator/caller_support.h"
#include "tests/simulator/flags.h"

using namespace tmc;
using namespace tmc::sim;

namespace {

// A connection, byte by byte.
class Line {
 public:
  explicit Line(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    REQUIRE(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~Line() { close(socket_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void Post(const std::string& path, const std::string& body) {
    const std::string call = "POST " + path +
                             " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n\r\n" + body;
    REQUIRE(send(socket_, call.data(), call.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(call.size()));
  }
  void Get(const std::string& path) {
    const std::string call = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    REQUIRE(send(socket_, call.data(), call.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(call.size()));
  }
  // Reads until `enough` bytes of a body have come, or the other side ended it.
  std::string Read(size_t enough = std::string::npos) {
    for (char buffer[4096]; Body().size() < std::min(enough, Announced());) {
      const ssize_t size = recv(socket_, buffer, sizeof buffer, 0);
      error = size < 0 ? errno : 0;
      ended = size == 0;
      if (size <= 0) break;
      text.append(buffer, static_cast<size_t>(size));
    }
    return text;
  }
  std::string Body() const {
    const size_t end = text.find("\r\n\r\n");
    return end == text.npos ? "" : text.substr(end + 4);
  }
  size_t Announced() const {
    const size_t at = text.find("Content-Length: ");
    return at == text.npos ? std::string::npos : std::stoul(text.substr(at + 16));
  }

  std::string text;
  bool ended = false;
  int error = 0;

 private:
  int socket_;
};

// The whole program without its process. The caller signs by the same clock.
struct House {
  House() { server.emplace(caller.heart, ServerSettings{}); }
  std::string Signed(const std::string& api) { return caller.Request(api).body; }
  void Tell(const std::string& path, const std::string& body) {
    Line line(server->control_port());
    line.Post(path, body);
    REQUIRE(line.Read().find("HTTP/1.1 200") == 0);
  }
  // Asks for the state until it holds that text; the test's own time limit ends a vain wait.
  void Await(std::string_view part) {
    for (std::string state; state.find(part) == std::string::npos;) {
      Line line(server->control_port());
      line.Get("/state");
      state = line.Read();
    }
  }
  Caller caller;
  std::optional<Server> server;
};

constexpr char kRest[] = "/router/rest";

}  // namespace

TEST_CASE("Server: two calls over one connection, each with the platform's Date and no other") {
  House house;
  house.Tell("/clock", R"({"offset":"1m"})");
  Line line(house.server->gateway_port());
  for (int i = 0; i < 2; ++i) {
    line.text.clear();
    line.Post(kRest, house.Signed("taobao.time.get"));
    const std::string answer = line.Read();
    CHECK(answer.find("HTTP/1.1 200") == 0);
    CHECK(line.Body().find(R"("time":"2026-01-15 08:31:00")") != std::string::npos);
    const size_t date = answer.find("Date: Thu, 15 Jan 2026 00:31:00 GMT");
    REQUIRE(date != std::string::npos);
    CHECK(answer.find("Date:", date + 1) == std::string::npos);
  }
}

TEST_CASE("Server: parameters of the query arrive as they were encoded") {
  House house;
  Line line(house.server->gateway_port());
  line.Post(std::string(kRest) + "?" + house.Signed("taobao.time.get"), "");
  CHECK(line.Read().find("time_get_response") != std::string::npos);
}

TEST_CASE("Server: a dropped call gets no byte, a reset one an error") {
  House house;
  house.Tell("/faults", R"([{"drop":"before"},{"reset":true}])");
  Line dropped(house.server->gateway_port());
  dropped.Post(kRest, house.Signed("taobao.time.get"));
  CHECK(dropped.Read() == "");
  CHECK(dropped.ended);
  Line reset(house.server->gateway_port());
  reset.Post(kRest, house.Signed("taobao.time.get"));
  CHECK(reset.Read() == "");
  CHECK(reset.error == ECONNRESET);
}

TEST_CASE("Server: a cut answer announces more than it sends") {
  House house;
  house.Tell("/faults", R"({"cut":10})");
  Line line(house.server->gateway_port());
  line.Post(kRest, house.Signed("taobao.time.get"));
  line.Read();
  CHECK(line.ended);
  CHECK(line.Body().size() == 10);
  CHECK(line.Announced() > 10);
}

TEST_CASE("Server: delay and trickle bring the whole answer") {
  House house;
  house.Tell("/faults", R"([{"delay":"5ms"},{"trickle":"1ms"}])");
  Line line(house.server->gateway_port());
  for (int i = 0; i < 2; ++i) {
    line.text.clear();
    line.Post(kRest, house.Signed("taobao.time.get"));
    line.Read();
    CHECK(line.Body().find("time_get_response") != std::string::npos);
    CHECK(line.Body().size() == line.Announced());
  }
}

TEST_CASE("Server: hanging and stalled calls hold up nobody, and end with the server") {
  House house;
  house.Tell("/faults", R"([{"hang":true},{"stall":7}])");
  Line hanging(house.server->gateway_port()), stalled(house.server->gateway_port());
  hanging.Post(kRest, house.Signed("taobao.time.get"));
  Line other(house.server->gateway_port());
  house.Await(R"("hits":1)");
  stalled.Post(kRest, house.Signed("taobao.time.get"));
  stalled.Read(7);
  CHECK(stalled.Body().size() == 7);
  other.Post(kRest, house.Signed("taobao.time.get"));
  CHECK(other.Read().find("time_get_response") != std::string::npos);
  house.server.reset();
  CHECK(hanging.Read() == "");
  CHECK(hanging.ended);
  stalled.Read();
  CHECK(stalled.Body().size() == 7);
}

TEST_CASE("Server: a held consume is answered as soon as a message is posted") {
  House house;
  house.Tell("/switches", R"({"hold":"10m"})");
  Line line(house.server->gateway_port());
  line.Post(kRest, house.Signed("taobao.tmc.messages.consume"));
  house.Await(R"("held_calls":1)");
  house.Tell("/messages", R"({"content":"news"})");
  CHECK(line.Read().find(R"("content":"news")") != std::string::npos);
}

TEST_CASE("Server: a message is not handed to a held consume whose caller has left") {
  House house;
  house.Tell("/switches", R"({"hold":"10m"})");
  {
    Line leaves(house.server->gateway_port());
    leaves.Post(kRest, house.Signed("taobao.tmc.messages.consume"));
    house.Await(R"("held_calls":1)");
  }
  house.Await(R"("held_calls":0)");
  house.Tell("/messages", R"({"content":"news"})");
  Line stays(house.server->gateway_port());
  stays.Post(kRest, house.Signed("taobao.tmc.messages.consume"));
  CHECK(stays.Read().find(R"("content":"news")") != std::string::npos);
}

TEST_CASE("Server: a port that is taken is named") {
  House house;
  try {
    const Server second(house.caller.heart, {house.server->gateway_port(), 0});
    FAIL("two servers on one port");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).find(std::to_string(house.server->gateway_port())) != std::string::npos);
  }
}

TEST_CASE("Flags: values with a blank or an equals sign, switches, repeated groups and shops") {
  Flags flags;
  CHECK_FALSE(
      ReadFlags({"--port", "8801", "--seed=7", "--hold=2s", "--simplify", "--group", "a", "--group=b",
                 "--shop", "1,n,s", "--generate", "10,20", "--clock-offset", "-3m", "--daily-quota", "5"},
                flags));
  CHECK(flags.server.gateway_port == 8801);
  CHECK(flags.seed == 7);
  CHECK(flags.switches == std::vector<std::string>{R"({"hold":"2s"})", R"({"simplify":"true"})"});
  CHECK(flags.app == std::vector<std::string>{R"({"groups":["a","b"]})"});
  CHECK(flags.shops == std::vector<std::string>{R"({"user_id":"1","nick":"n","session":"s"})"});
  CHECK(flags.generate == R"({"orders":"10","messages":"20"})");
  CHECK(flags.clock_offset == -3min);
  CHECK(flags.limits == std::vector<std::string>{R"({"daily_quota":"5"})"});
}

TEST_CASE("Flags: a mistake names the flag") {
  const auto complaint = [](std::vector<std::string> arguments) {
    Flags flags;
    return ReadFlags(arguments, flags).value_or("");
  };
  CHECK(complaint({"--prot", "1"}).find("--prot") != std::string::npos);
  CHECK(complaint({"--port", "99999"}).find("--port") != std::string::npos);
  CHECK(complaint({"--shop", "1,n"}).find("--shop") != std::string::npos);
  CHECK(complaint({"--port"}).find("--port") != std::string::npos);
  CHECK(complaint({"word"}).find("word") != std::string::npos);
}
