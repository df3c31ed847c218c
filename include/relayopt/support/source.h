// Source texts, and positions in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// A half-open range of byte offsets in one source text. The default range points nowhere.
struct SourceRange {
  static constexpr uint32_t kNowhere = UINT32_MAX;
  uint32_t begin = kNowhere;
  uint32_t end = kNowhere;

  constexpr auto valid() const -> bool { return begin != kNowhere; }
  friend constexpr auto operator==(SourceRange, SourceRange) -> bool = default;
};

// A 1-based position; columns count bytes.
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

// One input: its name and its bytes. Files are memory-mapped, other inputs are owned. The bytes never move, so views of
// them stay valid as long as the SourceText lives.
class SourceText {
 public:
  // This many readable bytes follow the text, so that vectorized readers may look past its end.
  static constexpr size_t kPadding = 64;

  // Takes ownership of `text`. Positions count lines from `first_line`.
  static auto FromString(std::string name, std::string text, uint32_t first_line = 1)
      -> std::shared_ptr<const SourceText>;
  // Maps a regular file, or reads anything else to its end; "-" is standard input. Null, with the reason in `error`,
  // when it cannot be read or has 4 GiB or more.
  static auto Open(const std::string& path, std::string& error) -> std::shared_ptr<const SourceText>;

  SourceText(const SourceText&) = delete;
  auto operator=(const SourceText&) -> SourceText& = delete;
  ~SourceText();

  auto name() const -> const std::string& { return name_; }
  auto text() const -> std::string_view { return text_; }

  auto Position(uint32_t offset) const -> LineColumn;
  // Returns the text of a line (numbered as in LineColumn), without its line ending.
  auto Line(uint32_t line) const -> std::string_view;

 private:
  SourceText() = default;
  void Own();
  auto Map(int fd, size_t size) -> bool;
  void IndexLines() const;

  std::string name_;
  std::string owned_;
  std::string_view text_;
  void* mapping_ = nullptr;
  size_t mapping_size_ = 0;
  uint32_t first_line_ = 1;
  // Offsets of the starts of lines, computed on first use.
  mutable std::vector<uint32_t> lines_;
};

}  // namespace relayopt
