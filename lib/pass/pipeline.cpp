// Prints pipelines and turns them into passes. Nesting is bounded by the parser, so the walks may recurse.
#include "relayopt/pass/pipeline.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/outline.h"
#include "relayopt/module/print.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/support/indentation_sink.h"

namespace relayopt {

// NOLINTBEGIN(misc-no-recursion): pipelines nest as deeply as their reader lets them (kMaxDepth).

namespace {

// Hashes what a printer writes; detects whether a module changed without keeping its text. The hash does not depend on
// the pieces in which the text is written.
class HashSink final : public IndentationSink {
 public:
  void Write(std::string_view text) override {
    for (; count_ != 0 && !text.empty(); text.remove_prefix(1)) Add(text.front());
    for (; text.size() >= sizeof word_; text.remove_prefix(sizeof word_)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data(), sizeof word);
      Mix(word);
    }
    for (const char c : text) Add(c);
  }
  void Indent(size_t blanks) override { Mix(blanks); }
  auto hash() const -> uint64_t { return hash_ ^ word_ ^ count_ << 60; }

 private:
  void Add(char c) {
    word_ |= uint64_t{static_cast<unsigned char>(c)} << (8 * count_);
    if (++count_ < sizeof word_) return;
    Mix(word_);
    word_ = count_ = 0;
  }
  void Mix(uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15U;
    hash_ ^= hash_ >> 32;
  }

  uint64_t hash_ = 0xcbf29ce484222325U;
  // The bytes that do not fill a word yet, and how many they are.
  uint64_t word_ = 0;
  uint64_t count_ = 0;
};

// Hashes the text of modules and the elements of their constants, which are most of a model: those of a constant once.
// The modules share a context.
class ModuleHash {
 public:
  auto operator()(const Module& module) -> uint64_t {
    HashSink sink;
    std::vector<ExternalConstant> constants;
    PrintModule(module, {.external_constants = &constants}, sink);
    for (const ExternalConstant& constant : constants) {
      const uint64_t hash = HashOf(module.context(), constant.constant);
      sink.Write({reinterpret_cast<const char*>(&hash), sizeof hash});
    }
    return sink.hash();
  }

 private:
  auto HashOf(const Context& context, ConstantId id) -> uint64_t {
    const auto [entry, is_new] = constants_.try_emplace(id);
    if (!is_new) return entry->second;
    const Constant& constant = context.constant(id);
    HashSink sink;
    sink.Write(ToString(constant.dtype()));
    sink.Write({reinterpret_cast<const char*>(constant.shape().data()), constant.shape().size_bytes()});
    const ElementBytes elements = constant.Elements();
    if (elements.is_view()) {
      // A file does not change, so the position in it stands for the elements.
      const std::byte* const position = elements.data();
      sink.Write({reinterpret_cast<const char*>(&position), sizeof position});
    } else {
      sink.Write(elements.text());
    }
    return entry->second = sink.hash();
  }

