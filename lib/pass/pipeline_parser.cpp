// Reads pipeline text. An explicit stack of open combinators replaces recursion.
#include <algorithm>
#include <optional>

#include "pipeline_scanner.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// More than this is a mistake; it bounds what later walks over the pipeline need.
constexpr size_t kMaxDepth = 64;
constexpr int64_t kMaxCount = 1000000;

// A combinator whose `)` has not come yet; the outermost frame is the pipeline itself.
struct Frame {
  PipelineElement element;
  // `module` and `function` put their children into the frame around them.
  bool transparent = false;
  // Set where only passes over functions of this kind are allowed.
  const FunctionKind* functions = nullptr;
  size_t open = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  auto Parse() -> Result<Pipeline> {
    frames_.push_back({});
    while (!in_.failed()) {
      in_.SkipSpace();
      if (in_.at_end()) break;
      if (in_.Sees(','))
        Comma();
      else if (in_.Sees(')'))
        Close();
      else if (after_element_)
        in_.Fail(diag::kPipelineSyntax, RangeAt(in_.at()),
                 in_.Sees(';') ? "',' between passes, not ';'," : "',' or the end");
      else
        Element();
    }
    if (frames_.size() > 1) in_.Fail(diag::kUnclosedBracket, RangeAt(frames_.back().open), '(');
    if (in_.failed()) return std::move(*in_.error());
    return std::move(frames_.front().element.children);
  }

 private:
  void Comma() {
    if (!after_element_) in_.Fail(diag::kEmptyElement, RangeAt(in_.at()));
    after_element_ = false;
    in_.Advance();
  }

  void Close() {
    if (frames_.size() == 1) {
      in_.Fail(diag::kUnopenedBracket, RangeAt(in_.at()), ')');
      return;
    }
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    std::vector<PipelineElement>& around = frames_.back().element.children;
    in_.Advance();
    after_element_ = true;
    if (frame.transparent) {
      for (PipelineElement& child : frame.element.children) around.push_back(std::move(child));
      return;
    }
    frame.element.range = in_.RangeSince(frame.element.range.begin);
    around.push_back(std::move(frame.element));
  }

  void Element() {
    const size_t begin = in_.at();
    const std::string_view name = in_.Name();
    if (name.empty()) {
      in_.Fail(diag::kPipelineSyntax, RangeAt(in_.at()), "the name of a pass");
      return;
    }
    const SourceRange where = in_.RangeSince(begin);
    in_.SkipSpace();
    std::vector<RawOption> options;
    SourceRange options_at = where;
    if (in_.Sees('<') || in_.Sees('{')) {
      const size_t bracket = in_.at();
      options = in_.Options();
      options_at = in_.RangeSince(bracket);
    }
    if (in_.failed()) return;
    in_.SkipSpace();
    const bool has_body = in_.Sees('(');
    if (name == "default")
      Named(where, options, options_at);
    else if (IsCombinator(name))
      Combinator(name, where, options, has_body);
    else
      PassElement(name, where, options, options_at, has_body);
  }

  // Returns the kind of functions whose passes NAME(...) contains, or null if there is none. `func.func` is MLIR's
  // name of functions.
  static auto KindOfLevel(std::string_view name) -> const FunctionKind* {
    if (name == "func.func") name = "function";
    for (const FunctionKindDef* def : FunctionKinds()) {
      if (def->kind->pass_level == name) return def->kind;
    }
    return nullptr;
  }

  static auto IsCombinator(std::string_view name) -> bool {
    return name == "module" || name == "fixpoint" || name == "repeat" || name == "with-target" ||
           name == "with-config" || name == "without-config" || name == "where" || name == "builtin.module" ||
           name == "any" || KindOfLevel(name) != nullptr;
  }

  // `default<O2>`. `default<O2;executor=vm>`, `default<tir.build;target=cuda>`.
  void Named(SourceRange where, const std::vector<RawOption>& options, SourceRange options_at) {
    std::string whole;
    std::string names;
    for (const RawOption& option : options) AppendOption(option, whole);
    for (const NamedPipeline* named : NamedPipelines()) {
      PipelineElement element;
      std::string name;
      for (const RawOption& option : options) {
        if (option.key == "executor" && option.value == "graph") continue;
        const bool is_parameter = std::ranges::any_of(
            named->parameters, [&](const NamedPipeline::Parameter& p) { return p.name == option.key; });
        if (!is_parameter) {
          AppendOption(option, name);
        } else if (const auto value = ParseOptionValue(OptionKind::kString, option.value.value_or(""))) {
          element.arguments.emplace_back(option.key, std::get<std::string>(*value));
        }
      }
      if (named->name == name) {
        element.kind = PipelineElement::Kind::kNamed;
        element.named = named;
        element.range = {where.begin, options_at.end};
        Add(std::move(element));
        return;
      }
      // Variants of one follow from --list-passes.
      if (named->name.find(';') != std::string::npos) continue;
      // Levels in one: `default<O0> to default<O4>`.
      const bool is_level = named->name.size() == 2 && named->name[0] == 'O';
      const size_t dash = is_level ? names.find(" to ") : std::string::npos;
      if (dash != std::string::npos) names.erase(dash);
      const bool is_first = !is_level || names.empty();
      names += fmt::format("{}default<{}>", names.empty() ? "" : is_first ? ", " : " to ", named->name);
    }
    in_.Fail(diag::kUnknownPipeline, options.empty() ? where : options_at, whole, names);
  }

