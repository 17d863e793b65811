#include "tests/blackbox/scene.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace tmc {
namespace {

int Dial(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  throw std::runtime_error("the simulator's control address does not answer");
}

void SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string ReceiveAll(int fd) {
  std::string all;
  char part[65536];
  for (ssize_t got; (got = recv(fd, part, sizeof part, 0)) > 0;) all.append(part, static_cast<size_t>(got));
  return all;
}

json::Document Parsed(std::string_view text) {
  json::Document document;
  if (const auto error = document.Parse(text)) throw std::runtime_error(error->text);
  return document;
}

std::string Member(json::Node node, std::string_view key) {
  return std::string(node[key].Text().value_or(""));
}

std::string Line(SQLite::Statement& row) {
  std::string line;
  for (int i = 0; i < row.getColumnCount(); ++i) {
    if (i > 0) line += '|';
    line += row.isColumnNull(i) ? "null" : row.getColumn(i).getString();
  }
  return line;
}

}  // namespace

std::string AgentProgram() {
  const char* other = std::getenv("TMC_AGENT_PROGRAM");
  return other ? other : TMC_AGENT;
}

Scene::Scene(const Words& simulator_flags) {
  folder.File("secret", "helloworld\n");
  folder.File("session", "session-1\n");
  Words words{TMC_SIMULATOR};
  words.insert(words.end(), simulator_flags.begin(), simulator_flags.end());
  simulator_ = std::make_unique<Child>(Launch{.words = words}, folder.Path("simulator"));
  const bool ready = WaitUntil([&] { return simulator_->Out().ends_with('\n') || !simulator_->Running(); });
  if (!ready || !simulator_->Running()) throw std::runtime_error("no simulator: " + simulator_->Err());
  const json::Document addresses = Parsed(simulator_->Out());
  gateway_ = Member(addresses.root(), "gateway");
  const std::string control = Member(addresses.root(), "control");
  control_port_ = std::stoi(control.substr(control.rfind(':') + 1));
}

std::string Scene::Control(std::string_view method, std::string_view path, std::string_view body) {
  const int fd = Dial(control_port_);
  SendAll(fd, fmt::format("{} {} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                          "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                          method, path, body.size(), body));
  const std::string answer = ReceiveAll(fd);
  close(fd);
  const size_t space = answer.find(' '), head = answer.find("\r\n\r\n");
  if (head == std::string::npos || answer.substr(space + 1, 3) != "200")
    throw std::runtime_error(fmt::format("{} {} {}: {}", method, path, body, answer));
  return answer.substr(head + 4);
}

std::string Scene::Get(std::string_view path) {
  return Control("GET", path, "");
}
std::string Scene::Post(std::string_view path, std::string_view json) {
  return Control("POST", path, json);
}
std::string Scene::Delete(std::string_view path) {
  return Control("DELETE", path, "");
}

std::string Scene::Message(std::string_view tid, std::string_view topic) {
  return MessageOf(fmt::format(R"({{"topic":"{}","tid":"{}"}})", topic, tid));
}

std::string Scene::MessageOf(std::string_view json) {
  const json::Document answer = Parsed(Post("/messages", json));
  return std::string(answer.root()["ids"].At(0).Text().value_or(""));
}

void Scene::Order(std::string_view tid, std::string_view status) {
  Post("/orders", fmt::format(R"({{"tid":"{}","status":"{}","at":"-30m"}})", tid, status));
}

json::Document Scene::Seen() {
  return Parsed(Get("/record"));
}

std::set<std::string> Scene::Confirmed() {
  const json::Document seen = Seen();
  const json::Node confirms = seen.root()["confirms"];
  std::set<std::string> ids;
  for (size_t i = 0; i < confirms.Size(); ++i) {
    if (Member(confirms.At(i), "outcome") != "ok") continue;
    const json::Node named = confirms.At(i)["ids"];
    for (size_t k = 0; k < named.Size(); ++k) ids.emplace(named.At(k).Text().value_or(""));
  }
  return ids;
}

std::string Scene::Violations() {
  const json::Document seen = Parsed(Get("/record?summary"));
  const json::Node violations = seen.root()["violations"];
  std::string all;
  for (size_t i = 0; i < violations.Size(); ++i) {
    const json::Node one = violations.At(i);
    all += fmt::format("{} {} {}\n", Member(one, "what"), Member(one, "api"), Member(one, "detail"));
  }
  return all;
}

int Scene::Calls(std::string_view api) {
  const json::Document seen = Parsed(Get("/record?summary"));
  const json::Node counts = seen.root()["calls_by_api"];
  int64_t calls = 0;
  for (size_t i = 0; i < counts.Size(); ++i)
    if (counts.KeyAt(i).ends_with(api)) calls += counts.MemberAt(i).Int().value_or(0);
  return static_cast<int>(calls);
}

Words Scene::RunWords(const Words& more) const {
  const std::pair<const char*, std::string> defaults[] = {{"--gateway", gateway_},
                                                          {"--app-key", "12345678"},
                                                          {"--app-secret-file", folder.Path("secret")},
                                                          {"--session-file", folder.Path("session")},
                                                          {"--db", Db()},
                                                          {"--rate", "1000"},
                                                          {"--idle-max", "200ms"},
                                                          {"--unknown-order-grace", "1s"},
                                                          {"--reconcile-backfill", "1h"},
                                                          {"--once-wait", "20s"}};
  Words words{AgentProgram(), "run"};
  for (const auto& [flag, value] : defaults)
    if (std::find(more.begin(), more.end(), flag) == more.end()) words.insert(words.end(), {flag, value});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::unique_ptr<Child> Scene::Spawn(const Launch& launch) {
  return std::make_unique<Child>(launch, folder.Path(fmt::format("child-{}", ++children_)));
}

Ended Scene::Agent(const Words& words, const Words& environment) {
  Words all{AgentProgram()};
  all.insert(all.end(), words.begin(), words.end());
  return Spawn({.words = all, .environment = environment})->Wait();
}

Ended Scene::Once(const Words& more, const Words& environment) {
  Words words = RunWords(more);
  words.push_back("--once");
  return Spawn({.words = words, .environment = environment})->Wait();
}

Child& Scene::Start(const Words& more, const Words& environment) {
  agent_ = Spawn({.words = RunWords(more), .environment = environment});
  return *agent_;
}

Ended Scene::Stop() {
  agent_->Signal(SIGTERM);
  return agent_->Wait();
}

std::string Scene::Rows(const std::string& select) const {
  try {
    SQLite::Database database(Db(), SQLite::OPEN_READONLY, 1000);
    SQLite::Statement statement(database, select);
    std::string all;
    for (bool first = true; statement.executeStep(); first = false) {
      if (!first) all += '\n';
      all += Line(statement);
    }
    return all;
  } catch (const SQLite::Exception& error) {
    return error.what();
  }
}

std::string Scene::RowsBecome(const std::string& select, std::string_view wanted,
                              std::chrono::milliseconds most) const {
  std::string rows;
  WaitUntil([&] { return (rows = Rows(select)) == wanted; }, most);
  return rows;
}

}  // namespace tmc
