// Runs one kernel on values, without a program around it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

class KernelHarness {
 public:
  Context context;

  // Tensors: float32, or as the element type says.
  static auto F(std::vector<int64_t> shape, std::vector<float> values) -> Tensor {
    return Make<float>(DataType::Float(32), std::move(shape), values);
  }
  static auto I(std::vector<int64_t> shape, std::vector<int32_t> values) -> Tensor {
    return Make<int32_t>(DataType::Int(32), std::move(shape), values);
  }
  static auto I8(std::vector<int64_t> shape, std::vector<int8_t> values) -> Tensor {
    return Make<int8_t>(DataType::Int(8), std::move(shape), values);
  }
  template <typename T>
  static auto Make(DataType dtype, std::vector<int64_t> shape, const std::vector<T>& values) -> Tensor {
    Tensor tensor(dtype, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
    return tensor;
  }

  // The result as text: `(2) 1 2`, fields of a tuple parted by `|`; or `error: ...`. The result is what the type rule
  // says, or the text is `shape differs`.
  template <typename A>
  auto Run(const OpDef* op, std::vector<Tensor> inputs, const A& attrs) -> std::string {
    return Run(op, std::move(inputs), context.InternAttrs(attrs));
  }
  auto Run(const OpDef* op, std::vector<Tensor> inputs, AttrsId attrs = {}) -> std::string {
    std::vector<KernelInput> arguments;
    for (const Tensor& input : inputs) arguments.push_back({std::span(&input, 1), false});
    return Run(op, arguments, attrs);
  }
  template <typename A>
  auto RunTuple(const OpDef* op, std::vector<Tensor> fields, const A& attrs) -> std::string {
    return Run(op, std::vector<KernelInput>{{fields, true}}, context.InternAttrs(attrs));
  }

 private:
  auto Run(const OpDef* op, const std::vector<KernelInput>& inputs, AttrsId attrs) -> std::string {
    if (op->kernel == nullptr) return "no kernel";
    std::vector<TypeId> types;
    for (const KernelInput& input : inputs) {
      std::vector<TypeId> fields;
      for (const Tensor& tensor : input.tensors) fields.push_back(TypeOf(context, tensor));
      types.push_back(input.is_tuple ? context.Tuple(fields) : fields[0]);
    }
    const TypeId type = TypeOfCall(context, *op, attrs, types);
    if (!type) return "ill-typed";
    KernelContext kernel(context, *op, attrs, inputs, type, size_t{1} << 20);
    if (op->kernel(kernel) != KernelStatus::kDone) return "error: " + kernel.error();
    std::vector<TypeId> fields = {type};
    if (!context.type(type).is_tensor()) fields.assign(context.type(type).args.begin(), context.type(type).args.end());
    if (kernel.outputs().size() != fields.size()) return "fields differ";
    std::string text;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!Has(kernel.outputs()[i], context.type(fields[i]))) return "shape differs";
      if (i > 0) text += " | ";
      text += Text(kernel.outputs()[i]);
    }
    return text;
  }

  static auto Has(const Tensor& tensor, const Type& type) -> bool {
    if (tensor.dtype() != type.dtype || tensor.rank() != type.rank()) return false;
    for (size_t i = 0; i < tensor.rank(); ++i) {
      if (type.shape[i].is_int() && type.shape[i].value() != tensor.extent(i)) return false;
    }
    return true;
  }

  static auto Text(const Tensor& tensor) -> std::string {
    std::string text = fmt::format("({})", fmt::join(tensor.shape(), ", "));
    for (int64_t i = 0; i < tensor.size(); ++i) text += fmt::format(" {}", Element(tensor, i));
    return text;
  }
  static auto Element(const Tensor& tensor, int64_t i) -> std::string {
    const DataType dtype = tensor.dtype();
    if (dtype == DataType::Float(32)) return fmt::format("{}", tensor.data<float>()[i]);
    if (dtype == DataType::Float(64)) return fmt::format("{}", tensor.data<double>()[i]);
    if (dtype == DataType::Float(16)) return fmt::format("{}", static_cast<float>(tensor.data<Half>()[i]));
    switch (dtype.bytes()) {
      case 1:
        return dtype.is_int() ? fmt::format("{}", tensor.data<int8_t>()[i])
                              : fmt::format("{}", tensor.data<uint8_t>()[i]);
      case 2: return fmt::format("{}", tensor.data<int16_t>()[i]);
      case 4: return fmt::format("{}", tensor.data<int32_t>()[i]);
      default: return fmt::format("{}", tensor.data<int64_t>()[i]);
    }
  }
};

}  // namespace relayopt
