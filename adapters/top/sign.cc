#include "adapters/top/sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

namespace tmc::top {
namespace {

std::string UpperHex(const unsigned char* bytes, unsigned size) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[bytes[i] >> 4];
    text += kHex[bytes[i] & 15];
  }
  return text;
}

std::string Joined(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    if (!name.empty() && !value.empty() && name != "sign") text.append(name).append(value);
  return text;
}

std::string Md5(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_md5(), nullptr) != 1)
    throw std::runtime_error("signing a request: MD5 is not available");
  return UpperHex(digest.data(), size);
}

std::string Hmac(const EVP_MD* hash, std::string_view secret, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (!HMAC(hash, secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size))
    throw std::runtime_error("signing a request: HMAC is not available");
  return UpperHex(digest.data(), size);
}

}  // namespace

std::string Sign(const Parameters& parameters, std::string_view method, std::string_view secret) {
  const std::string text = Joined(parameters);
  if (method == "md5") return Md5(std::string(secret) + text + std::string(secret));
  if (method == "hmac") return Hmac(EVP_md5(), secret, text);
  if (method == "hmac-sha256") return Hmac(EVP_sha256(), secret, text);
  throw std::invalid_argument("no such sign method: " + std::string(method));
}

}  // namespace tmc::top
