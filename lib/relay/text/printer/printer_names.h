// Names of variables, made unique in a module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/paged_table.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// Appends the name of the source of a span, without what would end the comment that it is printed in.
void AppendSpanSource(std::string& out, std::string_view name);

// Derives the names with which variables are printed from their hints. The texts live as long as the table.
class NameTable {
 public:
  explicit NameTable(const Context& context) : context_(context) {}

  // Returns the hint (with a `v` before it where it does not start with a letter; it may be invalid), followed by the
  // first number that makes the name new. Characters that the reader would not take for a part of the name become `_`.
  // `annotated`: `:` and a type follow. The result is the text of the hint itself if its address is.
  auto Declare(StringId hint, bool annotated) -> std::string_view;

 private:
  // Returns the name if it is new for certain, or nothing. Hints that are names already differ from each other, and
  // from a name with a number after it if none of them ends in a digit.
  auto DeclarePlain(StringId hint) -> std::optional<std::string_view>;
  // From then on every name is looked up by its text.
  void IndexByText();
  auto DeclareByText(std::string_view hint, bool annotated) -> std::string_view;

  const Context& context_;
  Arena arena_;
  // For each hint of DeclarePlain one more than the last number after it.
  PagedTable<StringId, uint32_t> numbers_;
  bool has_hint_with_digit_ = false;
  bool has_number_ = false;
  bool is_indexed_ = false;
  // Once it is indexed: every name in use, with the last number tried after it.
  absl::flat_hash_map<std::string_view, uint32_t, TextHash> used_;
  std::string candidate_;
};

}  // namespace relayopt
