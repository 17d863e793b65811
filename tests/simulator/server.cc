#include "tests/simulator/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include <cstring>
#include <stdexcept>

namespace tmc::sim {
namespace {

constexpr size_t kMostBody = 256u << 20;
constexpr auto kNever = Parking::Moment::max();

// A TCP connection that is dissolved rather than closed ends with a reset.
void Reset(int socket) {
  const sockaddr nothing{AF_UNSPEC, {}};
  connect(socket, &nothing, sizeof nothing);
}

uint16_t PortOf(MHD_Daemon* daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

}  // namespace

// What libmicrohttpd calls. `self` is a Door, `state` the Exchange.
struct Door {
  Server& server;
  bool control;

  static void* Begin(void*, const char* uri, MHD_Connection* connection) {
    auto* exchange = new Exchange;
    const std::string_view text(uri);
    const size_t question = std::min(text.find('?'), text.size());
    exchange->request.path = text.substr(0, question);
    exchange->request.query = text.substr(std::min(question + 1, text.size()));
    exchange->connection = connection;
    return exchange;
  }

  static MHD_Result Serve(void* self, MHD_Connection*, const char*, const char* method, const char*,
                          const char* data, size_t* size, void** state) {
    auto& exchange = *static_cast<Exchange*>(*state);
    if (!exchange.begun) {
      exchange.begun = true;
      exchange.request.method = method;
      return MHD_YES;
    }
    if (*size > 0) {
      if (exchange.request.body.size() + *size > kMostBody) return MHD_NO;
      exchange.request.body.append(data, *size);
      *size = 0;
      return MHD_YES;
    }
    return static_cast<Door*>(self)->Answer(exchange);
  }

  static void End(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    delete static_cast<Exchange*>(*state);
    *state = nullptr;
  }

  MHD_Result Answer(Exchange& exchange) {
    if (!exchange.answered) {
      exchange.answered = true;
      exchange.response = server.Ask(exchange.request, control);
      if (Wait(exchange)) return MHD_YES;
    }
    return Send(exchange);
  }

  // Whether the answer has to wait; then Answer is called again in time.
  bool Wait(Exchange& exchange) {
    const SimResponse& response = exchange.response;
    const bool hang = response.ending == Ending::kHang;
    if (!response.hold && !hang && response.delay <= 0ms) return false;
    exchange.socket =
        MHD_get_connection_info(exchange.connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    const auto now = std::chrono::steady_clock::now();
    server.parking_.Park(exchange, hang ? kNever : now + response.delay);
    return true;
  }

  MHD_Result Send(Exchange& exchange) {
    const SimResponse& answer = exchange.response;
    exchange.socket =
        MHD_get_connection_info(exchange.connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    if (answer.ending == Ending::kReset) Reset(exchange.socket);
    if (answer.ending == Ending::kDrop || answer.ending == Ending::kReset || answer.ending == Ending::kHang)
      return MHD_NO;
    MHD_Response* response = MakeResponse(exchange);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
    if (!answer.date.empty()) MHD_add_response_header(response, MHD_HTTP_HEADER_DATE, answer.date.c_str());
    const MHD_Result result =
        MHD_queue_response(exchange.connection, static_cast<unsigned>(answer.status), response);
    MHD_destroy_response(response);
    return result;
  }

  // The body stays in the exchange, which lives until the answer has left.
  MHD_Response* MakeResponse(Exchange& exchange) {
    std::string& body = exchange.response.body;
    if (exchange.response.ending == Ending::kWhole && exchange.response.trickle <= 0ms)
      return MHD_create_response_from_buffer(body.size(), body.data(), MHD_RESPMEM_PERSISTENT);
    return MHD_create_response_from_callback(body.size(), 4096, &Door::Read, new Reading{*this, exchange},
                                             [](void* state) { delete static_cast<Reading*>(state); });
  }

  struct Reading {
    Door& door;
    Exchange& exchange;
  };

  static ssize_t Read(void* state, uint64_t, char* buffer, size_t room) {
    auto& [door, exchange] = *static_cast<Reading*>(state);
    const SimResponse& answer = exchange.response;
    const bool partial = answer.ending == Ending::kCut || answer.ending == Ending::kStall;
    const size_t end = partial ? std::min(answer.bytes, answer.body.size()) : answer.body.size();
    if (answer.ending == Ending::kDrop) return MHD_CONTENT_READER_END_WITH_ERROR;  // closing down
    if (exchange.sent >= end) return door.Stop(exchange);
    if (answer.trickle > 0ms && door.Rest(exchange)) return 0;
    const size_t size = answer.trickle > 0ms ? 1 : std::min(room, end - exchange.sent);
    std::memcpy(buffer, answer.body.data() + exchange.sent, size);
    exchange.sent += size;
    return static_cast<ssize_t>(size);
  }

  ssize_t Stop(Exchange& exchange) {
    if (exchange.response.ending != Ending::kStall) return MHD_CONTENT_READER_END_WITH_ERROR;
    server.parking_.Park(exchange, kNever);
    return 0;
  }

  bool Rest(Exchange& exchange) {
    const auto now = std::chrono::steady_clock::now();
    if (exchange.rested && now >= exchange.next_byte) {
      exchange.rested = false;
      return false;
    }
    exchange.rested = true;
    exchange.next_byte = now + exchange.response.trickle;
    server.parking_.Park(exchange, exchange.next_byte);
    return true;
  }
};

namespace {

MHD_Daemon* Open(Door& door, uint16_t port, unsigned threads, unsigned idle_seconds) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  constexpr unsigned kFlags =
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK;
  MHD_Daemon* daemon =
      MHD_start_daemon(kFlags, port, nullptr, nullptr, &Door::Serve, &door, MHD_OPTION_SOCK_ADDR,
                       reinterpret_cast<sockaddr*>(&address), MHD_OPTION_URI_LOG_CALLBACK, &Door::Begin,
                       &door, MHD_OPTION_NOTIFY_COMPLETED, &Door::End, nullptr, MHD_OPTION_CONNECTION_LIMIT,
                       1000u, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
                       threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, MHD_OPTION_END);
  if (daemon == nullptr) throw std::runtime_error(fmt::format("cannot listen on 127.0.0.1:{}", port));
  return daemon;
}

}  // namespace

Server::Server(Heart& heart, const ServerSettings& settings)
    : heart_(heart), control_(heart), parking_(heart, lock_) {
  gateway_door_ = std::make_unique<Door>(*this, false);
  control_door_ = std::make_unique<Door>(*this, true);
  gateway_daemon_.reset(Open(*gateway_door_, settings.gateway_port, settings.threads, settings.idle_seconds));
  control_daemon_.reset(Open(*control_door_, settings.control_port, 1, 0));
}

Server::~Server() {
  parking_.Close();
}

void Server::Stop::operator()(MHD_Daemon* daemon) const {
  MHD_stop_daemon(daemon);
}

uint16_t Server::gateway_port() const {
  return PortOf(gateway_daemon_.get());
}
uint16_t Server::control_port() const {
  return PortOf(control_daemon_.get());
}

SimResponse Server::Ask(const SimRequest& request, bool control) {
  SimResponse response;
  {
    const std::lock_guard guard(lock_);
    response = control ? control_.Handle(request) : heart_.Handle(request);
  }
  if (control) parking_.Look();
  return response;
}

}  // namespace tmc::sim
