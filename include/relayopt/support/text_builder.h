// Text that grows at its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "relayopt/support/short_copy.h"

namespace relayopt {

// A string to which a short text is appended in a few instructions.
class TextBuilder {
 public:
  TextBuilder() = default;
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder(TextBuilder&& other) noexcept { Swap(other); }
  auto operator=(const TextBuilder&) -> TextBuilder& = delete;
  auto operator=(TextBuilder&& other) noexcept -> TextBuilder& {
    Swap(other);
    return *this;
  }
  ~TextBuilder() { std::free(begin_); }

  auto size() const -> size_t { return static_cast<size_t>(end_ - begin_); }
  auto empty() const -> bool { return size() == 0; }
  auto view() const -> std::string_view { return {begin_, size()}; }
  operator std::string_view() const { return view(); }

  void clear() { end_ = begin_; }
  void pop_back() { --end_; }
  template <typename Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  auto operator=(const Text& text) -> TextBuilder& {
    clear();
    return *this += text;
  }
  auto operator+=(char c) -> TextBuilder& {
    if (end_ == limit_) Grow(1);
    *end_++ = c;
    return *this;
  }
  // A literal that is not empty, whose size is known when this is compiled.
  template <size_t kSize>
  requires(kSize > 1) [[gnu::always_inline]] auto operator+=(const char (&text)[kSize]) -> TextBuilder& {
    constexpr size_t kLength = kSize - 1;
    if (static_cast<size_t>(limit_ - end_) < kLength) Grow(kLength);
    std::memcpy(end_, text, kLength);
    end_ += kLength;
    return *this;
  }
  auto operator+=(std::string_view text) -> TextBuilder& {
    const size_t size = text.size();
    if (static_cast<size_t>(limit_ - end_) < size) Grow(size);
    if (size > kMostShort) {
      std::memcpy(end_, text.data(), size);
    } else {
      CopyShort(end_, text.data(), text.size());
    }
    end_ += size;
    return *this;
  }
  template <typename Text>
  auto append(const Text& text) -> TextBuilder& {
    return *this += text;
  }
  auto append(size_t count, char c) -> TextBuilder& {
    if (static_cast<size_t>(limit_ - end_) < count) Grow(count);
    end_ = std::fill_n(end_, count, c);
    return *this;
  }

 private:
  static constexpr size_t kLeast = 128;

  [[gnu::cold, gnu::noinline]] void Grow(size_t more) {
    const size_t used = size();
    const size_t capacity = std::max({kLeast, 2 * static_cast<size_t>(limit_ - begin_), used + more});
    // Large ones are moved by the system, without a copy.
    auto* const memory = static_cast<char*>(std::realloc(begin_, capacity));
    if (memory == nullptr) throw std::bad_alloc();
    begin_ = memory;
    end_ = begin_ + used;
    limit_ = begin_ + capacity;
  }
  void Swap(TextBuilder& other) {
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    std::swap(limit_, other.limit_);
  }

  // The text, and room for more.
  char* begin_ = nullptr;
  char* end_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace relayopt
