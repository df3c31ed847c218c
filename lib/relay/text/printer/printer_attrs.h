// Prints attributes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "printer_meta.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether a virtual device is unconstrained. As TVM: then it is not printed.
auto IsUnconstrained(const Context& context, ObjectId device) -> bool;

// Returns the field `name` of a kNode object, or null.
auto FindField(const Context& context, const Object& node, std::string_view name) -> const ObjectField*;

// Prints the attributes of calls and functions. Lists are `key=value` items with commas between them.
class AttrPrinter {
 public:
  // Without a metadata section some values are printed in a readable form instead of `meta[...]`.
  AttrPrinter(const Context& context, MetaIndex& meta, bool with_metadata)
      : context_(context), meta_(meta), with_metadata_(with_metadata) {}

  // The attributes of a call of an operator. `call` is different for each call: a record of a class that the operator
  // does not declare is an object of its own.
  void AppendOpCall(std::string& out, OpInstanceId op, uint64_t call);
  // The same as a text that is valid until the next call, unless the attributes are such an object: then nothing.
  auto OpCallText(OpInstanceId op) -> std::optional<std::string_view>;
  // The attributes of any other call, with the name of their class.
  void AppendCall(std::string& out, AttrsId attrs);
  void AppendFunction(std::string& out, const FunctionInfo& info);
  // Returns the fields that AppendOpCall writes, one by one.
  auto Fields(AttrsId attrs) -> std::vector<std::pair<std::string, std::string>>;
  // Prints any attribute value, `None` for the null object.
  void AppendValue(std::string& out, ObjectId value);

 private:
  struct Piece;

  auto DefaultsOf(const AttrsSchema& schema) -> const void*;
  // The fields of a record: with required fields and those that differ from their default.
  void AppendFields(std::string& out, AttrsId attrs);
  void PushFields(AttrsId attrs, std::vector<Piece>& work);
  // Prints a value of any kind except kObject.
  void AppendField(std::string& out, const FieldInfo& field, const void* record);
  void AppendDims(std::string& out, const DimList& list);
  // Prints nested values with a stack of work, last first.
  void Drain(std::string& out, std::vector<Piece>& work);
  void Expand(std::string& out, ObjectId value, std::vector<Piece>& work);
  // Prints the readable form of a value that would be metadata. Returns false if it has none.
  auto ExpandReadably(std::string& out, const Object& object, std::vector<Piece>& work) -> bool;
  void AppendDevice(std::string& out, const Object& device);

  const Context& context_;
  MetaIndex& meta_;
  bool with_metadata_;
  absl::flat_hash_map<const AttrsSchema*, AttrsBuilder> defaults_;
  // The texts of attributes of recent calls, each in the slot that its number gives it: most modules have few different
  // attribute lists, but some have many.
  struct Remembered {
    OpInstanceId op;
    std::string text;
  };
  static constexpr size_t kSlots = 512;
  std::vector<Remembered> texts_ = std::vector<Remembered>(kSlots);
};

}  // namespace relayopt
