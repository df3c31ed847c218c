// Completion scripts, made from the rows of flags.
#include "completion.h"

#include <fmt/format.h>

#include <vector>

#include "flags.h"

namespace relayopt {

namespace {

struct Flag {
  std::string name;
  std::string doc;
  bool takes_value;
  // Its value stands after `=`, if there is one.
  bool may_be_bare;
  bool takes_passes;
};

auto Flags() -> std::vector<Flag> {
  std::vector<Flag> flags;
  for (const FlagDef& flag : AllFlags()) {
    if (flag.name.empty()) continue;
    const bool takes_passes = flag.kind == FlagKind::kPass || flag.kind == FlagKind::kPasses;
    flags.push_back(
        {std::string(flag.name), std::string(flag.help), !IsSwitch(flag), !flag.bare.empty(), takes_passes});
  }
  return flags;
}

// Text between single quotes; the scripts need no more.
auto Plain(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) {
    if (std::string_view("'[]:\\`").find(c) == std::string_view::npos) out += c;
  }
  return out;
}

auto BashScript(const std::vector<Flag>& flags) -> std::string {
  std::string names;
  std::string with_passes;
  for (const Flag& flag : flags) {
    if (flag.may_be_bare || !flag.takes_value) names += fmt::format(" --{}", flag.name);
    if (flag.takes_value) names += fmt::format(" --{}=", flag.name);
    if (flag.takes_passes) with_passes += (with_passes.empty() ? "--" : "|--") + flag.name;
  }
  return fmt::format(R"sh(# bash completion of relayopt
_relayopt_passes() {{ relayopt --list-passes 2>/dev/null | awk 'NF == 0 {{ exit }} {{ print $1 }}'; }}
_relayopt() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  # bash takes --passes=NAME for three words.
  [[ $word == '=' ]] && word=
  [[ $previous == '=' ]] && previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  if [[ $previous =~ ^({}|-p)$ ]]; then
    local last=${{word##*[,(]}}
    mapfile -t COMPREPLY < <(compgen -P "${{word%"$last"}}" -W "$(_relayopt_passes)" -- "$last")
    compopt -o nospace
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$word")
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames
  fi
}}
complete -F _relayopt relayopt
)sh",
                     with_passes, names.substr(1));
}

auto ZshScript(const std::vector<Flag>& flags) -> std::string {
  std::string out = R"sh(#compdef relayopt
_relayopt_passes() {
  compset -P '*[,(]'
  compadd -S '' -- $(relayopt --list-passes 2>/dev/null | awk 'NF == 0 { exit } { print $1 }')
}
_arguments \
)sh";
  for (const Flag& flag : flags) {
    const char* value = flag.takes_passes ? ":pass:_relayopt_passes" : flag.takes_value ? ":value:_files" : "";
    const char* equals = flag.may_be_bare ? "=-" : flag.takes_value ? "=" : "";
    out +=
        fmt::format("  '*--{}{}[{}]{}{}' \\\n", flag.name, equals, Plain(flag.doc), flag.may_be_bare ? ":" : "", value);
  }
  return out + "  '*:file:_files'\n";
}

auto FishScript(const std::vector<Flag>& flags) -> std::string {
  std::string out = R"sh(# fish completion of relayopt
function __relayopt_passes
  set -l done (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,(]*$' '')
  relayopt --list-passes 2>/dev/null | awk -v done="$done" 'NF == 0 { exit } { print done $1 }'
end
)sh";
  for (const Flag& flag : flags) {
    const char* value = flag.takes_passes ? " -x -a '(__relayopt_passes)'" : flag.takes_value ? " -r" : "";
    out += fmt::format("complete -c relayopt -l {} -d '{}'{}\n", flag.name, Plain(flag.doc), value);
  }
  return out;
}

}  // namespace

auto CompletionScript(std::string_view shell) -> std::string {
  const std::vector<Flag> flags = Flags();
  if (shell == "bash") return BashScript(flags);
  return shell == "zsh" ? ZshScript(flags) : FishScript(flags);
}

}  // namespace relayopt
