#include "relayopt/graph/attrs_types.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::graph {
namespace {

struct Tables {
  std::mutex mutex;
  std::unordered_map<const AttrsSchema*, object::TypeIndex> types;
  std::unordered_map<object::TypeIndex, const AttrsSchema*> schemas;
};
auto All() -> Tables& {
  static auto* const tables = new Tables();
  return *tables;
}

auto KindOf(FieldKind kind) -> object::FieldKind {
  switch (kind) {
    case FieldKind::kInt: return object::FieldKind::kInt;
    case FieldKind::kBool: return object::FieldKind::kBool;
    case FieldKind::kDouble: return object::FieldKind::kFloat;
    case FieldKind::kString: return object::FieldKind::kString;
    case FieldKind::kDataType: return object::FieldKind::kDataType;
    case FieldKind::kDim: return object::FieldKind::kExtent;
    case FieldKind::kDimList: return object::FieldKind::kExtents;
    case FieldKind::kDimLists: return object::FieldKind::kExtentLists;
    case FieldKind::kObject: return object::FieldKind::kAny;
  }
  return object::FieldKind::kAny;
}

// Returns the key of the objects: that of the class, with a number after it where another class has the same. TVM has
// two classes of the key relay.attrs.SimulatedQuantizeAttrs.
auto FreeKey(const Tables& tables, const AttrsSchema& schema) -> std::string {
  std::string key(schema.type_key);
  for (int number = 2;; ++number) {
    const object::TypeInfo* const taken = object::FindType(key);
    if (taken == nullptr || !tables.schemas.contains(taken->index)) return key;
    key = fmt::format("{}#{}", schema.type_key, number);
  }
}

}  // namespace

auto AttrsType(const AttrsSchema& schema) -> object::TypeIndex {
  Tables& tables = All();
  const std::lock_guard lock(tables.mutex);
  if (const auto found = tables.types.find(&schema); found != tables.types.end()) return found->second;
  auto fields = MapToVector<object::Field>(schema.fields, [&](const FieldInfo& field) {
    return object::Field{.name = std::string(field.name), .kind = KindOf(field.kind), .optional = true};
  });
  const object::TypeIndex type = object::RegisterType(FreeKey(tables, schema), TypeOf(Node::kAttrs), std::move(fields));
  tables.types.emplace(&schema, type);
  tables.schemas.emplace(type, &schema);
  return type;
}

auto SchemaOf(object::TypeIndex type) -> const AttrsSchema* {
  Tables& tables = All();
  const std::lock_guard lock(tables.mutex);
  const auto found = tables.schemas.find(type);
  return found == tables.schemas.end() ? nullptr : found->second;
}

void RegisterAttrsTypes() {
  for (const OpDef* op : AllOps()) {
    if (op->attrs != nullptr) AttrsType(*op->attrs);
  }
}

}  // namespace relayopt::graph
