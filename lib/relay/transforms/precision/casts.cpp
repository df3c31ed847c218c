// Casts operands, each only once.
#include "casts.h"

#include <vector>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

auto CastCache::Cast(ExprId tensor, DataType from, DataType wanted) -> ExprId {
  if (!from.is_float() || from == wanted) return tensor;
  if (const ExprId known = Find(tensor, wanted)) return known;
  const ExprId cast = EmitCast(tensor, wanted);
  Remember(tensor, wanted, cast);
  Remember(cast, from, tensor);
  return cast;
}

auto CastCache::Find(ExprId tensor, DataType wanted) const -> ExprId {
  if (tensor.value() >= first_entry_.size()) return {};
  for (uint32_t i = first_entry_[tensor.value()]; i != kEnd; i = entries_[i].next) {
    if (entries_[i].dtype == wanted) return entries_[i].cast;
  }
  return {};
}

void CastCache::Remember(ExprId tensor, DataType wanted, ExprId cast) {
  if (tensor.value() >= first_entry_.size()) first_entry_.resize(2 * to_.function().size(), kEnd);
  uint32_t& first = first_entry_[tensor.value()];
  entries_.push_back({wanted, cast, std::exchange(first, static_cast<uint32_t>(entries_.size()))});
}

auto CastCache::TargetFor(DataType wanted) -> Target& {
  for (Target& target : targets_) {
    if (target.dtype == wanted) return target;
  }
  Context& context = to_.context();
  const AttrsId attrs = context.InternAttrs(CastAttrs{.dtype = wanted});
  return targets_.emplace_back(Target{wanted, InternOpInstance(context, {"cast"_op, attrs}), {}});
}

auto CastCache::EmitCast(ExprId tensor, DataType wanted) -> ExprId {
  Target& target = TargetFor(wanted);
  const ExprId cast = to_.OpCall(target.cast, {&tensor, 1});
  const TypeId type = TypeOf(tensor);
  if (!type || !to_.context().type(type).is_tensor()) return cast;
  TypeId& result = target.results[type];
  if (!result) result = to_.context().Tensor(to_.context().type(type).shape, wanted);
  to_.SetType(cast, result);
  return cast;
}

auto CastCache::CastFloats(ExprId operand, TypeId type, DataType wanted) -> ExprId {
  if (!type) return operand;
  const Type& term = to_.context().type(type);
  if (term.is_tensor()) return Cast(operand, term.dtype, wanted);
  if (!term.is_tuple()) return operand;
  std::vector<ExprId> fields;
  bool changed = false;
  for (uint32_t i = 0; i < term.args.size(); ++i) {
    const ExprId field = EmitTupleGetItem(to_, operand, i);
    const Type& field_type = to_.context().type(term.args[i]);
    fields.push_back(field_type.is_tensor() ? Cast(field, field_type.dtype, wanted) : field);
    changed |= fields.back() != field;
  }
  return changed ? EmitTuple(to_, fields) : operand;
}

auto CastCache::CastTo(ExprId value, TypeId target) -> ExprId {
  // Tuples may nest to any depth, so the walk over their types has an explicit stack.
  struct Frame {
    ExprId value;
    TypeId target;
    std::vector<ExprId> fields;
    bool changed = false;
  };
  std::vector<Frame> stack;
  ExprId done;
  ExprId before;
  const auto open = [&](ExprId expr, TypeId wanted) {
    before = expr;
    done = expr;
    const TypeId type = TypeOf(expr);
    if (!type || !wanted || type == wanted) return;
    const Type& from = to_.context().type(type);
    const Type& to = to_.context().type(wanted);
    if (from.is_tensor() && to.is_tensor()) {
      done = Cast(expr, from.dtype, to.dtype);
    } else if (from.is_tuple() && to.is_tuple() && from.args.size() == to.args.size() && !to.args.empty()) {
      stack.push_back({expr, wanted, {}, false});
      done = {};
    }
  };
  open(value, target);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (done) {
      frame.changed |= done != before;
      frame.fields.push_back(done);
    }
    const auto targets = to_.context().type(frame.target).args;
    if (frame.fields.size() < targets.size()) {
      const auto index = static_cast<uint32_t>(frame.fields.size());
      open(EmitTupleGetItem(to_, frame.value, index), targets[index]);
      continue;
    }
    before = frame.value;
    done = frame.changed ? EmitTuple(to_, frame.fields) : frame.value;
    stack.pop_back();
  }
  return done;
}

}  // namespace relayopt
