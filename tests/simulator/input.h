#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/json.h"
#include "tests/simulator/world.h"

// What a scenario file or the control address says, put into the world. Every function takes one JSON object
// and returns nothing, or a sentence that says what is wrong with it (then nothing of it has happened).
namespace tmc::sim {

using Complaint = std::optional<std::string>;

Complaint AddShop(World& world, std::string_view text);
Complaint AddOrder(World& world, std::string_view text);  // or changes it
Complaint AddMessage(World& world, std::string_view text, std::string* id = nullptr);
Complaint AddFault(World& world, std::string_view text, int64_t* id = nullptr);
Complaint SetLimits(World& world, std::string_view text);
Complaint SetSwitches(World& world, std::string_view text);
Complaint SetApp(World& world, std::string_view text);
Complaint ReviveOrKill(World& world, std::string_view text);

// Reading members; each keeps what `into` held when the member is absent.
class Reader {
 public:
  // Complains about a text that is no object, and about members that are not in `known`.
  Reader(std::string_view text, std::initializer_list<std::string_view> known);
  json::Node operator[](std::string_view key) const { return document_.root()[key]; }
  bool Has(std::string_view key) const { return (*this)[key].Exists(); }
  std::string_view Raw(std::string_view key) const;  // the bytes of the value
  void Text(std::string_view key, std::string& into);
  void Flag(std::string_view key, bool& into);
  void Duration(std::string_view key, milliseconds& into);
  void Moment(std::string_view key, Time now, Time& into);
  void Fraction(std::string_view key, double& into);
  template <typename Number>
  void Whole(std::string_view key, Number& into) {
    if (!Has(key)) return;
    if (const auto number = (*this)[key].Int())
      into = static_cast<Number>(*number);
    else
      Complain(key, "a whole number");
  }
  void Complain(std::string_view key, std::string_view wanted);
  Complaint complaint;

 private:
  std::string_view text_;
  json::Document document_;
};

}  // namespace tmc::sim
