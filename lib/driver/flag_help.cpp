// Renders the rows of flags as help and documentation.
#include "flag_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

#include "flags.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

constexpr size_t kWidth = 100;
// The column at which explanations begin.
constexpr size_t kColumn = 34;

constexpr std::string_view kUsage =
    R"(relayopt reads a module (Relay text, TVMScript of TIR, ONNX, TVM's JSON), runs passes and writes it.

  relayopt model.relay --passes='SimplifyInference,FuseOps<fuse_opt_level=2>' -o fused.relay

Usage: relayopt [options] [FILE...]     (- or nothing: standard input)
)";

constexpr std::string_view kFooter = R"(
A pipeline is a comma-separated list of passes: Name, Name<key=value;key=value>,
fixpoint<max=N>(...), repeat<N>(...), with-target(...), default<O2>. Names may be written as
FoldConstant or fold-constant; --list-passes shows them all. Options are also taken from the
variable RELAYOPT_OPTIONS and from files, @FILE; what comes later wins, lists grow.

Exit status: 0 success; 1 an error, which is reported; 3 a check found a wrong result
(--validate, --fuzz, --run-twice, --verify-roundtrip); 74 the output was closed.
)";

// `-o, --output=FILE`, `--stats[=json]`, `-O N`.
auto Synopsis(const FlagDef& flag) -> std::string {
  std::string out = flag.letter == 0 ? "" : fmt::format("-{}", flag.letter);
  if (flag.name.empty()) return fmt::format("{}{}", out, flag.value);
  out += fmt::format("{}--{}", out.empty() ? "" : ", ", flag.name);
  if (IsSwitch(flag)) return out;
  return out + (flag.bare.empty() ? fmt::format("={}", flag.value) : fmt::format("[={}]", flag.value));
}

auto Meaning(const FlagDef& flag) -> std::string {
  const std::string value = DefaultText(flag);
  std::string out(flag.help);
  if (flag.choices != nullptr) out += fmt::format(" ({})", fmt::join(WordsOf(flag), ", "));
  if (!value.empty()) out += fmt::format(" (default {})", value);
  return out;
}

// A word longer than a line stays whole.
auto Wrapped(std::string_view text, size_t width) -> std::vector<std::string_view> {
  std::vector<std::string_view> lines;
  while (text.size() > width) {
    size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) end = std::min(text.find(' '), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty()) lines.push_back(text);
  return lines;
}

auto Entry(const FlagDef& flag) -> std::string {
  std::string line = fmt::format("  {}", Synopsis(flag));
  std::string out;
  if (line.size() + 2 > kColumn) {
    out = fmt::format("{}\n", line);
    line.clear();
  }
  const std::string meaning = Meaning(flag);
  for (const std::string_view part : Wrapped(meaning, kWidth - kColumn)) {
    out += fmt::format("{:{}}{}\n", line, kColumn, part);
    line.clear();
  }
  return out;
}

auto GroupText(const FlagGroupDef& group, bool with_rare) -> std::string {
  std::string out;
  for (const FlagDef& flag : AllFlags()) {
    if (flag.group == group.group && (with_rare || !flag.rare)) out += Entry(flag);
  }
  return out.empty() ? out
                     : fmt::format("\n{}{}:\n{}", group.title,
                                   with_rare ? "" : fmt::format(" (all: --help={})", group.name), out);
}

// Text of a page of the manual: nothing in it is a command, and dashes can be copied.
auto Roff(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += fmt::format("\\&{}", c);
    // An empty line is a paragraph.
    else if (c == '\n' && (out.empty() || out.ends_with('\n')))
      out += out.empty() ? "" : ".PP\n";
    else
      out += c;
  }
  return out;
}

