// Activations, normalizations and products that models spell out, and that ONNX has operators for.
//
// A pattern says what the operators look like, and a reader (Read...) takes what it needs out of them: it is the check
// of the pattern where they are in a function, and it is asked again when the body of the composite is written.
#include "restored.h"
#include <algorithm>

#include "lib/convert/onnx/op_row.h"
#include "readers.h"

namespace relayopt::onnx::out {

namespace {

auto WriteFloat8(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                 const std::function<Values(ExprId)>& value) -> CallOutputs {
  auto found = ReadFloat8(Place(function, root));
  if (!found) return std::nullopt;
  model.Raise(found->opset);
  OnnxCall call(model, graph, function, root, {});
  return One(call.CastTo(call.Add("Cast", {value(found->inputs[0])[0]}, std::move(found->attributes)), kFloat));
}

// Whether the version of the model has the operator.
auto HasVersion(const ModelBuilder& model, const RestoredNode& node) -> bool {
  const OpRow* row = FindOpRow("", node.op_type);
  return node.opset <= model.target() && (row == nullptr || FirstVersion(*row) <= model.target());
}

template <Reader kReader>
auto Check(const Function& function, ExprId root) -> bool {
  return kReader(Place(function, root)).has_value();
}

template <Reader kReader>
auto Write(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
           const std::function<Values(ExprId)>& value) -> CallOutputs {
  auto found = kReader(Place(function, root));
  // Models of older versions spell the operator out.
  if (!found || !HasVersion(model, *found)) return std::nullopt;
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

// One pattern for all forms: symbolic extents are computed before groups are extracted.
constexpr std::string_view kMatMulPattern =
    "reshape(nn.batch_matmul(reshape(*), reshape(*)) | nn.matmul(reshape(*), *) | nn.dense(reshape(*), const)) | "
    "dyn.reshape(nn.batch_matmul(reshape(*) | dyn.reshape(*, *), reshape(*) | dyn.reshape(*, *)) | "
    "nn.matmul(reshape(*) | dyn.reshape(*, *), *) | nn.dense(reshape(*) | dyn.reshape(*, *), const), *)";

// Larger patterns come before those that are part of them.
constexpr OnnxPattern kRestored[] = {
    {"onnx.MatMul", kMatMulPattern, nullptr, WriteMatMul, IsMatMul},
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
    Restored<ReadLayerNorm>("onnx.LayerNormalization",
                            "add(multiply(multiply(subtract($x=*, $m=mean($x)), divide(const, sqrt(add(divide(sum("
                            "multiply($d=subtract($x, $m), $d)), const), const)))), *), *)"),
    Restored<ReadLayerNorm>("onnx.LayerNormalization",
                            "add(multiply(divide($d=subtract($x=*, mean($x)), sqrt(add(mean(power($d, const) | "
                            "multiply($d, $d)), const))), *), *)"),
    Restored<ReadLayerNorm>("onnx.LayerNormalization",
                            "add(multiply(multiply($d=subtract($x=*, mean($x)), divide(const, sqrt(add(mean(power($d, "
                            "const) | multiply($d, $d)), const)))), *), *)"),
    Restored<ReadLayerNorm>("onnx.LayerNormalization",
                            "add(multiply(multiply($d=subtract($x=*, mean($x)), rsqrt(add(mean(power($d, const) | "
                            "multiply($d, $d)), const))), *), *)"),
    Restored<ReadReduceL2>("onnx.ReduceL2", "sqrt(sum(multiply($x=*, $x)))"),
    Restored<ReadSumSquare>("onnx.ReduceSumSquare", "sum(multiply($x=*, $x))"),
    Restored<ReadReduceL1>("onnx.ReduceL1", "sum(abs(*))"),
    Restored<ReadGather>("onnx.Gather", "take(*, where(less($i=*, const), add($i, const), $i))"),
    Restored<ReadGatherElements>("onnx.GatherElements", "gather(*, where(less($i=*, const), add($i, const), $i))"),
    Restored<ReadSoftmax>("onnx.Softmax", "reshape(nn.softmax(reshape(*)) | nn.log_softmax(reshape(*)))"),
    Restored<ReadPRelu>("onnx.PRelu", "reshape(nn.prelu(reshape(*), reshape(broadcast_to(*) | *)))"),
};

}  // namespace

auto RestoredPatterns() -> std::span<const OnnxPattern> { return kRestored; }

}  // namespace relayopt::onnx::out
