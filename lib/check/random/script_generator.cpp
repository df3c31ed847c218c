// Random tensor programs: text, written from the top down. What is known of a place is a list of variables with their
// ranges, so that an index can be made that stays inside of a buffer.
#include "lib/check/random/script_generator.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "lib/check/random/random.h"

namespace relayopt {

namespace {

// An int32 variable with 0 <= value < end.
struct BoundedVar {
  std::string name;
  int64_t end;
};

struct Memory {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  // Nothing stores to it.
  bool is_input = false;
};

class ScriptGenerator {
 public:
  explicit ScriptGenerator(uint64_t seed) : random_(seed) {}

  auto Run() -> std::string {
    std::string params = "n: T.int32";
    const size_t count = 2 + random_.Below(3);
    for (size_t i = 0; i < count; ++i) {
      Memory memory{std::string(1, static_cast<char>('A' + i)), Type(), Shape(), i == 0};
      params += fmt::format(", {}: T.Buffer({}, \"{}\")", memory.name, Tuple(memory.shape), memory.dtype);
      memories_.push_back(std::move(memory));
    }
    text_ = "from tvm.script import tir as T\n\n@T.prim_func\ndef main(" + params + "):\n";
    // n is small, as it is an integer that is made up.
    known_.push_back({"n", 8});
    const int64_t steps = random_.Between(2, 4);
    for (int64_t i = 0; i < steps; ++i) {
      if (random_.Chance(20))
        Launch();
      else
        Statement(3);
    }
    return text_;
  }

