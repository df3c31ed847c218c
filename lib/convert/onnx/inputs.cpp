// Inputs and weights of a graph: variables and constants, by name.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "diagnostics.h"
#include "importer.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/text_tables.h"
#include "stated_types.h"

namespace relayopt::onnx {

namespace {

// Relay text is read back only when a name holds none of these.
auto IsHardToRead(char c) -> bool {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || std::iscntrl(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("\"'%,()=[]{};").find(c) != std::string_view::npos;
}

}  // namespace

auto Importer::Sanitized(std::string_view name) -> std::string {
  std::string text(name);
  if (std::ranges::none_of(text, IsHardToRead)) {
    names_.insert(text);
    return text;
  }
  std::ranges::replace_if(text, IsHardToRead, '_');
  const std::string stem = text;
  // The numbers before this one are taken.
  size_t& next = next_numbers_.try_emplace(stem, 1).first->second;
  while (names_.contains(text)) text = fmt::format("{}_{}", stem, next++);
  names_.insert(text);
  Warn("names", fmt::format("'{}' becomes %{}, which can be read back", name, text));
  return text;
}

auto Importer::AddInitializer(std::string_view name, Result<Constant> constant, int32_t element_type, Scope& scope,
                              bool is_outermost) -> bool {
  if (name.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    sink_.Report(diag::kBadTensor, {}, name, "an initializer needs a name");
    return false;
  }
  if (!constant) {
    sink_.Report(std::move(constant).error());
    return false;
  }
  if (scope.is_own(name)) {
    sink_.Report(diag::kBadTensor, {}, name, "another initializer has this name");
    return false;
  }
  const std::vector<Dim> dims(constant->shape().begin(), constant->shape().end());
  const TypeId type = context_->Tensor(dims, constant->dtype());
  Value value;
  if (options_.freeze_params || !is_outermost) {
    value.expr = builder_.Constant(context_->AddConstant(*std::move(constant)));
    builder_.SetType(value.expr, type);
    if (options_.keep) context_->Part<ConstantNames>().Set(builder_.function().constant_id(value.expr), name);
  } else {
    value.expr = Variable(name, type);
    weight_of_[name] = weights_.size();
    value_of_weight_[value.expr] = result_.params.size();
    weights_.push_back(value.expr);
    result_.params.push_back(
        {std::string(context_->text(builder_.function().var(value.expr).name)), Tensor(*constant)});
  }
  value.element_type = element_type;
  scope.Set(name, value);
  return true;
}

auto Importer::ValueOfWeight(ExprId var) -> ExprId {
  const auto weight = value_of_weight_.find(var);
  return weight == value_of_weight_.end() ? ExprId() : em_.Const(result_.params[weight->second].tensor);
}

// Elements that Relay lacks stay those of a Constant.
auto Importer::KeepTensor(const TensorProto& tensor, Scope& scope) -> bool {
  if (tensor.is_external || (RelayType(tensor.element_type) && !IsForeignElement(tensor.element_type))) return false;
  const ExprId made = ConstantCall(tensor);
  Value value(made);
  value.element_type = tensor.element_type;
  scope.Set(tensor.name, value);
  return true;
}

auto Importer::AddInitializers(const GraphProto& graph, Scope& scope, bool is_outermost) -> bool {
  bool ok = true;
  // Initializers of inputs are defaults, which callers may override. Before version 4 all initializers had to be
  // inputs.
  TextViewSet with_default;
  if (options_.keep && !options_.freeze_defaults && is_outermost && model_.ir_version >= 4) {
    for (const ValueInfo& input : graph.inputs) with_default.insert(input.name);
  }
  for (const TensorProto& tensor : graph.initializers) {
    if (with_default.contains(tensor.name)) {
      Result<Constant> constant = ConstantOf(tensor);
      ok &= constant.has_value();
      if (constant) {
        defaults_[tensor.name] = std::make_shared<const Constant>(*std::move(constant));
      } else {
        sink_.Report(std::move(constant).error());
      }
      continue;
    }
    if (options_.keep && KeepTensor(tensor, scope)) continue;
    ok &= AddInitializer(tensor.name, ConstantOf(tensor), tensor.element_type, scope, is_outermost);
  }
  for (const SparseTensorProto& sparse : graph.sparse_initializers) {
    ok &= AddInitializer(sparse.values.name, ConstantOf(sparse), sparse.values.element_type, scope, is_outermost);
  }
  if (is_outermost && !defaults_.empty()) sink_.Report(diag::kDefaults, {}, defaults_.size());
  return ok;
}

auto Importer::Variable(std::string_view name, TypeId type) -> ExprId {
  const ExprId var = builder_.Var({context_->Intern(Sanitized(name)), type, {}});
  builder_.SetType(var, type);
  return var;
}

// Whether neither the model nor an option gives the input a rank.
auto Importer::IsShapeless(const ValueInfo& input) const -> bool {
  return !input.type.shape && named_options_.Shape(input.name) == nullptr;
}

auto Importer::TypeOfInput(const ValueInfo& input, bool is_outermost) -> std::optional<TypeId> {
  const auto fail = [&](std::string_view why) {
    sink_.Report(diag::kBadInput, {}, input.name, why);
    return std::nullopt;
  };
  const TypeProto& type = input.type;
  if (is_outermost && options_.keep &&
      (!type.is_tensor() || !RelayType(type.element_type) || IsForeignElement(type.element_type) ||
       IsShapeless(input))) {
    return ForeignType(*context_, type);
  }
  if (!type.is_tensor()) return fail("Relay has no sequences, optionals, maps or sparse tensors as inputs");
  std::optional<DataType> dtype = RelayType(type.element_type);
  const DataType* const given_dtype = named_options_.Type(input.name);
  if (is_outermost && given_dtype != nullptr) dtype = *given_dtype;
  if (!dtype) return fail(fmt::format("Relay has no tensors of element type {}", ElementTypeName(type.element_type)));
  std::vector<Dim> dims;
  const auto* const given = named_options_.Shape(input.name);
  if (is_outermost && given != nullptr) {
    for (const auto& extent : *given) dims.push_back(extent ? Dim(*extent) : Dim::Any());
    return context_->Tensor(dims, *dtype);
  }
  if (!type.shape) {
    needs_values_ |= is_outermost;
    return fail("its rank is not known; --onnx-shape gives it a shape");
  }
  for (const DimProto& dim : *type.shape) {
    const int64_t* const bound = named_options_.Extent(dim.symbol);
    if (!dim.symbol.empty() && bound != nullptr) {
      dims.emplace_back(*bound);
    } else if (dim.value && *dim.value >= 0) {
      dims.emplace_back(*dim.value);
    } else if (dim.value && *dim.value < -1) {
      return fail("it has a negative extent");
    } else {
      dims.push_back(Dim::Any());
    }
  }
  // No model is larger; and sizes computed from smaller extents do not overflow.
  constexpr int64_t kMost = int64_t{1} << 48;
  int64_t count = 1;
  for (const Dim& dim : dims) {
    if (dim.is_int() && (__builtin_mul_overflow(count, std::max<int64_t>(dim.value(), 1), &count) || count > kMost))
      return fail("its shape has more elements than fit memory");
  }
  return context_->Tensor(dims, *dtype);
}

auto Importer::RemedyOfExtents(ExprId id) const -> std::string {
  constexpr std::string_view kValues = "--onnx-bind";
  // Nobody reads it while a conversion is only tried, which may be once for each node.
  if (is_quiet_ || model_.graph == nullptr || !id) return std::string(kValues);
  const Function& function = builder_.function();
  absl::flat_hash_set<const ValueInfo*> sources;
  absl::flat_hash_set<ExprId> seen = {id};
  std::vector<ExprId> pending = {id};
  while (!pending.empty()) {
    const ExprId one = pending.back();
    pending.pop_back();
    if (const auto input = inputs_.find(one); input != inputs_.end()) sources.insert(input->second);
    for (const ExprId operand : function.operands(one)) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  std::vector<std::string> options;
  absl::flat_hash_set<std::string> added;
  const auto add = [&](std::string option) {
    if (added.insert(option).second) options.push_back(std::move(option));
  };
  for (const ValueInfo& input : model_.graph->inputs) {
    if (!sources.contains(&input) || !input.type.shape) continue;
    for (const DimProto& dim : *input.type.shape) {
      if (named_options_.Extent(dim.symbol) != nullptr || (dim.value && *dim.value >= 0)) continue;
      add(dim.symbol.empty() ? fmt::format("--onnx-shape={}:...", input.name)
                             : fmt::format("--onnx-dim={}=N", dim.symbol));
    }
  }
  return options.empty() ? std::string(kValues) : fmt::format("{}", fmt::join(options, ", "));
}

namespace {

template <typename Map, typename List>
auto FindNamed(const Map& positions, const List& list, std::string_view name) -> decltype(&list.front().second) {
  const auto found = positions.find(name);
  return found == positions.end() ? nullptr : &list[found->second].second;
}

}  // namespace

NamedOptions::NamedOptions(const OnnxOptions& options) : options_(options) {
  const auto index = [](const auto& list, auto& positions) {
    for (size_t i = 0; i < list.size(); ++i) positions.try_emplace(list[i].first, i);
  };
  index(options.shapes, shapes_);
  index(options.dims, extents_);
  index(options.dtypes, types_);
  for (size_t i = 0; i < options.bind.size(); ++i) bound_.try_emplace(options.bind[i].name, i);
}

auto NamedOptions::Shape(std::string_view input) const -> const std::vector<std::optional<int64_t>>* {
  return FindNamed(shapes_, options_.shapes, input);
}

auto NamedOptions::Extent(std::string_view symbol) const -> const int64_t* {
  return FindNamed(extents_, options_.dims, symbol);
}

auto NamedOptions::Type(std::string_view input) const -> const DataType* {
  return FindNamed(types_, options_.dtypes, input);
}

auto NamedOptions::Bound(std::string_view input, size_t position) const -> const Tensor* {
  if (bound_.empty()) return nullptr;
  size_t first = options_.bind.size();
  const std::string numbered = fmt::format("arr_{}", position);
  for (const std::string_view name : {input, std::string_view(numbered)}) {
    if (const auto found = bound_.find(name); found != bound_.end()) first = std::min(first, found->second);
  }
  return first == options_.bind.size() ? nullptr : &options_.bind[first].tensor;
}

auto Importer::CheckShape(const ValueInfo& input, const Tensor& tensor) -> bool {
  if (IsShapeless(input)) return true;
  const auto type = TypeOfInput(input, true);
  if (!type) return false;
  const Type& declared = context_->type(*type);
  const auto fits = [](const Dim& dim, int64_t extent) { return !dim.is_int() || dim.value() == extent; };
  if (std::ranges::equal(declared.shape, tensor.shape(), fits)) return true;
  sink_.Report(diag::kBadInput, {}, input.name,
               fmt::format("the array bound to it has shape ({}), and the input is {}", fmt::join(tensor.shape(), ", "),
                           TypeToString(*context_, *type)));
  return false;
}

auto Importer::BoundTensor(const ValueInfo& input, const Tensor& bound) -> std::optional<Tensor> {
  const auto dtype = RelayType(input.type.element_type);
  // NumPy lacks some types; their values come as others.
  Tensor tensor = FromNumPy(bound, input.type.element_type);
  if (!input.type.is_tensor() || !dtype || tensor.dtype() != *dtype) {
    sink_.Report(diag::kBadInput, {}, input.name,
                 fmt::format("the array bound to it has element type {} instead of {}",
                             relayopt::ToString(bound.dtype()), ElementTypeName(input.type.element_type)));
    return std::nullopt;
  }
  return CheckShape(input, tensor) ? std::optional(std::move(tensor)) : std::nullopt;
}

auto Importer::AddDefault(const ValueInfo& input, size_t num_inputs, Scope& scope) -> bool {
  if (!options_.freeze_params) {
    const auto weight = weight_of_.find(input.name);
    if (weight != weight_of_.end()) params_.push_back(std::exchange(weights_[weight->second], ExprId()));
    return true;
  }
  const Tensor* bound = named_options_.Bound(input.name, num_inputs);
  if (bound == nullptr) return true;
  const auto tensor = BoundTensor(input, *bound);
  if (!tensor) return false;
  Value value(EmitConstant(builder_, *tensor));
  value.element_type = input.type.element_type;
  scope.Set(input.name, value);
  return true;
}

auto Importer::AddInputs(const GraphProto& graph, Scope& scope) -> bool {
  bool ok = true;
  size_t position = 0;
  TextViewSet names;
  // Inputs that became constants; they come last, because positions count the others.
  std::vector<OnnxValue> defaults;
  // A name that is changed must not become that of another input.
  for (const ValueInfo& input : graph.inputs) {
    if (std::ranges::none_of(input.name, IsHardToRead)) names_.emplace(input.name);
  }
  for (const ValueInfo& input : graph.inputs) {
    if (!names.insert(input.name).second) {
      sink_.Report(diag::kBadInput, {}, input.name, "another input has this name");
      ok = false;
      continue;
    }
    if (scope.is_own(input.name)) {
      const bool added = AddDefault(input, graph.inputs.size(), scope);
      ok &= added;
      if (added && options_.freeze_params) defaults.push_back({std::string(input.name), input.type.element_type});
      continue;
    }
    result_.inputs.push_back({std::string(input.name), input.type.element_type});
    const Tensor* bound = named_options_.Bound(input.name, position++);
    Value value;
    value.element_type = input.type.element_type;
    if (bound != nullptr) {
      const auto tensor = BoundTensor(input, *bound);
      if (!tensor) {
        ok = false;
        continue;
      }
      value.expr = EmitConstant(builder_, *tensor);
    } else {
      const auto type = TypeOfInput(input, true);
      if (!type) {
        ok = false;
        continue;
      }
      value.expr = Variable(input.name, *type);
      inputs_[value.expr] = &input;
      params_.push_back(value.expr);
      result_.inputs.back().parameter = context_->text(builder_.function().var(value.expr).name);
    }
    scope.Set(input.name, value);
  }
  for (OnnxValue& input : defaults) result_.inputs.push_back(std::move(input));
  return ok;
}

}  // namespace relayopt::onnx
