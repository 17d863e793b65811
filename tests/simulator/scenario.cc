#include "tests/simulator/scenario.h"

#include "tests/simulator/generate.h"

namespace tmc::sim {
namespace {

using Add = Complaint (*)(World&, std::string_view);

Complaint AddAll(World& world, std::string_view text, const char* key, Add add) {
  size_t index = 0;
  for (std::string_view object : json::SliceElements(text, {key})) {
    if (const Complaint complaint = add(world, object))
      return std::string(key) + "[" + std::to_string(index) + "]: " + *complaint;
    ++index;
  }
  return std::nullopt;
}

Complaint AddRefusal(World& world, std::string_view text) {
  json::Document document;
  if (const auto error = document.Parse(text)) return error->text;
  world.refused_ids.emplace(document.root().Text().value_or(""));
  return std::nullopt;
}

}  // namespace

Complaint LoadScenario(World& world, std::string_view text) {
  const Reader in(text, {"about", "app", "clock_offset", "switches", "limits", "shops", "orders", "messages",
                         "refused_ids", "faults", "generate"});
  if (in.complaint) return in.complaint;
  if (const auto offset = in["clock_offset"].Text()) world.offset = ParseDuration(*offset).value_or(0ms);
  const std::pair<const char*, Add> parts[] = {
      {"app", SetApp},
      {"switches", SetSwitches},
      {"limits", SetLimits},
      {"shops", AddShop},
      {"orders", AddOrder},
      {"messages", [](World& w, std::string_view t) { return AddMessage(w, t); }},
      {"refused_ids", AddRefusal},
      {"faults", [](World& w, std::string_view t) { return AddFault(w, t); }},
      {"generate", Generate},
  };
  for (const auto& [key, add] : parts)
    if (const Complaint complaint = AddAll(world, text, key, add)) return complaint;
  return std::nullopt;
}

}  // namespace tmc::sim
