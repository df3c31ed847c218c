// A rule of make.
#include "depfile.h"

#include <fmt/format.h>

#include "driver.h"
#include "output.h"
#include "relayopt/support/files_read.h"

namespace relayopt {

namespace {

// Returns a name as make reads it.
auto Escaped(std::string_view name) -> std::string {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '#') out += '\\';
    out += c == '$' ? "$$" : std::string(1, c);
  }
  return out;
}

}  // namespace

auto DependencyRule(const ToolOptions& options) -> std::string {
  if (options.depfile.empty()) return {};
  std::vector<std::string> files = FilesRead();
  files.insert(files.end(), options.plugins.begin(), options.plugins.end());
  std::string text = Escaped(options.output) + ":";
  for (const std::string& file : files) text += " \\\n  " + Escaped(file);
  return text + "\n";
}

auto WriteDepfile(const ToolOptions& options, const std::string& rules, Reporter& reporter) -> int {
  if (options.depfile.empty()) return kSuccess;
  const auto error = WriteFile(options.depfile, rules);
  if (!error) return kSuccess;
  reporter.Error(fmt::format("cannot write '{}': {}", options.depfile, *error));
  return kFailure;
}

}  // namespace relayopt
