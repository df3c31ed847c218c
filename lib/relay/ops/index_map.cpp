// Reading index maps.
#include "index_map.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace relayopt {

namespace {

auto FieldOf(const Context& context, const Object& object, std::string_view name) -> ObjectId {
  for (const ObjectField& field : object.fields) {
    if (context.text(field.name) == name) return field.object;
  }
  return {};
}

// The objects in an array-valued field.
auto ArrayField(const Context& context, ObjectId map, std::string_view name) -> std::span<const ObjectId> {
  const ObjectId id = FieldOf(context, context.object(map), name);
  return id && context.object(id).kind == ObjectKind::kArray ? context.object(id).items : std::span<const ObjectId>();
}

auto OpOf(std::string_view type_key) -> IndexOp {
  static constexpr std::pair<std::string_view, IndexOp> kOps[] = {
      {"tir.Add", IndexOp::kAdd},           {"tir.Sub", IndexOp::kSub},           {"tir.Mul", IndexOp::kMul},
      {"tir.FloorDiv", IndexOp::kFloorDiv}, {"tir.FloorMod", IndexOp::kFloorMod}, {"tir.Div", IndexOp::kDiv},
      {"tir.Mod", IndexOp::kMod},           {"tir.Min", IndexOp::kMin},           {"tir.Max", IndexOp::kMax},
  };
  const auto* const found =
      std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& entry) { return entry.first == type_key; });
  return found == std::end(kOps) ? IndexOp::kUnknown : found->second;
}

// Turns expressions into steps, equal objects into one. Does not recurse: they may be nested at will.
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
  // Writes the step of `id`; when an operand has none yet, puts that onto `pending` instead.
  auto Add(ObjectId id, std::vector<ObjectId>& pending) -> bool {
    IndexStep step;
    const Object* object = id ? &context_.object(id) : nullptr;
    if (object != nullptr && object->kind == ObjectKind::kInt) {
      step = {.op = IndexOp::kConstant, .constant = object->integer};
    } else if (object != nullptr && object->kind == ObjectKind::kNode) {
      step.op = OpOf(context_.text(object->type_key));
    }
    if (HasOperands(step.op)) {
      const auto a = places_.find(FieldOf(context_, *object, "a"));
      const auto b = places_.find(FieldOf(context_, *object, "b"));
      if (a == places_.end() || b == places_.end()) {
        if (a == places_.end()) pending.push_back(FieldOf(context_, *object, "a"));
        if (b == places_.end()) pending.push_back(FieldOf(context_, *object, "b"));
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