 private:
  void Line(std::string_view line) { text_ += std::string(indent_ * 4, ' ') + std::string(line) + '\n'; }
  auto Name(std::string_view stem) -> std::string { return fmt::format("{}{}", stem, names_++); }
  auto Type() -> std::string {
    return random_.Pick({"float32", "float32", "int32", "int32", "float16", "int64", "uint8", "int8"});
  }
  auto Shape() -> std::vector<int64_t> {
    std::vector<int64_t> shape;
    const size_t rank = 1 + random_.Below(2);
    for (size_t i = 0; i < rank; ++i) shape.push_back(random_.Pick({4, 6, 8, 16}));
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
    switch (random_.Below(11)) {
      case 0: return fmt::format("({} + {})", a, b);
      case 1: return fmt::format("({} - {})", a, b);
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
  // A literal would be no int32 expression where both arms are.
  static auto Cast(const std::string& e) -> std::string { return "T.int32(" + e + ")"; }

  auto Condition(int depth) -> std::string {
    if (depth > 0 && random_.Chance(40)) {
      const char* op = random_.Pick({"and", "or"});
      return fmt::format("({} {} {})", Condition(depth - 1), op, Condition(depth - 1));
    }
    if (depth > 0 && random_.Chance(10)) return fmt::format("T.likely({})", Condition(0));
    const char* op = random_.Pick({"<", "<=", "==", "!=", ">", ">="});
    const std::string& left = known_[random_.Below(known_.size())].name;
    return fmt::format("({} {} {})", left, op, Cast(Index(depth)));
  }

  // An index that is inside of [0, extent).
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

  // A value of the type.
  auto Value(const std::string& dtype, int depth) -> std::string {
    const bool is_float = dtype.starts_with("float");
    if (depth == 0 || random_.Chance(20)) {
      for (size_t tries = 0; tries < 4; ++tries) {
        const Memory& memory = memories_[random_.Below(memories_.size())];
        if (memory.dtype == dtype && CanRead(memory)) return Element(memory);
      }
      if (is_float && random_.Chance(50)) return fmt::format("T.{}({}.5)", dtype, random_.Between(0, 3));
      return fmt::format("T.Cast(\"{}\", {})", dtype, Cast(Index(1)));
    }
    const std::string a = Value(dtype, depth - 1);
    const std::string b = Value(dtype, depth - 1);
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
  // In a parallel loop or launch, what is stored to may only be read where it belongs to the thread.
  auto CanRead(const Memory& memory) const -> bool { return !in_parallel_ || memory.is_input; }
  // A memory that may be stored to; null when there is none.
  auto Target() -> const Memory* {
    for (size_t tries = 0; tries < 8; ++tries) {
      const Memory& memory = memories_[random_.Below(memories_.size())];
      if (!memory.is_input) return &memory;
    }
    return nullptr;
  }

  // `body` with one level more; what it makes known is forgotten.
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

  void Statement(int depth) {
    if (depth == 0) return Store();
    switch (random_.Below(10)) {
      case 0:
      case 1: return Loop(depth);
      case 2: return If(depth);
      case 3: return Let(depth);
      case 4: return Allocation(depth);
      case 5: return Vector();
      case 6: return Block();
      case 7: return Parallel(depth);
      case 8: return Vectorized();
      default: return Store();
    }
  }
  void Statements(int depth) {
    const int64_t count = random_.Between(1, 3);
    for (int64_t i = 0; i < count; ++i) Statement(depth - 1);
  }

  void Store() {
    const Memory* memory = Target();
    if (memory == nullptr) return Line("T.evaluate(0)");
    Line(fmt::format("{} = {}", Element(*memory), Value(memory->dtype, 2)));
  }
  void Loop(int depth) {
    const std::string var = Name("i");
    const int64_t extent = random_.Between(1, 6);
    const char* kind = random_.Pick({"range", "range", "T.serial", "T.unroll"});
    int64_t end = extent;
    if (random_.Chance(15)) {
      Line(fmt::format("for {} in {}({}, {}):", var, kind, extent, 2 * extent));
      end = 2 * extent;
    } else if (random_.Chance(15)) {
      Line(fmt::format("for {} in {}(T.min({}, 6)):", var, kind, known_[random_.Below(known_.size())].name));
      end = 6;
    } else {
      Line(fmt::format("for {} in {}({}):", var, kind, extent));
    }
    Nest([&] {
      known_.push_back({var, end});
      Statements(depth);
    });
  }
  void If(int depth) {
    Line(fmt::format("if {}:", Condition(1)));
    Nest([&] { Statements(depth); });
    if (random_.Chance(50)) {
      Line("else:");
      Nest([&] { Statements(depth); });
    }
  }
  void Let(int depth) {
    const std::string var = Name("x");
    const int64_t end = random_.Between(2, 8);
    Line(fmt::format("with T.LetStmt({}) as {}:", fmt::format("({}) % {}", Cast(Index(2)), end), var));
    Nest([&] {
      known_.push_back({var, end});
      Statements(depth);
    });
  }
  // Memory is filled before it is used.
  void Allocation(int depth) {
    Memory memory{Name("M"), Type(), {random_.Pick({4, 8})}, false};
    Line(fmt::format("with T.decl_buffer({}, \"{}\") as {}:", Tuple(memory.shape), memory.dtype, memory.name));
    Nest([&] {
      const std::string var = Name("i");
      Line(fmt::format("for {} in range({}):", var, memory.shape[0]));
      Nest([&] {
        known_.push_back({var, memory.shape[0]});
        Line(fmt::format("{}[{}] = {}", memory.name, var, Value(memory.dtype, 1)));
      });
      memories_.push_back(memory);
      Statements(depth);
    });
  }
  void Vector() {
    const Memory* memory = Target();
    if (memory == nullptr || memory->shape.size() != 1) return Store();
    constexpr int64_t kLanes = 4;
    const int64_t slots = memory->shape[0] / kLanes;
    const std::string first = fmt::format("({}) % {} * {}", Index(1), slots, kLanes);
    const std::string slice = fmt::format("{}[T.Ramp({}, 1, {})]", memory->name, Cast(first), kLanes);
    std::string value = fmt::format("T.Broadcast({}, {})", Value(memory->dtype, 1), kLanes);
    if (random_.Chance(50) && CanRead(*memory)) value = fmt::format("{} + {}", slice, value);
    Line(fmt::format("{} = {}", slice, value));
  }
  void Vectorized() {
    const Memory* memory = Target();
    if (memory == nullptr || memory->shape.size() != 1 || memory->shape[0] % 4 != 0) return Store();
    const std::string var = Name("v");
    Line(fmt::format("for {} in T.vectorized(4):", var));
    const Memory target = *memory;
    Nest([&] {
      known_.push_back({var, 4});
      // Lanes may not depend on one another.
      const bool was_parallel = std::exchange(in_parallel_, true);
      const size_t indent = indent_;
      if (random_.Chance(30)) {
        Line(fmt::format("if {}:", Condition(0)));
        ++indent_;
      }
      Line(fmt::format("{}[{}] = {}", target.name, var, Value(target.dtype, 2)));
      indent_ = indent;
      in_parallel_ = was_parallel;
    });
  }
  void Block() {
    const Memory* memory = Target();
    if (memory == nullptr || memory->shape.size() != 1 || in_parallel_) return Store();
    const Memory target = *memory;
    const std::string i = Name("i");
    const std::string k = Name("k");
    Line(fmt::format("for {}, {} in T.grid({}, 3):", i, k, target.shape[0]));
    Nest([&] {
      Line(fmt::format("with T.block(\"{}\"):", Name("block")));
      Nest([&] {
        Line(fmt::format("v{}, v{} = T.axis.remap(\"SR\", [{}, {}])", i, k, i, k));
        if (random_.Chance(30)) Line(fmt::format("T.where({} < n)", i));
        Line("T.reads()");
        Line(fmt::format("T.writes({}[v{}])", target.name, i));
        known_.push_back({"v" + i, target.shape[0]});
        known_.push_back({"v" + k, 3});
        Line("with T.init():");
        Nest([&] { Line(fmt::format("{}[v{}] = T.Cast(\"{}\", 0)", target.name, i, target.dtype)); });
        Line(fmt::format("{}[v{}] = {}[v{}] + {}", target.name, i, target.name, i, Value(target.dtype, 1)));
      });
    });
  }
  // Each iteration stores to elements of its own.
  void Parallel(int depth) {
    const Memory* memory = Target();
    if (memory == nullptr || in_parallel_) return Store();
    const Memory target = *memory;
    const std::string var = Name("p");
    Line(fmt::format("for {} in T.parallel({}):", var, target.shape[0]));
    Nest([&] {
      known_.push_back({var, target.shape[0]});
      in_parallel_ = true;
      if (depth > 1 && random_.Chance(40)) {
        Line(fmt::format("if {}:", Condition(1)));
        ++indent_;
        OwnStore(target, var);
        --indent_;
      } else {
        OwnStore(target, var);
      }
      in_parallel_ = false;
    });
  }
  void OwnStore(const Memory& memory, const std::string& own) {
    std::string indices = own;
    for (size_t i = 1; i < memory.shape.size(); ++i) indices += ", " + Inside(memory.shape[i]);
    Line(fmt::format("{}[{}] = {}", memory.name, indices, Value(memory.dtype, 2)));
  }
  // Threads fill shared memory, wait for one another, and read what others wrote.
  void Launch() {
    const Memory* memory = Target();
    if (memory == nullptr || memory->shape.size() != 1) return Store();
    const Memory target = *memory;
    constexpr int64_t kThreads = 4;
    const std::string b = Name("b");
    const std::string t = Name("t");
    const std::string shared = Name("S");
    Line(fmt::format("with T.launch_thread(\"blockIdx.x\", {}) as {}:", target.shape[0] / kThreads, b));
    Nest([&] {
      known_.push_back({b, target.shape[0] / kThreads});
      Line(fmt::format("with T.decl_buffer(({},), \"{}\", scope=\"shared\") as {}:", kThreads, target.dtype, shared));
      Nest([&] {
        Line(fmt::format("with T.launch_thread(\"threadIdx.x\", {}) as {}:", kThreads, t));
        Nest([&] {
          known_.push_back({t, kThreads});
          in_parallel_ = true;
          Line(fmt::format("{}[{}] = {}", shared, t, Value(target.dtype, 1)));
          Line("T.tvm_storage_sync(\"shared\")");
          memories_.push_back({shared, target.dtype, {kThreads}, true});
          const std::string value = Value(target.dtype, 2);
          if (random_.Chance(40)) {
            Line(fmt::format("if {}:", Condition(1)));
            ++indent_;
            Line(fmt::format("{}[{} * {} + {}] = {}", target.name, b, kThreads, t, value));
            --indent_;
          } else {
            Line(fmt::format("{}[{} * {} + {}] = {}", target.name, b, kThreads, t, value));
          }
          in_parallel_ = false;
        });
      });
    });
  }

  Random random_;
  std::string text_;
  size_t indent_ = 1;
  size_t names_ = 0;
  bool in_parallel_ = false;
  std::vector<BoundedVar> known_;
  std::vector<Memory> memories_;
};

}  // namespace

auto GenerateScript(uint64_t seed) -> std::string { return ScriptGenerator(seed).Run(); }

}  // namespace relayopt
