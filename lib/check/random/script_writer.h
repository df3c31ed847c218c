// The functions with which all parts of random tensor programs are written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lib/check/random/random.h"

namespace relayopt {

// An int32 variable with 0 <= value < end.
struct BoundedVar {
  std::string name;
  int64_t end;
};

struct Memory {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  // Whether it is never written.
  bool is_input = false;
};

// Text of a function from the top down. The context of a statement is a list of variables with their ranges, so that an
// index can be made that stays inside of a buffer.
class ScriptWriter {
 public:
  explicit ScriptWriter(uint64_t seed) : random_(seed) {}

  void Line(std::string_view line) { text_ += std::string(indent_ * 4, ' ') + std::string(line) + '\n'; }
  auto Name(std::string_view stem) -> std::string { return fmt::format("{}{}", stem, names_++); }
  auto Type() -> std::string {
    if (random_.Chance(12)) return random_.Pick({"int16", "uint16", "uint32", "uint64"});
    return random_.Pick({"float32", "float32", "int32", "int32", "float16", "int64", "uint8", "int8"});
  }
  auto Shape() -> std::vector<int64_t> {
    std::vector<int64_t> shape(1 + random_.Below(2));
    for (int64_t& extent : shape) extent = random_.Pick({4, 6, 8, 16});
    return shape;
  }
  static auto Tuple(const std::vector<int64_t>& shape) -> std::string {
    return fmt::format("({},)", fmt::join(shape, ", "));
  }

  // An int32 expression; its value is below 10^5 in size.
  auto Index(int depth) -> std::string {
    if (depth == 0 || random_.Chance(25)) {
      if (random_.Chance(70)) return known_[random_.Below(known_.size())].name;
      return std::to_string(random_.Between(0, 9));
    }
    const std::string a = Index(depth - 1);
    const std::string b = Index(depth - 1);
    switch (random_.Below(13)) {
      case 0: return fmt::format("({} + {})", a, b);
      case 1: return fmt::format("({} - {})", a, b);
      // Casts to a narrow type and back, which changes some values.
      case 11:
        return fmt::format("T.Cast(\"int32\", T.Cast(\"{}\", {}))", random_.Pick({"int8", "uint8", "int16", "uint16"}),
                           Cast(a));
      case 12: return fmt::format("T.{}({}, {})", random_.Pick({"min", "max"}), Cast(a), End("int32"));
      case 2: return fmt::format("{} * {}", known_[random_.Below(known_.size())].name, random_.Between(1, 8));
      case 3: return fmt::format("({}) // {}", a, random_.Between(1, 8));
      case 4: return fmt::format("({}) % {}", a, random_.Between(1, 8));
      case 5: return fmt::format("T.min({}, {})", a, b);
      case 6: return fmt::format("T.max({}, {})", a, b);
      case 7: return fmt::format("T.Select({}, {}, {})", Condition(0), a, Cast(b));
      case 8: return fmt::format("T.if_then_else({}, {}, {})", Condition(0), a, Cast(b));
      case 9: return fmt::format("T.truncdiv({}, {})", a, random_.Between(1, 8));
      default: return fmt::format("T.truncmod({}, {})", a, random_.Between(1, 8));
    }
  }
  // A literal would not be an int32 expression where both arms are literals.
  static auto Cast(const std::string& e) -> std::string { return "T.int32(" + e + ")"; }

  auto Condition(int depth) -> std::string {
    if (depth > 0 && random_.Chance(40)) {
      const char* op = random_.Pick({"and", "or"});
      return fmt::format("({} {} {})", Condition(depth - 1), op, Condition(depth - 1));
    }
    if (depth > 0 && random_.Chance(10)) return fmt::format("T.likely({})", Condition(0));
    const char* op = random_.Pick({"<", "<=", "==", "!=", ">", ">="});
    const std::string& left = known_[random_.Below(known_.size())].name;
    if (random_.Chance(5)) return fmt::format("({} {} {})", left, op, End("int32"));
    return fmt::format("({} {} {})", left, op, Cast(Index(depth)));
  }

  // Returns an index that is inside of [0, extent).
  auto Inside(int64_t extent) -> std::string {
    std::vector<std::string> fitting;
    for (const BoundedVar& known : known_) {
      if (known.end <= extent) fitting.push_back(known.name);
    }
    if (!fitting.empty() && random_.Chance(60)) return fitting[random_.Below(fitting.size())];
    if (random_.Chance(20)) return std::to_string(random_.Below(static_cast<size_t>(extent)));
    if (random_.Chance(20)) return fmt::format("T.max(T.min({}, {}), 0)", Index(2), extent - 1);
    return fmt::format("({}) % {}", Index(2), extent);
  }
  auto Element(const Memory& memory) -> std::string {
    std::string indices;
    for (const int64_t extent : memory.shape) indices += (indices.empty() ? "" : ", ") + Inside(extent);
    return fmt::format("{}[{}]", memory.name, indices);
  }

