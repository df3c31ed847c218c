// Activations, normalizations and products that models spell out, and that ONNX has operators for.
//
// A pattern says what the operators look like, and a reader (Read...) takes what it needs out of them: it is the check
// of the pattern where they stand in a function, and it is asked again when the body of the composite is written.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "forms.h"
#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "restored.h"

namespace relayopt::onnx::out {

namespace {

// A call in a function, or the place where none was found; then all that follows from it is nothing too.
class Place {
 public:
  Place(const Function& function, ExprId id) : function_(&function), id_(id) {}

  auto id() const -> ExprId { return id_; }
  explicit operator bool() const { return id_.has_value(); }
  auto is(const OpDef* op) const -> bool {
    return id_.has_value() && function_->kind(id_) == ExprKind::kOpCall && function_->op(id_) == op;
  }
  // The i-th operand of a call of `op`.
  auto Of(const OpDef* op, size_t i) const -> Place { return is(op) ? Operand(i) : None(); }
  auto Operand(size_t i) const -> Place { return {*function_, function_->operand(id_, i)}; }
  // Of a call of `op` with a number for one operand: the other operand, and the number. `side`, where it counts, is
  // the place of the number.
  auto Beside(const OpDef* op, double& number, std::optional<size_t> side = {}) const -> Place {
    if (!is(op)) return None();
    for (const size_t i : {0, 1}) {
      if (side && *side != i) continue;
      if (const auto value = Operand(i).number()) {
        number = *value;
        return Operand(1 - i);
      }
    }
    return None();
  }
  // Of a call of `op` of which one operand is a call of `inner`: that one, and the other.
  auto Split(const OpDef* op, const OpDef* inner) const -> std::pair<Place, Place> {
    if (!is(op)) return {None(), None()};
    if (Operand(0).is(inner)) return {Operand(0), Operand(1)};
    if (Operand(1).is(inner)) return {Operand(1), Operand(0)};
    return {None(), None()};
  }
  auto number() const -> std::optional<double> {
    if (!id_.has_value() || function_->kind(id_) != ExprKind::kConstant) return std::nullopt;
    const Constant& constant = function_->constant(id_);
    return constant.num_elements() == 1 ? constant.ScalarAsDouble() : std::nullopt;
  }
  auto type() const -> const Type* {
    if (!id_.has_value() || !function_->type(id_)) return nullptr;
    const Type& type = function_->context().type(function_->type(id_));
    return type.is_tensor() ? &type : nullptr;
  }
  template <typename A>
  auto attrs() const -> const A* {
    return function_->context().As<A>(function_->attrs(id_));
  }
  auto None() const -> Place { return {*function_, ExprId()}; }
  friend auto operator==(const Place& a, const Place& b) -> bool { return a.id_ == b.id_; }

 private:
  const Function* function_;
  ExprId id_;
};

auto IsNear(double a, double b) -> bool { return std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b)); }

// What one operator of ONNX needs to know: its operands and attributes.
struct Found {
  std::string_view op_type;
  std::vector<ExprId> inputs;
  Attributes attributes = {};
  int64_t opset = 0;
};

// Most kernels of these operators are for float32 only.
auto IsSingle(const Place& place) -> bool {
  return place.type() != nullptr && place.type()->dtype == DataType::Float(32);
}

auto Activation(std::string_view op_type, const Place& x, Attributes attributes = {}) -> std::optional<Found> {
  if (!IsSingle(x)) return std::nullopt;
  return Found{op_type, {x.id()}, std::move(attributes)};
}

