// The entry points: reading a model, and lists of operators.
#include "relayopt/convert/onnx/onnx.h"

#include <algorithm>
#include <new>
#include <tuple>

#include "diagnostics.h"
#include "foreign.h"
#include "importer.h"
#include "inner_data.h"
#include "model_proto.h"
#include "relayopt/convert/onnx/interface.h"
#include "tensor_data.h"

namespace relayopt {

namespace {

auto IsNibble(int32_t element_type) -> bool { return element_type == onnx::kInt4 || element_type == onnx::kUint4; }

}  // namespace

auto FromNumPy(const Tensor& tensor, int32_t element_type) -> Tensor {
  const auto dtype = onnx::RelayType(element_type);
  if (!dtype || tensor.dtype() == *dtype) return tensor;
  if (element_type == onnx::kBfloat16 && tensor.dtype() == DataType::UInt(16)) return tensor.Reinterpreted(*dtype);
  const bool is_wide = tensor.dtype() == DataType::Float(32);
  if (!is_wide || (!IsNibble(element_type) && element_type != onnx::kBfloat16)) return tensor;
  Tensor narrow(*dtype, ShapeOf(tensor));
  const auto from = tensor.elements<float>();
  for (size_t i = 0; i < from.size(); ++i) {
    if (element_type == onnx::kBfloat16)
      narrow.mutable_data<uint16_t>()[i] = FloatToBFloat(from[i]);
    else
      narrow.mutable_data<int8_t>()[i] = static_cast<int8_t>(std::clamp(from[i], -8.0F, 15.0F));
  }
  return narrow;
}

auto ToNumPy(const Tensor& tensor, int32_t element_type) -> Tensor {
  if (element_type == onnx::kBfloat16 && tensor.dtype() == DataType::BFloat(16))
    return tensor.Reinterpreted(DataType::UInt(16));
  if (!IsNibble(element_type) || tensor.dtype().bytes() != 1) return tensor;
  Tensor wide(DataType::Float(32), ShapeOf(tensor));
  const auto from = tensor.elements<int8_t>();
  std::ranges::copy(from, wide.mutable_data<float>());
  return wide;
}

auto LooksLikeOnnx(std::string_view bytes) -> bool {
  // ir_version, then the producer, an opset or the graph. Text begins with none of these.
  constexpr unsigned char kIrVersion = 0x08;
  constexpr unsigned char kLargestVersion = 99;
  constexpr std::string_view kFollowing = "\x12\x1a\x22\x28\x32\x3a\x42";
  return bytes.size() > 2 && static_cast<unsigned char>(bytes[0]) == kIrVersion && bytes[1] >= 1 &&
         static_cast<unsigned char>(bytes[1]) <= kLargestVersion && kFollowing.find(bytes[2]) != std::string_view::npos;
}

namespace {

// Reads a model. Nodes that are kept have no external data: `source` becomes a text in which they hold them themselves.
auto ReadModel(std::shared_ptr<const SourceText>& source, bool keeps_nodes) -> Result<onnx::ModelProto> {
  auto read = onnx::ReadModelProto(source->text());
  if (!read || !keeps_nodes || !read->has_inner_external) return read;
  onnx::ExternalFiles files(source->name());
  RELAYOPT_TRY(std::string whole, onnx::WithInnerData(source->text(), files));
  source = SourceText::FromString(source->name(), std::move(whole));
  return onnx::ReadModelProto(source->text());
}

}  // namespace

auto ImportOnnx(const std::shared_ptr<const SourceText>& file, const OnnxOptions& options, DiagnosticSink& sink,
                bool* needs_values) -> std::optional<OnnxModule> {
  std::shared_ptr<const SourceText> source = file;
  auto read = ReadModel(source, options.keep);
  if (!read) {
    sink.Report(std::move(read).error());
    return std::nullopt;
  }
  const auto model = std::make_shared<const onnx::ModelProto>(std::move(*read));
  onnx::Importer importer(*model, source, options, sink);
  try {
    if (options.keep) importer.context().Part<OnnxInterface>().SetModel(model);
    auto result = importer.Run();
    if (needs_values != nullptr) *needs_values = importer.needs_values();
    return result;
  } catch (const std::bad_alloc&) {
    sink.Report(onnx::diag::kBadGraph, {}, "the model needs more memory than there is");
    return std::nullopt;
  }
}

auto ListOnnxOperators(const std::shared_ptr<const SourceText>& source, const OnnxOptions& options,
                       DiagnosticSink& sink) -> std::optional<std::vector<OnnxOperator>> {
  const auto model = onnx::ReadModelProto(source->text());
  if (!model) {
    sink.Report(model.error());
    return std::nullopt;
  }
  std::vector<OnnxOperator> operators;
  for (const auto& [key, use] : onnx::CountOperators(*model)) {
    OnnxOperator& one = operators.emplace_back();
    one.domain = key.first;
    one.name = key.second;
    one.count = use.count;
    one.is_supported = onnx::FindOpRow(key.first, key.second) != nullptr;
    one.version = model->opsets.Find(key.first).value_or(1);
  }
  // Nodes that stay calls tell all that has to be known, where expanding them at once would end at the first.
  OnnxOptions keeping = options;
  keeping.keep = true;
  DiagnosticSink unused;
  const auto kept = ImportOnnx(source, keeping, unused);
  if (!kept) return operators;
  const auto key_of = [](const OnnxOperator& one) { return std::tie(one.domain, one.name); };
  for (onnx::Refusal& refusal : onnx::FindRefusals(kept->module)) {
    const auto key = std::tie(refusal.domain, refusal.op_type);
    const auto found = std::ranges::lower_bound(operators, key, {}, key_of);
    const bool is_there = found != operators.end() && key_of(*found) == key;
    if (is_there && found->is_supported) found->refusals.push_back(std::move(refusal.why));
  }
  return operators;
}

auto CountOnnxNodes(const SourceText& source) -> std::optional<OnnxCounts> {
  if (!LooksLikeOnnx(source.text())) return std::nullopt;
  const auto model = onnx::ReadModelProto(source.text());
  if (!model) return std::nullopt;
  OnnxCounts counts;
  for (const auto& [key, use] : onnx::CountOperators(*model)) {
    if (key.second == "Constant") continue;
    counts.nodes += use.count;
    counts.kinds[std::string(key.second)] += use.count;
  }
  if (const auto version = model->opsets.Find("")) counts.opset = *version;
  return counts;
}

auto ReadOnnxTensor(std::string_view bytes) -> Result<NamedTensor> {
  RELAYOPT_TRY(const onnx::TensorProto proto, onnx::ReadTensorProto(bytes));
  onnx::ExternalFiles files("");
  Context context;
  RELAYOPT_TRY(const Constant constant, onnx::ToConstant(proto, files, context));
  return NamedTensor{std::string(proto.name), Tensor(constant)};
}

}  // namespace relayopt