  // Returns a value of the type.
  auto Value(const std::string& dtype, int depth) -> std::string {
    const bool is_float = dtype.starts_with("float");
    const bool is_integer = dtype.starts_with("int") || dtype.starts_with("uint");
    if (depth == 0 || random_.Chance(20)) {
      for (size_t tries = 0; tries < 4; ++tries) {
        const Memory& memory = memories_[random_.Below(memories_.size())];
        if (memory.dtype == dtype && CanRead(memory)) return Element(memory);
      }
      if (is_float && random_.Chance(50)) return fmt::format("T.{}({}.5)", dtype, random_.Between(0, 3));
      if (is_integer && random_.Chance(15)) return End(dtype);
      return fmt::format("T.Cast(\"{}\", {})", dtype, Cast(Index(1)));
    }
    const std::string a = Value(dtype, depth - 1);
    const std::string b = Value(dtype, depth - 1);
    if (is_integer && random_.Chance(30)) return IntegerOperation(dtype, a, b);
    switch (random_.Below(is_float ? 9 : 7)) {
      case 0:
      case 1: return fmt::format("({} + {})", a, b);
      case 2: return fmt::format("({} - {})", a, b);
      case 3: return fmt::format("T.max({}, {})", a, b);
      case 4: return fmt::format("T.if_then_else({}, {}, {})", Condition(1), a, b);
      case 5: return fmt::format("T.Select({}, {}, {})", Condition(1), a, b);
      case 6: return fmt::format("T.min({}, {})", a, b);
      case 7: return fmt::format("({} * {})", a, b);
      default: return fmt::format("T.{}({})", random_.Pick({"exp", "tanh", "fabs", "floor", "sigmoid"}), a);
    }
  }
  // Returns the smallest or the largest integer of a type, or the one next to it. As a number of 64 bits without a sign
  // it is the largest that is also one with a sign.
  auto End(const std::string& dtype) -> std::string {
    const bool is_signed = dtype.starts_with("int");
    const int bits = std::min(std::stoi(dtype.substr(is_signed ? 3 : 4)) - (is_signed ? 1 : 0), 63);
    const auto largest = static_cast<int64_t>(~uint64_t{0} >> (64 - bits));
    const int64_t smallest = is_signed ? -largest - 1 : 0;
    return fmt::format("T.{}({})", dtype, random_.Pick({largest, smallest, largest - 1, smallest + 1}));
  }
  // Returns an operation that only integers have. Divisors and shifts are such that the result is defined.
  auto IntegerOperation(const std::string& dtype, const std::string& a, const std::string& b) -> std::string {
    const std::string divisor = fmt::format("T.{}({})", dtype, random_.Pick({1, 2, 3, 4, 7, 100, 127}));
    const std::string shift = fmt::format("T.{}({})", dtype, random_.Below(8));
    switch (random_.Below(9)) {
      case 0: return fmt::format("({} // {})", a, divisor);
      case 1: return fmt::format("({} % {})", a, divisor);
      case 2: return fmt::format("T.truncdiv({}, {})", a, divisor);
      case 3: return fmt::format("T.truncmod({}, {})", a, divisor);
      case 4: return fmt::format("T.shift_right({}, {})", a, shift);
      case 5: return fmt::format("T.bitwise_{}({}, {})", random_.Pick({"and", "or", "xor"}), a, b);
      case 6: return fmt::format("T.Cast(\"{}\", ({} {} {}))", dtype, a, random_.Pick({"<", "<=", "==", "!="}), b);
      case 7: return fmt::format("T.{}({}, {})", random_.Pick({"min", "max"}), a, End(dtype));
      default: return fmt::format("T.if_then_else({} < {}, {}, {})", a, End(dtype), b, a);
    }
  }
  // In a parallel loop or launch, what is stored to may only be read where it belongs to the thread.
  auto CanRead(const Memory& memory) const -> bool { return !in_parallel_ || memory.is_input; }
  // Returns a memory that may be stored to, or null if there is none.
  auto Target() -> const Memory* {
    for (size_t tries = 0; tries < 8; ++tries) {
      const Memory& memory = memories_[random_.Below(memories_.size())];
      if (!memory.is_input) return &memory;
    }
    return nullptr;
  }

  // In `body`, only memory that is not written and its own memory may be read.
  template <typename Body>
  void InParallel(Body&& body) {
    const bool was_parallel = in_parallel_;
    in_parallel_ = true;
    body();
    in_parallel_ = was_parallel;
  }
  // Writes `body` indented by one level; its definitions are dropped afterwards.
  template <typename Body>
  void Nest(Body&& body) {
    const size_t known = known_.size();
    const size_t memories = memories_.size();
    ++indent_;
    body();
    --indent_;
    known_.resize(known);
    memories_.resize(memories);
  }

  auto random() -> Random& { return random_; }
  auto in_parallel() const -> bool { return in_parallel_; }
  void Know(const std::string& var, int64_t end) { known_.push_back({var, end}); }
  void AddMemory(const Memory& memory) { memories_.push_back(memory); }
  auto memories() const -> const std::vector<Memory>& { return memories_; }
  auto text() const -> const std::string& { return text_; }

 protected:
  Random random_;
  std::string text_;
  size_t indent_ = 1;
  size_t names_ = 0;
  bool in_parallel_ = false;
  std::vector<BoundedVar> known_;
  std::vector<Memory> memories_;
};

}  // namespace relayopt