// 0.5 * x * (1 + erf(x / sqrt(2))), its factors in any order.
auto ReadGelu(const Place& root) -> std::optional<Found> {
  double half = 0;
  double one = 0;
  double root_of_two = 0;
  Place sum = root.None();
  Place x = root.None();
  if (const Place scaled = root.Beside("multiply"_op, half)) {
    std::tie(sum, x) = scaled.Split("multiply"_op, "add"_op);
  } else {
    const auto [bracket, product] = root.Split("multiply"_op, "add"_op);
    sum = bracket;
    x = product.Beside("multiply"_op, half);
  }
  if (!sum || !x || !IsNear(half, 0.5)) return std::nullopt;
  const Place inner = sum.Beside("add"_op, one);
  if (!inner || !IsNear(one, 1)) return std::nullopt;
  const Place argument = inner.Of("erf"_op, 0);
  Place y = argument.Beside("divide"_op, root_of_two, 1);
  if (!y) {
    y = argument.Beside("multiply"_op, root_of_two);
    root_of_two = 1 / root_of_two;
  }
  if (!y || !(y == x) || !IsNear(root_of_two, std::numbers::sqrt2)) return std::nullopt;
  auto found = Activation("Gelu", x);
  if (found) found->opset = 20;
  return found;
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * x + sqrt(2 / pi) * 0.044715 * x^3))
auto ReadTanhGelu(const Place& root) -> std::optional<Found> {
  double half = 0;
  double one = 0;
  double linear = 0;
  double cubic = 0;
  double three = 0;
  const auto [bracket, product] = root.Split("multiply"_op, "add"_op);
  const Place x = product.Beside("multiply"_op, half);
  const Place sum = bracket.Beside("add"_op, one).Of("tanh"_op, 0);
  if (!x || !sum.is("add"_op)) return std::nullopt;
  const Place a = sum.Operand(0).Beside("multiply"_op, linear);
  const Place b = sum.Operand(1).Beside("multiply"_op, cubic).Beside("power"_op, three, 1);
  const bool is_gelu = a == x && b == x && IsNear(half, 0.5) && IsNear(one, 1) && IsNear(three, 3) &&
                       IsNear(linear, 0.7978846) && IsNear(cubic, 0.0356774);
  if (!is_gelu) return std::nullopt;
  auto found = Activation("Gelu", x, {String("approximate", "tanh")});
  if (found) found->opset = 20;
  return found;
}

// Of a clip from one number to another: what is clipped.
auto Clipped(const Place& place, double low, double high) -> Place {
  if (!place.is("clip"_op)) return place.None();
  const auto* attrs = place.attrs<ClipAttrs>();
  const bool fits = attrs != nullptr && IsNear(attrs->a_min, low) && IsNear(attrs->a_max, high);
  return fits ? place.Operand(0) : place.None();
}

// x * clip(x / 6 + 1 / 2, 0, 1), or x * clip(x + 3, 0, 6) / 6
auto ReadHardSwish(const Place& root) -> std::optional<Found> {
  double sixth = 0;
  double offset = 0;
  Place product = root.Beside("divide"_op, sixth, 1);
  if (product) sixth = 1 / sixth;
  if (!product) product = root.Beside("multiply"_op, sixth);
  const bool is_divided = static_cast<bool>(product);
  const auto [clip, x] = (is_divided ? product : root).Split("multiply"_op, "clip"_op);
  if (!clip) return std::nullopt;
  Place y = Clipped(clip, 0, is_divided ? 6 : 1).Beside("add"_op, offset);
  if (!is_divided) y = y.Beside("multiply"_op, sixth);
  if (!y || !(y == x) || !IsNear(sixth, 1.0 / 6) || !IsNear(offset, is_divided ? 3 : 0.5)) return std::nullopt;
  return Activation("HardSwish", x);
}

auto ReadHardSigmoid(const Place& root) -> std::optional<Found> {
  double alpha = 0;
  double beta = 0;
  const Place x = Clipped(root, 0, 1).Beside("add"_op, beta).Beside("multiply"_op, alpha);
  if (!x) return std::nullopt;
  return Activation("HardSigmoid", x, {Float("alpha", alpha), Float("beta", beta)});
}

auto ReadMish(const Place& root) -> std::optional<Found> {
  double one = 0;
  const auto [tanh, x] = root.Split("multiply"_op, "tanh"_op);
  const Place y = tanh.Of("tanh"_op, 0).Of("log"_op, 0).Beside("add"_op, one).Of("exp"_op, 0);
  if (!y || !(y == x) || !IsNear(one, 1)) return std::nullopt;
  return Activation("Mish", x);
}

