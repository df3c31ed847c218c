// Prints a module as check lines for FileCheck.
#include "relayopt/relay/text/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

namespace {

// Escapes the texts that FileCheck would take for the beginning of a variable or of a regular expression.
void AppendEscaped(std::string& out, std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (two == "[[" || two == "{{") {
      out += two == "[[" ? R"({{\[\[}})" : R"({{\{\{}})";
      ++i;
    } else {
      out += text[i];
    }
  }
}

class CheckWriter {
 public:
  CheckWriter(std::string_view text, const PrintTrace& trace) : text_(text), trace_(trace) {}

  auto Run(std::string_view prefix, std::string_view indent) -> std::string {
    std::string out;
    bool in_function = false;
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = text_.substr(begin, end - begin);
      const bool is_label = line.starts_with("def @");
      // The lines before the first function are the version and type definitions.
      const bool is_item = is_label || line.starts_with("type ");
      if (is_label) {
        // Variables of FileCheck end at a label.
        names_.clear();
      }
      in_function = in_function || is_item;
      if (in_function && !line.empty()) {
        out += fmt::format("{}{}{}: ", indent, prefix, is_label ? "-LABEL" : is_item ? "" : "-NEXT");
        AppendLine(out, begin, end);
        out += '\n';
      } else {
        Skip(end);
      }
      if (line.empty()) in_function = false;
      begin = end + 1;
    }
    return out;
  }

 private:
  void AppendLine(std::string& out, size_t begin, size_t end) {
    // FileCheck ignores leading blanks.
    size_t at = std::min(text_.find_first_not_of(' ', begin), end);
    for (; next_ < trace_.numbers.size() && trace_.numbers[next_].begin < end; ++next_) {
      const PrintTrace::Number& number = trace_.numbers[next_];
      AppendEscaped(out, text_.substr(at, number.begin - at));
      AppendNumber(out, number);
      at = number.end;
    }
    AppendEscaped(out, text_.substr(at, end - at));
  }

  void AppendNumber(std::string& out, const PrintTrace::Number& number) {
    const std::string_view spelt = text_.substr(number.begin, number.end - number.begin);
    const auto [entry, is_new] = names_.try_emplace(spelt, names_.size());
    // A number that a branch redefines, or that is used before its line, is captured again.
    if (is_new || number.is_definition) {
      out += fmt::format("%[[#V{}:]]", entry->second);
    } else {
      out += fmt::format("%[[#V{}]]", entry->second);
    }
  }

  void Skip(size_t end) {
    while (next_ < trace_.numbers.size() && trace_.numbers[next_].begin < end) ++next_;
  }

  std::string_view text_;
  const PrintTrace& trace_;
  size_t next_ = 0;
  absl::flat_hash_map<std::string_view, size_t> names_;
};

}  // namespace

auto CheckLines(const Module& module, std::string_view prefix, std::string_view indent, TypePrinting types)
    -> std::string {
  PrintOptions options;
  options.metadata = MetadataPrinting::kSilent;
  options.types = types;
  PrintTrace trace;
  const std::string text = PrintRelay(module, options, trace);
  return CheckWriter(text, trace).Run(prefix, indent);
}

}  // namespace relayopt
