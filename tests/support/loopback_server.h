#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace tmc {

// One accepted connection, as the script of a test sees it. Every call ends when the server goes away.
class Connection {
 public:
  Connection(int socket, int number) : socket_(socket), number_(number) {}
  int number() const { return number_; }  // counts from 1
  // Header and body (by its Content-Length) of the next request; nothing once the client closed.
  std::optional<std::string> Read();
  void Send(std::string_view bytes);
  void Answer(std::string_view body, std::string_view more_headers = "");  // 200 with Content-Length
  void Reset();                                                            // ends it with RST
  void AwaitClosed();                                                      // until the client has closed

 private:
  int socket_;
  int number_;
  std::string held_;
};

// A server on 127.0.0.1 and a free port; the script runs once a connection, in a thread of its own.
class LoopbackServer {
 public:
  explicit LoopbackServer(std::function<void(Connection&)> script);
  ~LoopbackServer();
  std::string Url(std::string_view path = "/router/rest") const;
  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void Accept();
  std::function<void(Connection&)> script_;
  int listener_;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  bool stopping_ = false;
  struct Served {
    int socket;
    std::jthread thread;
  };
  std::list<Served> served_;
  std::jthread accepting_;
};

}  // namespace tmc
