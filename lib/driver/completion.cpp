// Completion: the scripts of the shells only ask the tool.
#include "completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flags.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

// A completion of a word, with a short explanation.
struct Candidate {
  std::string word;
  std::string_view doc = {};
};

// Collects the candidates that begin with the word so far. The part of the word before it is prepended to each.
class Candidates {
 public:
  // `typed` is the part of the word that is being completed, `before` the part before it.
  Candidates(std::string_view before, std::string_view typed) : before_(before), typed_(typed) {}

  void Add(std::string_view word, std::string_view doc = {}) {
    if (word.starts_with(typed_)) list_.push_back({std::string(before_) + std::string(word), doc});
  }
  void AddAll(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) Add(word);
  }
  auto Take() -> std::vector<Candidate> { return std::move(list_); }

 private:
  std::string_view before_;
  std::string_view typed_;
  std::vector<Candidate> list_;
};

// Returns the candidates for the part of a text that begins at `at`.
auto At(std::string_view text, size_t at) -> Candidates { return {text.substr(0, at), text.substr(at)}; }

// Returns the beginning of the last element of a list.
auto LastElement(std::string_view text, std::string_view separators) -> size_t {
  const size_t separator = text.find_last_of(separators);
  return separator == std::string_view::npos ? 0 : separator + 1;
}

void AddPasses(Candidates& out) {
  for (const PassDef* def : AllPasses()) {
    if (!def->hidden) out.Add(def->name, def->summary);
  }
}

void AddNamedPipelines(Candidates& out) {
  for (const NamedPipeline* named : NamedPipelines()) out.Add(fmt::format("default<{}>", named->name), named->doc);
}

// `calibrate_mode=` of the option list that is open at `open`.
auto CompleteOptions(std::string_view text, size_t open) -> std::vector<Candidate> {
  const size_t name = LastElement(text.substr(0, open), ",( \n");
  const PassDef* def = FindPass(text.substr(name, open - name));
  const size_t key = std::max(open + 1, LastElement(text, ";"));
  const size_t equals = text.find('=', key);
  if (text.substr(name, open - name) == "default") {
    Candidates out = At(text, name);
    AddNamedPipelines(out);
    return out.Take();
  }
  if (def == nullptr) return {};
  if (equals == std::string_view::npos) {
    Candidates out = At(text, key);
    for (const OptionInfo& option : def->options->fields) out.Add(fmt::format("{}=", option.name), option.doc);
    return out.Take();
  }
  const OptionInfo* option = def->options->Find(text.substr(key, equals - key));
  if (option == nullptr) return {};
  Candidates out = At(text, std::max(equals + 1, LastElement(text, "[,\" ")));
  out.AddAll(WordsOf(*option));
  if (option->kind == OptionKind::kBool) out.AddAll({"true", "false"});
  return out.Take();
}

auto CompletePipeline(std::string_view text) -> std::vector<Candidate> {
  const size_t open = text.find_last_of("<>");
  if (open != std::string_view::npos && text[open] == '<') return CompleteOptions(text, open);
  Candidates out = At(text, LastElement(text, ",( \n"));
  AddPasses(out);
  AddNamedPipelines(out);
  out.Add("fixpoint(", "until nothing changes any more");
  out.Add("repeat<", "a number of times");
  out.Add("with-target(", "with the target of --target as the current one");
  return out.Take();
}

auto CompleteValue(const FlagDef& flag, std::string_view text) -> std::vector<Candidate> {
  if (flag.kind == FlagKind::kPasses) return CompletePipeline(text);
  Candidates out = At(text, flag.separator == 0 ? 0 : LastElement(text, std::string_view(&flag.separator, 1)));
  if (flag.kind == FlagKind::kPass) AddPasses(out);
  if (flag.name == "help-pass") AddNamedPipelines(out);
  if (flag.kind == FlagKind::kOperator) {
    for (const OpDef* op : AllOps()) out.Add(op->name);
  }
  if (flag.letter == 'O') out.AddAll({"0", "1", "2", "3", "4"});
  out.AddAll(WordsOf(flag));
  return out.Take();
}

