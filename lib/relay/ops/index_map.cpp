// Parses index maps.
#include "index_map.h"

#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/expr_object.h"

namespace relayopt {

namespace {

// Returns the objects in an array-valued field.
auto ArrayField(const Context& context, ObjectId map, std::string_view name) -> std::span<const ObjectId> {
  const ObjectId id = arith::FieldOf(context, map, name);
  return id && context.object(id).kind == ObjectKind::kArray ? context.object(id).items : std::span<const ObjectId>();
}

auto OpOf(arith::PrimKind kind) -> IndexOp {
  switch (kind) {
    case arith::PrimKind::kAdd: return IndexOp::kAdd;
    case arith::PrimKind::kSub: return IndexOp::kSub;
    case arith::PrimKind::kMul: return IndexOp::kMul;
    case arith::PrimKind::kFloorDiv: return IndexOp::kFloorDiv;
    case arith::PrimKind::kFloorMod: return IndexOp::kFloorMod;
    case arith::PrimKind::kDiv: return IndexOp::kDiv;
    case arith::PrimKind::kMod: return IndexOp::kMod;
    case arith::PrimKind::kMin: return IndexOp::kMin;
    case arith::PrimKind::kMax: return IndexOp::kMax;
    default: return IndexOp::kUnknown;
  }
}

// Turns expressions into steps, equal objects into one. Does not recurse, because they may be nested to any depth.
class StepWriter {
 public:
  StepWriter(const Context& context, std::span<const ObjectId> variables, IndexMap& map)
      : context_(context), map_(map) {
    map.rank = variables.size();
    for (size_t i = 0; i < variables.size(); ++i) places_.insert_or_assign(variables[i], i);
  }

  auto PlaceOf(ObjectId expression) -> size_t {
    std::vector<ObjectId> pending = {expression};
    while (!pending.empty()) {
      const ObjectId id = pending.back();
      if (places_.contains(id) || Add(id, pending)) pending.pop_back();
    }
    return places_.at(expression);
  }

 private:
  // Adds the step of `id`; if an operand has no step yet, pushes the operand onto `pending` instead.
  auto Add(ObjectId id, std::vector<ObjectId>& pending) -> bool {
    IndexStep step;
    const auto kind = arith::KindOf(context_, id);
    if (kind == arith::PrimKind::kIntImm) {
      step = {.op = IndexOp::kConstant, .constant = context_.object(id).integer};
    } else if (kind) {
      step.op = OpOf(*kind);
    }
    if (HasOperands(step.op)) {
      const ObjectId left = arith::FieldOf(context_, id, "a");
      const ObjectId right = arith::FieldOf(context_, id, "b");
      const auto a = places_.find(left);
      const auto b = places_.find(right);
      if (a == places_.end() || b == places_.end()) {
        if (a == places_.end()) pending.push_back(left);
        if (b == places_.end()) pending.push_back(right);
        return false;
      }
      step.a = a->second;
      step.b = b->second;
    }
    places_.emplace(id, map_.rank + map_.steps.size());
    map_.steps.push_back(step);
    return true;
  }

  const Context& context_;
  IndexMap& map_;
  absl::flat_hash_map<ObjectId, size_t> places_;
};

}  // namespace

auto IndexMapOf(const Context& context, ObjectId map) -> IndexMap {
  IndexMap result;
  StepWriter writer(context, ArrayField(context, map, "initial_indices"), result);
  for (const ObjectId index : ArrayField(context, map, "final_indices")) {
    result.results.push_back(writer.PlaceOf(index));
  }
  return result;
}

}  // namespace relayopt
