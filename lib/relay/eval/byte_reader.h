// Reads little-endian numbers from bytes that may be truncated.
#pragma once

#include <cstring>
#include <string_view>

namespace relayopt {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  // False from the first read beyond the end on; such reads return zeros and empty texts.
  auto ok() const -> bool { return ok_; }
  auto size() const -> size_t { return rest_.size(); }

  template <typename T>
  auto Read() -> T {
    T value{};
    if (const std::string_view bytes = Take(sizeof value); ok_)
      bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  auto Take(uint64_t count) -> std::string_view {
    if (!ok_ || count > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace relayopt
