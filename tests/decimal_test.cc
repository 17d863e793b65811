#include "agent/decimal.h"

#include <doctest/doctest.h>

using tmc::Decimal;

TEST_CASE("Decimal: money is exact") {
  CHECK(Decimal::Parse("599.80")->MinorUnits() == 59980);
  CHECK(Decimal::Parse("1234567890.12")->MinorUnits() == 123456789012);
  CHECK_FALSE(Decimal::Parse("0.001")->MinorUnits());
  CHECK(Decimal::Parse("0.001")->Text() == "0.001");
  CHECK(Decimal::Parse("1.1")->Text() == "1.10");
  CHECK(Decimal::Parse("-3")->Text() == "-3.00");
  CHECK(Decimal::Parse("0.10") == Decimal::Parse("0.1"));
  const Decimal dime = *Decimal::Parse("0.10");
  CHECK(dime + dime + dime == *Decimal::Parse("0.30"));
}

TEST_CASE("Decimal: what is no amount is refused") {
  for (const char* text : {"", ".", ".5", "5.", "1e3", "+1", " 1", "1 ", "--1", "1.2.3", "0x1", "NaN",
                           "1234567890123", "0.1234567"})
    CHECK_FALSE(Decimal::Parse(text));
}
