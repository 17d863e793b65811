#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/clock.h"

namespace tmc {

// What is asked of a server: always a POST of `body`.
struct HttpRequest {
  std::string url;
  std::string body;
  std::string content_type = "application/x-www-form-urlencoded;charset=utf-8";
  std::string api;              // the interface's name, for pacing, bans and log lines ("taobao.time.get")
  milliseconds timeout{30000};  // the whole exchange
  bool idle_allowed = false;    // the server may hold the answer (long poll): no low-speed limit
  size_t max_body = 16u << 20;  // bytes; an answer beyond is cut off and marked too_large
};

// What came back. Exactly one of two: `transport` is empty and the rest is the answer, or `transport`
// says in words why there is no whole answer.
struct HttpResponse {
  int status = 0;
  std::string body;
  std::string content_type;
  std::optional<Time> date;  // the Date header, one-second resolution
  std::string transport;
  bool too_large = false;  // with `transport`
};

using HttpId = uint64_t;

struct HttpDone {
  HttpId id;
  HttpResponse response;
};

// Many exchanges at once, owned by one thread; only Wake() may be called from another.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // Begins an exchange. Nothing blocks.
  virtual HttpId Start(HttpRequest request) = 0;
  // Waits until an exchange ended, Wake() was called or `most` passed, and hands over all that ended.
  virtual std::vector<HttpDone> Wait(milliseconds most) = 0;
  // Ends an exchange without a result; a second call is harmless.
  virtual void Abort(HttpId id) = 0;
  // True once bytes of the answer have arrived (also of its header).
  virtual bool Answering(HttpId id) const = 0;
  virtual void Wake() = 0;
};

struct HttpSettings {
  size_t connections = 8;  // kept alive at most
  milliseconds connect_timeout{10000};
  milliseconds low_speed_time{15000};  // below 100 bytes a second for this long is a hang
  std::string ca_file;                 // empty: the system's
};

// "libcurl/7.88.1 OpenSSL/3.0.19 …"
std::string HttpLibrary();

std::unique_ptr<HttpClient> MakeCurlClient(const HttpSettings& settings);

}  // namespace tmc
