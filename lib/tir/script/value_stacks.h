// Where the values of expressions lie while TVMScript is read.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "lib/tir/script/plain_stack.h"
#include "lib/tir/script/value.h"

namespace relayopt::tir {

// The elements of tuples, lists and the like. They never move, and those of one lie side by side.
class ValueTable {
 public:
  auto size() const -> uint32_t { return size_; }
  auto operator[](uint32_t id) const -> const Value& { return chunks_[id / kChunk][id % kChunk]; }
  auto Elements(uint32_t first, size_t count) const -> std::span<const Value> {
    return count == 0 ? std::span<const Value>() : std::span(&(*this)[first], count);
  }
  // Returns the index of the first one.
  auto Add(std::span<const Value> elements) -> uint32_t {
    if (elements.size() > left_) MakeRoom(elements.size());
    const uint32_t first = size_;
    if (!elements.empty()) std::copy(elements.begin(), elements.end(), &chunks_[first / kChunk][first % kChunk]);
    size_ += static_cast<uint32_t>(elements.size());
    left_ -= elements.size();
    return first;
  }
  // Removes all from this index on, if that needs no other block: what one statement added is removed after each, and
  // must not allocate a block each time.
  void Reuse(uint32_t size) {
    if (blocks_.empty() || size < blocks_.back().first) return;
    left_ += size_ - size;
    size_ = size;
  }
  // Removes all from this index on.
  void Release(uint32_t size) {
    while (!blocks_.empty() && blocks_.back().first > size) {
      chunks_.resize(chunks_.size() - blocks_.back().size / kChunk);
      blocks_.pop_back();
    }
    size_ = size;
    left_ = blocks_.empty() ? 0 : blocks_.back().first + blocks_.back().size - size;
  }

 private:
  static constexpr size_t kChunk = 1024;

  struct Block {
    std::unique_ptr<Value[]> values;
    size_t first;
    size_t size;
  };

  // Allocates consecutive chunks after the elements in use.
  void MakeRoom(size_t count) {
    const size_t chunks = (count + kChunk - 1) / kChunk;
    size_ = static_cast<uint32_t>(chunks_.size() * kChunk);
    left_ = chunks * kChunk;
    blocks_.push_back({std::unique_ptr<Value[]>(new Value[left_]), size_, left_});
    for (size_t i = 0; i < chunks; ++i) chunks_.push_back(blocks_.back().values.get() + i * kChunk);
  }

  std::vector<Block> blocks_;
  std::vector<Value*> chunks_;
  uint32_t size_ = 0;
  // How many more fit after the last one.
  size_t left_ = 0;
};

}  // namespace relayopt::tir
