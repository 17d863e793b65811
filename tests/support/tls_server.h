#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace tmc {

// What a server shows of itself. The defaults are good for https://localhost.
struct TlsIdentity {
  std::string host = "localhost";
  long valid_from = -3600, valid_for = 3600;  // seconds from now
  bool signed_by_authority = true;            // else by itself
  bool only_tls10 = false;
};

// An HTTPS server on 127.0.0.1 and a free port that answers every request with "{}"; its certificate is made
// when it starts.
class TlsServer {
 public:
  explicit TlsServer(const TlsIdentity& identity);
  ~TlsServer();
  std::string Url() const;  // https://localhost:PORT/router/rest
  // The authority that signed the certificate, PEM.
  const std::string& authority() const { return authority_; }
  int requests() const { return requests_; }  // whose bytes arrived

 private:
  void Serve();
  std::string authority_;
  struct Context;
  Context* context_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace tmc
