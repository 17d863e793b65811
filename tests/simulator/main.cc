#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include "tests/simulator/flags.h"
#include "tests/simulator/generate.h"
#include "tests/simulator/scenario.h"

namespace {

using namespace tmc;
using namespace tmc::sim;

void Must(const std::string& what, const Complaint& complaint) {
  if (complaint) throw std::runtime_error(what + ": " + *complaint);
}

void ApplyFlags(World& world, const Flags& flags) {
  for (const std::string& app : flags.app) Must("flags", SetApp(world, app));
  for (const std::string& one : flags.switches) Must("flags", SetSwitches(world, one));
  for (const std::string& limit : flags.limits) Must("flags", SetLimits(world, limit));
  for (const std::string& shop : flags.shops) Must("--shop", AddShop(world, shop));
  if (flags.clock_offset) world.offset = *flags.clock_offset;
}

void ApplyScenario(World& world, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the scenario " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Must(path, LoadScenario(world, text));
}

// Flags count before the scenario, for what it makes, and after it: they win.
void Furnish(World& world, const Flags& flags) {
  ApplyFlags(world, flags);
  if (!flags.scenario.empty()) ApplyScenario(world, flags.scenario);
  ApplyFlags(world, flags);
  if (world.shops.all().empty())
    Must("shop", AddShop(world, R"({"user_id":"123456789","nick":"测试店铺01","session":"session-1"})"));
  if (!flags.generate.empty()) Must("--generate", Generate(world, flags.generate));
}

void Announce(const Server& server, const std::string& ready_file) {
  const std::string line =
      fmt::format(R"({{"gateway":"http://127.0.0.1:{}/router/rest","control":"http://127.0.0.1:{}/"}})",
                  server.gateway_port(), server.control_port());
  std::cout << line << std::endl;
  if (ready_file.empty()) return;
  const std::string half = ready_file + ".new";
  std::ofstream(half) << line << "\n";
  if (std::rename(half.c_str(), ready_file.c_str()) != 0)
    throw std::runtime_error("cannot write " + ready_file);
}

void Run(const Flags& flags) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const SystemClock clock;
  Heart heart(clock, flags.seed);
  Furnish(heart.world(), flags);
  const Server server(heart, flags.server);
  Announce(server, flags.ready_file);
  int received = 0;
  sigwait(&ends, &received);
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  if (const auto complaint = ReadFlags({argv + 1, argv + argc}, flags)) {
    std::cerr << "tmc-simulator: " << *complaint << "\n";
    return 64;
  }
  if (flags.help) return std::cout << kHelp, 0;
  try {
    Run(flags);
  } catch (const std::exception& problem) {
    std::cerr << "tmc-simulator: " << problem.what() << "\n";
    return 78;
  }
  return 0;
}
