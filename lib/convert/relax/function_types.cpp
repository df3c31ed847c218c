// Types of Relax, and extents that are not known.
//
// Relax compiles nothing whose extents have no names, and two names are never one to it. So every value has names for
// its extents: what its form determines, those of its operands where the operator keeps shapes, new ones otherwise (a
// match_cast says them). Where values of different names meet in a broadcast, one is cast to the names of the other,
// which is checked when the program runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "diagnostics.h"
#include "function_writer.h"
#include "python.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::relax {

auto TensorText(std::span<const std::string> extents, DataType dtype, bool in_signature) -> std::string {
  std::string out;
  for (const std::string& extent : extents) {
    const bool is_name = extent.front() < '0' || extent.front() > '9';
    out += (out.empty() ? "" : ", ") + (is_name && in_signature ? PythonString(extent) : extent);
  }
  return fmt::format("R.Tensor(({}{}), dtype={})", out, extents.size() == 1 ? "," : "", DtypeText(dtype));
}

auto FunctionWriter::NewExtent() -> std::string {
  extents_.push_back(Unique(fmt::format("d{}", extents_.size())));
  return extents_.back();
}

// NOLINTNEXTLINE(misc-no-recursion): at most kMostNestedTuples deep.
auto FunctionWriter::TypeText(TypeId id, bool names_extents, size_t depth) -> std::string {
  if (!id || depth > kMostNestedTuples) return "";
  const Type& type = function_.context().type(id);
  if (type.is_tuple()) {
    std::string fields;
    for (const TypeId field : type.args) {
      const std::string text = TypeText(field, names_extents, depth + 1);
      if (text.empty()) return "";
      fields += (fields.empty() ? "" : ", ") + text;
    }
    return "R.Tuple(" + fields + ")";
  }
  if (!type.is_tensor()) return "";
  if (const auto shape = PythonTuple(type.shape)) {
    return fmt::format("R.Tensor({}, dtype={})", *shape, DtypeText(type.dtype));
  }
  if (!names_extents) return fmt::format("R.Tensor(dtype={}, ndim={})", DtypeText(type.dtype), type.rank());
  return TensorText(NewExtents(type), type.dtype, true);
}

auto FunctionWriter::NewExtents(const Type& type) -> std::vector<std::string> {
  return MapToVector<std::string>(
      type.shape, [&](const Dim& dim) { return dim.is_int() ? std::to_string(dim.value()) : NewExtent(); });
}

// NOLINTNEXTLINE(misc-no-recursion): at most kMostNestedTuples deep.
auto FunctionWriter::IsKnown(TypeId id, size_t depth) const -> bool {
  if (!id || depth > kMostNestedTuples) return false;
  const Type& type = function_.context().type(id);
  if (type.is_tuple()) {
    return std::all_of(type.args.begin(), type.args.end(), [&](TypeId field) { return IsKnown(field, depth + 1); });
  }
  return type.is_tensor() && PythonTuple(type.shape).has_value();
}

// Extents of parameters with the same name in the original model are equal.
auto FunctionWriter::ParameterExtents(ExprId param, const Type& type, const ExtentNames::Names& names,
                                      std::map<std::string, std::string>& by_symbol) -> std::vector<std::string> {
  const auto known = names.find(function_.context().text(function_.var(param).name));
  const bool has_symbols = state_.module.name(global_) == "main" && known != names.end();
  std::vector<std::string> extents;
  for (size_t i = 0; i < type.rank(); ++i) {
    const Dim& dim = type.shape[i];
    const std::string symbol = has_symbols && i < known->second.size() ? known->second[i] : "";
    if (dim.is_int()) {
      extents.push_back(std::to_string(dim.value()));
    } else if (symbol.empty()) {
      extents.push_back(NewExtent());
    } else {
      const auto [extent, is_new] = by_symbol.try_emplace(symbol);
      if (is_new) extent->second = NewExtent();
      extents.push_back(extent->second);
    }
  }
  return extents;
}

