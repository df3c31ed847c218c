// Finding what is different between two modules.
//
//   before                          after
//   %0 = nn.conv2d(%x, %w);         %0 = nn.conv2d(%x, %w);
//   %1 = nn.relu(%0);               %1 = add(%0, %b);             added
//   nn.relu(%1)                     %2 = nn.relu(%1);             changed: operand 0
//                                   nn.relu(%2)
//
// Expressions are put in the order of the text and aligned as lines are, not by their text but by what they compute:
// first those that agree with their operands and the operands of these, then, between what has been found, those that
// agree with their operands, by themselves, and at last by their operator only. Pairs are then compared exactly, where
// an operand is the same when the pair says so: numbers and names are ignored.
#include "relayopt/relay/text/module_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "diff_layout.h"
#include "function_view.h"
#include "relayopt/core/same_tensor.h"
#include "relayopt/relay/text/module_lines.h"
#include "relayopt/support/align.h"
#include "relayopt/support/line_diff.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Compares two functions of Relay of the same name.
class FunctionDiffer {
 public:
  FunctionDiffer(const FunctionView& before, const FunctionView& after, DiffNames& names)
      : before_(before), after_(after), names_(names), partner_(before.function().size()) {}

  // The expressions that correspond.
  auto Aligned() -> std::vector<AlignedExprs> {
    Pair();
    std::vector<AlignedExprs> aligned;
    for (const auto& [in_a, in_b] : pairs_) {
      std::vector<DiffDetail> details;
      const ExprId a = before_.items()[in_a];
      const ExprId b = after_.items()[in_b];
      Compare(a, b, details);
      aligned.push_back({a, b, details.empty()});
    }
    return aligned;
  }

  // Returns nothing if they are equal.
  auto Run() -> std::vector<PlacedExpr> {
    Pair();
    std::vector<PlacedExpr> exprs;
    bool differs = false;
    size_t a = 0;
    size_t b = 0;
    const auto change_to = [&](size_t end_a, size_t end_b) {
      differs = differs || a < end_a || b < end_b;
      for (; a < end_a; ++a) {
        exprs.push_back({before_.items()[a], std::nullopt, {DiffKind::kRemoved, TextOf(before_, a), "", {}}});
      }
      for (; b < end_b; ++b) {
        exprs.push_back({std::nullopt, after_.items()[b], {DiffKind::kAdded, "", TextOf(after_, b), {}}});
      }
    };
    for (const auto& [in_a, in_b] : pairs_) {
      change_to(in_a, in_b);
      ExprDiff expr = {DiffKind::kSame, TextOf(before_, in_a), TextOf(after_, in_b), {}};
      Compare(before_.items()[in_a], after_.items()[in_b], expr.details);
      if (!expr.details.empty()) expr.kind = DiffKind::kChanged;
      differs = differs || expr.kind != DiffKind::kSame;
      exprs.push_back({before_.items()[in_a], after_.items()[in_b], std::move(expr)});
      a = in_a + 1;
      b = in_b + 1;
    }
    change_to(before_.items().size(), after_.items().size());
    return differs ? exprs : std::vector<PlacedExpr>();
  }

 private:
  using Positions = std::pair<size_t, size_t>;

  static auto TextOf(const FunctionView& view, size_t position) -> std::string {
    return view.TextOf(view.items()[position]);
  }

  void Pair() {
    for (size_t level = 0; level < FunctionView::kLevels; ++level) PairBetween(level);
    for (const auto& [a, b] : pairs_) partner_[before_.items()[a]] = after_.items()[b];
  }

