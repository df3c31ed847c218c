// What an operator without an expansion gives.
//
// A table has the operators whose results have shapes that follow from the shape of the first operand:
//
//   "i64[n], f32[n ?]"     an integer for each row of X and a row of numbers
//   "f32[x... ?]"          the extents of X and one more
//   "f32[-... ?]"          those of X without the last one, and one more
//
// The element type is f32, i64, bool, `str` (a handle), `x` (that of X), or `label` and `value`, which attributes
// decide.
//
// Nodes with graphs give what these graphs state: the element type and the rank, because extents may differ from
// branch to branch and from turn to turn.
#include "stated_types.h"

#include <algorithm>
#include <iterator>

#include "relayopt/relay/ir/call_view.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"
#include "tensor_data.h"

namespace relayopt::onnx {

auto ForeignType(Context& context, const TypeProto& type) -> TypeId {
  if (!type.is_tensor() || !type.shape) return context.Scalar(kHandle);
  const auto dtype = IsForeignElement(type.element_type) ? std::nullopt : RelayType(type.element_type);
  const auto dims = MapToVector<Dim>(
      *type.shape, [&](const DimProto& dim) { return dim.value && *dim.value >= 0 ? Dim(*dim.value) : Dim::Any(); });
  return context.Tensor(dims, dtype.value_or(kHandle));
}

namespace {

struct StatedRow {
  std::string_view domain;
  std::string_view op_type;
  // Separated by "; ".
  std::string_view results;
};

constexpr std::string_view kMl = "ai.onnx.ml";

// Sorted by name.
constexpr StatedRow kStated[] = {
    {kMl, "ArrayFeatureExtractor", "x[row... ?]"},
    {kMl, "Binarizer", "x[x...]"},
    {kMl, "CategoryMapper", "mapped[x...]"},
    {kMl, "FeatureVectorizer", "f32[n ?]"},
    {kMl, "Imputer", "x[x...]"},
    {kMl, "LabelEncoder", "value[x...]"},
    {kMl, "LinearClassifier", "label[n]; f32[n ?]"},
    {kMl, "LinearRegressor", "f32[n ?]"},
    {kMl, "Normalizer", "f32[x...]"},
    {kMl, "OneHotEncoder", "f32[x... ?]"},
    {"", "RegexFullMatch", "bool[x...]"},
    {kMl, "SVMClassifier", "label[n]; f32[n ?]"},
    {kMl, "SVMRegressor", "f32[n ?]"},
    {kMl, "Scaler", "f32[x...]"},
    {"", "StringNormalizer", "str[-... ?]"},
    {"", "StringSplit", "str[x... ?]; i64[x...]"},
    {"", "TfIdfVectorizer", "f32[-... ?]"},
    {"com.microsoft", "Tokenizer", "str[x... ?]"},
    {kMl, "TreeEnsemble", "x[n ?]"},
    {kMl, "TreeEnsembleClassifier", "label[n]; f32[n ?]"},
    {kMl, "TreeEnsembleRegressor", "f32[n ?]"},
};

auto HasAny(const ForeignNode& node, std::initializer_list<std::string_view> names) -> bool {
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return FindAttribute(node.attributes, name) != nullptr; });
}

// Returns the element type of this name, or nothing if it is not known.
auto ElementOf(std::string_view name, const ForeignNode& node, const Type* x) -> std::optional<DataType> {
  if (name == "f32") return DataType::Float(32);
  if (name == "i64") return DataType::Int(64);
  if (name == "bool") return DataType::Bool();
  if (name == "str") return kHandle;
  if (name == "label") return HasAny(node, {"classlabels_strings"}) ? kHandle : DataType::Int(64);
  if (name == "value") {
    if (HasAny(node, {"values_strings", "classes_strings", "values_tensor"})) return std::nullopt;
    if (HasAny(node, {"values_floats"})) return DataType::Float(32);
    return HasAny(node, {"values_int64s"}) ? std::optional(DataType::Int(64)) : std::nullopt;
  }
  if (x == nullptr) return std::nullopt;
  // Texts become numbers, and numbers texts.
  if (name == "mapped") return x->dtype == kHandle ? DataType::Int(64) : kHandle;
  return x->dtype;
}

