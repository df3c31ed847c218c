// Checks of a model before any node is converted: options
// that name what is not there, operators that are unknown.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics.h"
#include "importer.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx {

auto Importer::CheckOptions() -> bool {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> symbols;
  TextViewSet weights;
  // Inputs whose values may be left out: since version 4 an initializer may be one.
  TextViewSet defaults;
  for (const TensorProto& tensor : model_.graph->initializers) weights.insert(tensor.name);
  for (const ValueInfo& input : model_.graph->inputs) {
    if (!weights.contains(input.name)) {
      inputs.push_back(input.name);
    } else if (model_.ir_version >= 4) {
      defaults.insert(input.name);
    }
    if (!input.type.shape) continue;
    for (const DimProto& dim : *input.type.shape) {
      if (!dim.symbol.empty()) symbols.push_back(dim.symbol);
    }
  }
  bool ok = true;
  const auto check = [&](std::string_view flag, std::string_view name, const std::vector<std::string_view>& known,
                         std::string_view what) {
    if (std::ranges::find(known, name) != known.end()) return;
    std::string list;
    for (const std::string_view one : known) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", one);
    sink_.Report(diag::kBadOption, {},
                 fmt::format("{}: the model has no {} '{}'{}; it has {}", flag, what, name, DidYouMean(name, known),
                             list.empty() ? "none" : list));
    ok = false;
  };
  for (const auto& [name, shape] : options_.shapes) check("--onnx-shape", name, inputs, "input");
  for (const auto& [name, dtype] : options_.dtypes) {
    check("--onnx-dtype", name, inputs, "input");
    if (ElementTypeOf(dtype) != kUndefined) continue;
    sink_.Report(diag::kBadOption, {},
                 fmt::format("--onnx-dtype: '{}' cannot be {}, which is not a type of ONNX", name, ToString(dtype)));
    ok = false;
  }
  for (const auto& [name, extent] : options_.dims) check("--onnx-dim", name, symbols, "symbolic extent");
  for (const NamedTensor& tensor : options_.bind) {
    if (!tensor.name.starts_with("arr_") && !defaults.contains(tensor.name))
      check("--onnx-bind", tensor.name, inputs, "input");
  }
  return ok;
}

auto CountOperators(const ModelProto& model) -> OperatorCounts {
  OperatorCounts counts;
  if (model.graph == nullptr) return counts;
  std::vector<const std::vector<NodeProto>*> lists = {&model.graph->nodes};
  absl::flat_hash_set<const void*> seen;
  for (size_t i = 0; i < lists.size(); ++i) {
    for (const NodeProto& node : *lists[i]) {
      for (const AttributeProto& attribute : node.attributes) {
        if (attribute.graph != nullptr && seen.insert(attribute.graph).second) lists.push_back(&attribute.graph->nodes);
      }
      if (const FunctionProto* function = model.FunctionOf(node); function != nullptr) {
        if (seen.insert(function).second) lists.push_back(&function->nodes);
        continue;
      }
      OperatorCount& use = counts[{node.domain == "ai.onnx" ? "" : node.domain, node.op_type}];
      if (use.count++ == 0) use.first = !node.name.empty() ? node.name : node.outputs.empty() ? "" : node.outputs[0];
    }
  }
  return counts;
}

auto Importer::CheckOperators() -> bool {
  std::string list;
  for (const auto& [key, use] : CountOperators(model_)) {
    const auto& [domain, name] = key;
    if (FindOpRow(domain, name) != nullptr) continue;
    list +=
        fmt::format("{}{}{}{} ({}, first at '{}')", list.empty() ? "" : ", ", domain, domain.empty() ? "" : "::", name,
                    use.count == 1 ? "once" : fmt::format("{} times", use.count), use.first);
  }
  if (list.empty()) return true;
  sink_.Report(diag::kUnsupported, {}, list);
  return false;
}

}  // namespace relayopt::onnx
