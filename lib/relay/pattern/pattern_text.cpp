// Parses patterns.
#include "relayopt/relay/pattern/pattern_text.h"

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_cursor.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kBadPattern = {"bad-pattern", Severity::kError, "in the pattern '{}', column {}: {}"};

// The text is written by a person, for whom one error is enough.
constexpr int kMaxDepth = 200;

class PatternParser {
 public:
  PatternParser(Context& context, PatternTable& table, std::string_view text)
      : context_(context), table_(table), in_(text) {}

  auto Run() -> Result<DFPattern> {
    const DFPattern pattern = Alternatives();
    SkipBlanks();
    if (error_.empty() && !in_.at_end()) Fail("expected the end");
    if (!error_.empty()) return MakeDiagnostic(kBadPattern, {}, in_.text(), error_at_ + 1, error_);
    return pattern;
  }

 private:
  auto Fail(std::string_view what) -> DFPattern {
    if (error_.empty()) {
      error_ = what;
      error_at_ = in_.at();
    }
    // No more text is parsed.
    in_.MoveToEnd();
    return table_.Wildcard();
  }

  void SkipBlanks() {
    in_.TakeWhile([](char c) { return c == ' ' || c == '\n' || c == '\t'; });
  }
  auto Peek(std::string_view token) -> bool {
    SkipBlanks();
    return in_.Sees(token);
  }
  auto Take(std::string_view token) -> bool {
    SkipBlanks();
    return in_.Take(token);
  }
  void Expect(std::string_view token) {
    if (!Take(token)) Fail("expected '" + std::string(token) + "'");
  }
  // Letters, digits, underscores and, with `dots`, dots that a letter follows.
  auto Name(bool dots) -> std::string_view {
    SkipBlanks();
    const size_t begin = in_.at();
    in_.TakeWhile(IsNameCharacter);
    while (dots && in_.Sees('.') && in_.rest().size() > 1 && IsNameStart(in_.rest()[1])) {
      in_.Advance();
      in_.TakeWhile(IsNameCharacter);
    }
    return in_.Since(begin);
  }
  auto Integer() -> int64_t {
    SkipBlanks();
    const auto value = in_.TakeNumber<int64_t>();
    if (!value) Fail("expected an integer");
    return value.value_or(0);
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
    const size_t begin = in_.at();
    if (Take("(") && Take("...") && Take(")")) return true;
    in_.MoveTo(begin);
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
    in_.MoveTo(in_.at() - name.size());
    auto names = MapToVector<std::string_view>(AllOps(), &OpDef::name);
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
      value.kind = RequiredAttr::Kind::kString;
      value.text = std::string(in_.TakeWhile([](char c) { return c != '"'; }));
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
    const size_t begin = in_.at();
    const auto integer = in_.TakeNumber<int64_t>();
    const size_t integer_end = in_.at();
    in_.MoveTo(begin);
    const auto real = in_.TakeNumber<double>();
    if (!real) {
      Fail("expected a number, a string in quotes, True, False or a list of integers");
      return;
    }
    value.real = *real;
    if (integer && in_.at() == integer_end)
      value.integer = *integer;
    else
      value.kind = RequiredAttr::Kind::kFloat;
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
  TextCursor in_;
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
