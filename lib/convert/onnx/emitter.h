// Emitting Relay: calls are typed and folded as they are created; and queries about what was emitted.
#pragma once

#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "relayopt/core/tensor.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt::onnx {

using Ints = std::vector<int64_t>;
using Exprs = std::vector<ExprId>;

// An attribute of a call by its name in the operator's schema. Names and kinds are checked when the call is created; a
// number becomes whatever the field holds.
struct AttrSetting {
  std::string_view name;
  std::variant<int64_t, double, bool, std::string, DataType, DimList, DimLists, ObjectId, Dim> value;

  AttrSetting(std::string_view n, int v) : name(n), value(int64_t{v}) {}
  AttrSetting(std::string_view n, int64_t v) : name(n), value(v) {}
  AttrSetting(std::string_view n, double v) : name(n), value(v) {}
  AttrSetting(std::string_view n, bool v) : name(n), value(v) {}
  AttrSetting(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
  AttrSetting(std::string_view n, std::string_view v) : name(n), value(std::string(v)) {}
  AttrSetting(std::string_view n, const char* v) : name(n), value(std::string(v)) {}
  AttrSetting(std::string_view n, DataType v) : name(n), value(v) {}
  AttrSetting(std::string_view n, DimList v) : name(n), value(std::move(v)) {}
  AttrSetting(std::string_view n, DimLists v) : name(n), value(std::move(v)) {}
  AttrSetting(std::string_view n, ObjectId v) : name(n), value(v) {}
  AttrSetting(std::string_view n, Dim v) : name(n), value(v) {}
  // Plain integers: int32 where they fit.
  AttrSetting(std::string_view n, const Ints& v);
};

// Extents as int64 elements, as they come out of a constant tensor. (As TVM: such an attribute prints `2i64`.)
auto WideDims(std::span<const int64_t> values) -> DimList;
auto PlainDims(std::span<const int64_t> values) -> DimList;

// Emits into one function. The first call that Relay rejects is remembered as the error. From then on all emitted
// expressions are invalid, as is every call with an invalid operand, so that converters need not check each step.
class Emitter {
 public:
  explicit Emitter(FunctionBuilder& to) : to_(to) {}

  auto to() -> FunctionBuilder& { return to_; }
  auto context() -> Context& { return to_.context(); }
  auto function() const -> const Function& { return to_.function(); }

  // Calls; the attributes that are not given have the defaults that Relay declares.
  auto Call(const OpDef* op, std::span<const ExprId> args, std::span<const AttrSetting> attrs = {}) -> ExprId;
  auto Call(const OpDef* op, std::initializer_list<ExprId> args, std::initializer_list<AttrSetting> attrs = {})
      -> ExprId {
    return Call(op, std::span(args.begin(), args.size()), std::span(attrs.begin(), attrs.size()));
  }
  auto Call(const OpDef* op, std::initializer_list<ExprId> args, const std::vector<AttrSetting>& attrs) -> ExprId {
    return Call(op, std::span(args.begin(), args.size()), std::span(attrs));
  }
  // Returns a call without an attribute record, of an operator that would get one.
  auto CallBare(const OpDef* op, std::initializer_list<ExprId> args) -> ExprId;
  auto Tuple(std::span<const ExprId> fields) -> ExprId;
  auto Tuple(std::initializer_list<ExprId> fields) -> ExprId { return Tuple(std::span(fields.begin(), fields.size())); }
  // Returns a field; of a literal tuple the expression itself.
  auto Get(ExprId tuple, size_t index) -> ExprId;

  // Constants. Floats are rounded to the type, integers wrap.
  auto Const(const Tensor& tensor) -> ExprId;
  auto Scalar(DataType dtype, double value) -> ExprId;
  auto Scalar(DataType dtype, int64_t value) -> ExprId;
  auto Scalar(DataType dtype, int value) -> ExprId { return Scalar(dtype, int64_t{value}); }
  // Returns a constant of rank 1.
  auto Vector(std::span<const int64_t> values, DataType dtype = DataType::Int(64)) -> ExprId;
  auto Vector(std::initializer_list<int64_t> values, DataType dtype = DataType::Int(64)) -> ExprId {
    return Vector(std::span(values.begin(), values.size()), dtype);
  }
  // Returns a constant of any shape from doubles.
  auto Array(std::span<const double> values, const Ints& shape, DataType dtype) -> ExprId;

  // Types. A none has rank 0 and no element type.
  auto is_tensor(ExprId id) const -> bool;
  auto dtype(ExprId id) const -> DataType;
  auto dims(ExprId id) const -> Shape;
  auto rank(ExprId id) const -> int64_t { return static_cast<int64_t>(dims(id).size()); }
  // Returns the extents, or nothing if one is not known.
  auto StaticShape(ExprId id) const -> std::optional<Ints>;
  // Returns an extent, or nothing if it is not known.
  auto Extent(ExprId id, int64_t axis) const -> std::optional<int64_t>;
  auto is_constant(ExprId id) const -> bool { return id && to_.function().kind(id) == ExprKind::kConstant; }
  auto is_var(ExprId id) const -> bool { return id && to_.function().kind(id) == ExprKind::kVar; }
  // Returns the elements of a constant as integers (floats truncated) or as doubles, or nothing for other expressions.
  auto IntsOf(ExprId id) const -> std::optional<Ints>;
  // Returns the element of a constant that has only one.
  auto IntOf(ExprId id) const -> std::optional<int64_t>;
  auto DoublesOf(ExprId id) const -> std::optional<std::vector<double>>;
  // Whether a constant has neither infinities nor NaN.
  auto IsFinite(ExprId id) const -> bool;
  auto TypeText(ExprId id) const -> std::string;

  // Returns the shape as a constant if it is known, else as a call of shape_of.
  auto ShapeOf(ExprId id, DataType dtype = DataType::Int(64)) -> ExprId;

  // Returns the first error; see above.
  auto error() const -> const std::string& { return error_; }
  auto failed() const -> bool { return !error_.empty(); }
  // Does not fold calls with more elements from now on.
  void LimitFolding(int64_t elements) { most_elements_ = elements; }
  auto Fail(std::string why) -> ExprId {
    if (error_.empty()) error_ = std::move(why);
    return {};
  }
  // The most parts (iterations, steps, slices) that are emitted one by one.
  static constexpr int64_t kMostIterations = 10000;
  // Fails if there are more. Returns whether there is no error.
  auto CheckIterations(int64_t count) -> bool;
  // The most items of all sequences together that are made from another one: each of them is a list of its own.
  static constexpr int64_t kMostItems = int64_t{1} << 22;
  // Fails if there are more with those of a new sequence. Returns whether there is no error.
  auto CheckItems(size_t count) -> bool;
  // Whether the error is that an operator is given a shape or a list of axes of unknown length, so that its result has
  // no known rank.
  auto needs_length() const -> bool { return needs_length_; }
  void Clear() {
    error_.clear();
    needs_length_ = false;
  }

 private:
  auto RecordOf(const OpDef* op, std::span<const AttrSetting> attrs) -> AttrsId;
  auto Emit(const OpDef* op, std::span<const ExprId> args, AttrsId attrs) -> ExprId;

  auto HasUnknownLength(ExprId arg) const -> bool;

  FunctionBuilder& to_;
  std::string error_;
  bool needs_length_ = false;
  // Elements of constants that calls became.
  int64_t folded_ = 0;
  // Items of sequences that were made from others.
  int64_t items_ = 0;
  // Calls with more elements are not folded.
  int64_t most_elements_ = int64_t{1} << 28;
};

}  // namespace relayopt::onnx
