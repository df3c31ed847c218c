// FakeQuantizationToInteger: real arithmetic between dequantization and quantization becomes integer arithmetic.
//
// A region is what lies between a qnn.quantize and the qnn.dequantize calls above it, where every operator has a rule.
//
// 1. From the operand of a qnn.quantize to the expressions below it: operators with rules, tuples and constants, up
//    to qnn.dequantize. Anything else, and there is no region.
// 2. The region is made again, operands first: a dequantized operand is its integer tensor with scale, zero point
//    and axis (AffineType); the rule of an operator takes such operands, emits integer operators, and determines which
//    scale and zero point the result has. The quantize becomes a qnn.requantize from that to its own.
// 3. Where a rule refuses (scales for each channel that it would mix up), the whole region stays (hard_fail: an error).
//
//   %0 = qnn.dequantize(%x, 0.5f, 1);       int8, scale 0.5, zero point 1
//   %1 = qnn.dequantize(%w, 0.25f, 0);      int8, scale 0.25
//   %2 = nn.dense(%0, %1, units=2);         qnn.dense(%x, %w, 1, 0, 0.5f, 0.25f): int32, scale 0.125, zero point 0
//   %3 = nn.relu(%2);                       maximum(.., 0), the zero point
//   qnn.quantize(%3, 0.125f, 3)             qnn.requantize(.., 0.125f, 0, 0.125f, 3)
//
// A result in the middle of a region is not quantized like the region's: multiply(add(%0, 10f), 0.1f) would be cut off
// after the sum. Only where all that follows commutes with rounding and clipping (is_last) it is; elsewhere its
// numbers have to fit, be accumulators of int32, or the region stays.
//
// Invariants: a region has one quantize, and is rewritten for it alone: values with other users stay in floats for
// them. Regions may overlap; the number of visits of an expression for that is limited.
#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/pass_remarks.h"
#include "lib/relay/transforms/quantize/fake_quantization/rules.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/option_checks.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoIntegerForm = {"no-integer-form", Severity::kError,
                                           "the value quantized here cannot be computed with integers: {}"};

struct FakeQuantizationOptions {
  bool hard_fail = false;
  bool use_qat = false;
  std::vector<std::string> optional_qnn_ops;
  static constexpr auto Fields() {
    return std::array{
        Option<&FakeQuantizationOptions::hard_fail>("a region that stays is an error"),
        Option<&FakeQuantizationOptions::use_qat>("rewrite single operators on dequantized operands as well"),
        Option<&FakeQuantizationOptions::optional_qnn_ops>(
            "operators to quantize although that costs digits: nn.softmax",
            {.choices = OperatorNames, .check = CheckOperators}),
    };
  }
};

// Returns the rule of an operator, as far as the options admit it.
auto RuleOf(const OpDef* op, const FakeQuantizationOptions& options) -> const FakeQuantizationRule* {
  const FakeQuantizationRule* rule = FindFakeQuantizationRule(op);
  if (rule == nullptr || !rule->is_optional) return rule;
  return std::ranges::find(options.optional_qnn_ops, op->name) == options.optional_qnn_ops.end() ? nullptr : rule;
}

// Returns the result of a rule, if its operator accepts it.
auto Apply(const FakeQuantizationRule& rule, FakeQuantizedCall& call) -> std::optional<AffineResult> {
  auto result = rule.function(call);
  if (!result) return std::nullopt;
  if (!call.emit.function().type(result->expr)) return call.Refuse("takes no operands of these integer types");
  return result;
}

// The tensor that qnn.dequantize turns into real numbers. `call` is of `function`; its operands are `params` now.
auto DequantizedType(const Function& function, ExprId call, ExprId scale, ExprId zero_point)
    -> std::optional<AffineType> {
  const auto* attrs = function.context().As<DequantizeAttrs>(function.attrs(call));
  const TypeId type = function.type(function.operand(call, 0));
  if (attrs == nullptr || !type || !function.context().type(type).is_tensor()) return std::nullopt;
  return AffineType{scale, zero_point, function.context().type(type).dtype, attrs->axis};
}

// Rewrites what is between qnn.dequantize and qnn.quantize.
class RegionRewriter {
 public:
  RegionRewriter(const Function& function, const FakeQuantizationOptions& options, PassRemarks& remarks)
      : function_(function),
        options_(options),
        remarks_(remarks),
        rebuild_(function),
        emit_(rebuild_.to()),
        visited_(function.size()) {}

