#include "adapters/top/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tmc::top {
namespace {

using enum Fault;

// Codes whose meaning stands in the sub_code: 15, its older form 50, and the legacy ranges 5xx to 9xx.
constexpr int kBusiness = -1;

struct Row {
  int first, last;            // of the code, or kBusiness
  std::string_view sub_code;  // `*` stands for any text, also for none
  Fault subject;              // asked for an order, a window, a shop
  Fault confirm = subject;
  Fault consume = subject;
};

// Error codes: document 102707; limits and sub_codes as seen in traffic. The first row that fits decides; a
// code that no row names is the outside's: again, capped by age. What only a session can cause can't be a
// shop's fault where no session is sent, and a refused argument of consume is our own.
constexpr Row kRows[] = {
    {3, 3, "*", kOutside},                         // upload failed
    {4, 8, "*", kLimited},                         // per user, session, partner, app; frequency
    {9, 9, "*", kAgent},                           // neither POST nor GET
    {10, 10, "*", kOutside},                       // service currently unavailable
    {11, 11, "*", kApi},                           // the app may not call this interface
    {12, 12, "*", kShop, kAgent, kAgent},          // the user may not
    {13, 13, "*", kAgent},                         // the partner may not
    {21, 21, "*", kAgent},                         // no method
    {22, 22, "*", kApi},                           // unknown method
    {23, 25, "*", kAgent},                         // format; signature missing or wrong
    {26, 27, "*", kShop, kAgent, kAgent},          // session missing, expired, another app's
    {28, 30, "*", kAgent},                         // app key missing or wrong; no timestamp
    {31, 31, "*", kClock},                         // timestamp wrong, or off by more than ten minutes
    {32, 34, "*", kAgent},                         // version
    {40, 41, "*", kMessage, kMessage, kAgent},     // argument missing, invalid
    {42, 42, "*", kShop, kAgent, kAgent},          // the session does not permit it
    {43, 43, "*", kMessage, kMessage, kAgent},     // parameter error
    {44, 44, "*", kShop, kAgent, kAgent},          // access token
    {47, 48, "*", kAgent},                         // encoding, request mode
    {51, 51, "*", kAgent},                         // sign method
    {53, 53, "*", kShop, kAgent, kAgent},          // the session's security level is too low
    {530, 530, "", kOutside},                      // system busy
    {560, 560, "", kOutside},                      // trade service unavailable
    {562, 562, "", kUnknown, kOutside, kOutside},  // the trade does not exist
    {700, 700, "", kOutside},                      // remote error
    // The three isp. that the document says not to repeat: a badly formed parameter of ours.
    {kBusiness, 0, "isp.null-pointer-exception*", kMessage, kOutside, kOutside},
    {kBusiness, 0, "isp.top-parse-error*", kMessage, kOutside, kOutside},
    {kBusiness, 0, "isp.top-mapping-parse-error*", kMessage, kOutside, kOutside},
    {kBusiness, 0, "isp.*", kOutside},
    {kBusiness, 0, "accesscontrol.*", kLimited},
    {kBusiness, 0, "ApiCallLimit", kLimited},
    {kBusiness, 0, "AppApiCallLimit", kLimited},
    {kBusiness, 0, "isv.permission-*", kApi},
    {kBusiness, 0, "isv.invalid-permission*", kShop, kAgent, kAgent},
    {kBusiness, 0, "isv.*-not-exist*", kUnknown, kOutside, kAgent},  // or not yet: replication lag
    {kBusiness, 0, "isv.missing-parameter*", kMessage, kMessage, kAgent},
    {kBusiness, 0, "isv.invalid-parameter*", kMessage, kMessage, kAgent},
    {kBusiness, 0, "isv.parameters-mismatch*", kMessage, kMessage, kAgent},
    {kBusiness, 0, "isv.*-service-error*", kMessage, kOutside, kOutside},
    {kBusiness, 0, "isv.*", kMessage, kOutside, kAgent},
};

bool Fits(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (size_t at = star; at <= text.size(); ++at)
    if (Fits(pattern.substr(star + 1), text.substr(at))) return true;
  return false;
}

bool Fits(const Row& row, int64_t code, std::string_view sub_code) {
  const bool business = code == 15 || code == 50 || (code >= 500 && code <= 999);
  const bool named = row.first == kBusiness ? business : code >= row.first && code <= row.last;
  return named && Fits(row.sub_code, sub_code);
}

constexpr std::string_view kDailyQuota = "accesscontrol.limited-by-app-access-count";
constexpr uint64_t kLongestBan = 48 * 3600;

// "This ban will last for 31062 more seconds"
std::optional<milliseconds> BanOf(std::string_view text) {
  constexpr std::string_view kBefore = "last for ", kAfter = " more second";
  const size_t found = text.find(kBefore);
  if (found == text.npos) return std::nullopt;
  text.remove_prefix(found + kBefore.size());
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || !text.substr(digits).starts_with(kAfter)) return std::nullopt;
  uint64_t seconds = kLongestBan;  // stands where the number does not fit
  std::from_chars(text.data(), text.data() + digits, seconds);
  return std::chrono::seconds(std::clamp<uint64_t>(seconds, 1, kLongestBan));
}

std::string_view TextOf(json::Node node, std::string_view key) {
  constexpr size_t kMost = 500;
  return node[key].Text().value_or("").substr(0, kMost);
}

}  // namespace

Fault SortFault(int64_t code, std::string_view sub_code, Asked asked) {
  const auto row =
      std::ranges::find_if(kRows, [&](const Row& candidate) { return Fits(candidate, code, sub_code); });
  if (row == std::end(kRows)) return kOutside;
  switch (asked) {
    case Asked::kSubject:
      return row->subject;
    case Asked::kConfirm:
      return row->confirm;
    case Asked::kConsume:
      return row->consume;
  }
  return kOutside;
}

Error ReadError(json::Node error_response, const Call& call) {
  const auto code = error_response["code"].Int();
  if (!code)
    return {.code = "bad_answer",
            .text = fmt::format("{}: an error_response without a code", call.method),
            .from_platform = true};
  const std::string_view sub_code = TextOf(error_response, "sub_code");
  const std::string_view sub_msg = TextOf(error_response, "sub_msg");
  Error error;
  error.fault = SortFault(*code, sub_code, call.asked);
  error.code = fmt::format("{}{}{}", *code, sub_code.empty() ? "" : " ", sub_code);
  error.text = fmt::format("{}: {}{}{}", call.method, TextOf(error_response, "msg"),
                           sub_msg.empty() ? "" : ": ", sub_msg);
  error.from_platform = true;
  if (error.fault != kLimited) return error;
  error.wait = BanOf(sub_msg);
  if (!error.wait) error.wait = BanOf(TextOf(error_response, "msg"));
  error.whole_app = sub_code == kDailyQuota;
  return error;
}

}  // namespace tmc::top
