// The parser of operator calls.
#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "attributes.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// Operators are looked up once, and attribute lists that were parsed before are recognized by their text, because both
// repeat.
class OpCalls {
 public:
  OpCalls(Parsing& parsing, AttrParser& attrs) : parsing_(parsing), attrs_(attrs) {}

  // Returns the operator of this name as an index, or nothing, with a diagnostic, if there is none.
  auto Find(std::string_view name, SourceRange range) -> std::optional<uint32_t>;
  // Returns the index of an operator that Find has returned before, or nothing.
  auto FindKnown(std::string_view name) -> std::optional<uint32_t> {
    if (last_ < entries_.size() && entries_[last_].op->name == name) return last_;
    const auto found = ids_.find(name);
    if (found == ids_.end()) return std::nullopt;
    return last_ = found->second;
  }
  auto op(uint32_t index) const -> const OpDef& { return *entries_[index].op; }

  // Returns the instance of an operator that is called without attributes.
  auto Plain(uint32_t index, SourceRange range) -> OpInstanceId;
  // The same, or invalid before the first call of Plain.
  auto KnownPlain(uint32_t index) const -> OpInstanceId { return entries_[index].plain; }
  // Returns the operator with the attribute list that begins at `begin`, and the position of the parenthesis that
  // closes it; nothing if no such list was read before.
  auto FindKnownAttrs(uint32_t index, uint32_t begin) -> std::optional<std::pair<OpInstanceId, uint32_t>>;
  // Returns the operator with these attributes, which must be of its class; `range` is for the diagnostic.
  auto WithAttrs(uint32_t index, AttrsId attrs, SourceRange range) -> OpInstanceId;
  // Reads the attribute list at the current token up to the closing parenthesis. Nothing, with a diagnostic, on a
  // syntax error.
  auto ReadAttrs(uint32_t index, SourceRange callee) -> std::optional<OpInstanceId>;
  // The same for a callee that is not an operator.
  auto ReadForeignAttrs(SourceRange callee) -> std::optional<AttrsId>;
  // Returns the record that an object of the metadata section is, or none if it is something else.
  auto RecordOfObject(ObjectId id) -> AttrsId;

 private:
  struct Entry {
    const OpDef* op;
    OpInstanceId plain;
    // The list that was found last, and the operator with it.
    std::string_view list;
    OpInstanceId with_list;
  };

  auto AttrsOf(const OpDef& op, SourceRange callee) -> AttrsId;
  auto RecordOfClass(std::string_view type_key, SourceRange callee) -> AttrsId;
  // Returns the text of the list that begins at `begin`, if it can be remembered by it; else empty.
  auto ListText(uint32_t begin) const -> std::string_view;
  auto Instance(uint32_t index, AttrsId attrs) -> OpInstanceId;

  Parsing& parsing_;
  AttrParser& attrs_;
  absl::flat_hash_map<std::string_view, uint32_t, TextHash, std::equal_to<>> ids_;
  std::vector<Entry> entries_;
  // The operator that FindKnown returned last: calls of one operator often follow each other.
  uint32_t last_ = 0;
  absl::flat_hash_map<std::pair<uint32_t, std::string_view>, OpInstanceId> lists_;
  // Records of classes that relayopt does not know, by their object.
  absl::flat_hash_map<ObjectId, AttrsId> opaque_;
};

}  // namespace relayopt