  // Adds the pairs of one level between the existing ones.
  void PairBetween(size_t level) {
    std::vector<Positions> all;
    Positions from = {0, 0};
    const auto fill = [&](Positions to) {
      const std::span keys_a = std::span(before_.Keys(level)).subspan(from.first, to.first - from.first);
      const std::span keys_b = std::span(after_.Keys(level)).subspan(from.second, to.second - from.second);
      if (keys_a.empty() || keys_b.empty()) return;
      for (const auto& [a, b] : Align(keys_a, keys_b)) all.emplace_back(from.first + a, from.second + b);
    };
    for (const Positions& pair : pairs_) {
      fill(pair);
      all.push_back(pair);
      from = {pair.first + 1, pair.second + 1};
    }
    fill({before_.items().size(), after_.items().size()});
    pairs_ = std::move(all);
  }

  void Compare(ExprId a, ExprId b, std::vector<DiffDetail>& details) {
    const Function& f = before_.function();
    const Function& g = after_.function();
    CompareAttributes(a, b, details);
    Detail("type", names_.Type(f.type(a)), names_.Type(g.type(b)), details);
    if (f.kind(a) == ExprKind::kTupleGetItem) {
      Detail("index", fmt::to_string(f.index(a)), fmt::to_string(g.index(b)), details);
    }
    if (f.kind(a) == ExprKind::kMatch) Detail("patterns", Patterns(before_, a), Patterns(after_, b), details);
    const auto binding = [](const FunctionView& view, ExprId id) { return view.IsLetBound(id) ? "let" : "none"; };
    Detail("binding", binding(before_, a), binding(after_, b), details);
    CompareOperands(a, b, details);
  }

  void CompareAttributes(ExprId a, ExprId b, std::vector<DiffDetail>& details) {
    const Function& f = before_.function();
    const Function& g = after_.function();
    const ExprKind kind = f.kind(a);
    if (kind == ExprKind::kFunction) {
      CompareFields(FunctionFields(f, a), FunctionFields(g, b), details);
    } else if (kind == ExprKind::kOpCall || kind == ExprKind::kCall) {
      const AttrsId left = f.attrs(a);
      const AttrsId right = g.attrs(b);
      if (left == right || (left && right && names_.context().EqualAttrs(left, right))) return;
      CompareFields(names_.Fields(left), names_.Fields(right), details);
    }
  }

  auto FunctionFields(const Function& function, ExprId id) -> std::vector<std::pair<std::string, std::string>> {
    return MapToVector<std::pair<std::string, std::string>>(function.info(id).attrs, [&](const FunctionAttr& attr) {
      return std::pair<std::string, std::string>(names_.context().text(attr.key), names_.Value(attr.value));
    });
  }

  static void CompareFields(const std::vector<std::pair<std::string, std::string>>& before,
                            const std::vector<std::pair<std::string, std::string>>& after,
                            std::vector<DiffDetail>& details) {
    std::map<std::string, std::pair<std::string, std::string>> fields;
    for (const auto& [key, value] : before) fields[key].first = value;
    for (const auto& [key, value] : after) fields[key].second = value;
    for (const auto& [key, values] : fields) Detail("attribute " + key, values.first, values.second, details);
  }

  static auto Patterns(const FunctionView& view, ExprId id) -> std::string {
    const MatchInfo& match = view.function().match(id);
    std::string text = match.complete ? "complete" : "partial";
    for (const Pattern& pattern : match.patterns) {
      text += fmt::format(" {}{}", static_cast<int>(pattern.kind), pattern.num_children);
      if (pattern.ctor.has_value()) text += fmt::format(":{}", pattern.ctor.value());
    }
    return text;
  }

