#include "tests/support/rig.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

#include "agent/dead_letters.h"

namespace tmc {

Rig::Rig(std::function<void(Settings&)> adjust, std::string sessions) {
  settings.app_key = "12345678";
  settings.rate = 1000;
  if (adjust) adjust(settings);
  platform = top::MakeTop({.app_key = settings.app_key, .group = settings.group});
  folder.File("secret", "helloworld\n");
  folder.File("sessions", sessions);
  Post("/shops", R"([{"user_id":"900001","nick":"seller_a","session":"sess-A"},
                     {"user_id":"900002","nick":"seller_b","session":"sess-B"}])");
  Open();
}

void Rig::Open() {
  secrets = std::make_unique<Secrets>(SecretSources{folder.Path("secret"), folder.Path("sessions"), "", ""});
  REQUIRE_FALSE(secrets->Load());
  platform_clock = std::make_unique<PlatformClock>(clock);
  pacer = std::make_unique<Pacer>(settings.rate, clock, 1);
  shared = std::make_unique<Shared>(Shared{settings, *platform, clock, *platform_clock, *pacer, *secrets});
  StoreOptions options{.path = folder.Path("tmc.db"), .create = true, .busy_timeout = 0ms};
  store = std::make_unique<Store>(options);
  reconcile_store = std::make_unique<Store>(options);
  context = std::make_unique<Context>(*shared, *store, http, 1);
  reconcile_context = std::make_unique<Context>(*shared, *reconcile_store, reconcile_http, 2);
  pump = std::make_unique<Pump>(*context);
  reconciler = std::make_unique<Reconciler>(*reconcile_context);
  pump->Recover();
}

void Rig::Restart() {
  pump.reset();
  reconciler.reset();
  context.reset();
  reconcile_context.reset();
  store.reset();
  reconcile_store.reset();
  http.Forget();
  reconcile_http.Forget();
  Open();
}

void Rig::Post(const std::string& path, const std::string& body) {
  sim::SimRequest request;
  request.path = path;
  request.body = body;
  const sim::SimResponse response = sim::Control(heart).Handle(request);
  INFO(path, " ", body, " -> ", response.body);
  REQUIRE(response.status == 200);
}

void Rig::Message(const std::string& topic, const std::string& tid, const std::string& more) {
  Post("/messages", "{\"topic\":\"taobao_trade_" + topic + "\",\"shop\":\"900001\",\"tid\":\"" + tid + "\"" +
                        (more.empty() ? "" : "," + more) + "}");
}

void Rig::Order(const std::string& tid, const std::string& status, const std::string& more) {
  Post("/orders", "{\"tid\":\"" + tid + "\",\"shop\":\"900001\",\"status\":\"" + status + "\"" +
                      (more.empty() ? "" : "," + more) + "}");
}

void Rig::Turns(int count) {
  for (int i = 0; i < count; ++i) pump->Step();
}

void Rig::Until(const std::function<bool()>& done, milliseconds most) {
  const milliseconds end = clock.Steady() + most;
  while (!done() && clock.Steady() < end) pump->Step();
  REQUIRE(done());
}

void Rig::Settle(milliseconds most) {
  Turns(2);
  Until(
      [&] {
        return pump->quiet_answers() >= 1 && !pump->Busy() &&
               Count("SELECT count(*) FROM inbound_message WHERE state NOT IN ('applied','dlq')") == 0;
      },
      most);
}

void Rig::Reconcile() {
  const int64_t before = reconciler->passes();
  reconciler->AskRegular();
  for (int i = 0; i < 10000 && reconciler->passes() == before; ++i) reconciler->Step();
  REQUIRE(reconciler->passes() > before);
  Settle();
}

void Rig::Quiet(milliseconds time) {
  const milliseconds end = clock.Steady() + time;
  while (clock.Steady() < end) {
    pump->Step();
    reconciler->Step(0ms);
  }
}

std::vector<std::string> Rig::Rows(const std::string& sql) {
  SQLite::Database database(folder.Path("tmc.db"), SQLite::OPEN_READONLY, 1000);
  SQLite::Statement statement(database, sql);
  std::vector<std::string> rows;
  while (statement.executeStep()) {
    std::string row;
    for (int i = 0; i < statement.getColumnCount(); ++i)
      row += (i ? "|" : "") +
             (statement.isColumnNull(i) ? std::string("NULL") : statement.getColumn(i).getString());
    rows.push_back(row);
  }
  return rows;
}

std::string Rig::Row(const std::string& sql) {
  const auto rows = Rows(sql);
  REQUIRE(rows.size() <= 1);
  return rows.empty() ? "" : rows[0];
}

int64_t Rig::Count(const std::string& sql) {
  return std::stoll(Row(sql));
}

void Rig::Exec(const std::string& sql) {
  SQLite::Database database(folder.Path("tmc.db"), SQLite::OPEN_READWRITE, 1000);
  database.exec(sql);
}

}  // namespace tmc