// relu(x) - alpha * relu(1 - exp(x))
auto ReadElu(const Place& root) -> std::optional<Found> {
  double alpha = 0;
  double one = 0;
  const auto [positive, negative] = root.Split("add"_op, "nn.relu"_op);
  const Place x = positive.Of("nn.relu"_op, 0);
  const Place y =
      negative.Beside("multiply"_op, alpha).Of("nn.relu"_op, 0).Beside("subtract"_op, one, 0).Of("exp"_op, 0);
  if (!x || !(x == y) || !IsNear(one, 1)) return std::nullopt;
  return Activation("Elu", x, {Float("alpha", -alpha)});
}

auto ReadSelu(const Place& root) -> std::optional<Found> {
  double gamma = 0;
  const Place inner = root.Beside("multiply"_op, gamma);
  if (!inner) return std::nullopt;
  auto found = ReadElu(inner);
  if (!found) return std::nullopt;
  found->op_type = "Selu";
  found->attributes.push_back(Float("gamma", gamma));
  return found;
}

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
auto ReadCelu(const Place& root) -> std::optional<Found> {
  double zero = 1;
  double other_zero = 1;
  double alpha = 0;
  double one = 0;
  double divisor = 0;
  const auto [positive, negative] = root.Split("add"_op, "maximum"_op);
  const Place x = positive.Beside("maximum"_op, zero);
  const Place y = negative.Beside("minimum"_op, other_zero)
                      .Beside("multiply"_op, alpha)
                      .Beside("subtract"_op, one, 1)
                      .Of("exp"_op, 0)
                      .Beside("divide"_op, divisor, 1);
  const bool is_celu = x && x == y && zero == 0 && other_zero == 0 && IsNear(one, 1) && IsNear(alpha, divisor);
  if (!is_celu) return std::nullopt;
  return Activation("Celu", x, {Float("alpha", alpha)});
}

auto ReadSoftplus(const Place& root) -> std::optional<Found> {
  double one = 0;
  const Place x = root.Of("log"_op, 0).Beside("add"_op, one).Of("exp"_op, 0);
  return x && IsNear(one, 1) ? Activation("Softplus", x) : std::nullopt;
}

auto ReadSoftsign(const Place& root) -> std::optional<Found> {
  double one = 0;
  const Place x = root.Of("divide"_op, 0);
  if (!x) return std::nullopt;
  const Place y = root.Operand(1).Beside("add"_op, one).Of("abs"_op, 0);
  return x == y && IsNear(one, 1) ? Activation("Softsign", x) : std::nullopt;
}

auto ReadLogSoftmax(const Place& root) -> std::optional<Found> {
  const Place softmax = root.Of("log"_op, 0);
  const Place x = softmax.Of("nn.softmax"_op, 0);
  if (!x || x.type() == nullptr) return std::nullopt;
  const auto* attrs = softmax.attrs<SoftmaxAttrs>();
  return Activation("LogSoftmax", x, {Int("axis", NormalizedAxis(attrs->axis, x.type()->rank()))});
}

// -- reductions --

// A sum over known axes as another reduction; its axes are an input from version 18 on, so that is asked for.
auto Reduced(std::string_view op_type, const Place& sum, const Place& x) -> std::optional<Found> {
  const auto* attrs = sum.attrs<ReduceAttrs>();
  if (attrs == nullptr || attrs->exclude || !IsSingle(x)) return std::nullopt;
  const auto axes = KnownShape(attrs->axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  return Found{op_type, {x.id()}, {Ints("axes", *axes), Int("keepdims", attrs->keepdims ? 1 : 0)}, 18};
}

auto ReadReduceL1(const Place& root) -> std::optional<Found> {
  const Place x = root.Of("sum"_op, 0).Of("abs"_op, 0);
  return x ? Reduced("ReduceL1", root, x) : std::nullopt;
}

auto ReadSumSquare(const Place& root) -> std::optional<Found> {
  const Place square = root.Of("sum"_op, 0);
  const Place x = square.Of("multiply"_op, 0);
  return x && square.Operand(1) == x ? Reduced("ReduceSumSquare", root, x) : std::nullopt;
}

auto ReadReduceL2(const Place& root) -> std::optional<Found> {
  const Place sum = root.Of("sqrt"_op, 0);
  if (!sum) return std::nullopt;
  auto found = ReadSumSquare(sum);
  if (found) found->op_type = "ReduceL2";
  return found;
}

// -- normalization --

// The axes of a mean over the last ones, kept; nothing for others.
auto FirstOfLastAxes(const Place& mean) -> std::optional<int64_t> {
  if (!mean.is("mean"_op) && !mean.is("sum"_op)) return std::nullopt;
  const auto* attrs = mean.attrs<ReduceAttrs>();
  const Type* type = mean.Operand(0).type();
  if (attrs == nullptr || type == nullptr || !attrs->keepdims || attrs->exclude) return std::nullopt;
  auto axes = KnownShape(attrs->axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  for (int64_t& axis : *axes) axis = NormalizedAxis(axis, type->rank());
  std::ranges::sort(*axes);
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] != static_cast<int64_t>(type->rank() - axes->size() + i)) return std::nullopt;
  }
  return (*axes)[0];
}

