// The table of forms, and calls that are written by their row: on a wider type where no kernel has the one given.
#include "forms.h"

#include <algorithm>

#include "leaves.h"
#include "lib/convert/onnx/op_row.h"
#include "lib/convert/onnx/tensor_data.h"

namespace relayopt::onnx::out {

auto SetOf(DataType dtype) -> Types {
  if (dtype.is_bool()) return kB;
  if (dtype == DataType::BFloat(16)) return kBf16;
  if (dtype.is_float()) return dtype.bits == 16 ? kF16 : dtype.bits == 32 ? kF32 : kF64;
  switch (dtype.bits) {
    case 8: return dtype.is_int() ? kI8 : kU8;
    case 16: return dtype.is_int() ? kI16 : kU16;
    case 32: return dtype.is_int() ? kI32 : kU32;
    case 64: return dtype.is_int() ? kI64 : kU64;
    default: return 0;
  }
}

namespace {

// Returns the next wider type among `types`, or nothing if there is none that holds all numbers.
auto Wider(DataType dtype, Types types) -> std::optional<DataType> {
  const auto first = [&](std::initializer_list<DataType> candidates) -> std::optional<DataType> {
    for (const DataType candidate : candidates) {
      if ((SetOf(candidate) & types) != 0) return candidate;
    }
    return std::nullopt;
  };
  const DataType i32 = DataType::Int(32);
  const DataType f32 = DataType::Float(32);
  const DataType f64 = DataType::Float(64);
  if (dtype.is_bool()) return first({DataType::UInt(8), i32, kIndexType, f32});
  if (dtype.is_float()) return dtype.bits == 16 ? first({f32}) : std::nullopt;
  if (dtype.bits <= 16) return first({i32, kIndexType, f32, f64});
  if (dtype == i32) return first({kIndexType, f64});
  if (dtype == DataType::UInt(32)) return first({kIndexType, DataType::UInt(64), f64});
  return std::nullopt;
}

// Returns the type of the first tensor among the operands; void when there is none.
auto FirstType(const OnnxCall& call) -> DataType {
  if (call.num_args() == 0) return DataType::Void();
  const TypeId type = call.function().type(call.function().operand(call.id(), 0));
  if (!type) return DataType::Void();
  const auto leaves = LeavesOf(call.context(), type);
  return leaves.empty() ? DataType::Void() : leaves[0]->dtype;
}

auto WritePlain(OnnxCall& call, const OnnxForm& form) -> CallOutputs {
  Names inputs;
  inputs.reserve(call.args.size());
  for (const Values& arg : call.args) inputs.insert(inputs.end(), arg.begin(), arg.end());
  return call.AddMany(form.op_type, std::move(inputs), {}, 1);
}

}  // namespace

namespace {

// Whether an expression consists of `values` tensors of element types that ONNX has. True if its type is not known.
auto ConsistsOf(const Function& function, ExprId id, size_t values) -> bool {
  if (!function.type(id)) return values != 0;
  const auto leaves = LeavesOf(function.context(), function.type(id));
  return leaves.size() == values && std::ranges::all_of(leaves, [](const Type* leaf) {
           return leaf->is_tensor() && ElementTypeOf(leaf->dtype) != kUndefined;
         });
}

}  // namespace

auto WritePlainCall(ModelBuilder& model, Graph& graph, const Function& function, ExprId id, const OnnxForm& form,
                    std::span<const Name> inputs) -> CallOutputs {
  if (form.write != nullptr || inputs.empty()) return std::nullopt;
  const auto is_plain = [&](ExprId expr) {
    const Type* type = TensorType(function, expr);
    return type != nullptr && ElementTypeOf(type->dtype) != kUndefined;
  };
  if (!is_plain(id) || !std::ranges::all_of(function.operands(id), is_plain)) return std::nullopt;
  const DataType given = TensorType(function, function.operand(id, 0))->dtype;
  if ((SetOf(given) & form.types) == 0) return std::nullopt;
  return model.AddCall(graph, form.op_type, Names(inputs.begin(), inputs.end()), {}, 1);
}

auto WriteForm(OnnxCall& call, const OnnxForm& form) -> CallOutputs {
  const Function& function = call.function();
  for (size_t i = 0; i < call.num_args(); ++i) {
    if (!ConsistsOf(function, function.operand(call.id(), i), call.args[i].size())) return std::nullopt;
  }
  // An operator without an element type for its indices has results without one, which are written as ONNX has them;
  // one without operands would have to make such a tensor.
  if (const TypeId result = function.type(call.id())) {
    for (const Type* leaf : LeavesOf(function.context(), result)) {
      if (leaf->is_tensor() && leaf->dtype.is_void() && call.num_args() > 0) continue;
      if (!leaf->is_tensor() || ElementTypeOf(leaf->dtype) == kUndefined) return std::nullopt;
    }
  }
  const DataType given = FirstType(call);
  call.set_dtype(given);
  call.set_name(form.op_type);
  const bool has_kernel = given.is_void() || (SetOf(given) & form.types) != 0;
  if (!has_kernel) {
    const auto wide = Wider(given, form.types);
    if (!wide) return std::nullopt;
    call.set_dtype(*wide);
    for (size_t i = 0; i < call.num_args(); ++i) {
      const ExprId operand = function.operand(call.id(), i);
      if (!function.type(operand)) return std::nullopt;
      const auto leaves = LeavesOf(function.context(), function.type(operand));
      for (size_t j = 0; j < leaves.size(); ++j) {
        if (leaves[j]->dtype == given) call.args[i][j] = call.Cast(call.args[i][j], *wide);
      }
    }
  }
  CallOutputs made = form.write == nullptr ? WritePlain(call, form) : form.write(call);
  if (has_kernel || !made) return made;
  const auto leaves = LeavesOf(function.context(), function.type(call.id()));
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]->dtype == given) (*made)[i] = call.Cast((*made)[i], given);
  }
  return made;
}

auto FindOnnxForm(const OpDef* op) -> const OnnxForm* {
  static const OpRules<OnnxForm> forms = [] {
    OpRules<OnnxForm> made = {ElementwiseForms(), ShapeForms(), MovementForms(),      IndexForms(), ConvolutionForms(),
                              ProductForms(),     PoolForms(),  NormalizationForms(), ImageForms(), DynamicForms()};
    for (const auto& family : AllOpFamilies()) {
      for (const OpRow& row : family) {
        if (row.kernels != 0) made.Add(row.relay, {row.name, row.kernels});
      }
    }
    return made;
  }();
  return forms.Find(op);
}

}  // namespace relayopt::onnx::out
