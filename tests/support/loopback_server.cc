#include "tests/support/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace tmc {

std::optional<std::string> Connection::Read() {
  char buffer[16384];
  while (true) {
    const size_t head = held_.find("\r\n\r\n");
    if (head != std::string::npos) {
      const size_t length = held_.find("Content-Length: ");
      const size_t body = length < head ? std::strtoul(held_.c_str() + length + 16, nullptr, 10) : 0;
      if (held_.size() >= head + 4 + body) {
        std::string request = held_.substr(0, head + 4 + body);
        held_.erase(0, head + 4 + body);
        return request;
      }
    }
    const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return std::nullopt;
    held_.append(buffer, static_cast<size_t>(got));
  }
}

void Connection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void Connection::Answer(std::string_view body, std::string_view more_headers) {
  Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
       std::string(more_headers) + "\r\n" + std::string(body));
}

void Connection::Reset() {
  const linger hard{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

void Connection::AwaitClosed() {
  char buffer[16384];
  while (recv(socket_, buffer, sizeof buffer, 0) > 0) {
  }
}

LoopbackServer::LoopbackServer(std::function<void(Connection&)> script)
    : script_(std::move(script)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, raw, size) != 0 || listen(listener_, 128) != 0 ||
      getsockname(listener_, raw, &size) != 0)
    throw std::runtime_error("no loopback port");
  port_ = ntohs(address.sin_port);
  accepting_ = std::jthread([this] { Accept(); });
}

LoopbackServer::~LoopbackServer() {
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const Served& served : served_)
      if (served.socket >= 0) shutdown(served.socket, SHUT_RDWR);
  }
  for (Served& served : served_) served.thread.join();
  close(listener_);
}

std::string LoopbackServer::Url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
}

void LoopbackServer::Accept() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int number = ++connections_;
    const std::lock_guard lock(mutex_);
    Served& served = served_.emplace_back(Served{socket, {}});
    served.thread = std::jthread([this, &served, socket, number] {
      Connection connection(socket, number);
      script_(connection);
      const std::lock_guard closing(mutex_);
      close(socket);
      served.socket = -1;
    });
  }
}

}  // namespace tmc