// (x - mean) * g / sqrt(var + epsilon) + b, with the variance spelled out as a mean of squares.
auto ReadLayerNorm(const Place& root) -> std::optional<Found> {
  if (!root.is("add"_op)) return std::nullopt;
  for (const size_t side : {0, 1}) {
    const Place scaled = root.Operand(side);
    const Place beta = root.Operand(1 - side);
    if (!scaled.is("multiply"_op)) continue;
    for (const size_t factor : {0, 1}) {
      const Place normal = scaled.Operand(factor);
      const Place gamma = scaled.Operand(1 - factor);
      // d / sqrt(v) or d * (1 / sqrt(v)).
      double one = 1;
      Place difference = normal.Of("divide"_op, 0);
      Place deviation = normal.is("divide"_op) ? normal.Operand(1) : root.None();
      if (!difference) {
        const auto [inverse, other] = normal.Split("multiply"_op, "divide"_op);
        difference = other;
        deviation = inverse.Beside("divide"_op, one, 0);
      }
      double epsilon = 0;
      double divisor = 1;
      double two = 2;
      Place spread = deviation.Of("sqrt"_op, 0).Beside("add"_op, epsilon);
      const Place x = difference.Of("subtract"_op, 0);
      if (!x || !spread || !IsNear(one, 1)) continue;
      const Place mean = difference.Operand(1);
      if (!mean.is("mean"_op) || !(mean.Operand(0) == x)) continue;
      // A mean, or a sum divided by the count.
      const Place sum = spread.Beside("divide"_op, divisor, 1);
      if (sum) spread = sum;
      const auto first = FirstOfLastAxes(spread);
      if (!first || first != FirstOfLastAxes(mean)) continue;
      const Place squares = spread.Operand(0);
      Place base = squares.Beside("power"_op, two, 1);
      if (!base && squares.is("multiply"_op) && squares.Operand(0) == squares.Operand(1)) base = squares.Operand(0);
      const bool is_same =
          base == difference || (base.is("subtract"_op) && base.Operand(0) == x && base.Operand(1) == mean);
      if (!base || !is_same || !IsNear(two, 2) || x.type() == nullptr) continue;
      const auto shape = KnownShape(x.type()->shape.subspan(static_cast<size_t>(*first)));
      int64_t count = 1;
      for (const int64_t extent : shape.value_or(std::vector<int64_t>())) count *= extent;
      if (!shape || (spread.is("sum"_op) && !IsNear(divisor, static_cast<double>(count)))) continue;
      const auto fits = [&](const Place& vector) {
        return vector.type() != nullptr && KnownShape(vector.type()->shape) == shape;
      };
      if (!IsSingle(x) || !fits(gamma) || !fits(beta)) continue;
      return Found{
          "LayerNormalization", {x.id(), gamma.id(), beta.id()}, {Float("epsilon", epsilon), Int("axis", *first)}};
    }
  }
  return std::nullopt;
}

// -- indices --

// Indices that count from the end where they are negative, as they do in ONNX: where(i < 0, i + n, i).
auto FromTheEnd(const Place& places, Dim extent) -> Place {
  double zero = 1;
  double count = 0;
  if (!places.is("where"_op)) return places.None();
  const Place index = places.Operand(0).Beside("less"_op, zero, 1);
  const Place wrapped = places.Operand(1).Beside("add"_op, count);
  const bool is_it = index && zero == 0 && wrapped == index && places.Operand(2) == index && extent.is_int() &&
                     count == static_cast<double>(extent.value());
  const Type* type = index.type();
  const bool is_index = type != nullptr && (type->dtype == kIndexType || type->dtype == DataType::Int(32));
  return is_it && is_index ? index : places.None();
}

