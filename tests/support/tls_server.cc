#include "tests/support/tls_server.h"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace tmc {
namespace {

template <typename T>
T* Must(T* made) {
  if (!made) throw std::runtime_error("OpenSSL refused");
  return made;
}

X509* Certificate(const std::string& name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, bool authority,
                  const TlsIdentity& identity) {
  X509* made = Must(X509_new());
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), authority ? 1 : 2);
  X509_gmtime_adj(X509_getm_notBefore(made), identity.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(made), identity.valid_for);
  X509_set_pubkey(made, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made, X509_get_subject_name(issuer ? issuer : made));
  const std::string names = "DNS:" + name;
  X509_EXTENSION* extension =
      Must(X509V3_EXT_conf_nid(nullptr, nullptr, authority ? NID_basic_constraints : NID_subject_alt_name,
                               authority ? "critical,CA:TRUE" : names.c_str()));
  X509_add_ext(made, extension, -1);
  X509_EXTENSION_free(extension);
  if (X509_sign(made, issuer_key, EVP_sha256()) == 0) throw std::runtime_error("OpenSSL cannot sign");
  return made;
}

std::string Pem(X509* certificate) {
  BIO* memory = Must(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(memory, certificate);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory, &bytes);
  std::string text(bytes, static_cast<size_t>(size));
  BIO_free(memory);
  return text;
}

}  // namespace

struct TlsServer::Context {
  SSL_CTX* ssl;
};

TlsServer::TlsServer(const TlsIdentity& identity) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that refuses the certificate is gone at once
  EVP_PKEY* authority_key = Must(EVP_EC_gen("P-256"));
  EVP_PKEY* key = Must(EVP_EC_gen("P-256"));
  X509* authority = Certificate("test authority", authority_key, nullptr, authority_key, true, {});
  X509* certificate = identity.signed_by_authority
                          ? Certificate(identity.host, key, authority, authority_key, false, identity)
                          : Certificate(identity.host, key, nullptr, key, false, identity);
  authority_ = Pem(authority);
  context_ = new Context{Must(SSL_CTX_new(TLS_server_method()))};
  if (identity.only_tls10) {
    SSL_CTX_set_min_proto_version(context_->ssl, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_->ssl, TLS1_VERSION);
    SSL_CTX_set_security_level(context_->ssl, 0);
  }
  SSL_CTX_use_certificate(context_->ssl, certificate);
  SSL_CTX_use_PrivateKey(context_->ssl, key);
  X509_free(certificate);
  X509_free(authority);
  EVP_PKEY_free(key);
  EVP_PKEY_free(authority_key);

  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 8) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port for a TLS server");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

TlsServer::~TlsServer() {
  over_ = true;
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
  SSL_CTX_free(context_->ssl);
  delete context_;
}

std::string TlsServer::Url() const {
  return "https://localhost:" + std::to_string(port_) + "/router/rest";
}

void TlsServer::Serve() {
  while (!over_) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    SSL* ssl = SSL_new(context_->ssl);
    SSL_set_fd(ssl, client);
    char bytes[65536];
    if (SSL_accept(ssl) == 1 && SSL_read(ssl, bytes, sizeof bytes) > 0) {
      ++requests_;
      constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
      SSL_write(ssl, kAnswer, sizeof kAnswer - 1);
      SSL_shutdown(ssl);
    }
    SSL_free(ssl);
    close(client);
  }
}

}  // namespace tmc