  absl::flat_hash_map<ConstantId, uint64_t> constants_;
};

// The modules that the runs of a sequence returned. Whether two are equal is decided by their texts, which are written
// only where neither their outlines nor their tables tell.
class SeenModules {
 public:
  // Adds the module that a run returned, of which 0 is before the first, and returns the run that returned an equal
  // one; nothing if it is new.
  auto Add(Module module, int64_t run) -> std::optional<int64_t> {
    State made{run, std::move(module)};
    made.outline = OutlineOf(*made.module);
    for (State& state : states_) {
      if (state.outline != made.outline) continue;
      const bool is_same = state.module && HaveSameFunctions(*state.module, *made.module);
      if (is_same || HashOf(state) == HashOf(made)) return state.run;
    }
    states_.push_back(std::move(made));
    // Of older ones the hash is enough.
    if (states_.size() > kMostKept) {
      State& old = states_[states_.size() - kMostKept - 1];
      HashOf(old);
      old.module.reset();
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kMostKept = 4;

  struct State {
    int64_t run;
    std::optional<Module> module;
    uint64_t outline = 0;
    std::optional<uint64_t> hash = {};
  };

  auto HashOf(State& state) -> uint64_t {
    if (!state.hash) state.hash = hash_(*state.module);
    return *state.hash;
  }

  ModuleHash hash_;
  std::vector<State> states_;
};

constexpr DiagnosticKind kUnsettled = {
    "unsettled", Severity::kWarning,
    "fixpoint stops after {} run{}, the most that it may make, and the module still changes; max=N allows more"};

// Runs a sequence several times.
class Loop final : public Pass {
 public:
  // `warns`: if it ends before the module stays the same.
  Loop(PassRef body, int64_t count, bool until_unchanged, bool warns)
      : Pass({0, until_unchanged ? "fixpoint" : "repeat", {}, true}),
        body_(std::move(body)),
        count_(count),
        until_unchanged_(until_unchanged),
        warns_(warns) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    return until_unchanged_ ? RunUntilUnchanged(module, context) : Repeat(module, context);
  }

 private:
  auto Repeat(Module& module, PassContext& context) const -> Result<bool> {
    bool changed = false;
    for (int64_t i = 0; i < count_; ++i) {
      RELAYOPT_TRY(const bool by_body, body_->Apply(module, context));
      changed = changed || by_body;
    }
    return changed;
  }

  auto RunUntilUnchanged(Module& module, PassContext& context) const -> Result<bool> {
    SeenModules seen;
    std::optional<Module> input = module;
    for (int64_t run = 1; run <= count_; ++run) {
      RELAYOPT_TRY(const bool by_body, body_->Apply(module, context));
      if (!by_body) return run > 1;
      if (input) seen.Add(*std::exchange(input, std::nullopt), 0);
      // A pass may report a change and return an equal module.
      const auto earlier = seen.Add(module, run);
      if (!earlier) continue;
      if (*earlier == run - 1) return run > 1;
      context.diagnostics().Report(diag::kOscillation, {}, run, run - *earlier);
      return true;
    }
    if (warns_) context.diagnostics().Report(kUnsettled, {}, count_, count_ == 1 ? "" : "s");
    return true;
  }

  PassRef body_;
  int64_t count_;
  bool until_unchanged_;
  bool warns_;
};

// Runs a sequence where there is a target.
class WithTarget final : public Pass {
 public:
  explicit WithTarget(PassRef body) : Pass({0, "with-target", {}, true}), body_(std::move(body)) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    if (context.target().empty()) return false;
    return body_->Apply(module, context);
  }

 private:
  PassRef body_;
};

// Runs a sequence where a key of the config is true, or where it is not.
class WithConfig final : public Pass {
 public:
  WithConfig(std::string key, bool negated, PassRef body)
      : Pass({0, negated ? "without-config" : "with-config", {}, true}),
        key_(std::move(key)),
        negated_(negated),
        body_(std::move(body)) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    if (context.ConfigBool(key_) == negated_) return false;
    return body_->Apply(module, context);
  }

 private:
  std::string key_;
  bool negated_;
  PassRef body_;
};

// Runs a sequence on a part of the functions.
class Where final : public Pass {
 public:
  Where(std::string attribute, int64_t value, bool negated, PassRef body)
      : Pass({0, "where", {}, true}),
        attribute_(std::move(attribute)),
        value_(value),
        negated_(negated),
        body_(std::move(body)) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    Module part = module;
    std::vector<std::pair<GlobalId, GlobalFunctionRef>> others;
    for (const GlobalId id : module.ids()) {
      const GlobalFunctionRef& function = module.function(id);
      if (function == nullptr || IsMeant(*function)) continue;
      others.emplace_back(id, function);
      part.SetFunction(id, nullptr);
    }
    Result<bool> changed = body_->Apply(part, context);
    // A function that the sequence created under the name of another one stays.
    for (const auto& [id, function] : others) {
      if (part.function(id) == nullptr) part.SetFunction(id, function);
    }
    if (!changed || *changed) module = std::move(part);
    return changed;
  }

 private:
  auto IsMeant(const GlobalFunction& function) const -> bool {
    const auto has_attribute = DefOf(function.function_kind()).has_attribute;
    return (has_attribute != nullptr && has_attribute(function, attribute_, value_)) != negated_;
  }

  std::string attribute_;
  int64_t value_;
  bool negated_;
  PassRef body_;
};

// Runs a named pipeline at its own optimization level.
class AtLevel final : public Pass {
 public:
  AtLevel(const NamedPipeline& named, PassRef body)
      : Pass({0, fmt::format("default<{}>", named.name), {}, true}), level_(named.opt_level), body_(std::move(body)) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    const int level = context.opt_level();
    const bool warn = context.options().warn_about_skipped_passes;
    context.set_opt_level(level_);
    // Such pipelines list passes of all optimization levels on purpose.
    context.set_warn_about_skipped_passes(false);
    Result<bool> changed = body_->Apply(module, context);
    context.set_warn_about_skipped_passes(warn);
    context.set_opt_level(level);
    return changed;
  }

 private:
  int level_;
  PassRef body_;
};

void Print(const Pipeline& pipeline, std::string& out);