auto ReadGather(const Place& root) -> std::optional<Found> {
  if (!root.is("take"_op)) return std::nullopt;
  const auto* attrs = root.attrs<TakeAttrs>();
  const Place data = root.Operand(0);
  if (attrs == nullptr || !attrs->axis.is_int() || !attrs->batch_dims.is(0) || data.type() == nullptr)
    return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs->axis.value(), data.type()->rank());
  const Place index = FromTheEnd(root.Operand(1), data.type()->shape[static_cast<size_t>(axis)]);
  if (!index) return std::nullopt;
  return Found{"Gather", {data.id(), index.id()}, {Int("axis", axis)}};
}

auto ReadGatherElements(const Place& root) -> std::optional<Found> {
  if (!root.is("gather"_op)) return std::nullopt;
  const auto* attrs = root.attrs<GatherAttrs>();
  const Place data = root.Operand(0);
  if (attrs == nullptr || !attrs->axis.is_int() || data.type() == nullptr) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs->axis.value(), data.type()->rank());
  const Place index = FromTheEnd(root.Operand(1), data.type()->shape[static_cast<size_t>(axis)]);
  if (!index) return std::nullopt;
  return Found{"GatherElements", {data.id(), index.id()}, {Int("axis", axis)}};
}

// -- products of tensors of any rank --

// The shape of a place; nothing when it is not known.
auto ShapeOf(const Place& place) -> std::optional<std::vector<int64_t>> {
  return place.type() == nullptr ? std::nullopt : KnownShape(place.type()->shape);
}

// reshape(a b) of reshaped a, and b where there is a batch, that MatMul multiplies as they are.
auto ReadMatMul(const Place& root) -> std::optional<Found> {
  const Place product = root.Of("reshape"_op, 0);
  const bool is_batch = product.is("nn.batch_matmul"_op);
  if (!is_batch && !product.is("nn.matmul"_op)) return std::nullopt;
  const Place left = product.Operand(0).is("reshape"_op) ? product.Operand(0).Operand(0) : product.Operand(0);
  const Place right =
      is_batch && product.Operand(1).is("reshape"_op) ? product.Operand(1).Operand(0) : product.Operand(1);
  const auto a = ShapeOf(left);
  const auto b = ShapeOf(right);
  const auto result = ShapeOf(root);
  const auto inner = ShapeOf(product.Operand(0));
  if (!a || !b || !result || !inner || !IsSingle(left) || !IsSingle(right) || !IsSingle(root)) return std::nullopt;
  const size_t rank = result->size();
  if (a->size() != rank || rank < 3 || b->size() < 2 || (is_batch && b->size() != rank)) return std::nullopt;
  if (a->back() != inner->back() || (*b)[b->size() - 2] != a->back()) return std::nullopt;
  if ((*result)[rank - 2] != (*a)[rank - 2] || result->back() != b->back()) return std::nullopt;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if ((*a)[i] != (*result)[i] || (is_batch && (*b)[i] != (*result)[i])) return std::nullopt;
  }
  return Found{"MatMul", {left.id(), right.id()}};
}

// A slope for each element, of flattened data.
auto ReadPRelu(const Place& root) -> std::optional<Found> {
  const Place prelu = root.Of("reshape"_op, 0);
  const Place x = prelu.Of("nn.prelu"_op, 0).Of("reshape"_op, 0);
  if (!x) return std::nullopt;
  Place slope = prelu.Operand(1).Of("reshape"_op, 0);
  if (slope.is("broadcast_to"_op)) slope = slope.Operand(0);
  const bool fits = slope && IsSingle(x) && ShapeOf(x) && ShapeOf(x) == ShapeOf(root);
  return fits ? std::optional(Found{"PRelu", {x.id(), slope.id()}}) : std::nullopt;
}

// -- 8-bit floats --

