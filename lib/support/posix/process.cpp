// Processes of Linux.
#include "relayopt/support/process.h"

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/terminal.h"

namespace relayopt {

namespace {

auto ToDuration(const timeval& time) -> std::chrono::microseconds {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

auto ResidentBytes() -> int64_t {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long long total = 0;
  long long resident = 0;
  // The system writes numbers that fit. NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion)
  const bool read = std::fscanf(file, "%lld %lld", &total, &resident) == 2;
  std::fclose(file);
  return read ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

// Prepares the child: its messages are dropped, and it crashes without a report.
void BecomeQuiet(unsigned seconds) {
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, SIG_DFL);
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::alarm(seconds);
}

// Waits for a child; its status as waitpid has it.
auto StatusOf(pid_t child) -> int {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

auto ExitStatus(int status) -> int { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

auto Pointers(std::vector<std::string>& words) -> std::vector<char*> {
  auto pointers = MapToVector<char*>(words, [&](std::string& word) { return word.data(); });
  pointers.push_back(nullptr);
  return pointers;
}

// Reads a pipe to its end.
auto ReadPipe(int fd) -> std::string {
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t size = ::read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(buffer, static_cast<size_t>(size));
  }
}

}  // namespace

auto MeasureProcess() -> ProcessUsage {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {.user = ToDuration(usage.ru_utime),
          .system = ToDuration(usage.ru_stime),
          .resident = ResidentBytes(),
          .peak = int64_t{usage.ru_maxrss} * 1024};
}

auto IsTerminal(int fd) -> bool { return ::isatty(fd) == 1; }

auto TerminalWidth(int fd) -> size_t {
  winsize size{};
  return IsTerminal(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

auto HasThreads() -> bool { return true; }

auto ProcessId() -> int64_t { return ::getpid(); }

// Memory that goes back to the system between passes must be cleared to be had again, so that the allocator starts with
// the bounds to which it would work its way up.
void TuneAllocator() {
  constexpr int kMegabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);
  mallopt(M_TRIM_THRESHOLD, 64 * kMegabyte);
}

auto RunInChild(const std::function<void(uint64_t& note)>& work, unsigned seconds) -> std::optional<ChildEnd> {
  void* page = ::mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return std::nullopt;
  auto* note = new (page) uint64_t(0);
  const pid_t child = ::fork();
  if (child == 0) {
    BecomeQuiet(seconds);
    work(*note);
    ::_exit(0);
  }
  std::optional<ChildEnd> end;
  if (child > 0) {
    const int status = StatusOf(child);
    // Sanitizers end a process that crashes with a status of their own.
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) != 0 ? SIGABRT : 0;
    end = ChildEnd{.signal = signal, .timed_out = signal == SIGALRM, .note = *note};
  }
  ::munmap(page, sizeof(uint64_t));
  return end;
}

auto StartChild(const std::function<int()>& body) -> std::optional<Child> {
  const int messages = ::memfd_create("relayopt-messages", MFD_CLOEXEC);
  if (messages < 0) return std::nullopt;
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) {
    ::close(messages);
    return std::nullopt;
  }
  if (process == 0) {
    // A signal that ends the run ends its children, too.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::dup2(messages, STDERR_FILENO);
    const int status = body();
    std::fflush(nullptr);
    ::_exit(status);
  }
  return Child{process, messages};
}

auto WaitForChild() -> std::optional<EndedChild> {
  int status = 0;
  const pid_t process = ::wait(&status);
  if (process < 0) return std::nullopt;
  return EndedChild{process, ExitStatus(status)};
}

auto RunProgram(std::vector<std::string> words, std::string& error) -> std::optional<int> {
  pid_t child = 0;
  const std::string program = words.front();
  if (const int code = ::posix_spawnp(&child, program.c_str(), nullptr, nullptr, Pointers(words).data(), environ)) {
    error = std::strerror(code);
    return std::nullopt;
  }
  return ExitStatus(StatusOf(child));
}

auto OutputOfSelf(std::vector<std::string> arguments) -> std::optional<std::string> {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return std::nullopt;
  arguments.insert(arguments.begin(), "relayopt");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, Pointers(arguments).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::string text = error == 0 ? ReadPipe(pipe[0]) : "";
  ::close(pipe[0]);
  if (error != 0 || ExitStatus(StatusOf(child)) != 0) return std::nullopt;
  return text;
}

}  // namespace relayopt
