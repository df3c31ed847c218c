// Completion scripts, made from the declared options.
#include "completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

namespace relayopt {

namespace {

struct Flag {
  std::string name;
  std::string doc;
  bool takes_value;
  bool takes_passes;
};

auto TakesPasses(std::string_view name) -> bool {
  constexpr std::string_view kNames[] = {"passes",         "disabled-pass", "required-pass",
                                         "start-before",   "stop-after",    "print-ir-before",
                                         "print-ir-after", "filter-passes", "help-pass"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

auto Flags(const CLI::App& app) -> std::vector<Flag> {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back({name, option->get_description(), option->get_expected_max() > 0, TakesPasses(name)});
    }
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
    names += fmt::format(" --{}{}", flag.name, flag.takes_value ? "=" : "");
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
    out += fmt::format("  '*--{}{}[{}]{}' \\\n", flag.name, flag.takes_value ? "=" : "", Plain(flag.doc), value);
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

auto CompletionScript(const CLI::App& app, std::string_view shell) -> std::string {
  const std::vector<Flag> flags = Flags(app);
  if (shell == "bash") return BashScript(flags);
  return shell == "zsh" ? ZshScript(flags) : FishScript(flags);
}

}  // namespace relayopt
