// Prints types.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "printer_meta.h"
#include "relayopt/core/type_text.h"

namespace relayopt {

// Prints a dimension: an integer with its suffix, `?`, or `meta[...]`; a null dimension is `None`.
void AppendDim(std::string& out, const Context& context, const Dim& dim, MetaIndex& meta);

// Prints types, remembering the text of those that are short.
class TypePrinter {
 public:
  TypePrinter(const Context& context, MetaIndex& meta) : context_(context), meta_(meta) {}

  void Append(std::string& out, TypeId type) { Generate(out, type, SIZE_MAX); }
  // The same for text that may be left out. Types share their parts, so that a short program can have types with
  // enormous texts: if the text gets too long, or this and other long ones do, nothing is appended and false is
  // returned.
  auto AppendOptional(std::string& out, TypeId type) -> bool {
    const size_t start = out.size();
    const bool is_done = Generate(out, type, long_ < kMostLong ? kLongestOptional : kLong);
    if (const size_t size = out.size() - start; size > kLong) long_ += size;
    return is_done;
  }
  // Assigns the metadata indices that the text will need.
  void Reserve(TypeId type) {
    TypeId& last = reserved_last_[type.value() % kSlots];
    if (type != last) ReserveNew(type);
    last = type;
  }
  // Returns the text of a type if it is remembered, else null. It is valid until another type is printed.
  auto Remembered(TypeId type) -> const std::string* {
    auto& [last, text] = remembered_last_[type.value() % kSlots];
    if (type == last) return text;
    const auto found = texts_.find(type);
    if (found == texts_.end()) return nullptr;
    last = type;
    return text = &found->second;
  }

 private:
  static constexpr size_t kLongestOptional = 64 << 10;
  // Types inside of one another would make a text quadratic, though each is shorter than that: those longer than kLong
  // are left out once they have taken kMostLong.
  static constexpr size_t kLong = 1 << 10;
  static constexpr size_t kMostLong = 4 << 20;
  // Stands for the length of a type whose text hands out metadata indices.
  static constexpr size_t kNeedsMetadata = SIZE_MAX;

  // Returns false, with nothing appended, if the text is longer than `limit`.
  auto Generate(std::string& out, TypeId type, size_t limit) -> bool;
  void ReserveNew(TypeId type);
  void Remember(TypeId type, std::string_view text);
  void Expand(std::string& out, TypeId type, std::vector<TypePiece>& work);
  void AppendTensor(std::string& out, const Type& type);
  // Finds which of the types inside of a huge one are huge, too.
  void FindHuge(TypeId type);

  const Context& context_;
  MetaIndex& meta_;
  absl::flat_hash_map<TypeId, std::string> texts_;
  // A cache of the latest types in Reserve and Remembered, indexed by a hash of the type: neighbours often have the
  // same type.
  static constexpr size_t kSlots = 16;
  std::array<TypeId, kSlots> reserved_last_;
  std::array<std::pair<TypeId, const std::string*>, kSlots> remembered_last_;
  // Types whose indices are handed out, beside those of `texts_`.
  absl::flat_hash_set<TypeId> reserved_;
  // Types longer than kLong, and the size of their optional texts.
  absl::flat_hash_set<TypeId> long_types_;
  size_t long_ = 0;
  // The last of these and its text, because a result is written several times.
  TypeId long_type_;
  std::string long_text_;
  // Types longer than kLongestOptional.
  absl::flat_hash_set<TypeId> huge_;
  // The lengths of types that are inside of huge ones, kNeedsMetadata at most.
  absl::flat_hash_map<TypeId, size_t> lengths_;
};

}  // namespace relayopt
