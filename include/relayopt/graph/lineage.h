// What a family of modules shares: one context, and which objects of the graph face its records are. The graph face
// refers to no context; going back and forth goes through here, and keeps identities.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "relayopt/graph/nodes.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/result.h"

namespace relayopt::graph {

// The error of a graph that has no table form: `text` says why.
auto GraphError(std::string text) -> Diagnostic;

// The operator of this name as an object; one object in the process.
auto OpObject(std::string_view name) -> Ref<SlotObj>;

// For one thread at a time.
class Lineage {
 public:
  explicit Lineage(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  auto context() const -> Context& { return *context_; }
  auto shared_context() const -> const std::shared_ptr<Context>& { return context_; }

  // From records to objects. The null object where there is no record.
  auto ObjectOf(TypeId id) -> Value;
  auto ObjectOf(const Dim& dim) -> Value;
  auto ObjectOf(ObjectId id) -> Value;
  // `relay.attrs.X` with its fields, or whatever an opaque record was read from.
  auto ObjectOf(AttrsId id) -> Value;
  auto ObjectOf(ConstantId id) -> Value;
  auto ObjectOf(SpanId id) -> Value;
  // The objects of these names; made when they are asked for first.
  auto GlobalVar(std::string_view name) -> Ref<SlotObj>;
  auto GlobalTypeVar(std::string_view name) -> Ref<SlotObj>;
  auto ConstructorOf(const Module& module, CtorId id) -> Ref<SlotObj>;
  // Makes an object that a user made be the one of its name.
  void Adopt(const Ref<SlotObj>& global_var);
  void AdoptType(const Ref<SlotObj>& global_type_var);
  void AdoptConstructor(const Ref<SlotObj>& ctor, std::string_view type_name);

  // From objects to records.
  auto TypeIdOf(const Value& type) -> Result<TypeId>;
  auto DimOf(const Value& extent) -> Result<Dim>;
  auto ObjectIdOf(const Value& value) -> Result<ObjectId>;
  // The attributes of a call. Null is none.
  auto AttrsIdOf(const Value& attrs) -> Result<AttrsId>;
  auto ConstantIdOf(object::TensorObj& tensor) -> ConstantId;
  auto SpanIdOf(const Value& span) -> SpanId;

 private:
  auto MakeType(const Type& type) -> Ref<SlotObj>;
  auto MakeAttrs(const AttrsRecord& record) -> Ref<SlotObj>;
  auto FieldValue(const FieldInfo& field, const void* record) -> Value;
  auto SetField(const FieldInfo& field, const Value& value, void* record) -> std::optional<Diagnostic>;
  auto InternType(const SlotObj& type) -> Result<TypeId>;
  auto NodeRecord(const Object& any) -> Result<ObjectId>;
  void Remember(const Ref<Object>& object, ObjectId id);

  std::shared_ptr<Context> context_;
  std::unordered_map<uint32_t, Ref<Object>> types_;
  std::unordered_map<uint32_t, Ref<Object>> values_;
  std::unordered_map<uint32_t, Ref<Object>> attrs_;
  std::unordered_map<uint32_t, Ref<Object>> constants_;
  std::unordered_map<uint32_t, Ref<Object>> spans_;
  std::unordered_map<std::string, Ref<SlotObj>> global_vars_;
  std::unordered_map<std::string, Ref<SlotObj>> global_type_vars_;
  // By name of the type and of the constructor.
  std::unordered_map<std::string, Ref<SlotObj>> ctors_;
  // Objects that keep their identity as records; held, so that no other object gets their address.
  std::unordered_map<const Object*, std::pair<Ref<Object>, TypeId>> type_ids_;
  std::unordered_map<const Object*, std::pair<Ref<Object>, ObjectId>> object_ids_;
  std::unordered_map<const Object*, std::pair<Ref<Object>, ConstantId>> constant_ids_;
};

using LineageRef = std::shared_ptr<Lineage>;

}  // namespace relayopt::graph
