// Looks passes up by name and makes them.
#include "relayopt/pass/registry.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/rewrite_gate.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Everything that was registered.
struct Registry {
  std::mutex mutex;
  // Whole lists, and the passes of plugins.
  std::vector<std::span<const PassDef* const>> lists;
  std::vector<std::span<const NamedPipeline>> pipelines;
  std::vector<const PassDef*> plugins;
  std::vector<std::span<const AbsentPass>> absent;
  // All of them by name; empty: to be made.
  std::vector<const PassDef*> sorted;

  auto Sorted() -> const std::vector<const PassDef*>& {
    if (!sorted.empty()) return sorted;
    sorted = plugins;
    for (const auto& list : lists) sorted.insert(sorted.end(), list.begin(), list.end());
    std::sort(sorted.begin(), sorted.end(), [](const PassDef* a, const PassDef* b) { return a->name < b->name; });
    return sorted;
  }
};

auto TheRegistry() -> Registry& {
  static Registry registry;
  return registry;
}

// Calls `visit` for every item of a comma-separated list until it returns true.
template <typename Visit>
auto AnyOf(std::string_view list, Visit&& visit) -> bool {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (visit(list.substr(0, comma))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (list.starts_with(' ')) list.remove_prefix(1);
  }
  return false;
}

// The names under which TVM registers passes carry the path of the registry.
auto WithoutRegistryPath(std::string_view name) -> std::string {
  constexpr std::pair<std::string_view, std::string_view> kPaths[] = {
      {"relay.qnn._transform.", "qnn."},
      {"relay.qnn.transform.", "qnn."},
      {"relay._transform.", ""},
      {"relay.transform.", ""},
      {"transform.", ""},
      {"relay.", ""},
  };
  for (const auto& [path, instead] : kPaths) {
    if (name.starts_with(path)) return std::string(instead) + std::string(name.substr(path.size()));
  }
  return std::string(name);
}

auto HasName(const PassDef& def, std::string_view name) -> bool {
  if (def.name == name || (!def.info_name.empty() && def.info_name == name)) return true;
  return AnyOf(def.aliases, [&](std::string_view alias) { return alias == name; });
}

auto HasKebabName(const PassDef& def, std::string_view name) -> bool {
  if (KebabCase(def.name) == name) return true;
  return AnyOf(def.aliases, [&](std::string_view alias) { return KebabCase(alias) == name; });
}

// Returns a pass of TVM that is not here, by one of its names or in kebab case, or null if there is none.
auto FindAbsent(std::string_view name) -> const AbsentPass* {
  std::string bare = WithoutRegistryPath(name);
  constexpr std::string_view kTirPath = "tir.transform.";
  if (bare.starts_with(kTirPath)) bare = "tir." + bare.substr(kTirPath.size());
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (const auto& list : registry.absent) {
    for (const AbsentPass& absent : list) {
      if (absent.name == bare || KebabCase(absent.name) == bare) return &absent;
    }
  }
  return nullptr;
}

}  // namespace

void RegisterPasses(std::span<const PassDef* const> passes, std::span<const NamedPipeline> pipelines,
                    std::span<const AbsentPass> absent) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (const auto& list : registry.lists) {
    if (list.data() == passes.data()) return;
  }
  registry.sorted.clear();
  registry.lists.push_back(passes);
  registry.pipelines.push_back(pipelines);
  registry.absent.push_back(absent);
  for (const PassDef* def : passes) {
    if (def->config.empty()) continue;
    static_cast<void>(RegisterConfigOption(
        {def->config, OptionKind::kJson, "", "options of the pass where it is given none", def->options}));
  }
}

auto RegisterPass(const PassDef& def) -> bool {
  if (FindPass(def.name) != nullptr) return false;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.sorted.clear();
  registry.plugins.push_back(&def);
  return true;
}

auto AllPasses() -> std::vector<const PassDef*> {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return registry.Sorted();
}

auto NamedPipelines() -> std::vector<const NamedPipeline*> {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  std::vector<const NamedPipeline*> all;
  for (const auto& list : registry.pipelines) {
    for (const NamedPipeline& pipeline : list) all.push_back(&pipeline);
  }
  return all;
}

