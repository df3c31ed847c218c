// Random tensor programs: nested statements of every kind.
#include "lib/check/random/script_generator.h"

#include <fmt/format.h>

#include <utility>

#include "lib/check/random/script_motifs.h"
#include "lib/check/random/script_writer.h"

namespace relayopt {

namespace {

constexpr int kPercentMotifs = 60;

class ScriptGenerator : public ScriptWriter {
 public:
  using ScriptWriter::ScriptWriter;

  auto Run() -> std::string {
    std::string params = "n: T.int32";
    const size_t count = 2 + random_.Below(3);
    for (size_t i = 0; i < count; ++i) {
      Memory memory{std::string(1, static_cast<char>('A' + i)), Type(), Shape(), i == 0};
      params += fmt::format(", {}: T.Buffer({}, \"{}\")", memory.name, Tuple(memory.shape), memory.dtype);
      memories_.push_back(std::move(memory));
    }
    const Motif* motif = random_.Chance(kPercentMotifs) ? &DrawMotif(random_) : nullptr;
    Memory in, out;
    if (motif != nullptr) {
      const std::string dtype(random_.Pick(motif->dtypes));
      in = {"I", dtype, {kMotifExtent}, true};
      out = {"O", dtype, {kMotifExtent}, false};
      params += fmt::format(", I: T.Buffer(({0},), \"{1}\"), O: T.Buffer(({0},), \"{1}\")", kMotifExtent, dtype);
    }
    text_ = "from tvm.script import tir as T\n\n@T.prim_func\ndef main(" + params + "):\n";
    if (motif != nullptr && !motif->attributes.empty()) Line(fmt::format("T.func_attr({{{}}})", motif->attributes));
    // n is small, like all random integers.
    known_.push_back({"n", 8});
    const int64_t steps = random_.Between(motif != nullptr ? 1 : 2, 4);
    const int64_t motif_step = motif != nullptr ? random_.Between(0, steps - 1) : -1;
    for (int64_t i = 0; i < steps; ++i) {
      if (i == motif_step)
        motif->write(*this, in, out);
      else if (random_.Chance(20))
        Launch();
      else
        Statement(3);
    }
    return text_;
  }

 private:
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
            if (random_.Chance(50)) {
              Line("else:");
              ++indent_;
              Line(fmt::format("{}[{} * {} + {}] = {}", target.name, b, kThreads, t, Value(target.dtype, 1)));
              --indent_;
            }
          } else {
            Line(fmt::format("{}[{} * {} + {}] = {}", target.name, b, kThreads, t, value));
          }
          in_parallel_ = false;
        });
      });
    });
  }
};

}  // namespace

auto GenerateScript(uint64_t seed) -> std::string { return ScriptGenerator(seed).Run(); }

}  // namespace relayopt
