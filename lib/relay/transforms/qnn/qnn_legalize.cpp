// QnnLegalize and qnn.Legalize: rewrite quantized operators into forms that canonicalization or the target supports.
#include <cmath>

#include "emitter.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

// A function that can be computed by a table.
using RealFunction = auto(*)(float) -> float;

constexpr OpRule<RealFunction> kFunctions[] = {
    {"qnn.abs"_op, [](float x) { return std::fabs(x); }},
    {"qnn.erf"_op, [](float x) { return std::erf(x); }},
    {"qnn.exp"_op, [](float x) { return std::exp(x); }},
    {"qnn.hardswish"_op, [](float x) { return x * std::fmin(std::fmax(x + 3.0F, 0.0F), 6.0F) / 6.0F; }},
    {"qnn.log"_op, [](float x) { return std::log(x); }},
    {"qnn.rsqrt"_op, [](float x) { return 1.0F / std::sqrt(x); }},
    {"qnn.sigmoid"_op, [](float x) { return 1.0F / (1.0F + std::exp(-x)); }},
    {"qnn.sqrt"_op, [](float x) { return std::sqrt(x); }},
    {"qnn.tanh"_op, [](float x) { return std::tanh(x); }},
};

auto FindFunction(const OpDef* op) -> RealFunction {
  static const OpRules<RealFunction> functions = {kFunctions};
  const RealFunction* function = functions.Find(op);
  return function == nullptr ? nullptr : *function;
}

// The forms of qnn.conv2d and qnn.dense that machines support.
enum class Products : uint8_t {
  kAny,     // as they are
  kMixed,   // uint8 data by int8 weights
  kSigned,  // int8 data by int8 weights
  kSame,    // both of the type of the weights
  kArm,     // words, except for convolutions in NHWC that are not depthwise, where both have the type of the weights
  kInt16,   // words, as ordinary operators
};

// A known scale and zero point.
struct KnownParams {
  float scale = 1;
  int64_t zero_point = 0;
};