// Rounding to an 8-bit float as the importer says it; see lib/convert/onnx/cast.cpp. Formats are told apart by their
// smallest normal number, and by what numbers beyond the largest become.
auto ReadFloat8(const Place& root) -> std::optional<Found> {
  double zero = 1;
  const bool has_no_negative_zero = root.is("add"_op);
  const Place chosen = has_no_negative_zero ? root.Beside("add"_op, zero) : root;
  if (!chosen.is("where"_op)) return std::nullopt;
  const Place x = chosen.Operand(0).Of("isnan"_op, 0);
  const Place upper = chosen.Operand(2).Of("where"_op, 2);
  if (!x || !upper || !IsSingle(x) || (has_no_negative_zero && zero != 0)) return std::nullopt;
  const Place rounded = upper.Of("where"_op, 2);
  const auto beyond = upper.Operand(1).number();
  double smallest = 0;
  if (!rounded.is("where"_op) || !beyond) return std::nullopt;
  if (!rounded.Operand(0).Beside("less"_op, smallest, 1)) return std::nullopt;
  struct Format {
    double smallest;
    int32_t element_type;
    bool has_no_negative_zero;
  };
  constexpr Format kFormats[] = {{0x1p-6, kFloat8E4M3FN, false},
                                 {0x1p-7, kFloat8E4M3FNUZ, true},
                                 {0x1p-14, kFloat8E5M2, false},
                                 {0x1p-15, kFloat8E5M2FNUZ, true}};
  for (const Format& format : kFormats) {
    if (format.smallest != smallest || format.has_no_negative_zero != has_no_negative_zero) continue;
    Found found{"Cast", {x.id()}, {Int("to", format.element_type)}, 19};
    if (!std::isfinite(*beyond)) found.attributes.push_back(Int("saturate", 0));
    return found;
  }
  return std::nullopt;
}

auto WriteFloat8(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                 const std::function<Values(ExprId)>& value) -> Made {
  auto found = ReadFloat8(Place(function, root));
  if (!found) return std::nullopt;
  model.Raise(found->opset);
  OnnxCall call(model, graph, function, root, {});
  return One(call.CastTo(call.Add("Cast", {value(found->inputs[0])[0]}, std::move(found->attributes)), kFloat));
}

using Reader = auto(*)(const Place& root) -> std::optional<Found>;

template <Reader kReader>
auto Check(const Function& function, ExprId root) -> bool {
  return kReader(Place(function, root)).has_value();
}

template <Reader kReader>
auto Write(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
           const std::function<Values(ExprId)>& value) -> Made {
  auto found = kReader(Place(function, root));
  // A model of an older version spells it out.
  if (!found || found->opset > model.opset()) return std::nullopt;
  OnnxCall call(model, graph, function, root, {});
  std::vector<std::string> inputs;
  for (const ExprId input : found->inputs) inputs.push_back(value(input)[0]);
  // From version 18 on, axes of reductions are an input.
  std::erase_if(found->attributes, [&](const Attribute& attribute) {
    if (attribute.name == "axes") inputs.push_back(call.List(attribute.ints));
    return attribute.name == "axes";
  });
  return One(call.Add(found->op_type, std::move(inputs), std::move(found->attributes)));
}

template <Reader kReader>
constexpr auto Restored(std::string_view name, std::string_view pattern) -> OnnxPattern {
  return {name, pattern, Check<kReader>, Write<kReader>};
}

constexpr std::string_view kFloat8Pattern =
    "where(isnan($x=*), $x, where(less($s=where(greater($r=where(less($a=abs($x), const), "
    "reinterpret(bitwise_or(reinterpret(subtract(add($a, const), const)), bitwise_and($b=reinterpret($x), const))), "
    "reinterpret(bitwise_and(add(add($b, const), bitwise_and(right_shift($b, const), const)), const))), const), const, "
    "$r), const), const, $s))";
constexpr std::string_view kUnsignedZeroFloat8Pattern =
    "add(where(isnan($x=*), $x, where(less($s=where(greater($r=where(less($a=abs($x), const), "
    "reinterpret(bitwise_or(reinterpret(subtract(add($a, const), const)), bitwise_and($b=reinterpret($x), const))), "
    "reinterpret(bitwise_and(add(add($b, const), bitwise_and(right_shift($b, const), const)), const))), const), const, "
    "$r), const), const, $s)), const)";

