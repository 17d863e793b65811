#include "tests/blackbox/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tmc {
namespace {

std::vector<char*> Pointers(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int OpenFor(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) throw std::runtime_error("cannot make " + path);
  return fd;
}

// Between fork and exec: system calls only.
[[noreturn]] void Become(char* const* words, char* const* environment, int out, int err,
                         const rlimit* file_limit) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (file_limit) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, file_limit);
  }
  execve(words[0], words, environment);
  _exit(127);
}

}  // namespace

std::string FileContent(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

void ShortPause() {
  poll(nullptr, 0, 10);
}

Child::Child(const Launch& launch, const std::string& place) : place_(place) {
  Words words = launch.words, environment = launch.environment;
  const auto word_pointers = Pointers(words), environment_pointers = Pointers(environment);
  const rlim_t bytes = launch.file_limit.value_or(0);
  const rlimit limit{bytes, bytes};
  const int out = OpenFor(place + ".out"), err = OpenFor(place + ".err");
  pid_ = fork();
  if (pid_ == 0)
    Become(word_pointers.data(), environment_pointers.data(), out, err, launch.file_limit ? &limit : nullptr);
  close(out);
  close(err);
  if (pid_ < 0) throw std::runtime_error("cannot fork");
}

Child::~Child() {
  Kill();
}

bool Child::Running() {
  if (status_) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return false;
}

void Child::Signal(int number) {
  if (Running()) kill(pid_, number);
}

void Child::Kill() {
  if (!Running()) return;
  kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Ended Child::Wait(std::chrono::milliseconds most) {
  WaitUntil([&] { return !Running(); }, most);
  Kill();
  return {*status_, Out(), Err()};
}

std::string Child::Out() const {
  return FileContent(place_ + ".out");
}
std::string Child::Err() const {
  return FileContent(place_ + ".err");
}

}  // namespace tmc
