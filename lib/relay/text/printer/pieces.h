// Collects the many short pieces of a line, which are then appended to a text together.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "relayopt/support/short_copy.h"

namespace relayopt {

class Pieces {
 public:
  explicit Pieces(std::string& out) : out_(out) {}
  Pieces(const Pieces&) = delete;
  auto operator=(const Pieces&) -> Pieces& = delete;
  ~Pieces() { Flush(); }

  void Add(char c) {
    if (size_ == kSize) Flush();
    text_[size_++] = c;
  }
  void Add(std::string_view piece) {
    if (piece.size() > kMostShort || piece.size() > kSize - size_) [[unlikely]]
      return AddLong(piece);
    CopyShort(text_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
  }
  // A literal, whose size is known.
  template <size_t kLength>
  void Add(const char (&piece)[kLength]) {
    if (kLength > kSize - size_) Flush();
    std::memcpy(text_.data() + size_, piece, kLength - 1);
    size_ += kLength - 1;
  }
  void Add(uint32_t number) {
    if (kMostDigits > kSize - size_) Flush();
    char* const end = text_.data() + size_ + NumDigits(number);
    size_ = static_cast<size_t>(end - text_.data());
    for (char* at = end; at == end || number != 0; number /= 10) *--at = static_cast<char>('0' + number % 10);
  }
  // Writes the buffered text, so that later text can be appended directly.
  void Flush() {
    out_.append(text_.data(), size_);
    size_ = 0;
  }

 private:
  static constexpr size_t kSize = 256;
  static constexpr size_t kMostDigits = 10;

  static auto NumDigits(uint32_t number) -> size_t {
    size_t digits = 1;
    for (uint64_t power = 10; power <= number; power *= 10) ++digits;
    return digits;
  }

  [[gnu::noinline]] void AddLong(std::string_view piece) {
    if (piece.size() > kSize - size_) Flush();
    if (piece.size() > kSize) {
      out_ += piece;
      return;
    }
    std::memcpy(text_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
  }

  std::string& out_;
  size_t size_ = 0;
  std::array<char, kSize> text_;
};

}  // namespace relayopt