// Returns the extents of this notation, or nothing if they are not known.
auto ExtentsOf(std::string_view text, const Type* x) -> std::optional<std::vector<Dim>> {
  std::vector<Dim> dims;
  for (const std::string_view axis : SplitText(text, ' ')) {
    if (axis == "?") {
      dims.push_back(Dim::Any());
    } else if (axis == "n") {
      // A vector is a single row.
      const bool has_rows = x != nullptr && x->rank() == 2;
      dims.push_back(has_rows ? x->shape[0] : Dim::Any());
    } else {
      if (x == nullptr || x->rank() == 0) return std::nullopt;
      const size_t count = axis == "x..." ? x->rank() : x->rank() - 1;
      if (axis == "row..." && count == 0) dims.emplace_back(1);
      dims.insert(dims.end(), x->shape.begin(), x->shape.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }
  return dims;
}

auto TypeOfRow(Context& context, std::string_view text, const ForeignNode& node, const Type* x) -> TypeId {
  const size_t open = text.find('[');
  const auto dtype = ElementOf(text.substr(0, open), node, x);
  const auto dims = ExtentsOf(text.substr(open + 1, text.find(']') - open - 1), x);
  return dtype && dims ? context.Tensor(*dims, *dtype) : context.Scalar(kHandle);
}

// Returns the tensor type without its extents, or a handle.
auto RankOnly(Context& context, TypeId id, size_t more = 0) -> TypeId {
  const Type& type = context.type(id);
  if (!type.is_tensor() || (type.rank() == 0 && type.dtype == kHandle)) return context.Scalar(kHandle);
  return context.Tensor(std::vector<Dim>(type.rank() + more, Dim::Any()), type.dtype);
}

// What two values of which one is the result have in common.
auto Common(Context& context, TypeId a, TypeId b) -> TypeId {
  const TypeId first = RankOnly(context, a);
  return first == RankOnly(context, b) ? first : context.Scalar(kHandle);
}

auto GraphOf(const ForeignNode& node, std::string_view name) -> const GraphProto* {
  const AttributeProto* attribute = FindAttribute(node.attributes, name);
  return attribute == nullptr ? nullptr : attribute->graph;
}

auto TypesOfIf(Context& context, const ForeignNode& node) -> std::vector<TypeId> {
  const GraphProto* first = GraphOf(node, "then_branch");
  const GraphProto* second = GraphOf(node, "else_branch");
  if (first == nullptr || second == nullptr || first->outputs.size() != second->outputs.size()) return {};
  std::vector<TypeId> types;
  types.reserve(first->outputs.size());
  for (size_t i = 0; i < first->outputs.size(); ++i) {
    types.push_back(
        Common(context, ForeignType(context, first->outputs[i].type), ForeignType(context, second->outputs[i].type)));
  }
  return types;
}

// Of a loop, the values that are carried come first, then those that each turn gives. `carried` are the operands that
// the former begin with, `first` is the output of the body that is the first of them.
auto TypesOfBody(Context& context, const GraphProto& body, size_t first, std::span<const TypeId> carried)
    -> std::vector<TypeId> {
  std::vector<TypeId> types;
  for (size_t i = first; i < body.outputs.size(); ++i) {
    const TypeId stated = ForeignType(context, body.outputs[i].type);
    const size_t place = i - first;
    types.push_back(place < carried.size() ? Common(context, stated, carried[place]) : RankOnly(context, stated, 1));
  }
  return types;
}

auto TypesOfGraphs(Context& context, const ForeignNode& node, std::span<const TypeId> inputs) -> std::vector<TypeId> {
  if (node.op_type == "If") return TypesOfIf(context, node);
  const GraphProto* body = GraphOf(node, "body");
  const size_t count = inputs.size() - std::min(inputs.size(), node.captures.size());
  if (body == nullptr) return {};
  if (node.op_type == "Loop" && body->inputs.size() >= 2 && count >= body->inputs.size()) {
    return TypesOfBody(context, *body, 1, inputs.subspan(2, body->inputs.size() - 2));
  }
  // Until version 9, there was a batch around it.
  constexpr int64_t kWithoutBatch = 9;
  const AttributeProto* scanned = FindAttribute(node.attributes, "num_scan_inputs");
  const bool is_scan = node.op_type == "Scan" && node.version >= kWithoutBatch && scanned != nullptr;
  if (!is_scan || scanned->i < 0 || static_cast<size_t>(scanned->i) > count) return {};
  return TypesOfBody(context, *body, 0, inputs.first(count - static_cast<size_t>(scanned->i)));
}

}  // namespace

auto StatedTypes(Context& context, const ForeignNode& node, std::span<const TypeId> inputs) -> std::vector<TypeId> {
  std::vector<TypeId> types;
  const auto row = std::ranges::find_if(
      kStated, [&](const StatedRow& stated) { return stated.op_type == node.op_type && stated.domain == node.domain; });
  if (row != std::end(kStated)) {
    const Type* x = inputs.empty() ? nullptr : TensorType(context, inputs[0]);
    // A value of which nothing is known.
    if (x != nullptr && x->rank() == 0 && x->dtype == kHandle) x = nullptr;
    for (std::string_view text : SplitText(row->results, ';')) {
      while (text.starts_with(' ')) text.remove_prefix(1);
      types.push_back(TypeOfRow(context, text, node, x));
    }
  } else if (node.domain.empty()) {
    types = TypesOfGraphs(context, node, inputs);
  }
  if (types.size() < node.results.size()) return {};
  types.resize(node.results.size());
  return types;
}

}  // namespace relayopt::onnx
