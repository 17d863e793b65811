#pragma once

#include <optional>
#include <string>

#include "tests/simulator/world.h"

namespace tmc::sim {

// What a person has to say of an order or of a change of it; the rest is filled in.
struct Change {
  Time from{};
  Fields fields;              // over those that hold; "null" removes
  std::vector<Fields> lines;  // the same, line by line
  bool keep_modified = false;
};

// Adds a truth to the order: the one that held at `change.from`, or a plausible new one, with the change over
// it.
void ApplyChange(World& world, Order& order, Change change);

}  // namespace tmc::sim
