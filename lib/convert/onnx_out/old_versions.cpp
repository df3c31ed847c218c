// One rule for each operator whose operands or meaning changed between versions 7 and 17; for all others it suffices
// that they existed. Negative axes are those of version 11 and later.
#include "old_versions.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "known_values.h"
#include "lib/convert/onnx/op_row.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

class OldVersion {
 public:
  OldVersion(Graph& main, int64_t opset) : opset_(opset) {
    for (const TensorData& tensor : main.initializers) constants_[tensor.name] = &tensor;
    NoteShapes(main.inputs);
    NoteShapes(main.outputs);
  }

  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  auto Convert(Graph& graph) -> bool {
    NoteShapes(graph.values);
    for (Node& node : graph.nodes) {
      if (node.is_foreign) continue;
      if (!Exists(node) || !ConvertNode(node)) {
        failed_ = Needs{std::string(node.op_type), LeastVersion(node)};
        return false;
      }
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr && !Convert(*attribute.graph)) return false;
      }
      std::ranges::sort(node.attributes, {}, &Attribute::name);
    }
    return true;
  }

  // The operator that has no form.
  auto failed() const -> const Needs& { return failed_; }

 private:
  void NoteShapes(const std::vector<ValueType>& values) {
    for (const ValueType& value : values) {
      shapes_[value.name] = &value.shape;
      types_[value.name] = value.element_type;
    }
  }
  // Returns kUndefined if it is not known.
  auto TypeOf(Name value) const -> int32_t {
    const TensorData* constant = constants_[value];
    return constant != nullptr ? constant->element_type : types_[value];
  }
  static auto IsOneOf(int32_t type, std::initializer_list<int32_t> types) -> bool {
    return std::ranges::find(types, type) != types.end();
  }
  auto ShapeOf(Name value) const -> const ExtentList* { return shapes_[value]; }

  // Returns the first version in which a node that has no form in this one has a form.
  auto LeastVersion(const Node& node) const -> int64_t {
    OldVersion next = *this;
    while (++next.opset_ < kLeastForms) {
      Node copy = node;
      if (next.Exists(copy) && next.ConvertNode(copy)) break;
    }
    return next.opset_;
  }

  auto Exists(const Node& node) const -> bool {
    const bool is_scatter = node.op_type == "ScatterElements" && opset_ < 11;
    const OpRow* row = FindOpRow(node.domain, is_scatter ? "Scatter" : node.op_type);
    return row != nullptr && (!node.domain.empty() || FirstVersion(*row) <= opset_);
  }

  auto ConvertNode(Node& node) -> bool {
    const std::string_view op = node.op_type;
    if (op == "Squeeze" || op == "Unsqueeze" || op == "ReduceSum") {
      if (opset_ < 13 && !ListToAttribute(node, 1, "axes")) return false;
    } else if (op == "Split") {
      if (opset_ < 13 && !ListToAttribute(node, 1, "split")) return false;
    } else if (op == "Softmax" || op == "LogSoftmax" || op == "Hardmax") {
      if (opset_ < 13 && !IsOverLastAxis(node)) return false;
    } else if (op == "Clip") {
      if (opset_ < 11 && !(NumberToAttribute(node, 2, "max") && NumberToAttribute(node, 1, "min"))) return false;
    } else if (op == "Pad") {
      if (opset_ < 11 && !(NumberToAttribute(node, 2, "value") && ListToAttribute(node, 1, "pads"))) return false;
      if (node.inputs.size() > 2 && opset_ < 18 && node.inputs.size() > 3) return false;
    } else if (op == "Shape") {
      if (opset_ < 15 && !node.attributes.empty()) return false;
    } else if (op == "Slice") {
      if (opset_ < 10 && !OldSlice(node)) return false;
    } else if (op == "TopK") {
      if (opset_ < 10 && !CountToAttribute(node)) return false;
      if (opset_ < 11 && (IntOf(node, "largest", 1) != 1 || IntOf(node, "sorted", 1) != 1)) return false;
      if (opset_ < 11) Drop(node, "largest"), Drop(node, "sorted");
    } else if (op == "Gemm") {
      if (opset_ < 11 && node.inputs.size() < 3) return false;
    } else if (op == "Resize") {
      if (opset_ < 13) return false;
    } else if (op == "MaxPool" || op == "AveragePool") {
      if (opset_ < 10 && IntOf(node, "ceil_mode", 0) != 0) return false;
      if (opset_ < 10) Drop(node, "ceil_mode"), Drop(node, "dilations");
    } else if (op == "Reshape") {
      if (opset_ < 14 && IntOf(node, "allowzero", 0) != 0) return false;
    } else if (op == "ScatterElements" || op == "ScatterND") {
      const Attribute* reduction = opset_ < 16 ? AttributeOf(node, "reduction") : nullptr;
      if (reduction != nullptr && reduction->s != "none") return false;
      if (reduction != nullptr) Drop(node, "reduction");
      if (opset_ < 11) return RenameScatter(node);
    } else if (op == "Max" || op == "Min" || op == "Sum" || op == "Mean") {
      // Operands are broadcast since version 8, and may be integers since version 12.
      if (opset_ < 8 && !AreOfOneShape(node.inputs)) return false;
      if (opset_ < 12 && !IsOneOf(TypeOf(node.outputs[0]), {kFloat, kFloat16, kDouble})) return false;
    } else if (op == "RoiAlign") {
      // Before version 16 regions are not shifted by half a pixel.
      const Attribute* mode = opset_ < 16 ? AttributeOf(node, "coordinate_transformation_mode") : nullptr;
      if (opset_ < 16 && (mode == nullptr || mode->s != "output_half_pixel")) return false;
      if (mode != nullptr) Drop(node, "coordinate_transformation_mode");
    } else if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div" || op == "Relu") {
      // Integers of 8 and 16 bits came with version 14, those of Relu as well.
      if (opset_ < 14 && IsOneOf(TypeOf(node.outputs[0]), {kInt8, kUint8, kInt16, kUint16})) return false;
      if (opset_ < 14 && op == "Relu" && IsOneOf(TypeOf(node.outputs[0]), {kInt32, kInt64})) return false;
    } else if (op == "Equal") {
      // Floats are compared since version 11,
      if (opset_ < 11 && !IsOneOf(TypeOf(node.inputs[0]), {kBool, kInt32, kInt64})) return false;
    } else if (opset_ < 9 && (op == "Greater" || op == "Less")) {
      // and other numbers since version 9.
      return IsOneOf(TypeOf(node.inputs[0]), {kFloat, kFloat16, kDouble}) && !HasNegativeAxes(node);
    }
    return opset_ >= 11 || !HasNegativeAxes(node);
  }

  // ScatterElements was called Scatter before version 11.
  auto RenameScatter(Node& node) const -> bool {
    if (node.op_type != "ScatterElements" || HasNegativeAxes(node)) return false;
    node.op_type = "Scatter";
    return true;
  }

  static void Drop(Node& node, std::string_view name) {
    std::erase_if(node.attributes, [&](const Attribute& attribute) { return attribute.name == name; });
  }

  static auto HasNegativeAxes(const Node& node) -> bool {
    const auto is_negative = [](int64_t axis) { return axis < 0; };
    return std::ranges::any_of(node.attributes, [&](const Attribute& attribute) {
      if (attribute.name == "axis") return attribute.i < 0;
      return attribute.name == "axes" && std::ranges::any_of(attribute.ints, is_negative);
    });
  }

  // Returns the elements of input `i`, or nothing if it is not a constant of int64.
  auto NumbersOf(const Node& node, size_t i) const -> std::optional<std::vector<int64_t>> {
    const TensorData* constant = constants_[node.inputs[i]];
    if (constant == nullptr || constant->element_type != kInt64) return std::nullopt;
    return constant->bytes.ToVector<int64_t>();
  }

  // Turns input `i`, which is the last one, into an attribute. An absent input needs none.
  auto ListToAttribute(Node& node, size_t i, std::string_view name) -> bool {
    if (node.inputs.size() <= i || node.inputs[i].empty()) return true;
    const auto numbers = NumbersOf(node, i);
    if (!numbers || node.inputs.size() != i + 1) return false;
    node.inputs.pop_back();
    node.attributes.push_back(Ints(name, *numbers));
    return true;
  }

  // The number of elements that TopK selects becomes an attribute.
  auto CountToAttribute(Node& node) -> bool {
    const auto numbers = node.inputs.size() == 2 ? NumbersOf(node, 1) : std::nullopt;
    if (!numbers || numbers->size() != 1) return false;
    node.inputs.pop_back();
    node.attributes.push_back(Int("k", numbers->front()));
    return true;
  }

  auto NumberToAttribute(Node& node, size_t i, std::string_view name) -> bool {
    if (node.inputs.size() <= i) return true;
    if (node.inputs[i].empty()) {
      node.inputs.pop_back();
      return true;
    }
    const TensorData* constant = constants_[node.inputs[i]];
    if (constant == nullptr || constant->element_type != kFloat || node.inputs.size() != i + 1) return false;
    if (constant->bytes.size() != sizeof(float)) return false;
    const auto number = constant->bytes.At<float>(0);
    node.inputs.pop_back();
    // No bound of Clip: the attribute that is not there stands for the largest number.
    if (std::isinf(number) && name != "value" && (number > 0) == (name == "max")) return true;
    node.attributes.push_back(Float(name, static_cast<double>(number)));
    return true;
  }

  auto OldSlice(Node& node) -> bool {
    if (node.inputs.size() == 5) {
      const auto steps = NumbersOf(node, 4);
      if (!steps || std::ranges::any_of(*steps, [](int64_t step) { return step != 1; })) return false;
      node.inputs.pop_back();
    }
    return ListToAttribute(node, 3, "axes") && ListToAttribute(node, 2, "ends") && ListToAttribute(node, 1, "starts");
  }

  // Whether all values are known to have the same extents.
  auto AreOfOneShape(const Names& values) const -> bool {
    const ExtentList* first = ShapeOf(values[0]);
    const auto is_known = [](const Extent& extent) { return extent.value.has_value() || !extent.symbol.empty(); };
    if (first == nullptr || !std::ranges::all_of(*first, is_known)) return false;
    return std::ranges::all_of(values, [&](Name value) {
      const ExtentList* shape = ShapeOf(value);
      return shape != nullptr && *shape == *first;
    });
  }

  // Softmax over all axes from `axis` on is softmax over `axis` if all others of these have one element.
  auto IsOverLastAxis(Node& node) -> bool {
    const ExtentList* shape = ShapeOf(node.outputs[0]);
    const int64_t axis = IntOf(node, "axis", -1);
    const int64_t rank = shape == nullptr ? 0 : static_cast<int64_t>(shape->size());
    const auto has_one_element = [](const Extent& extent) { return extent.value == 1; };
    const int64_t from = axis < 0 ? axis + rank : axis;
    const bool is_over_one =
        from >= 0 && from < rank && std::all_of(shape->begin() + from + 1, shape->end(), has_one_element);
    if (axis != -1 && !is_over_one) return false;
    if (opset_ >= 11 || axis >= 0) return axis != -1 || HasAxis(node);
    if (shape == nullptr) return false;
    Drop(node, "axis");
    node.attributes.push_back(Int("axis", from));
    return true;
  }
  // The old version has another default for the axis.
  static auto HasAxis(Node& node) -> bool {
    if (AttributeOf(node, "axis") == nullptr) node.attributes.push_back(Int("axis", -1));
    return true;
  }

  int64_t opset_;
  Needs failed_;
  NameMap<const TensorData*> constants_;
  NameMap<const ExtentList*> shapes_;
  NameMap<int32_t> types_;
};

}  // namespace

auto ToOldVersion(Graph& graph, int64_t opset) -> Needs {
  OldVersion old(graph, opset);
  if (!old.Convert(graph)) return old.failed();
  RemoveUnused(graph);
  return {};
}

}  // namespace relayopt::onnx::out
