#include "tests/simulator/sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace tmc::sim {
namespace {

std::string Joined(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params)
    if (name != "sign" && !name.empty() && !value.empty()) text.append(name).append(value);
  return text;
}

std::string Md5(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_md5(), nullptr);
  return ToHex({reinterpret_cast<const char*>(digest), size});
}

std::string Hmac(const EVP_MD* kind, std::string_view secret, std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(kind, secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return ToHex({reinterpret_cast<const char*>(digest), size});
}

}  // namespace

bool KnownSignMethod(std::string_view name) {
  return name == "md5" || name == "hmac" || name == "hmac-sha256";
}

std::string Sign(const Params& params, std::string_view secret, std::string_view sign_method) {
  const std::string text = Joined(params);
  if (sign_method == "md5") return Md5(std::string(secret) + text + std::string(secret));
  if (sign_method == "hmac") return Hmac(EVP_md5(), secret, text);
  if (sign_method == "hmac-sha256") return Hmac(EVP_sha256(), secret, text);
  return {};
}

}  // namespace tmc::sim