class Legalizer {
 public:
  Legalizer(const Function& function, Products products)
      : function_(function), products_(products), rebuild_(function), emit_(rebuild_.to()) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([&](ExprId id) {
      const ExprId legal = function_.kind(id) == ExprKind::kOpCall ? Legalize(id) : ExprId();
      if (legal) rebuild_.to().SetType(legal, function_.type(id));
      return legal;
    });
  }

 private:
  auto Arg(ExprId call, size_t i) -> ExprId { return rebuild_.New(function_.operand(call, i)); }
  auto Legalize(ExprId id) -> ExprId {
    const OpDef* op = function_.op(id);
    if (const RealFunction function = FindFunction(op)) return LookUp(id, function);
    if (op == "qnn.conv2d_transpose"_op) return Widen<Conv2DTransposeAttrs>(id, "nn.conv2d_transpose"_op);
    if (op == "qnn.conv2d"_op) return LegalizeProduct<Conv2DAttrs>(id, "nn.conv2d"_op);
    if (op == "qnn.dense"_op) return LegalizeProduct<DenseAttrs>(id, "nn.dense"_op);
    return {};
  }

  // A function of 8 or 16 bits is a table of all its values.
  auto LookUp(ExprId id, RealFunction function) -> ExprId {
    const Type* type = TensorType(function_, function_.operand(id, 0));
    const auto from = Params(id, 1);
    const auto to = Params(id, 3);
    if (type == nullptr || !from || !to || type->dtype.bits > 16) return {};
    const DataType pattern = DataType::UInt(type->dtype.bits);
    const ExprId index = emit_.CallWith("reinterpret"_op, CastAttrs{.dtype = pattern}, {Arg(id, 0)});
    const TakeAttrs attrs{.axis = 0, .mode = "fast"};
    return emit_.CallWith("take"_op, attrs, {Table(type->dtype, *from, *to, function), index});
  }

  auto Params(ExprId call, size_t first) -> std::optional<KnownParams> {
    const Constant* scale = emit_.constant(Arg(call, first));
    const Constant* zero_point = emit_.constant(Arg(call, first + 1));
    if (scale == nullptr || zero_point == nullptr) return std::nullopt;
    const auto real = scale->ScalarAsDouble();
    const auto integer = zero_point->ScalarAsInt();
    if (!real || !integer) return std::nullopt;
    return KnownParams{static_cast<float>(*real), *integer};
  }

  auto Table(DataType dtype, const KnownParams& from, const KnownParams& to, RealFunction function) -> ExprId {
    const size_t count = size_t{1} << dtype.bits;
    std::vector<std::byte> bytes;
    const auto range = RangeOf(dtype);
    for (size_t pattern = 0; pattern < count; ++pattern) {
      const bool is_negative = dtype.is_int() && pattern >= count / 2;
      const int64_t quantized = static_cast<int64_t>(pattern) - (is_negative ? static_cast<int64_t>(count) : 0);
      const float real = function(static_cast<float>(quantized - from.zero_point) * from.scale);
      const float value = std::round(real / to.scale) + static_cast<float>(to.zero_point);
      // As TVM: a NaN is the upper bound.
      const double bounded = value < range.max ? std::fmax(value, range.min) : range.max;
      const auto bits = static_cast<uint64_t>(static_cast<int64_t>(bounded));
      for (size_t byte = 0; byte < dtype.bytes(); ++byte) bytes.push_back(static_cast<std::byte>(bits >> (8 * byte)));
    }
    Context& context = function_.context();
    const auto extent = static_cast<int64_t>(count);
    const ExprId table = rebuild_.to().Constant(context.AddConstant(Constant(dtype, {extent}, std::move(bytes))));
    rebuild_.to().SetType(table, context.Tensor({Dim(extent)}, dtype));
    return table;
  }

  template <typename A>
  auto LegalizeProduct(ExprId id, const OpDef* plain) -> ExprId {
    const Type* weight = TensorType(function_, function_.operand(id, 1));
    if (weight == nullptr) return {};
    switch (products_) {
      case Products::kAny: return {};
      case Products::kMixed: return Mix<A>(id, DataType::UInt(8), DataType::Int(8));
      case Products::kSigned: return Mix<A>(id, DataType::Int(8), DataType::Int(8));
      case Products::kSame: return Mix<A>(id, weight->dtype, weight->dtype);
      case Products::kArm:
        if (IsPlainNhwc<A>(id)) return Mix<A>(id, weight->dtype, weight->dtype);
        return Widen<A>(id, plain);
      case Products::kInt16: return Widen<A>(id, plain);
    }
    return {};
  }

  // A convolution in NHWC of one group.
  template <typename A>
  auto IsPlainNhwc(ExprId id) const -> bool {
    const auto* attrs = function_.context().As<A>(function_.attrs(id));
    if constexpr (requires { attrs->data_layout; }) {
      return attrs != nullptr && attrs->data_layout == "NHWC" && attrs->groups == 1;
    } else {
      return false;
    }
  }

  // Returns the operator with data and weight shifted to other types of eight bits, and the zero points with them.
  template <typename A>
  auto Mix(ExprId id, DataType data_type, DataType weight_type) -> ExprId {
    const auto* attrs = function_.context().As<A>(function_.attrs(id));
    const Type* data = TensorType(function_, function_.operand(id, 0));
    const Type* weight = TensorType(function_, function_.operand(id, 1));
    if (attrs == nullptr || data == nullptr || weight == nullptr) return {};
    if (data->dtype.bits != 8 || weight->dtype.bits != 8) return {};
    if (data->dtype == data_type && weight->dtype == weight_type) return {};
    const auto [new_data, data_zero] = Shifted(Arg(id, 0), Arg(id, 2), data->dtype, data_type);
    const auto [new_weight, weight_zero] = Shifted(Arg(id, 1), Arg(id, 3), weight->dtype, weight_type);
    A mixed = *attrs;
    WriteOutPadding(mixed);
    return emit_.CallWith(function_.op(id), mixed,
                          {new_data, new_weight, data_zero, weight_zero, Arg(id, 4), Arg(id, 5)});
  }

  // Returns a tensor and its zero point in another type of eight bits.
  auto Shifted(ExprId data, ExprId zero_point, DataType from, DataType to) -> std::pair<ExprId, ExprId> {
    if (from == to) return {data, zero_point};
    const int64_t by = to == DataType::UInt(8) ? 128 : -128;
    const ExprId wide = emit_.Add(emit_.Cast(data, DataType::Int(32)), emit_.Int(by));
    return {emit_.Cast(wide, to), ShiftZeroPoint(zero_point, by)};
  }

  auto ShiftZeroPoint(ExprId zero_point, int64_t by) -> ExprId {
    if (const auto value = emit_.ScalarInt(zero_point)) return emit_.Int(*value + by);
    const auto values = emit_.constant(zero_point) == nullptr ? std::nullopt : emit_.Values(zero_point);
    const Type* type = emit_.tensor(zero_point);
    if (!values || type == nullptr || type->rank() != 1) return emit_.Add(zero_point, emit_.Int(by));
    const auto shifted = MapToVector<int64_t>(*values, [&](double value) { return static_cast<int64_t>(value) + by; });
    return emit_.Vector(std::span<const int64_t>(shifted), DataType::Int(32));
  }

  // Returns the operator on int16 with the zero points subtracted.
  template <typename A>
  auto Widen(ExprId id, const OpDef* op) -> ExprId {
    const auto* attrs = function_.context().As<A>(function_.attrs(id));
    const Type* zero_point = TensorType(function_, function_.operand(id, 3));
    if (attrs == nullptr || zero_point == nullptr) return {};
    const ExprId data = emit_.Subtract(emit_.Cast(Arg(id, 0), kInt16), emit_.Cast(Arg(id, 2), kInt16));
    const ExprId kernel = emit_.Cast(Arg(id, 1), kInt16);
    const ExprId weight = zero_point->is_scalar() ? emit_.Subtract(kernel, emit_.Cast(Arg(id, 3), kInt16))
                                                  : SubtractAlong(kernel, Arg(id, 3), OutputAxis(*attrs));
    A plain = *attrs;
    WriteOutPadding(plain);
    return emit_.CallWith(op, plain, {data, weight});
  }

  auto SubtractAlong(ExprId kernel, ExprId zero_point, int64_t axis) -> ExprId {
    const ExprId negated = emit_.Cast(emit_.Negative(zero_point), kInt16);
    return emit_.CallWith("nn.bias_add"_op, BiasAddAttrs{.axis = axis}, {kernel, negated});
  }

  template <typename A>
  static auto OutputAxis(const A& attrs) -> int64_t {
    if constexpr (requires { attrs.kernel_layout; }) {
      return static_cast<int64_t>(attrs.kernel_layout.find('O'));
    } else {
      return 0;
    }
  }

  // Padding by two numbers means the same padding on both sides.
  template <typename A>
  static void WriteOutPadding(A& attrs) {
    if constexpr (requires { attrs.padding; }) {
      if (attrs.padding.size() == 1) attrs.padding.values.resize(2, attrs.padding[0]);
      if (attrs.padding.size() != 2) return;
      attrs.padding = {attrs.padding[0], attrs.padding[1], attrs.padding[0], attrs.padding[1]};
    }
  }

  const Function& function_;
  Products products_;
  Rebuild rebuild_;
  QnnEmitter emit_;
};

