// Operators that create tensors.
#include <cmath>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "relayopt/relay/ops/creation.h"
#include "shared.h"
#include "tensor_data.h"

namespace relayopt::onnx {

namespace {

auto WithType(ExprId expr, int32_t element_type) -> Value {
  Value value(expr);
  value.element_type = element_type;
  return value;
}

auto ConvertConstant(Node& n) -> Results {
  Emitter& em = n.em();
  for (const char* name : {"value", "sparse_value"}) {
    const AttributeProto* attribute = n.Find(name);
    if (attribute == nullptr) continue;
    if (attribute->tensor == nullptr && attribute->sparse == nullptr)
      return n.Fail("attribute '{}' is not a tensor", name);
    return n.TensorConstant(*attribute);
  }
  if (n.Has("value_int")) return em.Scalar(DataType::Int(64), n.Int("value_int"));
  if (n.Has("value_float")) return em.Scalar(DataType::Float(32), n.Float("value_float"));
  if (const auto ints = n.IntList("value_ints")) return em.Vector(*ints);
  if (const auto floats = n.FloatList("value_floats")) {
    return em.Array(*floats, {static_cast<int64_t>(floats->size())}, DataType::Float(32));
  }
  if (n.Has("value_string") || n.Has("value_strings")) return n.Fail("Relay has no strings");
  return n.Fail("attribute 'value' is missing");
}

auto ConvertConstantOfShape(Node& n) -> Results {
  Emitter& em = n.em();
  Value value;
  if (const AttributeProto* attribute = n.Find("value"); attribute != nullptr && attribute->tensor != nullptr) {
    value = n.TensorConstant(*attribute);
  }
  const DataType dtype = value.expr ? em.dtype(value.expr) : DataType::Float(32);
  const auto numbers = em.DoublesOf(value.expr);
  if (numbers && numbers->size() != 1) return n.Fail("attribute 'value' has more than one element");
  ExprId fill;
  if (!numbers) {
    fill = em.Scalar(DataType::Int(32), 0);
  } else if (const auto ints = em.IntsOf(value.expr); ints && !dtype.is_float()) {
    // As TVM: int64 numbers are written as int32 ones, where they fit.
    const bool narrows = dtype == DataType::Int(64) && ints->front() == static_cast<int32_t>(ints->front());
    fill = em.Scalar(narrows ? DataType::Int(32) : dtype, ints->front());
  } else {
    const bool narrows = dtype == DataType::Float(64) && numbers->front() == static_cast<float>(numbers->front());
    fill = em.Scalar(narrows ? DataType::Float(32) : dtype, numbers->front());
  }
  const int32_t type = value.expr ? value.element_type : int32_t{kFloat};
  if (const auto ints = em.IntsOf(n.in(0)); ints && ints->empty()) return WithType(CastTo(em, fill, dtype), type);
  return WithType(Full(em, fill, n.in(0), dtype), type);
}

auto ConvertEyeLike(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType i32 = DataType::Int(32);
  const auto type = n.Has("dtype") ? std::optional(static_cast<int32_t>(n.Int("dtype"))) : std::nullopt;
  const auto named = type ? RelayType(*type) : em.dtype(n.in(0));
  if (!named) return n.Fail("Relay has no tensors of element type {}", ElementTypeName(*type));
  const DataType dtype = *named;
  const int64_t k = n.Int("k");
  const auto static_shape = em.StaticShape(n.in(0));
  const bool stays_inside =
      k >= 0 && static_shape && static_shape->size() == 2 && k <= (*static_shape)[1] - (*static_shape)[0];
  if (static_shape && !stays_inside) {
    if (static_shape->size() != 2) return n.Fail("the input has rank {} instead of 2", static_shape->size());
    const auto count = n.Elements(*static_shape);
    if (!count) return {};
    std::vector<double> eye(*count);
    const int64_t columns = (*static_shape)[1];
    for (int64_t i = 0; i < (*static_shape)[0]; ++i) {
      if (i + k >= 0 && i + k < columns) eye[static_cast<size_t>(i * columns + i + k)] = 1;
    }
    return em.Array(eye, *static_shape, dtype);
  }
  const ExprId shape = em.Call("shape_of"_op, {n.in(0)}, {{"dtype", i32}});
  const ExprId rows = Take(em, shape, em.Scalar(i32, 0));
  const ExprId zero = em.Scalar(i32, 0);
  const ExprId one = em.Scalar(i32, 1);
  const auto below = [&](ExprId extent) {
    return em.Call("arange"_op, {zero, extent, one}, ArangeAttributes(em, zero, extent, one, i32));
  };
  const ExprId index = below(rows);
  if (n.exact()) {
    const ExprId columns = below(Take(em, shape, em.Scalar(i32, 1)));
    const ExprId diagonal = ExpandDims(em, Add(em, index, em.Scalar(i32, k)), 1);
    return CastTo(em, em.Call("equal"_op, {diagonal, ExpandDims(em, columns, 0)}), dtype);
  }
  const ExprId ones = Full(em, em.Scalar(i32, 1), Reshape(em, rows, {1}), dtype);
  const ExprId zeros = Zeros(em, shape, dtype);
  const ExprId places = Stack(em, {index, Add(em, index, em.Scalar(i32, k))}, 0);
  return em.Call("scatter_nd"_op, {zeros, places, ones}, {{"mode", "update"}});
}

auto ConvertRange(Node& n) -> Results {
  Emitter& em = n.em();
  Exprs bounds;
  for (size_t i = 0; i < 3; ++i) {
    // Some exporters write numbers as vectors of one element.
    bounds.push_back(em.rank(n.in(i)) == 1 ? Squeeze(em, n.in(i), {0}) : n.in(i));
  }
  const DataType dtype = em.dtype(bounds[0]);
  if (n.failed()) return {};
  const auto number = [&](size_t i) {
    const auto numbers = em.DoublesOf(bounds[i]);
    return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
  };
  if (number(0) && number(1) && number(2)) {
    const double count = std::ceil((*number(1) - *number(0)) / *number(2));
    // Relay has no empty range.
    if (!(count > 0)) return em.Array({}, {0}, dtype);
  }
  return em.Call("arange"_op, {bounds[0], bounds[1], bounds[2]},
                 ArangeAttributes(em, bounds[0], bounds[1], bounds[2], dtype));
}

auto ConvertOneHot(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId indices = n.in(0);
  ExprId depth = n.in(1);
  const ExprId values = n.in(2);
  const DataType dtype = em.dtype(values);
  const ExprId off = Take(em, values, em.Scalar(DataType::Int(32), 0));
  const ExprId on = Take(em, values, em.Scalar(DataType::Int(32), 1));
  // Floats are allowed for both.
  if (em.dtype(indices).is_float()) indices = Cast(em, indices, DataType::Int(64));
  if (em.dtype(depth).is_float()) depth = Cast(em, depth, DataType::Int(64));
  const DataType index = em.dtype(indices);
  if (em.rank(depth) == 1) depth = Squeeze(em, depth, {0});
  const ExprId shifted = Add(em, indices, CastTo(em, depth, index));
  indices = Where(em, Less(em, indices, em.Scalar(index, 0)), shifted, indices);
  int64_t axis = n.Int("axis");
  if (axis < 0) axis += em.rank(indices) + 1;
  if (const auto number = em.IntOf(depth)) return OneHot(em, indices, on, off, *number, axis, dtype);
  return em.Call("dyn.one_hot"_op, {indices, on, off, depth}, {{"depth", 0}, {"axis", axis}, {"dtype", dtype}});
}

auto ConvertTrilu(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId k = n.has(1) ? n.in(1) : em.Scalar(DataType::Int(32), 0);
  // A list of one number is what exporters write, and ONNX Runtime takes it.
  if (em.rank(k) == 1) k = Reshape(em, k, {});
  return em.Call("trilu"_op, {n.in(0), k}, {{"upper", n.Flag("upper")}});
}

// Returns a variable as an attribute value.
auto VariableObject(Emitter& em, ExprId var) -> ObjectId {
  Context& context = em.context();
  const VarInfo& info = em.to().function().var(var);
  const auto node = [&](std::string_view type_key, std::span<const ObjectField> fields) {
    Object object;
    object.kind = ObjectKind::kNode;
    object.type_key = context.Intern(type_key);
    object.fields = fields;
    return context.Add(object);
  };
  const auto child = [&](std::string_view name, ObjectId object) {
    return ObjectField{context.Intern(name), {}, object};
  };
  const ObjectField hint[] = {child("name_hint", context.AddString(context.text(info.name)))};
  Object type;
  type.kind = ObjectKind::kType;
  type.type = info.annotation;
  const ObjectField fields[] = {child("_checked_type_", {}), child("span", {}),
                                child("type_annotation", context.Add(type)), child("vid", node("relay.Id", hint)),
                                child("virtual_device_", {})};
  return node("relay.Var", fields);
}

constexpr OpRow kCreationRows[] = {
    {"Constant", "1 9 11 12 13 19 21", "",
     "tensor value; any sparse_value; float value_float; floats value_floats; int value_int; ints value_ints; string "
     "value_string; strings value_strings",
     ConvertConstant},
    {"ConstantOfShape", "9 20 21", "input", "tensor value", ConvertConstantOfShape},
    {"EyeLike", "9", "input", "int dtype; int k = 0", ConvertEyeLike},
    {"Range", "11", "start, limit, delta", "", ConvertRange},
    {"OneHot", "9 11", "indices, depth, values", "int axis = -1", ConvertOneHot},
    {"Trilu", "14", "input, k?", "int upper = 1", ConvertTrilu},
};

}  // namespace

auto ArangeAttributes(Emitter& em, ExprId start, ExprId stop, ExprId step, DataType dtype) -> std::vector<AttrSetting> {
  // As TVM: the operands are repeated as attributes, except for calls, which text cannot express.
  const auto object = [&](ExprId expr) {
    if (!expr) return ObjectId();
    const Function& function = em.to().function();
    if (em.is_constant(expr)) return ConstantObject(em.context(), function.constant_id(expr));
    return em.is_var(expr) ? VariableObject(em, expr) : ObjectId();
  };
  return {{"start", object(start)}, {"stop", object(stop)}, {"step", object(step)}, {"dtype", dtype}};
}

auto CreationRows() -> std::span<const OpRow> { return kCreationRows; }

}  // namespace relayopt::onnx
