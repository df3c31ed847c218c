// KernelContext: the interface between a kernel and the evaluator.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// One argument: a tensor, or a tuple of tensors.
struct KernelInput {
  std::span<const Tensor> tensors;
  bool is_tuple = false;
};

// One evaluation of an operator. A kernel is a pure function of what this class offers, and may run in several threads.
//
// The types of inputs and result are those of the type rule for the actual shapes: the call is well-typed, and an
// extent of the result is `?` only when it depends on the values of the inputs. Element types are those of tensor.h:
// integers of other widths are widened before the kernel and narrowed after it.
class KernelContext {
 public:
  // `result` is the type of the call; results may take at most `max_bytes` bytes.
  KernelContext(const Context& context, const OpDef& op, AttrsId attrs, std::span<const KernelInput> inputs,
                TypeId result, size_t max_bytes)
      : context_(context), op_(op), attrs_(attrs), inputs_(inputs), result_(result), max_bytes_(max_bytes) {}

  auto context() const -> const Context& { return context_; }
  auto op() const -> const OpDef& { return op_; }

  // Returns the arguments.
  auto size() const -> size_t { return inputs_.size(); }
  auto input(size_t i) const -> const Tensor& { return inputs_[i].tensors[0]; }
  // Returns the fields of an argument that is a tuple.
  auto tuple(size_t i) const -> std::span<const Tensor> { return inputs_[i].tensors; }

  // Returns the attributes. `attrs<A>()` is for operators that always have a record of A; `attrs_if<A>()` returns null
  // if the call has none, or one of another class.
  template <typename A>
  auto attrs() const -> const A& {
    const A* record = context_.As<A>(attrs_);
    RELAYOPT_CHECK(record != nullptr, "the call has a record of another class");
    return *record;
  }
  template <typename A>
  auto attrs_if() const -> const A* {
    return context_.As<A>(attrs_);
  }
  auto attrs_id() const -> AttrsId { return attrs_; }

  // Returns the type of the result, or of field `i` when the result is a tuple.
  auto result_type() const -> const Type& { return context_.type(result_); }
  auto result_type(size_t i) const -> const Type& { return context_.type(result_type().args[i]); }
  // Returns a new tensor of the result type, filled with zeros. All extents must be known; the evaluator has checked
  // that it fits in memory.
  auto NewResult() const -> Tensor { return NewTensor(result_type()); }
  auto NewResult(size_t i) const -> Tensor { return NewTensor(result_type(i)); }
  // The same for a kernel that writes every element.
  auto UnsetResult() const -> Tensor { return Tensor::Unset(result_type().dtype, Extents(result_type())); }
  // Returns the extents of a tensor type without `?`.
  static auto Extents(const Type& type) -> std::vector<int64_t>;
  // Whether a tensor with these extents may be allocated; reports the error when not: `if (!kernel.Fits(...)) return
  // kernel.Failed();`. Needed only for extents that depend on values, and for scratch tensors larger than inputs and
  // results.
  auto Fits(std::span<const int64_t> shape, DataType dtype) -> bool;

  // Outcomes. Each returns the status, for `return kernel.X(...)`.
  auto Return(Tensor result) -> KernelStatus {
    outputs_.push_back(std::move(result));
    return KernelStatus::kDone;
  }
  auto ReturnTuple(std::vector<Tensor> results) -> KernelStatus {
    outputs_ = std::move(results);
    return KernelStatus::kDone;
  }
  // Returns the evaluation failed: `Error("division of {} by zero", ...)`. The message need not name the operator.
  template <typename... Args>
  auto Error(fmt::format_string<Args...> format, Args&&... args) -> KernelStatus {
    error_ = fmt::format(format, std::forward<Args>(args)...);
    return KernelStatus::kFailed;
  }
  auto Failed() const -> KernelStatus { return KernelStatus::kFailed; }
  // States that TVM leaves the result undefined (a shift by the width or more, a float outside of the
  // integer's range). The kernel returns any value, the same on every run; such calls are not folded.
  void MarkUndefined(std::string_view what) {
    if (undefined_.empty()) undefined_ = what;
  }

  // For the evaluator.
  auto error() const -> const std::string& { return error_; }
  auto undefined() const -> const std::string& { return undefined_; }
  auto outputs() -> std::vector<Tensor>& { return outputs_; }

 private:
  static auto NewTensor(const Type& type) -> Tensor { return {type.dtype, Extents(type)}; }

  const Context& context_;
  const OpDef& op_;
  AttrsId attrs_;
  std::span<const KernelInput> inputs_;
  TypeId result_;
  size_t max_bytes_;
  std::vector<Tensor> outputs_;
  std::string error_;
  std::string undefined_;
};

// The kernel of operators that return their operand. It is the only kernel that accepts tuples.
KernelFunction CopyKernel;

// Returns the size of a tensor in bytes, or nothing if an extent is negative, or the size overflows 63 bits.
auto TensorBytes(std::span<const int64_t> shape, DataType dtype) -> std::optional<size_t>;

}  // namespace relayopt
