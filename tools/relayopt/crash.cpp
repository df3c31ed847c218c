// The signal handler does what may not work any more (it allocates and prints), so it says the essential first and
// gives itself a limited time for the rest.
#include "crash.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "output.h"

namespace relayopt {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// Seconds for saving the input.
constexpr unsigned kPatience = 20;

CrashReporter* g_reporter = nullptr;
// The handler's own stack: the usual one may be what has run out.
alignas(16) char g_stack[size_t{512} << 10];

void Say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void OnCrash(int signal) {
  // The handlers are reset by now, so that a crash in here ends the process.
  ::alarm(kPatience);
  if (g_reporter != nullptr) g_reporter->Report(signal);
  ::raise(signal);
}

// The elements of all levels that are passes.
void CollectPasses(const Pipeline& pipeline, std::vector<const PipelineElement*>& out) {
  for (const PipelineElement& element : pipeline) {
    if (element.kind == PipelineElement::Kind::kPass) out.push_back(&element);
    CollectPasses(element.children, out);
  }
}

}  // namespace

CrashReporter::CrashReporter(const Pipeline& pipeline, std::string file, std::string flags)
    : pipeline_(&pipeline), file_(std::move(file)), flags_(std::move(flags)) {
  if (!file_.empty()) return;
  const char* folder = std::getenv("TMPDIR");
  file_ = fmt::format("{}/relayopt-crash-{}.relay", folder == nullptr || *folder == '\0' ? "/tmp" : folder, ::getpid());
}

CrashReporter::~CrashReporter() {
  if (g_reporter == this) g_reporter = nullptr;
}

auto CrashReporter::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  running_.push_back({info.name, info.is_sequence ? std::nullopt : std::optional<Module>(module)});
  return std::nullopt;
}

auto CrashReporter::RunAfterPass(const Module&, const PassInfo&, bool) -> std::optional<Diagnostic> {
  if (!running_.empty()) running_.pop_back();
  return std::nullopt;
}

auto CrashReporter::PassText(const std::string& name) const -> std::string {
  std::vector<const PipelineElement*> elements;
  CollectPasses(*pipeline_, elements);
  for (const PipelineElement* element : elements) {
    if (InfoOf(*element->def).name == name) return ToString(Pipeline{*element});
  }
  const PassDef* def = FindPass(name);
  return def == nullptr ? name : std::string(def->name);
}

void CrashReporter::Report(int signal) {
  const std::string failure = fmt::format("signal {} ({})", signal, ::strsignal(signal));
  // A crash in the type inference after a pass belongs to the pass.
  const Running* pass = nullptr;
  for (const Running& running : running_) {
    if (pass == nullptr && running.input) pass = &running;
  }
  Say(fmt::format("relayopt: crashed: {}{}; this is a bug of relayopt\n", failure,
                  pass == nullptr ? "" : " in pass " + pass->name));
  if (pass != nullptr) WriteReproducer(*pass, failure);
}

void CrashReporter::WriteReproducer(const Running& pass, const std::string& failure) {
  const int fd = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    Say(fmt::format("relayopt: cannot write '{}': {}\n", file_, std::strerror(errno)));
    return;
  }
  const std::string command = fmt::format("relayopt {} --passes='{}'{}", file_, PassText(pass.name), flags_);
  FdSink sink(fd);
  sink.Write(
      fmt::format("// relayopt-reproducer v1\n// failure: {} in pass {}\n// run: {}\n", failure, pass.name, command));
  PrintModule(*pass.input, {}, sink);
  sink.Flush();
  ::close(fd);
  Say(fmt::format("relayopt: the input of the pass is saved; to run it again:\n  {}\n", command));
}

void ReportCrashesTo(CrashReporter* reporter) {
  g_reporter = reporter;
  stack_t stack{};
  stack.ss_sp = g_stack;
  stack.ss_size = sizeof(g_stack);
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = reporter == nullptr ? SIG_DFL : OnCrash;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK | SA_NODEFER);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace relayopt
