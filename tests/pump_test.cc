#include "agent/pump.h"

#include <doctest/doctest.h>

#include "tests/support/rig.h"

using namespace tmc;

namespace {
constexpr char kTid[] = "3012345678901234567";
}

TEST_CASE("Pump: one message goes all the way, and is confirmed after its commit") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", "\"payment\":\"110.00\"");
  rig.Message("TradeBuyerPay", kTid);
  rig.Settle();
  CHECK(rig.Row("SELECT state, order_id, attempts, deliveries, confirmed_at > 0 FROM inbound_message WHERE channel='tmc'") ==
        std::string("applied|") + kTid + "|0|1|1");
  CHECK(rig.Row("SELECT status, shop, source FROM order_snapshot") == "WAIT_SELLER_SEND_GOODS|900001|message");
  CHECK(rig.Row("SELECT type, subject_id FROM outbox_event") == std::string("order.changed|") + kTid);
  CHECK(rig.heart.world().record.confirms.size() == 1);
}
