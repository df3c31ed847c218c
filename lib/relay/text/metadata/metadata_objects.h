// Creates objects from the nodes of a metadata section.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "metadata_classes.h"
#include "metadata_raw.h"
#include "relayopt/core/context.h"
#include "relayopt/relay/text/metadata.h"

namespace relayopt {

// Turns nodes into objects one at a time, children first. Errors are reported at their position in the text; a node
// with an error has no object.
class ObjectMaker {
 public:
  ObjectMaker(Context& context, JsonScanner& json, RawMetadata& raw, const ExternalConstants& external,
              DiagnosticSink& sink)
      : context_(context),
        json_(json),
        raw_(raw),
        external_(external),
        sink_(sink),
        objects_(raw.nodes.size()),
        tensors_(raw.tensors.size()) {}

  // Determines which fields of a node hold objects. Returns false if a node that it refers to does not exist.
  auto Resolve(uint32_t node) -> bool;
  // Creates the object, whose children must exist. Returns false after an error.
  auto Make(uint32_t node) -> bool;
  auto object(uint32_t node) const -> ObjectId { return objects_[node]; }

  auto TypeKeyOf(const RawNode& node) const -> std::string_view { return json_.text(node.type_key); }

 private:
  enum class Form : uint8_t { kLiteral, kObject, kUnknown };

  auto Fields(const RawNode& node) -> std::span<RawField> {
    return std::span(raw_.fields).subspan(node.fields.first, node.fields.count);
  }
  auto Items(const RawNode& node) const -> std::span<const uint32_t> {
    return std::span(raw_.items).subspan(node.items.first, node.items.count);
  }
  auto FormOf(const ClassInfo& info, const AttrsSchema* schema, std::string_view field, std::string_view value) const
      -> Form;
  // Whether no field is given twice and all elements exist.
  auto CheckNames(const RawNode& node) -> bool;
  auto CheckItems(const RawNode& node) -> bool;

  // Access to fields of the current node. Each function reports errors.
  auto Find(std::string_view name) -> const RawField*;
  auto Missing(std::string_view name) -> bool;
  auto Wrong(const RawField& field, std::string_view what) -> bool;
  auto ChildOf(std::string_view name, ObjectId& out) -> bool;
  auto IntOf(std::string_view name, int64_t& out) -> bool;
  auto DoubleOf(std::string_view name, double& out) -> bool;
  auto DataTypeOf(std::string_view name, DataType& out) -> bool;
  auto TextOf(std::string_view name, StringId& out) -> bool;
  auto TypeOf(std::string_view name, TypeId& out) -> bool;
  auto TypesOf(std::string_view name, std::vector<TypeId>& out) -> bool;
  auto DimsOf(const RawField& field, ObjectId array, std::vector<Dim>& out) -> bool;

  // Create objects of one kind of node each.
  auto MakeObject(std::string_view key, ObjectId& out) -> bool;
  auto MakeArray(ObjectId& out) -> bool;
  auto MakeMap(ObjectId& out) -> bool;
  auto MakeBytes(ObjectKind kind, std::string_view key, ObjectId& out) -> bool;
  auto MakeInt(ObjectId& out) -> bool;
  auto MakeFloat(ObjectId& out) -> bool;
  auto MakeConstant(ObjectId& out) -> bool;
  // Returns the constant that a tensor in a file becomes, or none, with a diagnostic, if the file does not have it.
  auto FindExternal(Slice text) -> ConstantId;
  auto MakeType(std::string_view key, ObjectId& out) -> bool;
  auto MakeTensorType(TypeId& out) -> bool;
  auto MakeTypeCall(TypeId& out) -> bool;
  auto MakeFunctionType(TypeId& out) -> bool;
  auto MakeRecord(const AttrsSchema& schema, ObjectId& out) -> bool;
  auto MakeRecordField(const FieldInfo& field, void* record) -> bool;
  auto MakeNode(std::string_view key, ObjectId& out) -> bool;

  Context& context_;
  JsonScanner& json_;
  RawMetadata& raw_;
  const ExternalConstants& external_;
  DiagnosticSink& sink_;
  std::vector<ObjectId> objects_;
  // The constants of the tensors that have been checked.
  std::vector<ConstantId> tensors_;
  // The current node.
  const RawNode* node_ = nullptr;
  std::string_view key_;
  std::string storage_;
  absl::flat_hash_set<std::string_view> names_;
};

}  // namespace relayopt
