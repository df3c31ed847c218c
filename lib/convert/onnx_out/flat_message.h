// Messages of the wire format that are written field by field, without knowing before how long they become.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace relayopt::onnx::out {

// Most messages of a model have few bytes: a node, or the type of a value. They are made here, one after the other, and
// copied to their place; a message inside of one gets its length when it ends.
class FlatMessage {
 public:
  void Clear() { size_ = 0; }
  auto view() const -> std::string_view { return {bytes_.data(), size_}; }

  void AddText(uint32_t field, std::string_view text) {
    Reserve(2 * kMostVarint + text.size());
    PutVarint(field << 3 | kBytesType);
    PutVarint(text.size());
    if (!text.empty()) std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  // As int64; numbers of 32 bits are written like those of 64.
  void AddInt(uint32_t field, int64_t value) {
    Reserve(2 * kMostVarint);
    PutVarint(field << 3);
    PutVarint(static_cast<uint64_t>(value));
  }
  void AddFloat(uint32_t field, float value) {
    Reserve(kMostVarint + sizeof value);
    PutVarint(field << 3 | kFixed32Type);
    std::memcpy(bytes_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }

  // Begins a message inside of this one. What is returned is given to Close.
  auto Open(uint32_t field) -> size_t {
    Reserve(2 * kMostVarint);
    PutVarint(field << 3 | kBytesType);
    // Most lengths take one byte.
    return ++size_;
  }
  void Close(size_t begin) {
    const size_t length = size_ - begin;
    if (length <= kLargestByte) {
      bytes_[begin - 1] = static_cast<char>(length);
      return;
    }
    size_t more = 0;
    for (size_t rest = length >> kBitsOfByte; rest != 0; rest >>= kBitsOfByte) ++more;
    Reserve(more);
    std::memmove(bytes_.data() + begin + more, bytes_.data() + begin, length);
    size_ = begin - 1;
    PutVarint(length);
    size_ += length;
  }

 private:
  static constexpr size_t kMostVarint = 10;
  static constexpr uint64_t kLargestByte = 127;
  static constexpr uint32_t kBitsOfByte = 7;
  static constexpr uint32_t kBytesType = 2;
  static constexpr uint32_t kFixed32Type = 5;

  void Reserve(size_t more) {
    if (bytes_.size() - size_ < more) bytes_.resize(2 * (size_ + more));
  }
  void PutVarint(uint64_t value) {
    for (; value > kLargestByte; value >>= kBitsOfByte) bytes_[size_++] = static_cast<char>(value | (kLargestByte + 1));
    bytes_[size_++] = static_cast<char>(value);
  }

  std::vector<char> bytes_;
  size_t size_ = 0;
};

}  // namespace relayopt::onnx::out
