// Reads pipeline text. An explicit stack of open combinators takes the place of recursion.
#include <charconv>
#include <optional>

#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/pipeline.h"

namespace relayopt {

namespace {

// More than this is a mistake; it bounds what later walks over the pipeline need.
constexpr size_t kMaxDepth = 64;
constexpr int64_t kMaxCount = 1000000;

// A `key=value` of an option list; `value` is nothing for a bare key.
struct RawOption {
  std::string_view key;
  std::optional<std::string_view> value;
  SourceRange key_range;
  SourceRange value_range;
};

// A combinator whose `)` has not come yet; the outermost frame is the pipeline itself.
struct Frame {
  PipelineElement element;
  // `module` and `function` put their children into the frame around them.
  bool transparent = false;
  bool functions_only = false;
  size_t open = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  auto Parse() -> Result<Pipeline> {
    frames_.push_back({});
    while (!error_) {
      SkipSpace();
      if (pos_ == text_.size()) break;
      const char c = text_[pos_];
      if (c == ',')
        Comma();
      else if (c == ')')
        Close();
      else if (after_element_)
        Fail(diag::kPipelineSyntax, {pos_, pos_ + 1}, "',' or the end");
      else
        Element();
    }
    if (!error_ && frames_.size() > 1) Fail(diag::kUnclosedBracket, At(frames_.back().open), '(');
    if (error_) return std::move(*error_);
    return std::move(frames_.front().element.children);
  }

 private:
  struct Offsets {
    size_t begin;
    size_t end;
  };

  static auto Range(Offsets offsets) -> SourceRange {
    return {static_cast<uint32_t>(offsets.begin), static_cast<uint32_t>(offsets.end)};
  }
  static auto At(size_t offset) -> Offsets { return {offset, offset + 1}; }

  template <typename... Args>
  auto Fail(const DiagnosticKind& kind, Offsets where, const Args&... args) -> Diagnostic& {
    if (!error_) error_ = MakeDiagnostic(kind, Range(where), args...);
    return *error_;
  }

  void SkipSpace() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '#')
        pos_ = std::min(text_.find('\n', pos_), text_.size());
      else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        ++pos_;
      else
        break;
    }
  }

  static auto IsNameChar(char c) -> bool {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  }

  auto Name() -> std::string_view {
    const size_t begin = pos_;
    while (pos_ < text_.size() && IsNameChar(text_[pos_])) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }

  void Comma() {
    if (!after_element_) Fail(diag::kEmptyElement, At(pos_));
    after_element_ = false;
    ++pos_;
  }

  void Close() {
    if (frames_.size() == 1) {
      Fail(diag::kUnopenedBracket, At(pos_), ')');
      return;
    }
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    std::vector<PipelineElement>& around = frames_.back().element.children;
    ++pos_;
    after_element_ = true;
    if (frame.transparent) {
      for (PipelineElement& child : frame.element.children) around.push_back(std::move(child));
      return;
    }
    frame.element.range.end = static_cast<uint32_t>(pos_);
    around.push_back(std::move(frame.element));
  }

  void Element() {
    const size_t begin = pos_;
    const std::string_view name = Name();
    if (name.empty()) {
      Fail(diag::kPipelineSyntax, At(pos_), "the name of a pass");
      return;
    }
    const Offsets where{begin, pos_};
    SkipSpace();
    std::vector<RawOption> options;
    Offsets options_at = where;
    if (pos_ < text_.size() && (text_[pos_] == '<' || text_[pos_] == '{')) {
      options_at.begin = pos_;
      options = Options();
      options_at.end = pos_;
    }
    if (error_) return;
    SkipSpace();
    const bool has_body = pos_ < text_.size() && text_[pos_] == '(';
    if (name == "default")
      Named(where, options, options_at);
    else if (IsCombinator(name))
      Combinator(name, where, options, has_body);
    else
      PassElement(name, where, options, options_at, has_body);
  }

  static auto IsCombinator(std::string_view name) -> bool {
    return name == "module" || name == "function" || name == "fixpoint" || name == "repeat" || name == "with-target" ||
           name == "builtin.module";
  }

  // `<a=1;b>` or `{a=1 b}`; stands at the opening bracket.
  auto Options() -> std::vector<RawOption> {
    const size_t open = pos_;
    const char close = text_[open] == '<' ? '>' : '}';
    const auto separates = [&](char c) { return c == ';' || (close == '}' && (c == ',' || c == ' ')); };
    std::vector<RawOption> options;
    ++pos_;
    while (!error_) {
      SkipSpace();
      while (pos_ < text_.size() && separates(text_[pos_]) && !options.empty()) {
        ++pos_;
        SkipSpace();
      }
      if (pos_ == text_.size()) {
        Fail(diag::kUnclosedBracket, At(open), text_[open]);
      } else if (text_[pos_] == close) {
        ++pos_;
        return options;
      } else {
        options.push_back(OneOption(open, close));
      }
    }
    return options;
  }

  auto OneOption(size_t open, char close) -> RawOption {
    RawOption option;
    const size_t begin = pos_;
    option.key = Name();
    option.key_range = Range({begin, pos_});
    if (option.key.empty()) {
      Fail(diag::kPipelineSyntax, At(pos_), "the name of an option")
          .Note(fmt::format("to match this '{}'", text_[open]), Range(At(open)));
      return option;
    }
    SkipSpace();
    if (pos_ == text_.size() || text_[pos_] != '=') return option;
    ++pos_;
    SkipSpace();
    const Offsets value = Value(close);
    option.value = text_.substr(value.begin, value.end - value.begin);
    option.value_range = Range(value);
    return option;
  }

  // Text up to the end of the option, in which brackets, braces and quotes balance.
  auto Value(char close) -> Offsets {
    const size_t begin = pos_;
    std::vector<size_t> open;
    size_t end = begin;
    for (; pos_ < text_.size() && !error_; ++pos_) {
      const char c = text_[pos_];
      if (open.empty() && (c == close || c == ';' || (close == '}' && IsSpace(c)))) break;
      if (c == '"') {
        SkipString();
      } else if (c == '{' || c == '[') {
        open.push_back(pos_);
      } else if (c == '}' || c == ']') {
        CloseInValue(open);
      }
      if (!IsSpace(c)) end = pos_ + 1;
    }
    if (!open.empty()) Fail(diag::kUnclosedBracket, At(open.back()), text_[open.back()]);
    return {begin, std::min(end, text_.size())};
  }

  static auto IsSpace(char c) -> bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void CloseInValue(std::vector<size_t>& open) {
    if (open.empty()) {
      Fail(diag::kUnopenedBracket, At(pos_), text_[pos_]);
    } else if ((text_[open.back()] == '{') != (text_[pos_] == '}')) {
      Fail(diag::kMismatchedBracket, At(pos_), text_[pos_], text_[open.back()])
          .Note("which stands here", Range(At(open.back())));
    } else {
      open.pop_back();
    }
  }

  // Stands at the opening quote, leaves at the closing one.
  void SkipString() {
    const size_t open = pos_;
    for (++pos_; pos_ < text_.size() && text_[pos_] != '"'; ++pos_) {
      if (text_[pos_] == '\\') ++pos_;
    }
    if (pos_ >= text_.size()) {
      Fail(diag::kUnclosedBracket, At(open), '"');
      pos_ = text_.size();
    }
  }

  // `default<O2>`.
  void Named(Offsets where, const std::vector<RawOption>& options, Offsets options_at) {
    const std::string_view name = options.size() == 1 && !options[0].value ? options[0].key : "";
    std::string names;
    for (const NamedPipeline& named : NamedPipelines()) {
      if (named.name == name) {
        PipelineElement element;
        element.kind = PipelineElement::Kind::kNamed;
        element.named = &named;
        element.range = Range({where.begin, options_at.end});
        Add(std::move(element));
        return;
      }
      names += fmt::format("{}default<{}>", names.empty() ? "" : ", ", named.name);
    }
    Fail(diag::kUnknownPipeline, options.empty() ? where : options_at, name, names);
  }

  void Combinator(std::string_view name, Offsets where, const std::vector<RawOption>& options, bool has_body) {
    Frame frame;
    frame.open = pos_;
    frame.element.range = Range(where);
    const bool counts = name == "fixpoint" || name == "repeat";
    frame.transparent = !counts && name != "with-target";
    frame.functions_only = frames_.back().functions_only || name == "function";
    if (name == "fixpoint") frame.element.kind = PipelineElement::Kind::kFixpoint;
    if (name == "repeat") frame.element.kind = PipelineElement::Kind::kRepeat;
    if (name == "with-target") frame.element.kind = PipelineElement::Kind::kTarget;
    if (!counts && !options.empty()) {
      Fail(diag::kPassWithoutOptions, {options[0].key_range.begin, options[0].key_range.end}, name);
    } else if (counts) {
      frame.element.count = Count(name, where, options);
    }
    if (!has_body) Fail(diag::kCombinatorWithoutBody, where, name);
    if (frames_.size() > kMaxDepth) Fail(diag::kPipelineTooDeep, where, kMaxDepth);
    frames_.push_back(std::move(frame));
    ++pos_;
    after_element_ = false;
  }

  // The number of repeat<N>, fixpoint<N> and fixpoint<max=N>.
  auto Count(std::string_view name, Offsets where, const std::vector<RawOption>& options) -> int64_t {
    if (options.empty() && name == "fixpoint") return kFixpointDefault;
    if (options.empty()) {
      Fail(diag::kBadCount, where, name, kMaxCount, "");
      return 0;
    }
    const RawOption& option = options[0];
    if (options.size() > 1 || (option.value && option.key != "max")) {
      const RawOption& bad = option.value && option.key != "max" ? option : options[1];
      Fail(diag::kUnknownPassOption, {bad.key_range.begin, bad.key_range.end}, name, bad.key, "");
      return 0;
    }
    const std::string_view text = option.value ? *option.value : option.key;
    const SourceRange range = option.value ? option.value_range : option.key_range;
    int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > kMaxCount) {
      Fail(diag::kBadCount, {range.begin, range.end}, name, kMaxCount, text);
    }
    return count;
  }

  void PassElement(std::string_view name, Offsets where, const std::vector<RawOption>& options, Offsets options_at,
                   bool has_body) {
    const PassDef* def = FindPass(name);
    if (def == nullptr) {
      Fail(diag::kUnknownPass, where, name, DidYouMeanPass(name));
      return;
    }
    if (has_body) {
      Fail(diag::kNotCombinator, where, name);
      return;
    }
    if (frames_.back().functions_only && def->kind != PassKind::kFunction) {
      Fail(diag::kModulePassInFunction, where, name);
      return;
    }
    PipelineElement element;
    element.def = def;
    element.options = PassOptions(*def->options);
    element.range = Range({where.begin, options_at.end});
    for (size_t i = 0; i < options.size() && !error_; ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (options[k].key == options[i].key) {
          Fail(diag::kRepeatedOption, {options[i].key_range.begin, options[i].key_range.end}, options[i].key)
              .Note("first given here", options[k].key_range);
        }
      }
      SetOption(element, name, options[i]);
    }
    for (const OptionInfo& option : def->options->fields) {
      if (option.required && element.options.IsDefault(option)) {
        Fail(diag::kMissingPassOption, where, name, option.name, option.doc);
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
    const Offsets key_at{raw.key_range.begin, raw.key_range.end};
    const PassDef& def = *element.def;
    if (def.options->fields.empty()) {
      Fail(diag::kPassWithoutOptions, key_at, name);
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
      Fail(diag::kUnknownPassOption, key_at, name, raw.key, DidYouMean(raw.key, keys)).Note(all);
      return;
    }
    if (!raw.value && option->kind != OptionKind::kBool) {
      Fail(diag::kOptionWithoutValue, key_at, option->name, KindName(option->kind));
      return;
    }
    const std::string_view text = raw.value ? *raw.value : negated ? "false" : "true";
    if (element.options.SetText(*option, text)) {
      const SourceRange at = raw.value ? raw.value_range : raw.key_range;
      Fail(diag::kBadOptionValue, {at.begin, at.end}, option->name, KindName(option->kind), text);
    }
  }

  void Add(PipelineElement element) {
    frames_.back().element.children.push_back(std::move(element));
    after_element_ = true;
  }

  std::string_view text_;
  size_t pos_ = 0;
  bool after_element_ = false;
  std::vector<Frame> frames_;
  std::optional<Diagnostic> error_;
};

}  // namespace

auto ParsePipeline(std::string_view text) -> Result<Pipeline> { return Parser(text).Parse(); }

}  // namespace relayopt
