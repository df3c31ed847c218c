// Reads and writes reproducers.
#include "reproducer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "arguments.h"
#include "output.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr std::string_view kMagic = "// relayopt-reproducer v1\n";
constexpr std::string_view kOption = "--run-reproducer";

// The value of a line `// KEY: VALUE` of the header; empty when there is none.
auto HeaderLine(std::string_view text, std::string_view key) -> std::string {
  const std::string prefix = fmt::format("// {}: ", key);
  while (text.starts_with("// ")) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(prefix)) return std::string(line.substr(prefix.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

}  // namespace

auto WriteReproducer(const std::string& path, const Reproducer& reproducer, const Module& module)
    -> std::optional<std::string> {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return std::strerror(errno);
  FdSink sink(fd);
  sink.Write(fmt::format("{}// tool: relayopt {}\n// passes: {}\n// args:{}\n", kMagic, RELAYOPT_VERSION,
                         reproducer.passes, reproducer.args));
  if (!reproducer.failure.empty()) sink.Write(fmt::format("// failure: {}\n", reproducer.failure));
  sink.Write(fmt::format("// run: relayopt {} {}\n", kOption, path));
  PrintModule(module, {}, sink);
  sink.Flush();
  const int error = sink.error();
  if (::close(fd) != 0) return std::strerror(errno);
  if (error != 0) return std::strerror(error);
  return std::nullopt;
}

auto IsReproducer(std::string_view text) -> bool { return text.starts_with(kMagic); }

auto ExpandReproducer(std::vector<std::string>& arguments) -> std::optional<std::string> {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool separate = arguments[i] == kOption && i + 1 < arguments.size();
    if (!separate && !arguments[i].starts_with(fmt::format("{}=", kOption))) continue;
    const std::string path = separate ? arguments[i + 1] : arguments[i].substr(kOption.size() + 1);
    std::string error;
    const auto source = SourceText::Open(path, error);
    if (source == nullptr) return fmt::format("cannot read '{}': {}", path, error);
    if (!IsReproducer(source->text())) return fmt::format("{}: '{}' is no reproducer", kOption, path);
    std::vector<std::string> words = SplitWords(HeaderLine(source->text(), "args"));
    if (const std::string passes = HeaderLine(source->text(), "passes"); !passes.empty()) {
      words.push_back("--passes=" + passes);
    }
    words.push_back(path);
    const auto after = arguments.begin() + static_cast<std::ptrdiff_t>(i + (separate ? 2 : 1));
    arguments.insert(after, words.begin(), words.end());
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace relayopt
