#include "tests/simulator/input.h"

namespace tmc::sim {
namespace {

void ReadError(Reader& in, Fault& fault) {
  if (!in.Has("error")) return;
  Reader error(in.Raw("error"), {"code", "msg", "sub_code", "sub_msg"});
  ApiError read{15, "Remote service error", "", ""};
  error.Whole("code", read.code);
  error.Text("msg", read.msg);
  error.Text("sub_code", read.sub_code);
  error.Text("sub_msg", read.sub_msg);
  if (error.complaint && !in.complaint) in.complaint = "error: " + *error.complaint;
  fault.error = std::move(read);
}

// "drop": "before" or "after"; "hang": true or "headers"; "cut": bytes; "reset": true.
void ReadEnding(Reader& in, Fault& fault) {
  std::string drop, hang;
  in.Text("drop", drop);
  bool reset = false, silent = false;
  in.Flag("reset", reset);
  if (in["hang"].Bool())
    in.Flag("hang", silent);
  else
    in.Text("hang", hang);
  in.Flag("after", fault.after);
  fault.after |= drop == "after";
  if (!drop.empty()) fault.ending = Ending::kDrop;
  if (reset) fault.ending = Ending::kReset;
  if (silent) fault.ending = Ending::kHang;
  if (hang == "headers" || in.Has("stall")) fault.ending = Ending::kStall;
  if (in.Has("cut")) fault.ending = Ending::kCut;
  in.Whole("cut", fault.bytes);
  in.Whole("stall", fault.bytes);
}

void ReadBody(Reader& in, Fault& fault) {
  if (in.Has("body")) fault.body = std::string(in["body"].Text().value_or(in.Raw("body")));
  std::string hex;
  in.Text("body_hex", hex);
  if (!in.Has("body_hex")) return;
  fault.body = FromHex(hex);
  if (!fault.body) in.Complain("body_hex", "pairs of hex digits");
}

void ReadStatus(Reader& in, Fault& fault) {
  if (!in.Has("status")) return;
  in.Whole("status", fault.status.emplace());
  if (fault.body) return;
  fault.content_type = "text/html";
  fault.body = *fault.status == 204 ? "" : "<html><body><h1>The platform is busy</h1></body></html>";
}

void ReadWhich(Reader& in, const World& world, Fault& fault) {
  in.Text("api", fault.api);
  const json::Node match = in["match"];
  for (size_t i = 0; i < match.Size(); ++i)
    fault.match.emplace(match.KeyAt(i), match.MemberAt(i).Text().value_or(""));
  in.Whole("skip", fault.skip);
  in.Whole("times", fault.times);
  in.Fraction("chance", fault.chance);
  milliseconds length{0};
  in.Duration("for", length);
  if (!in.Has("for")) return;
  fault.until = world.Now() + length;
  if (!in.Has("times")) fault.times = 0;
}

void ReadBan(Reader& in, Fault& fault) {
  milliseconds ban{0};
  in.Duration("ban", ban);
  if (in.Has("ban")) fault.ban = ban;
  in.Text("sub_code", fault.ban_sub_code);
  in.Flag("whole_app", fault.ban_app);
}

}  // namespace

Complaint AddFault(World& world, std::string_view text, int64_t* id) {
  Reader in(text,
            {"api",          "match",    "skip",      "times",      "chance",        "for",  "error",
             "ban",          "sub_code", "whole_app", "is_success", "status",        "body", "body_hex",
             "content_type", "drop",     "reset",     "hang",       "stall",         "cut",  "after",
             "delay",        "trickle",  "empty",     "charset",    "charset_named", "bom",  "bare_single"});
  if (in.complaint) return in.complaint;
  Fault fault;
  ReadWhich(in, world, fault);
  ReadError(in, fault);
  ReadBan(in, fault);
  ReadEnding(in, fault);
  ReadBody(in, fault);
  if (in.Has("is_success")) in.Flag("is_success", fault.is_success.emplace());
  ReadStatus(in, fault);
  in.Text("content_type", fault.content_type);
  in.Duration("delay", fault.delay);
  in.Duration("trickle", fault.trickle);
  in.Text("empty", fault.empty_form);
  in.Text("charset", fault.charset);
  in.Flag("charset_named", fault.charset_named);
  in.Flag("bom", fault.bom);
  in.Flag("bare_single", fault.bare_single);
  if (in.complaint) return in.complaint;
  const int64_t added = world.faults.Add(std::move(fault));
  if (id != nullptr) *id = added;
  return std::nullopt;
}

}  // namespace tmc::sim
