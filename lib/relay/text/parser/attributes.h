// The parser of attribute lists, `key=value, ...`, and their conversion to records.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "parsing.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The value of an attribute as it was written. Its meaning depends on the field that it is for.
struct AttrValue {
  enum class Kind : uint8_t { kNull, kInt, kFloat, kBool, kString, kAny, kArray, kObject };
  Kind kind = Kind::kNull;
  // kInt, kFloat: the width of the literal.
  uint8_t bits = 32;
  // kArray: see AttrParser.
  uint32_t array = 0;
  // kString.
  StringId text;
  // For kObject: the object of a metadata reference, a global or an operator.
  ObjectId object;
  // kInt, kBool.
  int64_t integer = 0;
  // kFloat.
  double real = 0;
  SourceRange range;
};

struct Attr {
  std::string_view key;
  SourceRange key_range;
  AttrValue value;
};

// Reads one list at a time; reading the next one forgets it.
class AttrParser {
 public:
  explicit AttrParser(Parsing& parsing) : parsing_(parsing), lexer_(parsing.lexer) {}

  // Whether `key =` starts at the current token.
  auto AtAttr() -> bool;
  // Reads the list up to `close`, which is not consumed. Returns false, with a diagnostic, after a syntax error.
  auto ReadList(TokenKind close) -> bool;
  auto attrs() const -> const std::vector<Attr>& { return attrs_; }

  // Removes the attribute `key` from the list and returns it, or returns nothing if it is missing.
  auto TakeAttr(std::string_view key) -> std::optional<Attr>;
  // Returns the value as an object of its own.
  auto ObjectOf(const AttrValue& value) -> ObjectId;
  // Returns the virtual device that a value names (none for None); reports an error if it is something else.
  auto VirtualDeviceOf(const Attr& attr) -> ObjectId;
  // Returns the list as a record of `schema`. `owner` and `range` are for messages. Returns none if something is wrong.
  auto RecordOf(const AttrsSchema& schema, std::string_view owner, SourceRange range) -> AttrsId;
  // Reports every attribute of the list as unknown, for an `owner` without attributes.
  void ReportAllUnknown(std::string_view owner);
  // Returns the list as a record of a class that relayopt does not know.
  auto OpaqueRecord(std::string_view type_key) -> AttrsId;
  // Returns the list as a record of class DictAttrs.
  auto MapRecord() -> AttrsId;
  // Returns the list as function attributes, in the order of TVM's map.
  auto FunctionAttrs() -> std::vector<FunctionAttr>;
  // Clears the list, so that RecordOf returns the default record.
  void Clear();

 private:
  struct Array {
    // Elements in `items_`.
    uint32_t first = 0;
    uint32_t count = 0;
    // The first of the arrays inside it; all of them come before it in `arrays_`.
    uint32_t first_inner = 0;
  };
  // A bracket that is still open.
  struct Open {
    bool list = false;
    bool comma = false;
    uint32_t base = 0;
    uint32_t first_inner = 0;
    uint32_t begin = 0;
  };

  auto ReadKey(Attr& attr) -> bool;
  auto ReadValue() -> std::optional<AttrValue>;
  // Reads a value that has no brackets.
  auto ReadSimple(AttrValue& value) -> bool;
  auto ReadNumber(AttrValue& value) -> bool;
  auto ReadName(AttrValue& value) -> bool;
  // Passes a value to the innermost bracket. False after a syntax error; `value` is the bracket's own if it closed.
  auto Append(AttrValue& value, bool& closed) -> bool;
  void ReportRepeated();

  auto Items(const AttrValue& value) const -> std::span<const AttrValue> {
    return std::span(items_).subspan(arrays_[value.array].first, arrays_[value.array].count);
  }
  auto ItemObject(const AttrValue& value) -> ObjectId;

  // Conversions to the type of a field; they return false if the value does not fit.
  auto Convert(const FieldInfo& field, void* record, const Attr& attr) -> bool;
  auto ToInt(const AttrValue& value, int64_t& out) const -> bool;
  auto ToDouble(const AttrValue& value, double& out) const -> bool;
  auto ToString(const AttrValue& value, std::string& out) const -> bool;
  auto ToDim(const AttrValue& value, Dim& out) const -> bool;
  auto ToDimList(const AttrValue& value, DimList& out) const -> bool;
  auto ToDimLists(const AttrValue& value, DimLists& out) const -> bool;
  auto ObjectToDimList(ObjectId object, DimList& out) const -> bool;
  void ReportUnknown(std::span<const FieldInfo> fields, std::string_view owner, const Attr& attr);

  Parsing& parsing_;
  Lexer& lexer_;
  std::vector<Attr> attrs_;
  std::vector<AttrValue> items_;
  std::vector<Array> arrays_;
  std::vector<ObjectId> array_objects_;
  std::vector<Open> open_;
  // Elements of the open brackets.
  std::vector<AttrValue> pending_;
};

// Returns the schema of the records with this type key, or null.
auto FindAttrsSchema(std::string_view type_key) -> const AttrsSchema*;

}  // namespace relayopt