struct QnnLegalize {
  struct Options {
    std::string products = "target";
    static constexpr auto Fields() {
      return std::array{Option<&Options::products>(
          "int8: qnn.conv2d and qnn.dense stay; uint8: of uint8 data and int8 weights; int16: they become convolutions "
          "and dense layers of int16; target: what suits that",
          {.words = "int8 uint8 int16 target"})};
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    RELAYOPT_TRY(const Products products, Wanted(context));
    return Legalizer(function, products).Run();
  }

  auto Wanted(const PassContext& context) const -> Result<Products> {
    if (options.products == "int8") return Products::kAny;
    if (options.products == "uint8") return Products::kMixed;
    if (options.products == "int16") return Products::kInt16;
    if (context.target().empty()) return Products::kAny;
    RELAYOPT_TRY(const Target target, Target::Parse(context.target()));
    if (target.HasKey("arm_cpu")) {
      const auto dotprod = target.features().find("has_dotprod");
      return dotprod != target.features().end() && dotprod->second ? Products::kSame : Products::kArm;
    }
    if (target.kind() == "cuda") return Products::kSigned;
    if (!target.is_x86()) return Products::kAny;
    return target.HasFeature("sse4.2") ? Products::kMixed : Products::kInt16;
  }
};

}  // namespace

constinit const PassDef kQnnLegalizePass = DescribePass<QnnLegalize>({
    .name = "QnnLegalize",
    .opt_level = 1,
    .required = "InferType",
    .summary = "replaces functions of one quantized tensor by tables",
    .details = R"(A function of an 8-bit tensor has 256 values, which are computed here:

  qnn.exp(%x, s, z, s2, z2)   =>   %0 = reinterpret(%x, dtype="uint8");
                                   take(TABLE, %0, axis=0, mode="fast")

for qnn.abs, erf, exp, hardswish, log, rsqrt, sigmoid, sqrt and tanh with constant scales and zero points. A NaN is
the largest value of the type. qnn.conv2d_transpose, for which qnn.CanonicalizeOps has no rule, becomes
nn.conv2d_transpose on int16 with the zero points subtracted.

qnn.conv2d and qnn.dense go by the target: x86 with sse4.2 multiplies uint8 by int8, so that data and weights of the
other kind are shifted by 128, and their zero points with them; without it they become nn.conv2d and nn.dense of int16. ARM
multiplies equal types where it has dotprod, and in nn.conv2d in NHWC of one group, and int16 elsewhere; CUDA multiplies
int8 by int8. For other targets and without one they stay. The option `products` says it outright. Everything else stays.)",
    .aliases = "qnn.Legalize",
    .exactness = Exactness::kApproximate,
    .idempotent = true,
});

constinit const PassDef kQnnLegalizeAndCanonicalizePass = {
    .name = "QnnLegalizeAndCanonicalize",
    .info_name = "qnn.Legalize",
    .summary = "lowers quantized operators: QnnLegalize, then qnn.CanonicalizeOps",
    .details =
        R"(Quantized operators become ordinary ones: functions of one tensor are looked up in tables, all others become
integer arithmetic. See QnnLegalize and qnn.CanonicalizeOps, which it runs.)",
    .exactness = Exactness::kApproximate,
    .sequence = "QnnLegalize,qnn.CanonicalizeOps",
};

}  // namespace relayopt
