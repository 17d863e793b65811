#include "tests/simulator/charset.h"

#include <iconv.h>

namespace tmc::sim {
namespace {

// What the charset lacks becomes "?".
std::string Convert(std::string text, const std::string& charset) {
  const iconv_t converter = iconv_open(charset.c_str(), "UTF-8");
  if (converter == reinterpret_cast<iconv_t>(-1)) return text;
  std::string out(text.size() * 2 + 16, '\0');
  char* from = text.data();
  char* to = out.data();
  size_t left = text.size(), room = out.size();
  while (left > 0 && iconv(converter, &from, &left, &to, &room) == static_cast<size_t>(-1)) {
    if (room == 0) break;
    ++from, --left;
    *to++ = '?', --room;
  }
  iconv_close(converter);
  out.resize(out.size() - room);
  return out;
}

}  // namespace

void ApplyCharset(const Fault& fault, SimResponse& response) {
  if (fault.bom) response.body.insert(0, "\xEF\xBB\xBF");
  if (fault.charset.empty()) return;
  response.body = Convert(std::move(response.body), fault.charset);
  response.content_type = "application/json";
  if (fault.charset_named) response.content_type += ";charset=" + fault.charset;
}

}  // namespace tmc::sim
