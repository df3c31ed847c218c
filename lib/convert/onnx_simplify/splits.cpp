// A part of a split begins where the lengths of the parts before it end, which must be known, as those of what was
// concatenated:
//
//   %0 = concatenate((%a, %b), axis=1)    a: (2, 3), b: (2, 4)
//   %1 = split(%0, indices_or_sections=[3], axis=1)
//   %1.1                                  =>    %b
#include "splits.h"

#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

// The axis that a split or a concatenation is along, of a value of this type; -1 if it is not known.
template <typename A>
auto AxisOf(const Function& function, ExprId id, const Type* type) -> int64_t {
  const auto* attrs = function.context().As<A>(function.attrs(id));
  if (attrs == nullptr || type == nullptr) return -1;
  const int64_t axis = NormalizedAxis(attrs->axis, type->rank());
  return axis < static_cast<int64_t>(type->rank()) ? axis : -1;
}

// The types of the parts of a split; none if they are not known.
auto PartTypes(const Function& function, ExprId split) -> std::span<const TypeId> {
  const TypeId type = function.type(split);
  return type ? std::span<const TypeId>(function.context().type(type).args) : std::span<const TypeId>();
}

// Moves a position along an axis behind a tensor of this type; false if its length is not known.
auto AddLength(const Type* type, int64_t axis, int64_t& position) -> bool {
  const auto at = static_cast<size_t>(axis);
  if (type == nullptr || at >= type->rank() || !type->shape[at].is_int()) return false;
  position += type->shape[at].value();
  return true;
}

// Returns the field of a concatenation that each part is, none for others; the data itself if there is one part.
auto FieldsOf(const Function& function, ExprId split, const Function& made, ExprId data) -> std::vector<ExprId> {
  const auto parts = PartTypes(function, split);
  if (parts.size() == 1) return {data};
  const int64_t axis = AxisOf<SplitAttrs>(function, split, TensorType(made, data));
  if (axis < 0 || ConcatenationAxis(made, data) != axis) return {};
  const auto sources = made.operands(made.operand(data, 0));
  std::vector<ExprId> fields(parts.size());
  int64_t begin = 0;
  int64_t position = 0;
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    while (position < begin && next < sources.size()) {
      if (!AddLength(TensorType(made, sources[next++]), axis, position)) return fields;
    }
    const bool meets = position == begin && next < sources.size();
    if (meets && made.type(sources[next]) == parts[i]) fields[i] = sources[next];
    if (!AddLength(TensorType(function.context(), parts[i]), axis, begin)) return fields;
  }
  return fields;
}

}  // namespace

auto ConcatenationAxis(const Function& function, ExprId id) -> std::optional<int64_t> {
  if (!IsCallOf(function, id, "concatenate"_op)) return std::nullopt;
  const int64_t axis = AxisOf<ConcatenateAttrs>(function, id, TensorType(function, id));
  const bool joins_fields = function.kind(function.operand(id, 0)) == ExprKind::kTuple;
  return joins_fields && axis >= 0 ? std::optional(axis) : std::nullopt;
}

auto WholeOfParts(const Function& function, ExprId tuple, int64_t axis) -> ExprId {
  ExprId split;
  uint32_t count = 0;
  for (const ExprId field : function.operands(tuple)) {
    if (function.kind(field) != ExprKind::kTupleGetItem || function.index(field) != count) return {};
    const ExprId call = function.operand(field, 0);
    if (count > 0 ? call != split : !IsCallOf(function, call, "split"_op)) return {};
    split = call;
    ++count;
  }
  if (!split || PartTypes(function, split).size() != count) return {};
  const ExprId whole = function.operand(split, 0);
  return axis >= 0 && AxisOf<SplitAttrs>(function, split, TensorType(function, whole)) == axis ? whole : ExprId();
}

auto PartsOfSplits::Part(const Function& function, ExprId part, const Function& made, ExprId data) -> ExprId {
  const ExprId split = function.operand(part, 0);
  const auto [at, is_new] = fields_.try_emplace(split);
  if (is_new) at->second = FieldsOf(function, split, made, data);
  const ExprId field = function.index(part) < at->second.size() ? at->second[function.index(part)] : ExprId();
  return field && made.type(field) == function.type(part) ? field : ExprId();
}

}  // namespace relayopt
