// Parses patterns.
#include "relayopt/relay/pattern/pattern_text.h"

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_map.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kBadPattern = {"bad-pattern", Severity::kError, "in the pattern '{}', column {}: {}"};

// The text is written by a person, for whom one error is enough.
constexpr int kMaxDepth = 200;

class PatternParser {
 public:
  PatternParser(Context& context, PatternTable& table, std::string_view text)
      : context_(context), table_(table), text_(text) {}

  auto Run() -> Result<DFPattern> {
    const DFPattern pattern = Alternatives();
    SkipBlanks();
    if (error_.empty() && at_ != text_.size()) Fail("expected the end");
    if (!error_.empty()) return MakeDiagnostic(kBadPattern, {}, text_, error_at_ + 1, error_);
    return pattern;
  }

 private:
  auto Fail(std::string_view what) -> DFPattern {
    if (error_.empty()) {
      error_ = what;
      error_at_ = at_;
    }
    // No more text is parsed.
    at_ = text_.size();
    return table_.Wildcard();
  }

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  auto Peek(std::string_view token) -> bool {
    SkipBlanks();
    return text_.substr(at_).starts_with(token);
  }
  auto Take(std::string_view token) -> bool {
    if (!Peek(token)) return false;
    at_ += token.size();
    return true;
  }
  void Expect(std::string_view token) {
    if (!Take(token)) Fail("expected '" + std::string(token) + "'");
  }
  // Letters, digits, underscores and, with `dots`, dots that a letter follows.
  auto Name(bool dots) -> std::string_view {
    SkipBlanks();
    const size_t begin = at_;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool is_dot = dots && c == '.' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
      if (!is_letter(c) && !(c >= '0' && c <= '9') && !is_dot) break;
    }
    return text_.substr(begin, at_ - begin);
  }
  auto Integer() -> int64_t {
    SkipBlanks();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc())
      Fail("expected an integer");
    else
      at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  auto Alternatives() -> DFPattern {
    if (++depth_ > kMaxDepth) return Fail("the pattern is nested too deeply");
    DFPattern pattern = Postfix();
    while (Take("|")) pattern = pattern | Postfix();
    --depth_;
    return pattern;
  }

  auto Postfix() -> DFPattern {
    DFPattern pattern = Primary();
    while (error_.empty()) {
      if (Peek("(")) {
        pattern = Call(pattern);
      } else if (Take(".*")) {
        pattern = table_.TupleGetItem(pattern);
      } else if (Take(".")) {
        pattern = table_.TupleGetItem(pattern, Integer());
      } else if (Take("{")) {
        pattern = pattern.HasAttrs(Attrs());
      } else if (Take(":")) {
        pattern = Typed(pattern);
      } else {
        break;
      }
    }
    return pattern;
  }

  // `(p, q)`; `comma` is set to whether there was a comma.
  auto List(bool* comma = nullptr) -> std::vector<PatternId> {
    Expect("(");
    std::vector<PatternId> list;
    while (error_.empty() && !Take(")")) {
      list.push_back(Alternatives().id());
      if (Take(")")) break;
      Expect(",");
      if (comma != nullptr) *comma = true;
    }
    return list;
  }

  auto TakeAny() -> bool {
    const size_t begin = at_;
    if (Take("(") && Take("...") && Take(")")) return true;
    at_ = begin;
    return false;
  }

  auto Call(DFPattern callee) -> DFPattern {
    if (TakeAny()) return callee.Call();
    DFPatternNode node{.kind = DFPatternKind::kCall, .children = List()};
    node.children.insert(node.children.begin(), callee.id());
    return table_.Add(std::move(node));
  }

  auto Primary() -> DFPattern {
    if (Take("*")) return table_.Wildcard();
    if (Take("%")) return table_.Var(Name(false));
    if (Take("$")) return Named();
    if (Peek("(")) return TupleOrGroup();
    const std::string_view name = Name(true);
    if (name == "const") return table_.Constant();
    if (name == "if") return Fixed(DFPatternKind::kIf, 3);
    if (name == "let") return Fixed(DFPatternKind::kLet, 3);
    if (name == "dominates") return Fixed(DFPatternKind::kDominator, 3);
    if (name == "fn") return table_.Add({.kind = DFPatternKind::kFunction, .children = List()});
    if (const OpDef* op = FindOp(name)) return table_.Op(op);
    if (name.empty()) return Fail("expected a pattern: *, const, %name, $name, an operator or '('");
    at_ -= name.size();
    std::vector<std::string_view> names;
    for (const OpDef* known : AllOps()) names.push_back(known->name);
    return Fail(fmt::format("there is no operator '{}'{}", name, DidYouMean(name, names)));
  }

  auto Fixed(DFPatternKind kind, size_t count) -> DFPattern {
    std::vector<PatternId> children = List();
    if (children.size() != count) return Fail("expected three patterns in parentheses");
    return table_.Add({.kind = kind, .children = std::move(children)});
  }

  auto Named() -> DFPattern {
    const std::string name(Name(false));
    if (Take("=")) {
      const DFPattern pattern = Postfix();
      named_.insert_or_assign(name, pattern);
      return pattern;
    }
    const auto [place, is_new] = named_.try_emplace(name);
    if (is_new) place->second = table_.Wildcard();
    return place->second;
  }

  auto TupleOrGroup() -> DFPattern {
    if (TakeAny()) return table_.AnyTuple();
    bool comma = false;
    std::vector<PatternId> fields = List(&comma);
    if (fields.size() == 1 && !comma) return {table_, fields[0]};
    return table_.Add({.kind = DFPatternKind::kTuple, .children = std::move(fields)});
  }

  auto Attrs() -> std::vector<RequiredAttr> {
    std::vector<RequiredAttr> attrs;
    while (error_.empty() && !Take("}")) {
      attrs.emplace_back();
      RequiredAttr& value = attrs.back();
      value.name = std::string(Name(true));
      Expect("=");
      Value(value);
      if (!Take(",")) {
        Expect("}");
        break;
      }
    }
    return attrs;
  }

  void Value(RequiredAttr& value) {
    if (Take("\"")) {
      const size_t end = std::min(text_.find('"', at_), text_.size());
      value.kind = RequiredAttr::Kind::kString;
      value.text = std::string(text_.substr(at_, end - at_));
      at_ = end;
      Expect("\"");
    } else if (Take("[")) {
      value.kind = RequiredAttr::Kind::kObject;
      std::vector<ObjectId> items;
      while (error_.empty() && !Take("]")) {
        items.push_back(context_.AddInt(Integer()));
        if (!Take(",")) {
          Expect("]");
          break;
        }
      }
      value.object = context_.AddArray(items);
    } else if (Take("True")) {
      value.integer = 1;
    } else if (!Take("False")) {
      Number(value);
    }
  }

  void Number(RequiredAttr& value) {
    SkipBlanks();
    const char* begin = text_.data() + at_;
    const char* limit = text_.data() + text_.size();
    const auto integer = std::from_chars(begin, limit, value.integer);
    const auto real = std::from_chars(begin, limit, value.real);
    if (real.ec != std::errc()) {
      Fail("expected a number, a string in quotes, True, False or a list of integers");
      return;
    }
    if (real.ptr != integer.ptr) value.kind = RequiredAttr::Kind::kFloat;
    at_ = static_cast<size_t>(real.ptr - text_.data());
  }

  auto Typed(DFPattern pattern) -> DFPattern {
    if (!Take("(")) {
      const auto dtype = ParseDataType(Name(false));
      return dtype && !dtype->is_void() ? pattern.HasDType(*dtype) : Fail("expected an element type or a shape");
    }
    std::vector<Dim> shape;
    while (error_.empty() && !Take(")")) {
      shape.push_back(Take("?") ? Dim::Any() : Dim(Integer()));
      if (!Take(",")) {
        Expect(")");
        break;
      }
    }
    return pattern.HasShape(std::move(shape));
  }

  Context& context_;
  PatternTable& table_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
  size_t error_at_ = 0;
  absl::flat_hash_map<std::string, DFPattern> named_;
};

}  // namespace

auto ParsePattern(Context& context, PatternTable& table, std::string_view text) -> Result<DFPattern> {
  return PatternParser(context, table, text).Run();
}

}  // namespace relayopt