  void CompareOperands(ExprId a, ExprId b, std::vector<DiffDetail>& details) {
    const std::vector<ExprId> left = before_.OperandsOf(a);
    const std::vector<ExprId> right = after_.OperandsOf(b);
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      const std::string what = fmt::format("operand {}", i);
      if (i >= left.size()) {
        details.push_back({what, "", after_.RefOf(right[i])});
      } else if (i >= right.size()) {
        details.push_back({what, before_.RefOf(left[i]), ""});
      } else if (!Corresponds(left[i], right[i])) {
        details.push_back({what, before_.RefOf(left[i]), after_.RefOf(right[i])});
      }
    }
  }

  auto Corresponds(ExprId a, ExprId b) const -> bool {
    if (before_.IsItem(a)) return partner_[a].has_value() && partner_[a] == b;
    if (after_.IsItem(b)) return false;
    const Function& f = before_.function();
    const Function& g = after_.function();
    if (f.kind(a) != g.kind(b)) return false;
    if (f.kind(a) != ExprKind::kConstant) return before_.LeafOf(a) == after_.LeafOf(b);
    return f.constant_id(a) == g.constant_id(b) || SameTensor(f.constant(a), g.constant(b));
  }

  static void Detail(std::string what, const std::string& before, const std::string& after,
                     std::vector<DiffDetail>& details) {
    if (before != after) details.push_back({std::move(what), before, after});
  }

  const FunctionView& before_;
  const FunctionView& after_;
  DiffNames& names_;
  // Pairs of items, ascending on both sides.
  std::vector<Positions> pairs_;
  SideTable<ExprId, ExprId> partner_;
};

// Returns the definitions of types as text.
auto TypeTexts(const Module& module, DiffNames& names) -> std::map<std::string, std::string> {
  std::map<std::string, std::string> texts;
  for (const TypeDef& def : module.type_defs()) {
    std::string text = fmt::format("{} parameters\n", def.params.size());
    for (const CtorId ctor : def.constructors) {
      text += std::string(module.context().text(module.constructor(ctor).name)) + '(';
      for (const TypeId input : module.constructor(ctor).inputs) text += names.Type(input) + ", ";
      text += ")\n";
    }
    texts["type " + std::string(module.context().text(def.name))] = std::move(text);
  }
  return texts;
}

auto AttrTexts(const Module& module, DiffNames& names) -> std::map<std::string, std::string> {
  std::map<std::string, std::string> texts;
  for (const DictAttr& attr : module.attrs()) {
    texts["attribute " + std::string(module.context().text(attr.key))] = names.Value(attr.value) + "\n";
  }
  return texts;
}

