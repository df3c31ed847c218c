// SplitArgs: splits concatenations of many tensors into chains of smaller ones.
#include <optional>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kTooFewArguments = {
    "too-few-function-arguments", Severity::kError,
    "SplitArgs: a kernel with {} arguments has no room for the {} of the result of this concatenate"};

// How many arguments of a kernel a tensor of unknown extents takes besides its data: one for each unknown extent, and
// its strides.
auto ExtraArguments(const Type& type) -> int64_t {
  int64_t unknown = 0;
  for (const Dim& extent : type.shape) unknown += extent.is_int() ? 0 : 1;
  return unknown == 0 ? 0 : unknown + static_cast<int64_t>(type.rank());
}

// The same for a result, for which extents are not passed.
auto ResultArguments(const Type& type) -> int64_t {
  return 1 + (ExtraArguments(type) == 0 ? 0 : static_cast<int64_t>(type.rank()));
}

class Splitter {
 public:
  Splitter(const Function& function, int64_t max_arguments)
      : function_(function),
        rebuild_(function),
        max_arguments_(max_arguments),
        splits_(function.size()),
        needs_(function.size()),
        changed_(function.size()),
        originals_(function.size()) {}

  auto Run() -> Result<std::optional<Function>> {
    bool any = false;
    for (const ExprId id : function_.ids()) {
      RELAYOPT_TRY(const bool split, NeedsSplit(id));
      splits_[id] = split;
      any |= split;
    }
    if (!any) return std::optional<Function>();
    FindNeeds();
    for (const ExprId id : function_.ids()) Visit(id);
    return std::optional(rebuild_.Finish());
  }

 private:
  // For each expression, which versions are used: the rewritten one, and the original.
  struct Needs {
    bool rewritten = false;
    bool original = false;
  };

  auto TypeOf(ExprId id) const -> const Type& { return function_.context().type(function_.type(id)); }
  auto Fields(ExprId concatenate) const { return function_.operands(function_.operand(concatenate, 0)); }
  auto Limit(ExprId concatenate) const -> int64_t { return max_arguments_ - ResultArguments(TypeOf(concatenate)); }

  auto NeedsSplit(ExprId id) const -> Result<bool> {
    if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "concatenate"_op) return false;
    if (function_.kind(function_.operand(id, 0)) != ExprKind::kTuple || Fields(id).empty()) return false;
    int64_t total = 0;
    for (const ExprId field : Fields(id)) {
      if (!function_.type(field)) return false;
      total += 1 + ExtraArguments(TypeOf(field));
    }
    const int64_t limit = Limit(id);
    if (limit <= 0)
      return MakeDiagnostic(kTooFewArguments, function_.range(id), max_arguments_, max_arguments_ - limit);
    return total >= limit;
  }

  // As TVM: a concatenation that is split uses its original operands: one that feeds it is not split.
  void FindNeeds() {
    needs_[function_.root()].rewritten = true;
    for (const ExprId id : function_.ids_to_root().reversed()) {
      Needs& needs = needs_[id];
      if (needs.rewritten && needs.original && IsBinder(id)) needs.original = false;
      if (splits_[id] && needs.rewritten) {
        for (const ExprId field : Fields(id)) needs_[field].original = true;
      }
      for (const ExprId operand : function_.operands(id)) {
        if (needs.original) needs_[operand].original = true;
        if (needs.rewritten && !splits_[id]) needs_[operand].rewritten = true;
      }
    }
  }

  // Two copies would bind a variable twice.
  auto IsBinder(ExprId id) const -> bool {
    const ExprKind kind = function_.kind(id);
    return kind == ExprKind::kLet || kind == ExprKind::kFunction || kind == ExprKind::kMatch;
  }

  void Visit(ExprId id) {
    changed_[id] = splits_[id];
    for (const ExprId operand : function_.operands(id)) changed_[id] = changed_[id] || changed_[operand];
    if (!changed_[id]) {
      rebuild_.Set(id, rebuild_.Copy(id));
      return;
    }
    if (needs_[id].rewritten) rebuild_.Set(id, splits_[id] ? Split(id) : rebuild_.Copy(id));
    if (needs_[id].original) {
      const auto operands =
          MapToVector<ExprId>(function_.operands(id), [&](ExprId operand) { return Original(operand); });
      originals_[id] = rebuild_.to().Copy(function_, id, operands);
    }
  }

  // Returns a copy of the original expression; the rewritten one when they do not differ.
  auto Original(ExprId id) -> ExprId { return originals_[id] ? originals_[id] : rebuild_.New(id); }

  auto Split(ExprId id) -> ExprId {
    const int64_t limit = Limit(id);
    std::vector<ExprId> fields;
    int64_t used = 0;
    for (const ExprId field : Fields(id)) {
      const int64_t cost = 1 + ExtraArguments(TypeOf(field));
      if (used + cost > limit && !fields.empty()) {
        fields = {Join(id, fields)};
        used = cost;
      }
      used += cost;
      fields.push_back(Original(field));
    }
    return Join(id, fields);
  }

  // Returns a concatenation of its own kernel.
  auto Join(ExprId like, std::span<const ExprId> fields) -> ExprId {
    const ExprId tuple = EmitTuple(rebuild_.to(), fields);
    const ExprId barrier = EmitCall(rebuild_.to(), "annotation.stop_fusion"_op, {tuple});
    return EmitCall(rebuild_.to(), "concatenate"_op, {barrier}, function_.attrs(like));
  }

  const Function& function_;
  Rebuild rebuild_;
  int64_t max_arguments_;
  SideTable<ExprId, bool> splits_;
  SideTable<ExprId, Needs> needs_;
  // Whether the expression or one below it is split.
  SideTable<ExprId, bool> changed_;
  SideTable<ExprId, ExprId> originals_;
};

struct SplitArgs {
  struct Options {
    int64_t max_function_args = 0;
    static constexpr auto Fields() {
      return std::array{RequiredOption<&Options::max_function_args>(
          "how many arguments a kernel may have; 0: any number", {.min = 0})};
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    if (options.max_function_args <= 0) return std::optional<Function>();
    return Splitter(function, options.max_function_args).Run();
  }
};

}  // namespace

constinit const PassDef kSplitArgsPass = DescribePass<SplitArgs>({
    .name = "SplitArgs",
    .opt_level = 1,
    .required = "InferType",
    .summary = "splits concatenations that would need kernels with too many arguments",
    .details = R"(A concatenate of more tensors than a kernel may have arguments becomes a chain of smaller ones, which
annotation.stop_fusion keeps apart. With max_function_args=4, that is three inputs and one result:

  %0 = (%a, %b, %c, %d);           %0 = (%a, %b, %c);
  concatenate(%0)            =>    %1 = annotation.stop_fusion(%0);
                                   %2 = concatenate(%1);
                                   %3 = (%2, %d);
                                   %4 = annotation.stop_fusion(%3);
                                   concatenate(%4)

A tensor with unknown extents counts once more for each of them and for each stride. A concatenate that uses the
arguments up exactly is kept apart from its operands without being split. Smaller ones, those whose operand is no
literal tuple, and those that feed a concatenate which is split stay.)",
    .idempotent = false,
});

}  // namespace relayopt
