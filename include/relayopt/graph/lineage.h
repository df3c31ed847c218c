// Lineage: what a family of modules shares when objects and tables are converted into each other. It owns the context
// of the tables and remembers which object corresponds to which record, so that conversions preserve identity. Objects
// themselves refer to no context.
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

// Returns the error for a graph that cannot be converted to a table; `text` says why.
auto GraphError(std::string_view text) -> Diagnostic;

// Returns the object for the operator with this name; the same object in the whole process.
auto OpObject(std::string_view name) -> Ref<SlotObj>;

// The correspondence of objects and records. For one thread at a time.
class Lineage {
 public:
  explicit Lineage(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  auto context() const -> Context& { return *context_; }
  auto shared_context() const -> const std::shared_ptr<Context>& { return context_; }

  // Records to objects. An invalid id gives the null object.
  auto ObjectOf(TypeId id) -> Value;
  auto ObjectOf(const Dim& dim) -> Value;
  auto ObjectOf(ObjectId id) -> Value;
  // Returns an object of the type `relay.attrs.X` with the fields of the record; for an opaque record, the object it
  // was read from.
  auto ObjectOf(AttrsId id) -> Value;
  auto ObjectOf(ConstantId id) -> Value;
  auto ObjectOf(SpanId id) -> Value;
  // Returns the objects with these names; made on first use.
  auto GlobalVar(std::string_view name) -> Ref<SlotObj>;
  auto GlobalTypeVar(std::string_view name) -> Ref<SlotObj>;
  auto ConstructorOf(const Module& module, CtorId id) -> Ref<SlotObj>;
  // Registers an object that the user created as the object of its name.
  void Adopt(const Ref<SlotObj>& global_var);
  void AdoptType(const Ref<SlotObj>& global_type_var);
  void AdoptConstructor(const Ref<SlotObj>& ctor, std::string_view type_name);

  // Objects to records.
  auto TypeIdOf(const Value& type) -> Result<TypeId>;
  auto DimOf(const Value& extent) -> Result<Dim>;
  auto ObjectIdOf(const Value& value) -> Result<ObjectId>;
  // Returns the attributes of a call; null gives an invalid id.
  auto AttrsIdOf(const Value& attrs) -> Result<AttrsId>;
  auto ConstantIdOf(object::TensorObj& tensor) -> ConstantId;
  auto SpanIdOf(const Value& span) -> SpanId;

 private:
  auto MakeType(const Type& type) -> Ref<SlotObj>;
  auto MakeAttrs(const AttrsRecord& record) -> Ref<SlotObj>;
  auto FieldValue(const FieldInfo& field, const void* record) -> Value;
  auto SetField(const FieldInfo& field, const Value& value, void* record) -> std::optional<Diagnostic>;
  auto SetDimList(const Value& value, DimList& list) -> std::optional<Diagnostic>;
  auto InternType(const SlotObj& type) -> Result<TypeId>;
  // Makes the object for a record whose children have objects. Reflected nodes of unknown types register their type.
  auto MakeObject(const relayopt::Object& record) -> Ref<Object>;
  auto MakeReflected(const relayopt::Object& record) -> Ref<SlotObj>;
  auto ChildOf(ObjectId id) const -> Value;
  // Makes the record for an object whose children have records: for containers, for nodes that have a kind of record of
  // their own, and for other reflected nodes.
  auto NodeRecord(const Object& any) -> Result<ObjectId>;
  auto OwnKindRecord(const SlotObj& node) -> Result<std::optional<relayopt::Object>>;
  auto ReflectedRecord(const SlotObj& node) -> ObjectId;
  auto ChildId(const Value& value) -> ObjectId;
  void Remember(const Ref<Object>& object, ObjectId id);

  std::shared_ptr<Context> context_;
  std::unordered_map<uint32_t, Ref<Object>> types_;
  std::unordered_map<uint32_t, Ref<Object>> values_;
  std::unordered_map<uint32_t, Ref<Object>> attrs_;
  std::unordered_map<uint32_t, Ref<Object>> constants_;
  std::unordered_map<uint32_t, Ref<Object>> spans_;
  std::unordered_map<std::string, Ref<SlotObj>> global_vars_;
  std::unordered_map<std::string, Ref<SlotObj>> global_type_vars_;
  // Keyed by the names of the type and the constructor.
  std::unordered_map<std::string, Ref<SlotObj>> ctors_;
  // The records of objects whose identity matters. The objects are kept alive, so that their addresses are not reused.
  std::unordered_map<const Object*, std::pair<Ref<Object>, TypeId>> type_ids_;
  std::unordered_map<const Object*, std::pair<Ref<Object>, ObjectId>> object_ids_;
  std::unordered_map<const Object*, std::pair<Ref<Object>, ConstantId>> constant_ids_;
};

using LineageRef = std::shared_ptr<Lineage>;

}  // namespace relayopt::graph