  // Returns nothing if nothing changed.
  auto Run() -> Result<std::optional<Function>> {
    bool changed = false;
    for (const ExprId id : function_.ids()) {
      const bool is_quantize = function_.kind(id) == ExprKind::kOpCall && function_.op(id) == "qnn.quantize"_op;
      const ExprId integer = is_quantize ? Rewrite(id) : ExprId();
      if (error_) return std::move(*error_);
      changed |= static_cast<bool>(integer);
      rebuild_.Set(id, integer ? integer : rebuild_.Copy(id));
    }
    if (!changed) return std::optional<Function>();
    return std::optional(rebuild_.Finish());
  }

 private:
  // Regions overlap where one value is quantized in several ways, and each is rewritten for itself. This bounds what
  // that may cost in a program made for it.
  static constexpr size_t kMostWorkPerNode = 16;

  auto Rewrite(ExprId quantize) -> ExprId {
    blame_ = {};
    why_ = {};
    region_.clear();
    if (!FindRegion(quantize)) return Fail(quantize);
    // Without a call there is nothing between the two.
    if (!has_calls_) return {};
    std::sort(region_.begin(), region_.end());
    const auto* attrs = function_.context().As<QuantizeAttrs>(function_.attrs(quantize));
    if (attrs == nullptr) return {};
    const AffineType out =
        WithScalars(emit_, {rebuild_.New(function_.operand(quantize, 1)), rebuild_.New(function_.operand(quantize, 2)),
                            attrs->out_dtype, attrs->axis});
    rewritten_.clear();
    FindEnd(quantize);
    FindLast();
    for (const ExprId id : region_) {
      auto made = RewriteMember(id, out);
      if (!made) {
        blame_ = id;
        return Fail(quantize);
      }
      rewritten_.emplace(id, std::move(*made));
    }
    const ExprId result = Quantize(quantize, out);
    if (result) remarks_.PassedOp("Integers", quantize, "and what it quantizes are computed on integers");
    return result;
  }

  auto Fail(ExprId quantize) -> ExprId {
    if (!has_calls_) return {};
    const bool is_op = blame_ && function_.kind(blame_) == ExprKind::kOpCall;
    if (remarks_.is_wanted()) {
      std::string text = "is computed on real numbers: ";
      text += is_op ? fmt::format("{} {}", function_.op(blame_)->name, why_.empty() ? "has no integer form here" : why_)
                    : "an operand is not dequantized";
      remarks_.MissedOp("Kept", quantize, text);
    }
    if (!options_.hard_fail) return {};
    const std::string_view reason = is_op ? function_.op(blame_)->name : "an operand is not dequantized";
    error_ = MakeDiagnostic(kNoIntegerForm, function_.range(quantize), reason);
    return {};
  }