// The lines of a text, each after a sign.
auto Marked(std::string_view text, char sign) -> std::string {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += fmt::format("{} {}\n", sign, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class ModuleDiffer {
 public:
  ModuleDiffer(const Module& before, const Module& after, const std::vector<std::string>& functions, TypePrinting types)
      : before_(before), after_(after), functions_(functions), types_(types), names_(before.context()) {}

  auto Run() -> ModuleDiff {
    if (functions_.empty()) {
      CompareTexts(TypeTexts(before_, names_), TypeTexts(after_, names_));
      CompareTexts(AttrTexts(before_, names_), AttrTexts(after_, names_));
    }
    std::map<std::string, std::pair<GlobalId, GlobalId>> functions;
    for (const GlobalId id : before_.SortedFunctions()) functions[std::string(before_.name(id))].first = id;
    for (const GlobalId id : after_.SortedFunctions()) functions[std::string(after_.name(id))].second = id;
    for (const auto& [name, ids] : functions) {
      if (!functions_.empty() && std::ranges::find(functions_, name) == functions_.end()) continue;
      CompareFunctions("@" + name, ids.first, ids.second);
    }
    return std::move(diff_);
  }

 private:
  void CompareTexts(const std::map<std::string, std::string>& before, const std::map<std::string, std::string>& after) {
    for (const auto& [name, text] : before) {
      const auto found = after.find(name);
      if (found == after.end()) {
        diff_.items.push_back({.kind = DiffKind::kRemoved, .name = name});
      } else if (found->second != text) {
        diff_.items.push_back({.kind = DiffKind::kChanged, .name = name, .lines = LineDiff(text, found->second)});
      }
    }
    for (const auto& [name, text] : after) {
      if (!before.contains(name)) diff_.items.push_back({.kind = DiffKind::kAdded, .name = name});
    }
  }

  void CompareFunctions(const std::string& name, GlobalId a, GlobalId b) {
    if (!a || !b) {
      const std::string text = a ? PrintFunction(before_, a, PrintedModule::Options(types_))
                                 : PrintFunction(after_, b, PrintedModule::Options(types_));
      diff_.items.push_back(
          {.kind = a ? DiffKind::kRemoved : DiffKind::kAdded, .name = name, .lines = Marked(text, a ? '-' : '+')});
      return;
    }
    if (before_.function(a) == after_.function(b)) return;
    if (before_.function<Function>(a) != nullptr && after_.function<Function>(b) != nullptr) {
      if (!printed_before_) printed_before_.emplace(before_, types_);
      if (!printed_after_) printed_after_.emplace(after_, types_);
      ItemDiff diff = DiffFunctions(a, b, /*by_name=*/false);
      if (diff.exprs.empty()) return;
      // Names are not compared, except to find out which parameter was added or removed.
      ItemDiff by_name = DiffFunctions(a, b, /*by_name=*/true);
      if (CountChanges(by_name.exprs) < CountChanges(diff.exprs)) diff = std::move(by_name);
      diff.name = name;
      diff_.items.push_back(std::move(diff));
      return;
    }
    const std::string text_a = PrintFunction(before_, a);
    const std::string text_b = PrintFunction(after_, b);
    if (text_a != text_b)
      diff_.items.push_back({.kind = DiffKind::kChanged, .name = name, .lines = LineDiff(text_a, text_b)});
  }

  auto DiffFunctions(GlobalId a, GlobalId b, bool by_name) -> ItemDiff {
    const FunctionView view_a(before_, a, *printed_before_, names_, by_name);
    const FunctionView view_b(after_, b, *printed_after_, names_, by_name);
    const std::vector<PlacedExpr> exprs = FunctionDiffer(view_a, view_b, names_).Run();
    ItemDiff diff{.kind = DiffKind::kChanged, .layout = LayOut(exprs, view_a, view_b)};
    for (const PlacedExpr& expr : exprs) diff.exprs.push_back(expr.diff);
    return diff;
  }

  static auto CountChanges(const std::vector<ExprDiff>& exprs) -> ptrdiff_t {
    return std::ranges::count_if(exprs, [](const ExprDiff& expr) { return expr.kind != DiffKind::kSame; });
  }

  const Module& before_;
  const Module& after_;
  const std::vector<std::string>& functions_;
  const TypePrinting types_;
  DiffNames names_;
  std::optional<PrintedModule> printed_before_;
  std::optional<PrintedModule> printed_after_;
  ModuleDiff diff_;
};

}  // namespace

auto AlignFunctions(const ModuleLines& before, GlobalId a, const ModuleLines& after, GlobalId b)
    -> std::vector<AlignedExprs> {
  DiffNames names(before.module().context());
  const auto align = [&](bool by_name) {
    const FunctionView view_a(before.module(), a, *before.printed_, names, by_name);
    const FunctionView view_b(after.module(), b, *after.printed_, names, by_name);
    return FunctionDiffer(view_a, view_b, names).Aligned();
  };
  std::vector<AlignedExprs> aligned = align(/*by_name=*/false);
  const auto count = [](const std::vector<AlignedExprs>& pairs) {
    return std::ranges::count_if(pairs, &AlignedExprs::is_same);
  };
  const size_t params = before.module().function<Function>(a)->params().size();
  if (params == after.module().function<Function>(b)->params().size()) return aligned;
  // If parameters were added or removed, names identify the others.
  std::vector<AlignedExprs> by_name = align(/*by_name=*/true);
  return count(by_name) > count(aligned) ? by_name : aligned;
}

auto DiffModules(const Module& before, const Module& after, const std::vector<std::string>& functions,
                 TypePrinting types) -> ModuleDiff {
  return ModuleDiffer(before, after, functions, types).Run();
}

}  // namespace relayopt
