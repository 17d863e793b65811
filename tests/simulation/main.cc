// tmc-simulation: plays one world a seed and judges it. See README.md beside this file.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "agent/log.h"
#include "agent/mistakes.h"
#include "tests/simulation/run.h"

namespace tmc::simulation {
namespace {

struct Wish {
  uint64_t from = 1, count = 100, jobs = 1;
  int64_t least = 0;  // of each kind
  bool history = false;
  std::string failed_seeds, mistake;
};

struct Sum {
  uint64_t seeds = 0, failed = 0;
  int64_t virtual_ms = 0;
  Counts fired{};
};

void Add(Sum& sum, const Ending& ending) {
  ++sum.seeds;
  sum.failed += !ending.complaints.empty();
  sum.virtual_ms += ending.virtual_ms;
  for (size_t i = 0; i < kKinds; ++i) sum.fired[i] += ending.fired[i];
}

void PrintFailure(uint64_t seed, const Ending& ending) {
  constexpr size_t kMostHistory = 12'000;
  std::string text = RunWorld(seed, true).history;
  if (text.size() > kMostHistory) text.erase(0, text.find('\n', text.size() - kMostHistory) + 1);
  for (const std::string& complaint : ending.complaints)
    text += fmt::format("seed {}: {}\n", seed, complaint);
  text += fmt::format("the whole story: tmc-simulation --seed {} --history\n\n", seed);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Sum RunSeeds(const std::vector<uint64_t>& seeds, uint64_t first, uint64_t step, bool history) {
  Sum sum;
  for (uint64_t i = first; i < seeds.size(); i += step) {
    const Ending ending = RunWorld(seeds[i], history);
    if (history) fmt::print("{}", ending.history);
    Add(sum, ending);
    if (!ending.complaints.empty()) PrintFailure(seeds[i], ending);
    std::fflush(stdout);
  }
  return sum;
}

// A process for each job; each hands its sum over through a pipe.
Sum RunJobs(const std::vector<uint64_t>& seeds, uint64_t jobs) {
  std::vector<int> pipes;
  for (uint64_t job = 0; job < jobs; ++job) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    if (fork() == 0) {
      const Sum sum = RunSeeds(seeds, job, jobs, false);
      if (write(ends[1], &sum, sizeof sum) != static_cast<ssize_t>(sizeof sum)) _exit(1);
      _exit(0);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  Sum all;
  for (const int end : pipes) {
    Sum one;
    if (read(end, &one, sizeof one) != static_cast<ssize_t>(sizeof one)) ++one.failed;
    close(end);
    all.seeds += one.seeds;
    all.failed += one.failed;
    all.virtual_ms += one.virtual_ms;
    for (size_t i = 0; i < kKinds; ++i) all.fired[i] += one.fired[i];
  }
  while (wait(nullptr) > 0) {
  }
  return all;
}

std::vector<uint64_t> SeedsOf(const Wish& wish) {
  std::vector<uint64_t> seeds;
  std::ifstream file(wish.failed_seeds);
  for (std::string line; std::getline(file, line);)
    if (uint64_t seed = 0; std::istringstream(line) >> seed) seeds.push_back(seed);
  for (uint64_t i = 0; i < wish.count; ++i) seeds.push_back(wish.from + i);
  return seeds;
}

// False: a kind of fault hardly happened, so that this run proves little.
bool Report(const Sum& sum, double seconds, int64_t least) {
  bool enough = true;
  for (size_t i = 0; i < kKinds; ++i) {
    const bool rare = sum.fired[i] < least;
    enough &= !rare;
    fmt::print("{:>10} {}{}\n", sum.fired[i], kKindNames[i], rare ? "  (too few)" : "");
  }
  fmt::print("{} seeds, {} failed, {:.1f} a second, {:.1f} virtual days\n", sum.seeds, sum.failed,
             static_cast<double>(sum.seeds) / seconds, static_cast<double>(sum.virtual_ms) / 86'400'000.0);
  return enough;
}

int Usage() {
  fmt::print(stderr,
             "tmc-simulation [--seeds N] [--from S] [--jobs J] [--least-fired N] [--failed-seeds FILE]\n"
             "               [--seed S [--history]]\n");
  return 64;
}

bool Read(int argc, char** argv, Wish& wish) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--history") {
      wish.history = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    if (flag == "--failed-seeds") {
      wish.failed_seeds = value;
      continue;
    }
    if (flag == "--mistake") {
      wish.mistake = value;
      continue;
    }
    if (value.empty() || value.find_first_not_of("0123456789") != value.npos) return false;
    const uint64_t number = std::stoull(value);
    if (flag == "--seeds")
      wish.count = number;
    else if (flag == "--from")
      wish.from = number;
    else if (flag == "--jobs")
      wish.jobs = std::clamp<uint64_t>(number, 1, 64);
    else if (flag == "--least-fired")
      wish.least = static_cast<int64_t>(number);
    else if (flag == "--seed")
      wish.from = number, wish.count = 1;
    else
      return false;
  }
  return true;
}

bool Plant([[maybe_unused]] const std::string& mistake) {
#ifdef TMC_MISTAKES
  return mistake.empty() || PlantMistake(mistake);
#else
  return mistake.empty();
#endif
}

int Main(int argc, char** argv) {
  Wish wish;
  if (!Read(argc, argv, wish) || !Plant(wish.mistake)) return Usage();
  // One world after another takes and gives back the same memory: keep it.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const auto seeds = SeedsOf(wish);
  const auto begin = std::chrono::steady_clock::now();
  const Sum sum = wish.jobs > 1 ? RunJobs(seeds, wish.jobs) : RunSeeds(seeds, 0, 1, wish.history);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const bool enough = Report(sum, seconds.count(), wish.least);
  return sum.failed > 0 || !enough ? 1 : 0;
}

}  // namespace
}  // namespace tmc::simulation

int main(int argc, char** argv) {
  return tmc::simulation::Main(argc, argv);
}