auto Upper(std::string_view text) -> std::string {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

auto TableCell(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// A name or a command of the manual, and what it means.
using ManItem = std::pair<std::string_view, std::string_view>;

constexpr ManItem kExamples[] = {
    {"relayopt model.onnx -p 'default<onnx>' -o smaller.onnx", "Simplify an ONNX model."},
    {"relayopt model.relay -O3 --validate -o fast.relay", "Optimize a module, and compare what it computes."},
    {"relayopt model.relay -p FuseOps --print-changed=diff", "Show what each pass changes."},
    {"relayopt model.relay -O3 --bisect", "Find the pass, and its rewrite, that changes the results."},
    {"relayopt model.onnx --assert='kernels <= 31' --disable-output", "Fail unless a model is as small as it was."},
};
constexpr ManItem kEnvironment[] = {
    {"RELAYOPT_OPTIONS", "Options that are read before those of the command line."},
    {"NO_COLOR, CLICOLOR_FORCE, TERM", "Whether messages are coloured when --color is auto."},
    {"TMPDIR", "The folder for reproducers of crashes; /tmp by default."},
};
constexpr ManItem kFiles[] = {
    {"@FILE", "A file of options, split as a shell does; after -p and --passes, a file that holds a pipeline."},
    {"relayopt-crash-*", "What a crash leaves, to be run again with --run-reproducer."},
};

auto ManItems(std::span<const ManItem> items) -> std::string {
  std::string out;
  for (const auto& [name, meaning] : items) out += fmt::format(".TP\n.B {}\n{}\n", Roff(name), Roff(meaning));
  return out;
}

}  // namespace

auto FlagHelp(std::string_view group) -> std::string {
  const bool is_one_group = group != "usual" && group != "all";
  std::string out(is_one_group ? "" : kUsage);
  for (const FlagGroupDef& def : FlagGroups()) {
    if (!is_one_group || def.name == group) out += GroupText(def, group != "usual");
  }
  if (is_one_group) return out.substr(1);
  out += kFooter;
  return out;
}

auto FlagPage() -> std::string {
  std::string out = "# Options\n\nFrom their table; made by `relayopt --gen-docs`.\n";
  for (const FlagGroupDef& group : FlagGroups()) {
    out += fmt::format("\n## {}\n\n| option | meaning | default | also called |\n|---|---|---|---|\n", group.title);
    for (const FlagDef& flag : AllFlags()) {
      if (flag.group != group.group) continue;
      std::string synonyms;
      for (const std::string_view synonym : SplitText(flag.synonyms, ' ')) {
        synonyms += fmt::format("{}`--{}`", synonyms.empty() ? "" : ", ", synonym);
      }
      const std::string value = DefaultText(flag);
      out += fmt::format("| `{}` | {} | {} | {} |\n", TableCell(Synopsis(flag)), TableCell(flag.help),
                         value.empty() ? "" : fmt::format("`{}`", TableCell(value)), synonyms);
    }
  }
  return out;
}

auto ManPage() -> std::string {
  std::string out = fmt::format(".TH RELAYOPT 1 \"\" \"relayopt {}\"\n", RELAYOPT_VERSION);
  out += ".SH NAME\nrelayopt \\- optimizer of models in TVM's Relay and TIR\n";
  out += ".SH SYNOPSIS\n.B relayopt\n[\\fIoption\\fR ...] [\\fIfile\\fR ...]\n";
  out +=
      ".SH DESCRIPTION\nReads a module (Relay text, tensor programs, ONNX, the JSON of TVM; it may be compressed), "
      "infers its types, runs "
      "passes over it and prints it. Without a file it reads standard input.\n";
  for (const FlagGroupDef& group : FlagGroups()) {
    out += fmt::format(".SH {}\n", Upper(group.title));
    for (const FlagDef& flag : AllFlags()) {
      if (flag.group == group.group) out += fmt::format(".TP\n.B {}\n{}\n", Roff(Synopsis(flag)), Roff(Meaning(flag)));
    }
  }
  out += fmt::format(".SH PIPELINES AND EXIT STATUS\n{}", Roff(kFooter));
  out += fmt::format(".SH EXAMPLES\n{}.SH ENVIRONMENT\n{}.SH FILES\n{}", ManItems(kExamples), ManItems(kEnvironment),
                     ManItems(kFiles));
  out += ".SH SEE ALSO\n\\fBrelayopt \\-\\-list\\-passes\\fR, \\fBrelayopt \\-\\-help\\-pass=\\fINAME\\fR\n";
  return out;
}

}  // namespace relayopt