auto FindPass(std::string_view name) -> const PassDef* {
  const std::string bare = WithoutRegistryPath(name);
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const std::vector<const PassDef*>& all = registry.Sorted();
  const auto found = std::lower_bound(all.begin(), all.end(), bare,
                                      [](const PassDef* def, std::string_view wanted) { return def->name < wanted; });
  if (found != all.end() && (*found)->name == bare) return *found;
  for (const PassDef* def : all) {
    if (HasName(*def, bare) || HasKebabName(*def, bare)) return def;
  }
  return nullptr;
}

auto RewritesOf(const PassDef& def) -> const Statistic& {
  static std::mutex mutex;
  static std::map<const PassDef*, Statistic> statistics;
  const std::lock_guard lock(mutex);
  const std::string_view name = def.info_name.empty() ? def.name : def.info_name;
  return statistics
      .try_emplace(&def, Statistic{name, RewriteGate::kCounter, "what it rewrites, or functions that it changes", true})
      .first->second;
}

namespace {

// Returns the name in lower case and without dashes.
auto Letters(std::string_view name) -> std::string {
  std::string letters;
  for (const char c : name) {
    if (c != '-' && c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

}  // namespace

auto DidYouMeanPass(std::string_view name) -> std::string {
  if (const AbsentPass* absent = FindAbsent(name)) return fmt::format(": {}", absent->instead);
  for (const PassDef* def : AllPasses()) {
    if (!def->hidden && Letters(def->name) == Letters(name)) return fmt::format(" (did you mean '{}'?)", def->name);
  }
  std::vector<std::string> names;
  const bool kebab = std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::isupper(c) != 0; });
  for (const PassDef* def : AllPasses()) {
    if (!def->hidden) names.push_back(kebab ? KebabCase(def->name) : std::string(def->name));
  }
  return DidYouMean(name, std::vector<std::string_view>(names.begin(), names.end()));
}

auto KebabCase(std::string_view name) -> std::string {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool before_lower = i + 1 < name.size() && IsLower(name[i + 1]);
    const bool in_word = i != 0 && name[i - 1] != '.' && name[i - 1] != ' ';
    if (IsUpper(name[i]) && in_word && (IsLower(name[i - 1]) || before_lower)) out += '-';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): sequences of rows name other rows.
auto CreatePass(const PassDef& def, const PassOptions& options) -> Result<PassRef> {
  for (const OptionInfo& option : def.options->fields) {
    if (option.required && options.IsDefault(option)) {
      return MakeDiagnostic(diag::kMissingPassOption, {}, def.name, option.name, option.doc);
    }
  }
  if (def.create != nullptr) return def.create(def, options);
  RELAYOPT_TRY(const Pipeline pipeline, ParsePipeline(def.sequence));
  RELAYOPT_TRY(const PassRef body, BuildPipeline(pipeline));
  const auto passes = body->passes();
  return PassRef(std::make_shared<Sequential>(std::vector(passes.begin(), passes.end()), InfoOf(def)));
}

auto CreatePass(const PassDef& def) -> Result<PassRef> { return CreatePass(def, PassOptions(*def.options)); }

auto GetPass(std::string_view name, std::initializer_list<std::pair<std::string_view, OptionValue>> options)
    -> Result<PassRef> {
  const PassDef* def = FindPass(name);
  if (def == nullptr) return MakeDiagnostic(diag::kUnknownPass, {}, name, DidYouMeanPass(name));
  PassOptions values(*def->options);
  for (const auto& [key, value] : options) {
    const OptionInfo* option = def->options->Find(key);
    if (option == nullptr) {
      auto keys = MapToVector<std::string_view>(def->options->fields, &OptionInfo::name);
      return MakeDiagnostic(diag::kUnknownPassOption, {}, def->name, key, DidYouMean(key, keys));
    }
    if (auto error = values.Set(*option, value)) return std::move(*error);
  }
  return CreatePass(*def, values);
}

}  // namespace relayopt
