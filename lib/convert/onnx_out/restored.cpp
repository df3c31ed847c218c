// Activations, normalizations and products that models spell out, and that ONNX has operators for.
//
// An operator is recognized by its formula: that of its row, by which it is expanded, too, or another way to spell it.
// For what is no formula, a pattern says what the operators look like, and a reader (Read...) takes what it needs out
// of them: it is the check of the pattern where they are in a function, and it is asked again when the body of the
// composite is written.
#include "restored.h"

#include <algorithm>
#include <list>

#include "lib/convert/onnx/formulas.h"
#include "lib/convert/onnx/op_row.h"
#include "readers.h"
#include "relayopt/relay/formula/match.h"

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
  Names inputs;
  for (const ExprId input : found->inputs) inputs.push_back(value(input)[0]);
  // From version 18 on, axes of reductions are an input.
  std::erase_if(found->attributes, [&](const Attribute& attribute) {
    if (attribute.name == "axes") inputs.push_back(call.List(attribute.ints));
    return attribute.name == "axes";
  });
  return One(call.Add(found->op_type, std::move(inputs), std::move(found->attributes)));
}

// A way to spell an operator out.
struct Spelling {
  // The attribute Composite: "onnx." and the operator, but for TanhGelu.
  std::string_view name;
  Formula formula = {};
  // The attribute of this name, unless it is empty.
  std::string_view approximate = "";

  auto op_type() const -> std::string_view { return approximate.empty() ? name.substr(sizeof "onnx." - 1) : "Gelu"; }
};

// A spelling without a formula has that of the operator's row.
constexpr Spelling kSpellings[] = {
    {"onnx.Gelu"},
    {"onnx.Gelu", "X * (1 + erf(X / sqrt2)) * 0.5"_formula},
    {"onnx.TanhGelu", kTanhGelu, "tanh"},
    {"onnx.HardSwish"},
    {"onnx.HardSwish", "X * clip(X + 3, 0, 6) / 6"_formula},
    {"onnx.HardSigmoid"},
    {"onnx.Mish"},
    {"onnx.Selu"},
    {"onnx.Elu"},
    {"onnx.Celu"},
    {"onnx.Softplus"},
    {"onnx.Softsign"},
};

auto FormulaOf(const Spelling& spelling, const OpRow& row) -> const Formula& {
  return spelling.formula ? spelling.formula : row.formula;
}

template <TextLiteral kName>
auto ReadSpelling(const Place& root) -> std::optional<RestoredNode> {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name != kName.view()) continue;
    const OpRow& row = *FindOpRow("", spelling.op_type());
    const auto parameters = FloatAttributes(row);
    const auto match = MatchFormula(FormulaOf(spelling, row), root.function(), root.id(), parameters);
    if (!match) continue;
    const Place x(root.function(), match->operand("X"));
    if (!IsSingle(x) || !KeepsType(root, x)) return std::nullopt;
    RestoredNode node{spelling.op_type(), {x.id()}};
    for (const std::string_view parameter : parameters)
      node.attributes.push_back(Float(parameter, match->number(parameter)));
    if (!spelling.approximate.empty()) node.attributes.push_back(String("approximate", spelling.approximate));
    return node;
  }
  return std::nullopt;
}

template <Reader kReader>
constexpr auto Restored(std::string_view name, std::string_view pattern) -> OnnxPattern {
  return {name, pattern, Check<kReader>, Write<kReader>};
}

template <TextLiteral kOpType>
auto ReadReductionTo(const Place& root) -> std::optional<RestoredNode> {
  return ReadReduction(kOpType.view(), root);
}

// A row without pattern, for all spellings of this name.
template <TextLiteral kName>
constexpr auto Spelled() -> OnnxPattern {
  return Restored<ReadSpelling<kName>>(kName.view(), "");
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
    Spelled<"onnx.Gelu">(),
    Spelled<"onnx.TanhGelu">(),
    Spelled<"onnx.HardSwish">(),
    Spelled<"onnx.HardSigmoid">(),
    Spelled<"onnx.Mish">(),
    Spelled<"onnx.Selu">(),
    Spelled<"onnx.Elu">(),
    Spelled<"onnx.Celu">(),
    Spelled<"onnx.Softplus">(),
    Spelled<"onnx.Softsign">(),
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
    Restored<ReadReductionTo<"ReduceL2">>("onnx.ReduceL2", "sqrt(sum(multiply($x=*, $x)))"),
    Restored<ReadReductionTo<"ReduceSumSquare">>("onnx.ReduceSumSquare", "sum(multiply($x=*, $x))"),
    Restored<ReadReductionTo<"ReduceL1">>("onnx.ReduceL1", "sum(abs(*))"),
    Restored<ReadGather>("onnx.Gather", "take(*, where(less($i=*, const), add($i, const), $i))"),
    Restored<ReadGatherElements>("onnx.GatherElements", "gather(*, where(less($i=*, const), add($i, const), $i))"),
    Restored<ReadSoftmax>("onnx.Softmax", "reshape(nn.softmax(reshape(*)) | nn.log_softmax(reshape(*)))"),
    Restored<ReadPRelu>("onnx.PRelu", "reshape(nn.prelu(reshape(*), reshape(broadcast_to(*) | *)))"),
};

}  // namespace

auto RestoredPatterns() -> std::span<const OnnxPattern> {
  struct Patterns {
    std::list<std::string> texts;
    std::vector<OnnxPattern> rows;
  };
  static const Patterns patterns = [] {
    Patterns made;
    for (const OnnxPattern& row : kRestored) {
      if (!row.pattern.empty()) made.rows.push_back(row);
      for (const Spelling& spelling : kSpellings) {
        if (spelling.name != row.name) continue;
        const OpRow& op = *FindOpRow("", spelling.op_type());
        OnnxPattern pattern = row;
        pattern.pattern = made.texts.emplace_back(PatternOfFormula(FormulaOf(spelling, op), FloatAttributes(op)));
        made.rows.push_back(pattern);
      }
    }
    return made;
  }();
  return patterns.rows;
}

}  // namespace relayopt::onnx::out