  // Finds everything between the quantization and the dequantizations, including these. Returns false if it contains
  // anything but operators with rules, tuples and constants.
  auto FindRegion(ExprId quantize) -> bool {
    has_calls_ = false;
    ++visit_;
    std::vector<ExprId> stack = {function_.operand(quantize, 0)};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (visited_[id] == visit_) continue;
      visited_[id] = visit_;
      if (++work_ > kMostWorkPerNode * function_.size()) return false;
      region_.push_back(id);
      switch (function_.kind(id)) {
        case ExprKind::kConstant: continue;
        case ExprKind::kTuple:
        case ExprKind::kTupleGetItem: break;
        case ExprKind::kOpCall:
          has_calls_ = true;
          if (function_.op(id) == "qnn.dequantize"_op) continue;
          if (RuleOf(function_.op(id), options_) != nullptr) break;
          blame_ = id;
          why_ = "has no integer form";
          return false;
        default: return false;
      }
      const auto operands = function_.operands(id);
      stack.insert(stack.end(), operands.begin(), operands.end());
    }
    return true;
  }

  // Finds the average pooling that the quantization follows, possibly with unary operators in between. The input of a
  // convolution or sum is quantized for these, not for its own result.
  void FindEnd(ExprId quantize) {
    end_ = function_.operand(quantize, 0);
    while (function_.kind(end_) == ExprKind::kOpCall && function_.op(end_) != "nn.avg_pool2d"_op &&
           function_.op(end_) != "qnn.dequantize"_op && function_.operands(end_).size() == 1) {
      end_ = function_.operand(end_, 0);
    }
  }

  // Finds the members after which nothing follows but operators that commute with rounding and clipping.
  void FindLast() {
    inner_.clear();
    for (const ExprId user : std::views::reverse(region_)) {
      const bool is_op = function_.kind(user) == ExprKind::kOpCall;
      if (is_op && function_.op(user) == "qnn.dequantize"_op) continue;
      const FakeQuantizationRule* rule = is_op ? RuleOf(function_.op(user), options_) : nullptr;
      const bool commutes = !is_op || (rule->commutes != nullptr && rule->commutes(function_, user));
      if (commutes && !inner_.contains(user)) continue;
      for (const ExprId operand : function_.operands(user)) inner_.insert(operand);
    }
  }

  auto RewriteMember(ExprId id, const AffineType& out) -> std::optional<AffineOperand> {
    switch (function_.kind(id)) {
      case ExprKind::kConstant: return AffineOperand{rebuild_.New(id), std::nullopt};
      case ExprKind::kTuple: return Tuple(id);
      case ExprKind::kTupleGetItem: return Projection(id);
      default: break;
    }
    if (function_.op(id) == "qnn.dequantize"_op) {
      auto type = DequantizedType(function_, id, rebuild_.New(function_.operand(id, 1)),
                                  rebuild_.New(function_.operand(id, 2)));
      if (!type) return std::nullopt;
      return AffineOperand{rebuild_.New(function_.operand(id, 0)), WithScalars(emit_, *std::move(type))};
    }
    const auto args =
        MapToVector<AffineOperand>(function_.operands(id), [&](ExprId operand) { return rewritten_.at(operand); });
    FakeQuantizedCall call{{function_, id}, emit_, args, &out, id == end_, !inner_.contains(id)};
    auto result = Apply(*RuleOf(function_.op(id), options_), call);
    why_ = call.refusal;
    if (!result) return std::nullopt;
    return AffineOperand{result->expr, std::move(result->type)};
  }

  auto Tuple(ExprId id) -> std::optional<AffineOperand> {
    std::vector<ExprId> fields;
    AffineType type;
    for (const ExprId operand : function_.operands(id)) {
      const AffineOperand& field = rewritten_.at(operand);
      if (!field.type) return std::nullopt;
      fields.push_back(field.expr);
      type.fields.push_back(*field.type);
    }
    return AffineOperand{EmitTuple(rebuild_.to(), fields), std::move(type)};
  }

  auto Projection(ExprId id) -> std::optional<AffineOperand> {
    const AffineOperand& tuple = rewritten_.at(function_.operand(id, 0));
    const uint32_t index = function_.index(id);
    if (!tuple.type || index >= tuple.type->fields.size()) return std::nullopt;
    return AffineOperand{EmitTupleGetItem(rebuild_.to(), tuple.expr, index), tuple.type->fields[index]};
  }

  // Returns the final quantization: a requantization, or nothing if the integers already have the required type.
  auto Quantize(ExprId quantize, const AffineType& out) -> ExprId {
    const AffineOperand& data = rewritten_.at(function_.operand(quantize, 0));
    if (!data.type || !data.type->fields.empty()) return Fail(quantize);
    ExprId result = data.expr;
    if (!AreClose(emit_, *data.type, out)) {
      result = EmitRequantizeCall(emit_, result, *data.type, out, out.dtype, data.type->axis);
    }
    const Type* made = emit_.tensor(result);
    if (made == nullptr || made->dtype != out.dtype) return Fail(quantize);
    return result;
  }

  const Function& function_;
  const FakeQuantizationOptions& options_;
  PassRemarks& remarks_;
  Rebuild rebuild_;
  QnnEmitter emit_;
  // The region being rewritten, what its members became, and where it ends.
  std::vector<ExprId> region_;
  absl::flat_hash_map<ExprId, AffineOperand> rewritten_;
  ExprId end_;
  // Members whose results later operators change otherwise than quantization does.
  absl::flat_hash_set<ExprId> inner_;
  bool has_calls_ = false;
  // For each node, the last search that visited it.
  SideTable<ExprId, uint32_t> visited_;
  uint32_t visit_ = 0;
  size_t work_ = 0;
  // The expression that prevented rewriting the region, and why, as the predicate of a sentence about its operator.
  ExprId blame_;
  std::string_view why_;
  std::optional<Diagnostic> error_;
};