void Print(const PipelineElement& element, std::string& out) {
  switch (element.kind) {
    case PipelineElement::Kind::kNamed:
      out += fmt::format("default<{}", element.named->name);
      for (const auto& [name, value] : element.arguments)
        out += fmt::format(";{}={}", name, ToString(OptionValue(value)));
      out += '>';
      return;
    case PipelineElement::Kind::kFixpoint: out += fmt::format("fixpoint<max={}>(", element.count); break;
    case PipelineElement::Kind::kRepeat: out += fmt::format("repeat<{}>(", element.count); break;
    case PipelineElement::Kind::kTarget: out += "with-target("; break;
    case PipelineElement::Kind::kConfig:
      out += fmt::format("{}-config<{}>(", element.negated ? "without" : "with", element.word);
      break;
    case PipelineElement::Kind::kWhere:
      out += fmt::format("where<{}{}={}>(", element.word, element.negated ? "!" : "", element.count);
      break;
    case PipelineElement::Kind::kPass: {
      out += element.def->name;
      std::string options;
      for (const OptionInfo& option : element.def->options->fields) {
        if (element.options.IsDefault(option)) continue;
        options +=
            fmt::format("{}{}={}", options.empty() ? "" : ";", option.name, ToString(element.options.Get(option)));
      }
      if (!options.empty()) out += fmt::format("<{}>", options);
      return;
    }
  }
  Print(element.children, out);
  out += ')';
}

void Print(const Pipeline& pipeline, std::string& out) {
  for (size_t i = 0; i < pipeline.size(); ++i) {
    if (i != 0) out += ',';
    Print(pipeline[i], out);
  }
}

auto BuildAll(const Pipeline& pipeline, bool is_written) -> Result<PassRef>;

// `is_written`: by the user, and not a part of a named pipeline, whose loops may end before nothing changes.
auto Build(const PipelineElement& element, bool is_written) -> Result<PassRef> {
  switch (element.kind) {
    case PipelineElement::Kind::kPass: return CreatePass(*element.def, element.options);
    case PipelineElement::Kind::kNamed: {
      RELAYOPT_TRY(const Pipeline steps, ParsePipeline(Expansion(element)));
      RELAYOPT_TRY(PassRef body, BuildAll(steps, false));
      return PassRef(std::make_shared<AtLevel>(*element.named, std::move(body)));
    }
    case PipelineElement::Kind::kTarget: {
      RELAYOPT_TRY(PassRef body, BuildAll(element.children, is_written));
      return PassRef(std::make_shared<WithTarget>(std::move(body)));
    }
    case PipelineElement::Kind::kConfig: {
      RELAYOPT_TRY(PassRef body, BuildAll(element.children, is_written));
      return PassRef(std::make_shared<WithConfig>(element.word, element.negated, std::move(body)));
    }
    case PipelineElement::Kind::kWhere: {
      RELAYOPT_TRY(PassRef body, BuildAll(element.children, is_written));
      return PassRef(std::make_shared<Where>(element.word, element.count, element.negated, std::move(body)));
    }
    case PipelineElement::Kind::kFixpoint:
    case PipelineElement::Kind::kRepeat: {
      RELAYOPT_TRY(PassRef body, BuildAll(element.children, is_written));
      return PassRef(std::make_shared<Loop>(std::move(body), element.count,
                                            element.kind == PipelineElement::Kind::kFixpoint, is_written));
    }
  }
  RELAYOPT_CHECK(false, "every kind of element is built");
}

auto BuildAll(const Pipeline& pipeline, bool is_written) -> Result<PassRef> {
  std::vector<PassRef> passes;
  for (const PipelineElement& element : pipeline) {
    RELAYOPT_TRY(PassRef pass, Build(element, is_written));
    passes.push_back(std::move(pass));
  }
  return PassRef(std::make_shared<Sequential>(std::move(passes)));
}

}  // namespace

auto Expansion(const PipelineElement& element) -> std::string {
  std::string text(element.named->text);
  for (const auto& [name, value] : element.named->parameters) {
    const auto given = std::ranges::find(element.arguments, name, [](const auto& argument) { return argument.first; });
    const std::string written =
        ToString(OptionValue(given == element.arguments.end() ? std::string(value) : given->second));
    const std::string place = "$" + std::string(name);
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += written.size()) {
      text.replace(at, place.size(), written);
    }
  }
  return text;
}

auto ToString(const Pipeline& pipeline) -> std::string {
  std::string out;
  Print(pipeline, out);
  return out;
}

auto BuildPipeline(const Pipeline& pipeline) -> Result<PassRef> { return BuildAll(pipeline, true); }

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt
