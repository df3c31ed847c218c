#include "names.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/characters.h"

namespace relayopt {
namespace {

auto RangeFrom(size_t begin, size_t end) -> SourceRange {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

// The tokens that matter: names, words and single punctuation. Comments and strings are skipped.
struct Token {
  SourceRange range;
  std::string_view text;
};

// Returns the end of a string literal that begins at `begin` with a quote; the end of the text if it is open.
auto EndOfString(std::string_view text, size_t begin) -> size_t {
  const char quote = text[begin];
  const std::string three(3, quote);
  if (text.substr(begin, 3) == three) {
    const size_t end = text.find(three, begin + 3);
    return end == std::string_view::npos ? text.size() : end + 3;
  }
  size_t at = begin + 1;
  while (at < text.size() && text[at] != quote && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// Relay's names contain dots (%a.b, nn.relu), those of Python do not.
auto Tokenize(std::string_view text, bool is_script) -> std::vector<Token> {
  std::vector<Token> tokens;
  size_t at = 0;
  const auto skip_past = [&](std::string_view end, size_t from) {
    const size_t found = text.find(end, from);
    at = found == std::string_view::npos ? text.size() : found + end.size();
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '#' && is_script) {
      skip_past("\n", at);
    } else if (!is_script && text.substr(at, 2) == "//") {
      skip_past("\n", at);
    } else if (!is_script && text.substr(at, 2) == "/*") {
      skip_past("*/", at + 2);
    } else if (!is_script && text.substr(at, 11) == "#[metadata]") {
      break;
    } else if (c == '"' || (c == '\'' && is_script)) {
      at = EndOfString(text, at);
    } else if (IsNameCharacter(c) || (!is_script && (c == '%' || c == '@'))) {
      const size_t begin = at++;
      while (at < text.size() && (IsNameCharacter(text[at]) || (!is_script && text[at] == '.' && at + 1 < text.size() &&
                                                                IsNameCharacter(text[at + 1]))))
        ++at;
      // In `%0.1` the number is a field.
      if (c == '%' && begin + 1 < text.size() && text[begin + 1] >= '0' && text[begin + 1] <= '9') {
        const size_t dot = text.substr(begin, at - begin).find('.');
        if (dot != std::string_view::npos) at = begin + dot;
      }
      tokens.push_back({RangeFrom(begin, at), text.substr(begin, at - begin)});
    } else {
      if (c != ' ' && c != '\t' && c != '\r' && (c != '\n' || is_script)) {
        tokens.push_back({RangeFrom(at, at + 1), text.substr(at, 1)});
      }
      ++at;
    }
  }
  return tokens;
}

// Resolves names while the tokens of Relay text go by.
class RelayNames {
 public:
  explicit RelayNames(std::string_view text) : tokens_(Tokenize(text, false)) {}

  auto Run() -> TextNames {
    DefineFunctions();
    scopes_.emplace_back();
    for (size_t i = 0; i < tokens_.size(); ++i) Visit(i);
    return std::move(table_);
  }

 private:
  auto TextAt(size_t i) const -> std::string_view { return i < tokens_.size() ? tokens_[i].text : std::string_view(); }

  void DefineFunctions() {
    size_t open = NameUse::kUndefined;
    int depth = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      const bool is_type = text == "type";
      const bool is_name =
          TextAt(i + 1).starts_with('@') || (is_type && !TextAt(i + 1).empty() && IsNameCharacter(TextAt(i + 1)[0]));
      if (depth == 0 && (text == "def" || is_type || text == "extern") && is_name) {
        open = table_.definitions.size();
        globals_.try_emplace(tokens_[i + 1].text, static_cast<uint32_t>(open));
        table_.definitions.push_back({is_type ? NameKind::kTypeName : NameKind::kFunction, tokens_[i + 1].range,
                                      RangeFrom(tokens_[i].range.begin, tokens_[i + 1].range.end)});
      }
      if (text == "{") ++depth;
      const bool closes = text == "}" && depth > 0;
      if (closes) --depth;
      if (closes && depth == 0 && open != NameUse::kUndefined) {
        table_.definitions[open].body.end = tokens_[i].range.end;
        open = NameUse::kUndefined;
      }
    }
  }

  void Visit(size_t i) {
    const std::string_view text = tokens_[i].text;
    if (text == "def" || text == "fn") {
      awaits_params_ = true;
    } else if (text == "(") {
      if (awaits_params_ && params_depth_ == 0)
        params_depth_ = 1;
      else if (params_depth_ > 0)
        ++params_depth_;
    } else if (text == ")") {
      if (params_depth_ == 1) awaits_params_ = false;
      if (params_depth_ > 0) --params_depth_;
    } else if (text == "{") {
      OpenScope();
      awaits_params_ = false;
      params_depth_ = 0;
    } else if (text == "}") {
      if (scopes_.size() > 1) CloseScope();
    } else if (text[0] == '%') {
      VisitLocal(i);
    } else if (text[0] == '@' || globals_.contains(text)) {
      const auto found = globals_.find(text);
      table_.uses.push_back({tokens_[i].range, found == globals_.end() ? NameUse::kUndefined : found->second});
    }
  }

  void VisitLocal(size_t i) {
    const std::string_view text = tokens_[i].text;
    const bool is_param = params_depth_ == 1 && TextAt(i - 1) != "=" &&
                          (TextAt(i + 1) == ":" || TextAt(i + 1) == "," || TextAt(i + 1) == ")");
    const bool is_let = i > 0 && TextAt(i - 1) == "let";
    const bool is_temporary =
        TextAt(i + 1) == "=" && TextAt(i + 2) != ">" && TextAt(i + 2) != "=" && params_depth_ == 0;
    const bool is_pattern = !is_param && TextAt(i + 1) == ":";
    if (is_param || is_pattern) return Define(i, NameKind::kParameter, is_param);
    if (is_let) return Define(i, NameKind::kVariable);
    if (is_temporary) return Define(i, NameKind::kTemporary);
    if (const auto found = visible_.find(text); found != visible_.end() && !found->second.empty()) {
      table_.uses.push_back({tokens_[i].range, found->second.back()});
      return;
    }
    // The variables of a match clause have no mark of their own: the first occurrence defines.
    Define(i, NameKind::kVariable);
  }

  // Defines a name here, or, as a parameter, in the scope that opens next.
  void Define(size_t i, NameKind kind, bool in_next_scope = false) {
    const auto id = static_cast<uint32_t>(table_.definitions.size());
    table_.definitions.push_back({kind, tokens_[i].range, {}});
    table_.uses.push_back({tokens_[i].range, id});
    if (in_next_scope)
      next_scope_.emplace_back(tokens_[i].text, id);
    else
      Show(tokens_[i].text, id);
  }

  void Show(std::string_view name, uint32_t id) {
    visible_[name].push_back(id);
    scopes_.back().push_back(name);
  }

  void OpenScope() {
    scopes_.emplace_back();
    for (const auto& [name, id] : next_scope_) Show(name, id);
    next_scope_.clear();
  }

  void CloseScope() {
    for (const std::string_view name : scopes_.back()) visible_[name].pop_back();
    scopes_.pop_back();
  }

  std::vector<Token> tokens_;
  TextNames table_;
  absl::flat_hash_map<std::string_view, uint32_t> globals_;
  // The definitions of a name that are in scope; the last one hides the others.
  absl::flat_hash_map<std::string_view, std::vector<uint32_t>> visible_;
  // The names that open scopes define.
  std::vector<std::vector<std::string_view>> scopes_;
  // The parameters of the function whose body begins next.
  std::vector<std::pair<std::string_view, uint32_t>> next_scope_;
  bool awaits_params_ = false;
  int params_depth_ = 0;
};

}  // namespace

auto TextNames::At(size_t offset) const -> const NameUse* {
  const auto after =
      std::ranges::upper_bound(uses, offset, {}, [](const NameUse& use) { return size_t{use.range.begin}; });
  if (after == uses.begin()) return nullptr;
  const NameUse& use = *std::prev(after);
  return offset <= use.range.end ? &use : nullptr;
}

auto FindRelayNames(std::string_view text) -> TextNames { return RelayNames(text).Run(); }

auto FindScriptNames(std::string_view text) -> TextNames {
  TextNames table;
  const std::vector<Token> tokens = Tokenize(text, true);
  absl::flat_hash_map<std::string_view, uint32_t> functions;
  absl::flat_hash_map<std::string_view, uint32_t> locals;
  uint32_t open = NameUse::kUndefined;
  const auto text_at = [&](size_t i) { return i < tokens.size() ? tokens[i].text : std::string_view(); };
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "def" && !text_at(i + 1).empty()) {
      functions.try_emplace(text_at(i + 1), static_cast<uint32_t>(table.definitions.size()));
      table.definitions.push_back(
          {NameKind::kFunction, tokens[i + 1].range, RangeFrom(tokens[i].range.begin, text.size())});
      if (open != NameUse::kUndefined) table.definitions[open].body.end = tokens[i].range.begin;
      open = static_cast<uint32_t>(table.definitions.size() - 1);
    }
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (!IsNameCharacter(token.text[0]) || (token.text[0] >= '0' && token.text[0] <= '9')) continue;
    const bool is_def = i > 0 && text_at(i - 1) == "def";
    if (is_def) locals.clear();
    if (i > 0 && text_at(i - 1) == ".") continue;
    if (const auto found = functions.find(token.text);
        found != functions.end() && (is_def || !locals.contains(token.text))) {
      table.uses.push_back({token.range, found->second});
      continue;
    }
    // Defined by a parameter `x:`, an assignment, a loop, a `with ... as x`, or as one of several targets.
    const std::string_view next = text_at(i + 1);
    const std::string_view before = i > 0 ? text_at(i - 1) : std::string_view();
    const bool is_new = next == ":" || (next == "=" && text_at(i + 2) != "=") || before == "for" || before == "as" ||
                        next == "," || (next == "in" && before == ",");
    auto found = locals.find(token.text);
    if (found == locals.end()) {
      static constexpr std::string_view kWords[] = {
          "T",     "I",    "def",    "for", "in", "if",  "else", "elif",  "while", "with",   "as",   "return",
          "class", "from", "import", "and", "or", "not", "True", "False", "None",  "assert", "pass", "range"};
      if (!is_new || std::ranges::find(kWords, token.text) != std::end(kWords)) continue;
      found = locals.emplace(token.text, static_cast<uint32_t>(table.definitions.size())).first;
      table.definitions.push_back({NameKind::kVariable, token.range, {}});
    }
    table.uses.push_back({token.range, found->second});
  }
  return table;
}

}  // namespace relayopt
