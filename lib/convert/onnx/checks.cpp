// Checks of a model before any node is converted: options
// that name what is not there, operators that are unknown.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics.h"
#include "importer.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx {

namespace {

constexpr size_t kMostMessages = 20;

// Names in the order in which they were added.
class Names {
 public:
  void Add(std::string_view name) {
    list_.push_back(name);
    set_.insert(name);
  }
  auto contains(std::string_view name) const -> bool { return set_.contains(name); }
  auto list() const -> const std::vector<std::string_view>& { return list_; }
  auto Text() const -> std::string {
    std::string text;
    for (const std::string_view name : list_) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
    return text.empty() ? "none" : text;
  }

 private:
  std::vector<std::string_view> list_;
  absl::flat_hash_set<std::string_view> set_;
};

}  // namespace

auto Importer::CheckOptions() -> bool {
  Names inputs;
  Names symbols;
  TextViewSet weights;
  // Inputs whose values may be left out: since version 4 an initializer may be one.
  TextViewSet defaults;
  for (const TensorProto& tensor : model_.graph->initializers) weights.insert(tensor.name);
  for (const ValueInfo& input : model_.graph->inputs) {
    if (!weights.contains(input.name)) {
      inputs.Add(input.name);
    } else if (model_.ir_version >= 4) {
      defaults.insert(input.name);
    }
    if (!input.type.shape) continue;
    for (const DimProto& dim : *input.type.shape) {
      if (!dim.symbol.empty()) symbols.Add(dim.symbol);
    }
  }
  bool ok = true;
  // Each message costs as much as there are names.
  size_t num_messages = 0;
  const auto check = [&](std::string_view flag, std::string_view name, const Names& known, std::string_view what) {
    if (known.contains(name)) return;
    ok = false;
    if (++num_messages > kMostMessages) return;
    sink_.Report(diag::kBadOption, {},
                 fmt::format("{}: the model has no {} '{}'{}; it has {}", flag, what, name,
                             DidYouMean(name, known.list()), known.Text()));
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
