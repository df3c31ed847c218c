// CanonicalizeCast: repeats widening casts for each element-wise user.
#include <algorithm>
#include <vector>

#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

class Canonicalizer {
 public:
  explicit Canonicalizer(const Function& function) : function_(function), rebuild_(function), used_(function.size()) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) { return IsCheap(id) ? WithOwnCasts(id) : ExprId(); });
  }

 private:
  // Whether it is a call that fusion computes element by element.
  auto IsCheap(ExprId id) const -> bool {
    return function_.kind(id) == ExprKind::kOpCall && function_.op(id)->fusion <= Fusion::kBroadcast;
  }

  auto BitsOf(ExprId id) const -> int {
    if (!function_.type(id)) return 0;
    const Type& type = function_.context().type(function_.type(id));
    return type.is_tensor() ? type.dtype.bits : 0;
  }

  auto IsWideningCast(ExprId id) const -> bool {
    if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "cast"_op) return false;
    const int before = BitsOf(function_.operand(id, 0));
    return before != 0 && before < BitsOf(id);
  }

  // The first use keeps the shared cast, every further one gets a cast of its own. Returns none if there are only first
  // uses.
  auto WithOwnCasts(ExprId id) -> ExprId {
    const auto operands = function_.operands(id);
    const auto is_widening = [this](ExprId arg) { return IsWideningCast(arg); };
    if (std::ranges::none_of(operands, is_widening)) return {};
    std::vector<bool> repeats;
    for (const ExprId arg : operands) {
      repeats.push_back(is_widening(arg) && used_[arg]);
      if (is_widening(arg)) used_[arg] = true;
    }
    if (std::ranges::find(repeats, true) == repeats.end()) return {};
    std::vector<ExprId> args;
    for (size_t i = 0; i < repeats.size(); ++i) {
      const ExprId arg = operands[i];
      args.push_back(repeats[i] ? rebuild_.Copy(arg) : rebuild_.New(arg));
    }
    return rebuild_.to().Copy(function_, id, args);
  }

  const Function& function_;
  Rebuild rebuild_;
  // Widening casts that a cheap call has used.
  SideTable<ExprId, bool> used_;
};

struct CanonicalizeCast {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Canonicalizer(function).Run();
  }
};

}  // namespace

constinit const PassDef kCanonicalizeCastPass = DescribePass<CanonicalizeCast>({
    .name = "CanonicalizeCast",
    .opt_level = 3,
    .required = "InferType",
    .summary = "repeats widening casts for each element-wise user",
    .details =
        R"(A cast to a wider type with several elementwise or broadcasting users is repeated, so that fusion can
put it into each of their kernels and the narrow tensor is what goes through memory:

  %0 = cast(%x, dtype="int32");          %0 = cast(%x, dtype="int32");
  %1 = add(%0, %a);                      %1 = add(%0, %a);
  %2 = multiply(%0, %b);           =>    %2 = cast(%x, dtype="int32");
  (%1, %2)                               %3 = multiply(%2, %b);
                                         (%1, %3)

The first such user keeps the shared cast. Casts that do not widen, and users of other kinds (convolutions,
reductions, operators without a fusion class), stay as they are.)",
    .idempotent = true,
});

}  // namespace relayopt