  static void AppendOption(const RawOption& option, std::string& text) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ";", option.key, option.value ? "=" : "",
                        option.value.value_or(""));
  }

  void Combinator(std::string_view name, SourceRange where, const std::vector<RawOption>& options, bool has_body) {
    Frame frame;
    frame.open = in_.at();
    frame.element.range = where;
    const bool counts = name == "fixpoint" || name == "repeat";
    const bool asks = name == "with-config" || name == "without-config" || name == "where";
    frame.transparent = !counts && !asks && name != "with-target";
    frame.functions = frames_.back().functions;
    if (const FunctionKind* functions = KindOfLevel(name)) {
      if (frame.functions != nullptr && frame.functions != functions) {
        in_.Fail(diag::kOtherPassInFunction, where, name, frame.functions->pass_level);
      }
      frame.functions = functions;
    }
    if (name == "fixpoint") frame.element.kind = PipelineElement::Kind::kFixpoint;
    if (name == "repeat") frame.element.kind = PipelineElement::Kind::kRepeat;
    if (name == "with-target") frame.element.kind = PipelineElement::Kind::kTarget;
    if (asks) {
      Condition(name, where, options, frame.element);
    } else if (!counts && !options.empty()) {
      in_.Fail(diag::kPassWithoutOptions, options[0].key_range, name);
    } else if (counts) {
      frame.element.count = Count(name, where, options);
    }
    if (!has_body) in_.Fail(diag::kCombinatorWithoutBody, where, name);
    if (frames_.size() > kMaxDepth) in_.Fail(diag::kPipelineTooDeep, where, kMaxDepth);
    frames_.push_back(std::move(frame));
    in_.Advance();
    after_element_ = false;
  }

  // The key of with-config<KEY>, the attribute of where<ATTR=N> and where<ATTR!=N>.
  void Condition(std::string_view name, SourceRange where, const std::vector<RawOption>& options,
                 PipelineElement& element) {
    const bool config = name != "where";
    const std::string_view wanted = config ? "a boolean key of the config" : "an attribute and its value, ATTR=N";
    if (options.size() != 1) {
      in_.Fail(diag::kUnknownCondition, where, name, wanted, "", "");
      return;
    }
    const RawOption& option = options[0];
    element.kind = config ? PipelineElement::Kind::kConfig : PipelineElement::Kind::kWhere;
    element.word = option.key;
    if (config) {
      element.negated = name == "without-config";
      const ConfigOption* key = FindConfigOption(option.key);
      if (key != nullptr && key->kind == OptionKind::kBool && !option.value) return;
      std::vector<std::string_view> keys;
      for (const ConfigOption* known : ConfigOptions()) {
        if (known->kind == OptionKind::kBool) keys.push_back(known->key);
      }
      in_.Fail(diag::kUnknownCondition, option.key_range, name, wanted, option.key, DidYouMean(option.key, keys));
      return;
    }
    element.negated = element.word.ends_with('!');
    if (element.negated) element.word.pop_back();
    const std::optional<OptionValue> value = ParseOptionValue(OptionKind::kInt, option.value.value_or(""));
    if (!value)
      in_.Fail(diag::kUnknownCondition, option.key_range, name, wanted, option.key, "");
    else
      element.count = std::get<int64_t>(*value);
  }

  // Returns the number of repeat<N>, fixpoint<N> and fixpoint<max=N>.
  auto Count(std::string_view name, SourceRange where, const std::vector<RawOption>& options) -> int64_t {
    if (options.empty() && name == "fixpoint") return kFixpointDefault;
    if (options.empty()) {
      in_.Fail(diag::kBadCount, where, name, kMaxCount, "");
      return 0;
    }
    const RawOption& option = options[0];
    if (options.size() > 1 || (option.value && option.key != "max")) {
      const RawOption& bad = option.value && option.key != "max" ? option : options[1];
      in_.Fail(diag::kUnknownPassOption, bad.key_range, name, bad.key, "");
      return 0;
    }
    const std::string_view text = option.value ? *option.value : option.key;
    const SourceRange range = option.value ? option.value_range : option.key_range;
    const int64_t count = ParseNumber<int64_t>(text).value_or(0);
    const int64_t most = name == "repeat" ? MostRepeats() : kMaxCount;
    if (count < 1 || count > most) in_.Fail(diag::kBadCount, range, name, most, text);
    return count;
  }

  // How often what stands here may be repeated, so that all repetitions around it are no more than kMaxCount.
  auto MostRepeats() const -> int64_t {
    int64_t most = kMaxCount;
    for (const Frame& frame : frames_) {
      if (frame.element.kind == PipelineElement::Kind::kRepeat) most /= std::max<int64_t>(frame.element.count, 1);
    }
    return std::max<int64_t>(most, 1);
  }

  void PassElement(std::string_view name, SourceRange where, const std::vector<RawOption>& options,
                   SourceRange options_at, bool has_body) {
    const PassDef* def = FindPass(name);
    if (def == nullptr) {
      in_.Fail(diag::kUnknownPass, where, name, DidYouMeanPass(name));
      return;
    }
    if (has_body) {
      in_.Fail(diag::kNotCombinator, where, name);
      return;
    }
    const FunctionKind* functions = frames_.back().functions;
    if (functions != nullptr && def->functions != functions) {
      if (def->kind == PassKind::kFunction)
        in_.Fail(diag::kOtherPassInFunction, where, name, functions->pass_level);
      else
        in_.Fail(diag::kModulePassInFunction, where, name, functions->pass_level);
      return;
    }
    PipelineElement element;
    element.def = def;
    element.options = PassOptions(*def->options);
    element.range = {where.begin, options_at.end};
    for (size_t i = 0; i < options.size() && !in_.failed(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (options[k].key == options[i].key) {
          in_.Fail(diag::kRepeatedOption, options[i].key_range, options[i].key)
              .Note("first given here", options[k].key_range);
        }
      }
      SetOption(element, name, options[i]);
    }
    for (const OptionInfo& option : def->options->fields) {
      if (option.required && element.options.IsDefault(option)) {
        in_.Fail(diag::kMissingPassOption, where, name, option.name, option.doc);
      }
    }
    Add(std::move(element));
  }

  // `fold-qnn` is `fold_qnn`.
  static auto FindOption(const PassDef& def, std::string_view key) -> const OptionInfo* {
    for (const OptionInfo& option : def.options->fields) {
      const bool same = option.name.size() == key.size() &&
                        std::equal(key.begin(), key.end(), option.name.begin(),
                                   [](char a, char b) { return a == b || (a == '-' && b == '_'); });
      if (same) return &option;
    }
    return nullptr;
  }

  void SetOption(PipelineElement& element, std::string_view name, const RawOption& raw) {
    const SourceRange key_at = raw.key_range;
    const PassDef& def = *element.def;
    if (def.options->fields.empty()) {
      in_.Fail(diag::kPassWithoutOptions, key_at, name);
      return;
    }
    bool negated = false;
    const OptionInfo* option = FindOption(def, raw.key);
    if (option == nullptr && !raw.value && raw.key.starts_with("no-")) {
      option = FindOption(def, raw.key.substr(3));
      negated = true;
    }
    if (option == nullptr) {
      std::vector<std::string_view> keys;
      std::string all = "its options are";
      for (const OptionInfo& field : def.options->fields) {
        keys.push_back(field.name);
        all += fmt::format("{} {}", keys.size() == 1 ? "" : ",", field.name);
      }
      in_.Fail(diag::kUnknownPassOption, key_at, name, raw.key, DidYouMean(raw.key, keys)).Note(all);
      return;
    }
    if (!raw.value && option->kind != OptionKind::kBool) {
      in_.Fail(diag::kOptionWithoutValue, key_at, option->name, KindName(option->kind));
      return;
    }
    const std::string_view text = raw.value ? *raw.value : negated ? "false" : "true";
    const SourceRange at = raw.value ? raw.value_range : key_at;
    const std::optional<OptionValue> value = ParseOptionValue(option->kind, text);
    if (!value) {
      // `a=2,b=1`: as other tools write it.
      const size_t comma = text.find(',');
      const bool holds_option = comma != std::string_view::npos && text.find('=', comma) != std::string_view::npos;
      in_.Fail(diag::kBadOptionValue, at, option->name, KindName(option->kind), text,
               holds_option ? "; ';' separates options" : "");
    } else if (const std::optional<OptionFault> fault = FaultOf(*option, *value)) {
      in_.Fail(diag::kBadOptionValue, ElementIn(text, fault->found, at), option->name, fault->expected, fault->found,
               fault->more);
    } else {
      static_cast<void>(element.options.Set(*option, *value));
    }
  }

  // Returns the place of an element in a value that is written at `at`; `at` when the text differs from the value.
  static auto ElementIn(std::string_view text, std::string_view element, SourceRange at) -> SourceRange {
    const size_t offset = element.empty() ? std::string_view::npos : text.find(element);
    if (offset == std::string_view::npos || at.end - at.begin != text.size()) return at;
    const auto begin = static_cast<uint32_t>(at.begin + offset);
    return {begin, begin + static_cast<uint32_t>(element.size())};
  }

  void Add(PipelineElement element) {
    frames_.back().element.children.push_back(std::move(element));
    after_element_ = true;
  }

  PipelineScanner in_;
  bool after_element_ = false;
  std::vector<Frame> frames_;
};

}  // namespace

auto ParsePipeline(std::string_view text) -> Result<Pipeline> { return Parser(text).Parse(); }

}  // namespace relayopt