// Larger ones before those that are part of them.
constexpr OnnxPattern kRestored[] = {
    {"onnx.Float8", kUnsignedZeroFloat8Pattern, Check<ReadFloat8>, WriteFloat8},
    {"onnx.Float8", kFloat8Pattern, Check<ReadFloat8>, WriteFloat8},
    Restored<ReadGelu>("onnx.Gelu",
                       "multiply(multiply($x=*, const), add(erf(divide($x, const) | multiply($x, const)), const))"),
    Restored<ReadGelu>("onnx.Gelu",
                       "multiply(multiply($x=*, add(erf(divide($x, const) | multiply($x, const)), const)), const)"),
    Restored<ReadTanhGelu>("onnx.TanhGelu",
                           "multiply(multiply(const, $x=*), add(const, tanh(add(multiply(const, $x), multiply(const, "
                           "power($x, const))))))"),
    Restored<ReadHardSwish>("onnx.HardSwish", "multiply($x=*, clip(add(multiply($x, const), const)))"),
    Restored<ReadHardSwish>("onnx.HardSwish", "divide(multiply($x=*, clip(add($x, const))), const)"),
    Restored<ReadHardSwish>("onnx.HardSwish", "multiply(multiply($x=*, clip(add($x, const))), const)"),
    Restored<ReadHardSigmoid>("onnx.HardSigmoid", "clip(add(multiply(*, const), const))"),
    Restored<ReadMish>("onnx.Mish", "multiply($x=*, tanh(log(add(exp($x), const))))"),
    Restored<ReadSelu>("onnx.Selu",
                       "multiply(const, add(multiply(const, nn.relu(subtract(const, exp($x=*)))), nn.relu($x)))"),
    Restored<ReadElu>("onnx.Elu", "add(multiply(const, nn.relu(subtract(const, exp($x=*)))), nn.relu($x))"),
    Restored<ReadCelu>("onnx.Celu",
                       "add(maximum(const, $x=*), minimum(const, multiply(const, subtract(exp(divide($x, const)), "
                       "const))))"),
    Restored<ReadSoftplus>("onnx.Softplus", "log(add(exp(*), const))"),
    Restored<ReadSoftsign>("onnx.Softsign", "divide($x=*, add(const, abs($x)))"),
    Restored<ReadLogSoftmax>("onnx.LogSoftmax", "log(nn.softmax(*))"),
    Restored<ReadReduceL2>("onnx.ReduceL2", "sqrt(sum(multiply($x=*, $x)))"),
    Restored<ReadSumSquare>("onnx.ReduceSumSquare", "sum(multiply($x=*, $x))"),
    Restored<ReadReduceL1>("onnx.ReduceL1", "sum(abs(*))"),
    Restored<ReadLayerNorm>("onnx.LayerNormalization",
                            "add(multiply(multiply(subtract($x=*, $m=mean($x)), divide(const, sqrt(add(divide(sum("
                            "multiply($d=subtract($x, $m), $d)), const), const)))), *), *)"),
    Restored<ReadLayerNorm>("onnx.LayerNormalization",
                            "add(multiply(divide($d=subtract($x=*, mean($x)), sqrt(add(mean(power($d, const) | "
                            "multiply($d, $d)), const))), *), *)"),
    Restored<ReadGather>("onnx.Gather", "take(*, where(less($i=*, const), add($i, const), $i))"),
    Restored<ReadGatherElements>("onnx.GatherElements", "gather(*, where(less($i=*, const), add($i, const), $i))"),
    Restored<ReadMatMul>("onnx.MatMul", "reshape(nn.batch_matmul(reshape(*), reshape(*)))"),
    Restored<ReadMatMul>("onnx.MatMul", "reshape(nn.matmul(reshape(*), *))"),
    Restored<ReadPRelu>("onnx.PRelu", "reshape(nn.prelu(reshape(*), reshape(broadcast_to(*) | *)))"),
};

}  // namespace

auto RestoredPatterns() -> std::span<const OnnxPattern> { return kRestored; }

}  // namespace relayopt::onnx::out