// Rewrites single operators whose operands are all dequantized; the result is dequantized again.
class TrainedRewriter {
 public:
  TrainedRewriter(const Function& function, const FakeQuantizationOptions& options)
      : function_(function), options_(options), rebuild_(function), emit_(rebuild_.to()) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) { return Rewrite(id); });
  }

 private:
  auto made() const -> const Function& { return emit_.function(); }

  auto Rewrite(ExprId id) -> ExprId {
    if (function_.kind(id) == ExprKind::kTupleGetItem) return Field(id);
    if (function_.kind(id) != ExprKind::kOpCall) return {};
    const FakeQuantizationRule* rule = RuleOf(function_.op(id), options_);
    if (rule == nullptr || !rule->is_for_training) return {};
    std::vector<AffineOperand> args;
    bool has_integers = false;
    for (const ExprId operand : function_.operands(id)) {
      auto arg = Operand(rebuild_.New(operand));
      if (!arg) return {};
      has_integers |= arg->type.has_value();
      args.push_back(std::move(*arg));
    }
    if (!has_integers) return {};
    FakeQuantizedCall call{{function_, id}, emit_, args};
    const auto result = Apply(*rule, call);
    return result ? Dequantize(result->expr, result->type) : ExprId();
  }

  // Returns nothing unless the expression is dequantized or constant.
  auto Operand(ExprId expr) const -> std::optional<AffineOperand> {
    if (made().kind(expr) == ExprKind::kConstant) return AffineOperand{expr, std::nullopt};
    if (made().kind(expr) != ExprKind::kOpCall || made().op(expr) != "qnn.dequantize"_op) return std::nullopt;
    auto type = DequantizedType(made(), expr, made().operand(expr, 1), made().operand(expr, 2));
    if (!type) return std::nullopt;
    return AffineOperand{made().operand(expr, 0), std::move(type)};
  }

  auto Dequantize(ExprId integers, const AffineType& type) -> ExprId {
    if (type.fields.empty()) {
      return emit_.CallWith("qnn.dequantize"_op, DequantizeAttrs{.out_dtype = DataType::Float(32), .axis = type.axis},
                            {integers, type.scale, type.zero_point});
    }
    std::vector<ExprId> fields;
    fields.reserve(type.fields.size());
    for (uint32_t i = 0; i < type.fields.size(); ++i) {
      fields.push_back(Dequantize(EmitTupleGetItem(rebuild_.to(), integers, i), type.fields[i]));
    }
    const ExprId tuple = EmitTuple(rebuild_.to(), fields);
    tuples_.insert(tuple);
    return tuple;
  }

  // Returns a field of a tuple that this pass created.
  auto Field(ExprId id) -> ExprId {
    const ExprId tuple = rebuild_.New(function_.operand(id, 0));
    return tuples_.contains(tuple) ? made().operand(tuple, function_.index(id)) : ExprId();
  }

  const Function& function_;
  const FakeQuantizationOptions& options_;
  Rebuild rebuild_;
  QnnEmitter emit_;
  absl::flat_hash_set<ExprId> tuples_;
};

// Whether a function has the end of a region.
auto HasQuantize(const Function& function) -> bool {
  return std::ranges::any_of(function.ids(), [&](ExprId id) {
    return function.kind(id) == ExprKind::kOpCall && function.op(id) == "qnn.quantize"_op;
  });
}

struct FakeQuantizationToInteger {
  using Options = FakeQuantizationOptions;
  Options options;

  auto Run(const Module& module, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    PassRemarks remarks(context, "FakeQuantizationToInteger", module, function);
    std::optional<Function> made;
    if (HasQuantize(function)) {
      RELAYOPT_TRY(made, RegionRewriter(function, options, remarks).Run());
    }
    if (!options.use_qat) return made;
    auto trained = TrainedRewriter(made ? *made : function, options).Run();
    return trained ? std::move(trained) : std::move(made);
  }
};

}  // namespace

constinit const PassDef kFakeQuantizationToIntegerPass = DescribePass<FakeQuantizationToInteger>({
    .name = "FakeQuantizationToInteger",
    .required = "InferType,DivToMul",
    .summary = "replaces real arithmetic between dequantization and quantization by integer arithmetic",
    .details =
        R"(A model quantized by simulation dequantizes operands, computes on real numbers, and quantizes the result. Where
every operator between qnn.dequantize and qnn.quantize has an integer form, the region is computed on integers:

  qnn.quantize(nn.dense(qnn.dequantize(%x, s1, z1), qnn.dequantize(%w, s2, z2)), s3, z3)
    =>  qnn.requantize(qnn.dense(%x, %w, z1, z2, s1, s2, out_dtype="int32"), s1 * s2, 0, s3, z3)

  operators that move elements    =>  the same on integers
  convolutions, matrix products   =>  their qnn operators, which accumulate in int32
  add, subtract, multiply         =>  qnn.add, qnn.subtract, qnn.mul; a constant operand is quantized like the other
  nn.relu                         =>  maximum with the zero point
  clip                            =>  clip between quantized bounds, truncated
  exp, tanh, sqrt, ...            =>  their qnn operators
  averages                        =>  of int32

A qnn.quantize whose operand has its scale, zero point and element type already disappears.

use_qat rewrites single operators with dequantized operands too, which leaves real numbers after them:

  nn.dense(qnn.dequantize(...), qnn.dequantize(...))   =>   qnn.dequantize(qnn.dense(...))

Left alone (with hard_fail: an error; --pass-remarks-missed says why): regions with an operator without a rule, with an
operand that is not dequantized, with scales for each channel that an operator would mix up, with constants that the
scale of their operand does not represent, or with sums in the middle that do not fit into the integers of the result.)",
    .exactness = Exactness::kQuantizes,
});

}  // namespace relayopt
