#include "adapters/top/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/top/errors.h"

namespace tmc::top {
namespace {

// The first bytes, fit for a log line.
std::string Excerpt(std::string_view bytes) {
  constexpr size_t kMost = 60;
  std::string text;
  for (char c : bytes.substr(0, kMost)) {
    if (c >= 0x20 && c < 0x7f)
      text += c;
    else
      text += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  }
  return bytes.size() > kMost ? text + "…" : text;
}

Error Outside(std::string_view code, const Call& call, std::string_view what) {
  return {.code = std::string(code), .text = fmt::format("{}: {}", call.method, what)};
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// The charset that a Content-Type names, or nothing.
std::string_view Charset(std::string_view content_type) {
  const size_t found = Lower(content_type).find("charset=");
  if (found == std::string::npos) return "";
  const std::string_view rest = content_type.substr(found + 8);
  const size_t begin = std::min(rest.find_first_not_of(" \t\"'"), rest.size());
  return rest.substr(begin, rest.find_first_of(" \t\"';", begin) - begin);
}

bool IsUtf8(std::string_view charset) {
  const std::string name = Lower(charset);
  return name.empty() || name == "utf-8" || name == "utf8";
}

bool HasMember(json::Node root, const Call& call) {
  return std::ranges::any_of(call.members,
                             [&](auto member) { return !member.empty() && root[member].Exists(); });
}

// With simplify=true nothing but its members says what an answer is.
bool IsSimplified(json::Node root, const Call& call) {
  for (size_t i = 0; i < root.Size(); ++i)
    if (root.KeyAt(i).ends_with("_response")) return false;
  return HasMember(root, call) || root["request_id"].Exists();
}

bool IsNothing(json::Node node) {
  return !node.Exists() || node.IsNull() || node.Text() == "" || (node.IsObject() && node.Size() == 0);
}

std::vector<json::Node> Elements(json::Node list) {
  if (IsNothing(list)) return {};
  if (!list.IsArray()) return {list};
  std::vector<json::Node> elements;
  for (size_t i = 0; i < list.Size(); ++i) elements.push_back(list.At(i));
  return elements;
}

}  // namespace

std::optional<Error> Unfit(const HttpResponse& response, const Call& call) {
  if (!response.transport.empty()) {
    Error error = Outside(response.too_large ? "too_large" : "transport", call, response.transport);
    error.too_large = response.too_large;
    return error;
  }
  if (response.status != 200)
    return Outside(fmt::format("http_{}", response.status), call,
                   fmt::format("HTTP status {}{}: {}", response.status,
                               response.status == 404 ? " (is the path of --gateway right?)" : "",
                               Excerpt(response.body)));
  const std::string_view charset = Charset(response.content_type);
  if (!IsUtf8(charset))
    return Outside("bad_charset", call,
                   fmt::format("the answer is in the charset {}, not in UTF-8", Excerpt(charset)));
  if (response.body.empty()) return Outside("bad_answer", call, "the answer is empty");
  return std::nullopt;
}

Result<Answer> Open(const HttpResponse& response, const Call& call) {
  if (auto unfit = Unfit(response, call)) return *unfit;
  Answer answer;
  if (const auto flaw = answer.document.Parse(response.body))
    return Outside("bad_answer", call,
                   fmt::format("the answer is not JSON ({}): {}", flaw->text, Excerpt(response.body)));
  const json::Node root = answer.document.root();
  if (root["error_response"].IsObject()) return ReadError(root["error_response"], call);
  answer.result = root[call.wrapper];
  if (answer.result.Exists())
    answer.path = {call.wrapper};
  else if (IsSimplified(root, call))
    answer.result = root;
  if (!answer.result.IsObject())
    return Outside("bad_answer", call,
                   fmt::format("neither a result nor an error_response: {}", Excerpt(response.body)));
  return answer;
}

Error BadAnswer(const Call& call, std::string_view what) {
  Error error = Outside("bad_answer", call, what);
  error.from_platform = true;
  return error;
}

std::optional<std::vector<json::Node>> Items(json::Node list, std::string_view item, std::string_view mark) {
  if (IsNothing(list) || list.IsArray()) return Elements(list);
  if (list[item].Exists()) return Elements(list[item]);
  if (list[mark].Exists()) return Elements(list);
  return std::nullopt;
}

}  // namespace tmc::top
