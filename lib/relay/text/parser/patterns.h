// The parser of patterns of `match`.
#pragma once

#include <optional>
#include <vector>

#include "declarations.h"
#include "frames.h"
#include "module_names.h"
#include "parsing.h"

namespace relayopt {

class PatternParser {
 public:
  PatternParser(Parsing& parsing, const ModuleNames& names, DeclarationParser& declarations)
      : parsing_(parsing), names_(names), declarations_(declarations) {}

  // Reads a pattern into the innermost match; its variables become parts of the frame. Returns the index of its root,
  // or nothing after an error.
  auto Read(FrameStack& frames) -> std::optional<uint32_t>;

 private:
  struct Frame {
    uint32_t pattern;
    uint32_t base;
    bool comma;
  };

  // Returns true if the pattern is complete, false if it opened a list, or nothing after an error.
  auto Start(FrameStack& frames) -> std::optional<bool>;
  auto Continue(MatchInfo& info) -> std::optional<bool>;
  auto OpenList(uint32_t pattern) -> bool;
  void ReadConstructor(Pattern& pattern);

  Parsing& parsing_;
  const ModuleNames& names_;
  DeclarationParser& declarations_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> sub_patterns_;
};

}  // namespace relayopt
