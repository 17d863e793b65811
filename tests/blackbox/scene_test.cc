#include "tests/blackbox/scene.h"

#include <doctest/doctest.h>

using namespace tmc;

TEST_CASE("Scene: a message of a paid order is applied and confirmed") {
  Scene scene;
  scene.Order("3812000000000210193");
  const std::string id = scene.Message("3812000000000210193");
  const Ended ended = scene.Once();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(ended.out == "");
  CHECK(scene.Rows("SELECT msg_id, state, order_id FROM inbound_message WHERE channel = 'tmc'") ==
        id + "|applied|3812000000000210193");
  CHECK(scene.Rows("SELECT order_id, shop, status FROM order_snapshot") ==
        "3812000000000210193|123456789|WAIT_SELLER_SEND_GOODS");
  CHECK(scene.Confirmed() == std::set{id});
  CHECK(scene.Violations() == "");
}

TEST_CASE("Scene: a running agent takes what comes and stops when it is told") {
  Scene scene;
  Child& agent = scene.Start();
  scene.Order("77");
  scene.Message("77");
  const std::string select = "SELECT state FROM inbound_message WHERE confirmed_at IS NOT NULL";
  CHECK(scene.RowsBecome(select, "applied") == "applied");
  CHECK(agent.Running());
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
}