auto CompleteName(std::string_view text) -> std::vector<Candidate> {
  Candidates out = At(text, 0);
  for (const FlagDef& flag : AllFlags()) {
    if (flag.name.empty() || flag.name == "complete") continue;
    if (IsSwitch(flag) || !flag.bare.empty()) out.Add(ShownName(flag), flag.help);
    if (!IsSwitch(flag)) out.Add(ShownName(flag) + "=", flag.help);
  }
  return out.Take();
}

auto FlagOf(std::string_view word) -> const FlagDef* {
  if (!word.starts_with('-')) return nullptr;
  return FindFlag(word.substr(word.starts_with("--") ? 2 : 1));
}

auto CompleteWord(std::string_view previous, std::string_view word) -> std::vector<Candidate> {
  const bool is_attached = previous.ends_with('=');
  const FlagDef* before = FlagOf(is_attached ? previous.substr(0, previous.size() - 1) : previous);
  if (before != nullptr && (is_attached || !NeedsAttachedValue(*before))) return CompleteValue(*before, word);
  if (!word.starts_with('-')) return {};
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return CompleteName(word);
  const FlagDef* flag = FlagOf(word.substr(0, equals));
  if (flag == nullptr) return {};
  std::vector<Candidate> values = CompleteValue(*flag, word.substr(equals + 1));
  for (Candidate& value : values) value.word.insert(0, word.substr(0, equals + 1));
  return values;
}

// bash splits --passes=NAME into three words, and keeps an opening quote.
constexpr std::string_view kBashScript = R"sh(# bash completion of relayopt
_relayopt() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} line
  [[ $word == '=' ]] && { word=; previous+==; }
  [[ $previous == '=' ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}=
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("${line%%$'\t'*}"); done < <(
    "${COMP_WORDS[0]}" --complete="$previous" --complete="${word#[\'\"]}" 2>/dev/null)
  if ((${#COMPREPLY[@]})); then
    compopt -o nospace
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames
  fi
}
complete -F _relayopt relayopt
)sh";

constexpr std::string_view kZshScript = R"sh(#compdef relayopt
local -a lines words_only
lines=("${(@f)$("${words[1]}" --complete="${words[CURRENT-1]}" --complete="${(Q)PREFIX}" 2>/dev/null)}")
words_only=("${(@)lines%%$'\t'*}")
if [[ -n $words_only ]]; then
  compadd -S '' -l -d lines -a words_only
else
  compset -P '*='
  _files
fi
)sh";

constexpr std::string_view kFishScript = R"sh(# fish completion of relayopt
function __relayopt_complete
  set -l before (commandline -opc)
  set -l word (string replace -r '^[\'"]' '' -- (commandline -ct))
  set -l lines ($before[1] "--complete=$before[-1]" "--complete=$word" 2>/dev/null)
  if set -q lines[1]
    printf '%s\n' $lines
  else
    set -l option (string match -r '^--[^=]*=' -- $word)
    for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $word))
      echo "$option$path"
    end
  end
end
complete -c relayopt -f -a '(__relayopt_complete)'
)sh";

}  // namespace

auto CompletionScript(std::string_view shell) -> std::string_view {
  return shell == "bash" ? kBashScript : shell == "zsh" ? kZshScript : kFishScript;
}

auto CompletionLines(const std::vector<std::string>& words) -> std::string {
  std::string out;
  const std::string_view previous = words.size() > 1 ? std::string_view(words[words.size() - 2]) : "";
  for (const Candidate& candidate : CompleteWord(previous, words.back())) {
    out += candidate.word;
    if (!candidate.doc.empty()) out += fmt::format("\t{}", candidate.doc);
    out += '\n';
  }
  return out;
}

}  // namespace relayopt
