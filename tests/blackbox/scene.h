#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "agent/json.h"
#include "tests/blackbox/child.h"
#include "tests/support/temp_folder.h"

namespace tmc {

inline constexpr char kShop[] = "123456789";  // the simulator's shop, unless a test makes others

// The binary under test: this build's, or the one that the variable TMC_AGENT_PROGRAM names.
std::string AgentProgram();

// A shop's day: a folder, the simulator on loopback, and the agent's binary run against it.
class Scene {
 public:
  // `simulator_flags`: see `tmc-simulator --help`.
  explicit Scene(const Words& simulator_flags = {});

  // The simulator's control address (tests/simulator/README.md). Anything but 200 is an exception.
  std::string Get(std::string_view path);
  std::string Post(std::string_view path, std::string_view json);
  std::string Delete(std::string_view path);
  // Posts a message that names an order; its id.
  std::string Message(std::string_view tid, std::string_view topic = "taobao_trade_TradeBuyerPay");
  // Posts any message; its id, "" for one that has none.
  std::string MessageOf(std::string_view json);
  void Order(std::string_view tid, std::string_view status = "WAIT_SELLER_SEND_GOODS");
  void Fault(std::string_view json) { Post("/faults", json); }

  // What the simulator saw.
  std::set<std::string> Confirmed();  // ids in confirms that it took
  std::string Violations();           // "" when there are none
  int Calls(std::string_view api);    // by the last part of its name: "consume", "fullinfo.get"; "" all

  // `run` and its flags; `more` wins over the defaults ("--rate", "5"). Secret, session and database lie
  // in the folder.
  Words RunWords(const Words& more = {}) const;
  // Any command of the agent: the words as they stand, to its end.
  Ended Agent(const Words& words, const Words& environment = Launch().environment);
  // run --once, to its end.
  Ended Once(const Words& more = {}, const Words& environment = Launch().environment);
  // `run`, in the background; at most one at a time by this call.
  Child& Start(const Words& more = {}, const Words& environment = Launch().environment);
  // SIGTERM to what Start began, and its end.
  Ended Stop();
  std::unique_ptr<Child> Spawn(const Launch& launch);

  // The rows of a SELECT in the agent's database, read-only: columns joined by |, rows by a line break,
  // "null" for NULL. While there is no database yet, or it is locked, the exception's text.
  std::string Rows(const std::string& select) const;
  // The same once it gives `wanted`, else what it gives when the time is over.
  std::string RowsBecome(const std::string& select, std::string_view wanted,
                         std::chrono::milliseconds most = std::chrono::seconds(20)) const;

  std::string Db() const { return folder.Path("tmc.db"); }
  const std::string& gateway() const { return gateway_; }

  TempFolder folder;

 private:
  std::string Control(std::string_view method, std::string_view path, std::string_view body);
  json::Document Seen();

  int children_ = 0;
  std::string gateway_;
  int control_port_ = 0;
  std::unique_ptr<Child> simulator_, agent_;
};

}  // namespace tmc