auto FunctionWriter::Signature() -> std::string {
  std::string params;
  std::map<std::string, std::string> by_symbol;
  const ExtentNames::Names names = function_.context().Part<ExtentNames>().Get();
  for (const ExprId param : Params()) {
    std::string type;
    if (const Type* tensor = TensorType(function_, param); tensor != nullptr) {
      shapes_[param] = ParameterExtents(param, *tensor, names, by_symbol);
      type = TensorText(shapes_[param], tensor->dtype, true);
    } else {
      type = TypeText(function_.type(param), true);
    }
    if (type.empty()) Unsupported(param, "the parameter " + names_[param], kOnlyTensors);
    params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", names_[param], type);
  }
  const std::string result = TypeText(function_.type(Body()), false);
  if (result.empty()) Unsupported(Body(), "the result", kOnlyTensors);
  return fmt::format("    def {}({}) -> {}:\n", PythonName(state_.module.name(global_)), params, result);
}

auto FunctionWriter::ExtentsOf(ExprId id) -> std::vector<std::string> {
  if (const auto cast = casts_.find(id); cast != casts_.end()) return cast->second.extents;
  const ExprId named = shapes_[id].empty() ? Resolved(id) : id;
  if (!shapes_[named].empty()) return shapes_[named];
  const Type* type = TensorType(function_, id);
  return type == nullptr ? std::vector<std::string>() : NewExtents(*type);
}

namespace {

// Operators whose result has the shape of the first operand, whatever the others are.
auto KeepsFirstShape(const OpDef* op) -> bool {
  constexpr std::array kOps = {
      "nn.softmax"_op, "nn.log_softmax"_op, "nn.layer_norm"_op, "nn.instance_norm"_op, "nn.group_norm"_op,
      "cumsum"_op,     "cumprod"_op,        "scatter_nd"_op,    "scatter_elements"_op, "sort"_op};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

}  // namespace

auto FunctionWriter::AlignOperands(ExprId value) -> std::vector<std::string> {
  const Type* result = TensorType(function_, value);
  if (result == nullptr || function_.kind(value) != ExprKind::kOpCall) return {};
  const OpDef* op = function_.op(value);
  const size_t count = function_.operands(value).size();
  if (count > 0 && KeepsFirstShape(op)) {
    auto extents = ExtentsOf(function_.operand(value, 0));
    return extents.size() == result->rank() ? extents : std::vector<std::string>();
  }
  const bool keeps = op->fusion == Fusion::kElemWise && count == 1;
  const bool broadcasts = op->fusion <= Fusion::kBroadcast && count > 1 && !op->attrs;
  if (!keeps && !broadcasts) return {};
  const size_t rank = result->rank();
  std::vector<std::string> extents(rank);
  for (const ExprId operand : function_.operands(value)) {
    const Type* type = TensorType(function_, operand);
    if (type == nullptr || type->rank() > rank) return {};
    const auto given = ExtentsOf(operand);
    for (size_t i = 0; i < given.size(); ++i) {
      std::string& extent = extents[rank - given.size() + i];
      // A known number is preferred to a name.
      const bool is_number = given[i].front() >= '1' && given[i].front() <= '9' && given[i] != "1" &&
                             given[i].find(' ') == std::string::npos;
      if (extent.empty() || extent == "1" || is_number) extent = given[i];
    }
  }
  if (std::find(extents.begin(), extents.end(), "") != extents.end()) return {};
  for (const ExprId operand : function_.operands(value)) Recast(operand, extents);
  return extents;
}

void FunctionWriter::Recast(ExprId operand, const std::vector<std::string>& extents) {
  auto given = ExtentsOf(operand);
  const bool has_numbers = std::all_of(given.begin(), given.end(), [](const std::string& extent) {
    return extent.find_first_not_of("0123456789") == std::string::npos;
  });
  bool differs = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& wanted = extents[extents.size() - given.size() + i];
    if (given[i] == wanted || given[i] == "1") continue;
    given[i] = wanted;
    differs = true;
  }
  if (!differs || casts_.contains(operand)) return;
  const auto bare = bare_.find(operand);
  const std::string source = bare == bare_.end() ? TextOf(operand) : bare->second;
  // TVM 0.27 does not build casts of computed tensors whose extents have names: these are reshaped.
  const bool is_named = bare == bare_.end() && !has_numbers && function_.kind(Resolved(operand)) != ExprKind::kVar;
  const std::string name = is_named
                               ? Bind(fmt::format("R.reshape({}, {})", source, ShapeText(given)))
                               : Bind(fmt::format("R.match_cast({}, {})", source,
                                                  TensorText(given, TensorType(function_, operand)->dtype, false)));
  casts_[operand] = {name, std::move(given)};
}

}  // namespace relayopt::relax
