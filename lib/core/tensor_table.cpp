#include "relayopt/core/tensor_table.h"

#include <bit>
#include <string_view>
#include <utility>

#include "absl/hash/hash.h"
#include "relayopt/core/same_tensor.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

namespace {

// Returns a hash of the first bytes and of as many blocks evenly spread over the rest, in a time that does not depend
// on their number.
auto HashSamples(std::string_view bytes) -> uint64_t {
  constexpr size_t kBlock = 256;
  constexpr size_t kBlocks = 16;
  if (bytes.size() <= kBlock * kBlocks) return absl::HashOf(bytes);
  uint64_t hash = absl::HashOf(bytes.substr(0, kBlock));
  for (size_t i = 1; i <= kBlocks; ++i) {
    hash = absl::HashOf(hash, bytes.substr((bytes.size() - kBlock) * i / kBlocks, kBlock));
  }
  return hash;
}

auto HashWithType(const Constant& tensor, uint64_t elements) -> uint64_t {
  WordHash hash;
  hash.Add(std::bit_cast<uint32_t>(tensor.dtype()));
  for (const int64_t extent : tensor.shape()) hash.Add(static_cast<uint64_t>(extent));
  hash.Add(elements);
  return hash.value();
}

}  // namespace

auto TensorTable::FindOrAdd(const Constant& tensor) -> size_t {
  const ElementBytes elements = tensor.Elements();
  const auto [entry, is_first] = by_samples_.try_emplace(HashWithType(tensor, HashSamples(elements.text())), size());
  if (is_first) return Add(tensor);
  if (entry->second != kShared) {
    const size_t first = std::exchange(entry->second, kShared);
    FindOrAddByElements(tensors_[first], tensors_[first].Elements(), first);
  }
  const size_t number = FindOrAddByElements(tensor, elements, size());
  return number < size() ? number : Add(tensor);
}

// Returns the number of an equal tensor, or the given one, which then is that of this tensor.
auto TensorTable::FindOrAddByElements(const Constant& tensor, const ElementBytes& elements, size_t number) -> size_t {
  for (uint64_t hash = HashWithType(tensor, absl::HashOf(elements.text()));; ++hash) {
    const auto [entry, is_new] = by_elements_.try_emplace(hash, number);
    if (is_new || SameTensor(tensors_[entry->second], tensor)) return entry->second;
  }
}

auto TensorTable::Add(const Constant& tensor) -> size_t {
  tensors_.push_back(tensor);
  return size() - 1;
}

}  // namespace relayopt
