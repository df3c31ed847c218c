// The rows of flags, and what is derived from them.
#include "lib/driver/flags.h"

#include <catch2/catch.hpp>
#include <set>

#include "lib/driver/arguments.h"
#include "lib/driver/flag_option.h"
#include "lib/driver/reproducer.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// A value that the flag accepts and that is not its default.
auto SampleValue(const FlagDef& flag) -> std::string {
  const ToolOptions defaults;
  const auto place = flag.read(defaults);
  if (const auto* is_on = std::get_if<const bool*>(&place)) return **is_on ? "0" : "1";
  for (const std::string_view word : WordsOf(flag)) {
    if (word != DefaultText(flag)) return std::string(word);
  }
  if (flag.name == "target") return "llvm -mcpu='a b'";
  if (flag.name == "assert") return "kernels <= 31";
  if (flag.name == "report") return "it's a page.html";
  if (flag.check != nullptr) return "x.1=3";
  if (flag.separator != 0) return "one,two";
  const bool is_text = std::holds_alternative<const std::string*>(place) ||
                       std::holds_alternative<const std::vector<std::string>*>(place);
  if (is_text) return "it's a value";
  return flag.max < 7 ? "0.5" : "7";
}

// Gives one flag a value, as CLI11 does it; what other flags it needs is set aside.
auto SetFlag(const FlagDef& flag, const std::string& value, ToolOptions& options) -> std::optional<std::string> {
  CLI::App app;
  app.set_help_flag();
  AddOption(app, flag, options);
  try {
    app.parse(std::vector<std::string>{value, ShownName(flag)});
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return std::nullopt;
}

// The options after these words, which must all be flags with attached values.
auto Parse(const std::string& words) -> ToolOptions {
  ToolOptions options;
  for (const std::string& word : SplitWords(words)) {
    INFO(word);
    std::optional<std::string_view> value;
    const FlagDef* flag = FlagOfWord(word, value);
    REQUIRE(flag != nullptr);
    REQUIRE(SetFlag(*flag, std::string(value.value_or("1")), options) == std::nullopt);
  }
  return options;
}

}  // namespace

TEST_CASE("every flag takes a value and shows it again") {
  for (const FlagDef& flag : AllFlags()) {
    INFO(ShownName(flag));
    ToolOptions options;
    REQUIRE(FlagValues(flag, options).empty());
    REQUIRE(SetFlag(flag, SampleValue(flag), options) == std::nullopt);
    REQUIRE(FlagValues(flag, options) == std::vector{SampleValue(flag)});
  }
}

TEST_CASE("reproducers keep every flag that changes the result") {
  int kept = 0;
  for (const FlagDef& flag : AllFlags()) {
    INFO(ShownName(flag));
    ToolOptions options;
    REQUIRE(SetFlag(flag, SampleValue(flag), options) == std::nullopt);
    const ToolOptions of_run = Parse(ReproducerArguments(options, /*whole_run=*/true));
    const ToolOptions of_pass = Parse(ReproducerArguments(options, /*whole_run=*/false));
    REQUIRE(FlagValues(flag, of_run).empty() == (flag.effect == FlagEffect::kNone));
    REQUIRE(FlagValues(flag, of_pass).empty() == (flag.effect != FlagEffect::kResult));
    if (flag.effect == FlagEffect::kNone) continue;
    REQUIRE(FlagValues(flag, of_run) == FlagValues(flag, options));
    ++kept;
  }
  REQUIRE(kept >= 16);
}

TEST_CASE("names of flags are unique, and every row says what help needs") {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const FlagDef& flag : AllFlags()) {
    INFO(ShownName(flag));
    REQUIRE((flag.name.empty() || names.insert(flag.name).second));
    for (const std::string_view synonym : SplitText(flag.synonyms, ' ')) REQUIRE(names.insert(synonym).second);
    REQUIRE((flag.letter == 0 || letters.insert(flag.letter).second));
    REQUIRE_FALSE(flag.help.empty());
    for (const std::string_view other : NeedsOf(flag)) REQUIRE(FindFlag(other) != nullptr);
    for (const std::string_view other : SplitText(flag.excludes, ' ')) REQUIRE(FindFlag(other) != nullptr);
    REQUIRE(flag.value.empty() == IsSwitch(flag));
  }
  for (const FlagGroupDef& group : FlagGroups()) {
    ToolOptions options;
    INFO(group.name);
    REQUIRE(SetFlag(*FindFlag("help"), std::string(group.name), options) == std::nullopt);
  }
}

TEST_CASE("a flag for what is evaluated needs one of all answers that evaluate") {
  const std::vector<std::string_view> needs = NeedsOf(*FindFlag("inputs"));
  for (const std::string_view name : {"validate", "run", "equiv", "overview", "bisect", "reduce"}) {
    REQUIRE(std::ranges::find(needs, name) != needs.end());
  }
  REQUIRE(std::ranges::find(needs, "summary") == needs.end());
  const std::vector<std::string_view> compared = NeedsOf(*FindFlag("rtol"));
  REQUIRE(std::ranges::find(compared, "run") == compared.end());
}

TEST_CASE("options of different owners do not share a place, and copies are independent") {
  ToolOptions options;
  REQUIRE(SetFlag(*FindFlag("summary"), "json", options) == std::nullopt);
  const ToolOptions copy = options;
  REQUIRE(SetFlag(*FindFlag("summary"), "text", options) == std::nullopt);
  REQUIRE(FlagValues(*FindFlag("overview"), options).empty());
  REQUIRE(FlagValues(*FindFlag("summary"), copy) == std::vector<std::string>{"json"});
}

TEST_CASE("rewrites of a debug counter are counted from a later start") {
  REQUIRE(CountFrom("CSE.merged=3-7,9", 0) == "CSE.merged=3-7,9");
  REQUIRE(CountFrom("CSE.merged=3-7,9", 4) == "CSE.merged=1-3,5");
  REQUIRE(CountFrom("CSE.merged=3-7,9-", 9) == "CSE.merged=1-");
  REQUIRE(CountFrom("CSE.merged=3-7", 7) == "CSE.merged=0");
}

}  // namespace relayopt
