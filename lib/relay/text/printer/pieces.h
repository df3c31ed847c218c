// Collects the many short pieces of a line, which are then appended to a text together.
#pragma once

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

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
    if (piece.size() > kSize - size_) {
      Flush();
      if (piece.size() > kSize) {
        out_ += piece;
        return;
      }
    }
    std::memcpy(text_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
  }
  void Add(uint32_t number) {
    if (kMostDigits > kSize - size_) Flush();
    char* const begin = text_.data() + size_;
    size_ = static_cast<size_t>(std::to_chars(begin, begin + kMostDigits, number).ptr - text_.data());
  }
  // Appends what was added. What is appended otherwise afterwards follows it.
  void Flush() {
    out_.append(text_.data(), size_);
    size_ = 0;
  }

 private:
  static constexpr size_t kSize = 256;
  static constexpr size_t kMostDigits = 10;

  std::string& out_;
  size_t size_ = 0;
  std::array<char, kSize> text_;
};

}  // namespace relayopt
