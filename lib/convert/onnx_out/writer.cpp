// Writes modules as ONNX files. OnnxPipeline prepares them; they are written in the requested version of operators,
// in that of the original model, or in the version that they need.
#include "relayopt/convert/onnx/write.h"

#include <algorithm>

#include "forms.h"
#include "function_writer.h"
#include "lib/convert/lower/prepare.h"
#include "lib/convert/onnx/model_proto.h"
#include "model_writer.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/ops/op_table.h"
#include "versions.h"

namespace relayopt {

namespace onnx::out {
namespace {

constexpr DiagnosticKind kNotPrepared = {"onnx-preparation", Severity::kError, "the module cannot be prepared: {}"};
constexpr DiagnosticKind kOpset = {"onnx-opset", Severity::kRemark,
                                   "the model needs version {} of the operators, not {}"};
constexpr DiagnosticKind kFixedOpset = {"onnx-opset", Severity::kError,
                                        "the model needs version {} of the operators{}, and {} was asked for"};
constexpr DiagnosticKind kUnknownOpset = {"onnx-opset", Severity::kError,
                                          "operators are written in versions {} to {}, not {}"};

// Versions of the operators that forms are written for.
constexpr int64_t kDefaultOpset = 18;
constexpr int64_t kLeastOpset = 7;
constexpr int64_t kNewestOpset = 21;

// Whether the module computes on quantized tensors, beyond converting their representation.
auto HasQuantizedArithmetic(const Module& module) -> bool {
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      if (function.kind(expr) != ExprKind::kOpCall) continue;
      const OpDef* op = function.op(expr);
      const std::string_view name = op->name;
      if (name.starts_with("qnn.") && op != "qnn.quantize"_op && op != "qnn.dequantize"_op) return true;
    }
  }
  return false;
}

auto Prepared(const Module& module, DiagnosticSink& sink) -> std::optional<Module> {
  auto prepared = HasQuantizedArithmetic(module) ? PrepareFor(module, "LowerFor<target=onnx>") : Result<Module>(module);
  if (prepared) {
    std::string text(OnnxPipeline());
    // Products of bytes have been lowered; other quantized operators have no ONNX operator.
    if (HasQuantizedArithmetic(*prepared)) text = "qnn.Legalize,qnn.CanonicalizeOps," + text;
    prepared = PrepareFor(*prepared, text);
  }
  if (!prepared) {
    sink.Report(kNotPrepared, prepared.error().range, prepared.error().text);
    return std::nullopt;
  }
  const GlobalId main = prepared->FindGlobal("main");
  if (!main || prepared->function<Function>(main) == nullptr) {
    sink.Report(kUnsupported, SourceRange(), "the module", "it has no function @main");
    return std::nullopt;
  }
  return std::move(*prepared);
}

// Returns the first function of the model that is written for another version: functions stay as they are.
auto FunctionOfOtherVersion(const ModelProto* model, int64_t opset) -> const FunctionProto* {
  if (model == nullptr) return nullptr;
  const auto found = std::ranges::find_if(model->functions, [&](const FunctionProto& function) {
    const auto own = function.opsets.Find("");
    return own && *own != opset;
  });
  return found == model->functions.end() ? nullptr : &*found;
}

}  // namespace

// Names depend on the version of the operators, which operators may raise: then everything is written again.
auto BuildModel(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<Model> {
  if (options.opset && (*options.opset < kLeastOpset || *options.opset > kNewestOpset)) {
    sink.Report(kUnknownOpset, SourceRange(), kLeastOpset, kNewestOpset, *options.opset);
    return std::nullopt;
  }
  const auto prepared = Prepared(module, sink);
  if (!prepared) return std::nullopt;
  const auto& interface = module.context().Part<OnnxInterface>();
  const OnnxNames names = interface.Get();
  // A model that keeps its nodes keeps their version; an expanded one is written in a version that has all operators.
  const int64_t own = interface.model() != nullptr ? names.opset : std::max(names.opset, kDefaultOpset);
  const int64_t wanted = options.opset.value_or(own);
  int64_t opset = options.opset ? wanted : std::clamp(wanted, kLeastOpset, std::max(own, kNewestOpset));
  const auto model_read = interface.model();
  if (const auto* function = options.opset ? FunctionOfOtherVersion(model_read.get(), wanted) : nullptr) {
    sink.Report(kFixedOpset, SourceRange(), *function->opsets.Find(""),
                fmt::format(", because of the function {}", function->name), *options.opset);
    return std::nullopt;
  }
  while (true) {
    const Result<Module> versioned = InVersion(*prepared, opset);
    if (!versioned) {
      sink.Report(kNotPrepared, versioned.error().range, versioned.error().text);
      return std::nullopt;
    }
    if (const auto node = options.opset ? NodeOfOtherVersion(*versioned, opset) : std::nullopt) {
      sink.Report(kFixedOpset, SourceRange(), node->version, fmt::format(", because of {}", node->op_type), opset);
      return std::nullopt;
    }
    auto model = WriteModel(*versioned, sink, opset, names);
    if (!model || model->opset == opset) return model;
    opset = model->opset;
    if (options.opset) {
      const std::string why = model->needs.empty() ? "" : fmt::format(", because of {}", model->needs);
      sink.Report(kFixedOpset, SourceRange(), opset, why, *options.opset);
      return std::nullopt;
    }
    sink.Report(kOpset, SourceRange(), opset, wanted);
  }
}

}  // namespace onnx::out

auto OnnxPipeline() -> std::string_view {
  return "Inline,DefuseOps,FoldExplicitPadding,DynamicToStatic,SimplifyShapes,DynamicToStatic,fixpoint<max=3>(LowerFor<"
         "target=onnx>),FoldConstant,"
         "CombineFor<target=onnx>,"
         "RemoveUnusedFunctions,InferType";
}

auto OnnxFormOf(std::string_view op) -> std::string {
  const OpDef* def = FindOp(op);
  const onnx::out::OnnxForm* form = def == nullptr ? nullptr : onnx::out::FindOnnxForm(def);
  return form == nullptr ? "" : std::string(form->op_type);
}

auto WriteOnnx(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<OnnxFile> {
  const auto model = onnx::out::BuildModel(module, options, sink);
  if (!model) return std::nullopt;
  OnnxFile file;
  onnx::out::ExternalData external{options.external};
  file.model = onnx::out::Serialize(*model, options.external.empty() ? nullptr : &external);
  file.external = std::move(external.tensors);
  return file;
}

auto WriteOnnxText(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink)
    -> std::optional<std::string> {
  const auto model = onnx::out::BuildModel(module, options, sink);
  return model ? std::optional(onnx::out::ToText(*model)) : std::nullopt;
}

}  // namespace relayopt
