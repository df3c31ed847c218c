// Motifs of blocks and loops with annotations that stages of the lowering pipeline act on.
#include <algorithm>

#include "lib/check/random/script_motifs.h"

namespace relayopt::motif {

namespace {

// Ascending stages, and orders that keep the steps of a stage in sequence.
struct Schedule {
  std::vector<int64_t> stages;
  std::vector<int64_t> orders;
};

auto DrawSchedule(ScriptWriter& w, size_t steps) -> Schedule {
  Schedule schedule;
  int64_t stage = 0;
  for (size_t i = 0; i < steps; ++i) {
    if (i > 0) stage += w.random().Pick({0, 1, 1, 2});
    schedule.stages.push_back(stage);
    schedule.orders.push_back(static_cast<int64_t>(i));
  }
  for (size_t i = steps; i > 1; --i) std::swap(schedule.orders[i - 1], schedule.orders[w.random().Below(i)]);
  for (size_t first = 0; first < steps;) {
    size_t end = first;
    while (end < steps && schedule.stages[end] == schedule.stages[first]) ++end;
    std::sort(schedule.orders.begin() + static_cast<ptrdiff_t>(first),
              schedule.orders.begin() + static_cast<ptrdiff_t>(end));
    first = end;
  }
  return schedule;
}

// The statements of an iteration: each computes a buffer from the one before, the last one stores.
void WriteSteps(ScriptWriter& w, const Memory& in, const Memory& out, const std::string& i,
                const std::vector<std::string>& memories) {
  const auto step = [&](const std::string& reads, const std::string& target, const std::string& at,
                        const Memory& source, const std::string& index) {
    const std::string j = w.Name("j");
    const auto loop = [&] {
      Below(w, fmt::format("for {} in range(4):", j), j, 4,
            [&] { w.Line(fmt::format("{}[{}{}] = {}", target, at, j, Read(w, source, index + j))); });
    };
    if (w.random().Chance(30)) return loop();
    Below(w, "with T.block(\"\"):", "", 0, [&] {
      const std::string end = at.empty() ? "0:4" : fmt::format("{0} * 4:{0} * 4 + 4", i);
      w.Line(fmt::format("T.reads({}, {}[0:{}])", reads, in.name, kMotifExtent));
      w.Line(fmt::format("T.writes({}[{}])", target, end));
      if (w.random().Chance(10)) w.Line("T.block_attr({\"double_buffer_scope\": 0})");
      loop();
    });
  };
  const std::string own = i + " * 4 + ";
  step(fmt::format("{}[0:{}]", in.name, kMotifExtent), memories[0], "", in, own);
  for (size_t k = 1; k < memories.size(); ++k) {
    step(memories[k - 1] + "[0:4]", memories[k], "", {memories[k - 1], in.dtype, {}}, "");
  }
  step(memories.back() + "[0:4]", out.name, own, {memories.back(), in.dtype, {}}, "");
}

}  // namespace

// A loop whose statements are to work on different iterations at the same time.
void SoftwarePipeline(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i");
  const size_t steps = w.random().Between(2, 4);
  const Schedule schedule = DrawSchedule(w, steps);
  std::vector<std::string> memories;
  for (size_t k = 0; k + 1 < steps; ++k) memories.push_back(w.Name("M"));
  const bool is_dynamic = w.random().Chance(20);
  // Reading folds sums of a minimum and an extent that is not a literal.
  const int64_t min = is_dynamic ? 0 : w.random().Pick({0, 0, 1, 2});
  const int64_t end = min + w.random().Between(1, 8);
  std::string notes = fmt::format("\"software_pipeline_stage\": [{}], \"software_pipeline_order\": [{}]",
                                  fmt::join(schedule.stages, ", "), fmt::join(schedule.orders, ", "));
  if (w.random().Chance(25)) notes += ", \"software_pipeline_async_stages\": [0]";
  if (w.random().Chance(10)) notes += ", \"pragma_unroll_explicit\": 1";
  const std::string extent = is_dynamic ? fmt::format("T.max(T.min(n, {}), 0)", end) : std::to_string(end);
  const std::string line = fmt::format("for {} in {}({}, {}, annotations={{{}}}):", i,
                                       w.random().Pick({"T.serial", "T.serial", "T.unroll"}), min, extent, notes);
  Below(w, line, i, end, [&] {
    w.InParallel([&] {
      Below(w, "with T.block(\"\"):", "", 0, [&] {
        w.Line(fmt::format("T.reads({}[0:{}])", in.name, kMotifExtent));
        w.Line(fmt::format("T.writes({}[{} * 4:{} * 4 + 4])", out.name, i, i));
        for (const std::string& memory : memories) {
          w.Line(fmt::format("{} = T.alloc_buffer((4,), \"{}\"{})", memory, in.dtype,
                             w.random().Pick({"", ", strides=(1,)", ", scope=\"shared\"", ", scope=\"local\""})));
        }
        WriteSteps(w, in, out, i, memories);
      });
    });
  });
}

// Stores to shared memory that are to go through memory of the thread.
void LocalStage(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), k = w.Name("k"), m = w.Name("M");
  const int64_t rows = w.random().Between(1, 4);
  const int64_t min = w.random().Pick({0, 0, 0, 2});
  w.InParallel([&] {
    Below(w, "with T.block(\"\"):", "", 0, [&] {
      w.Line(fmt::format("T.reads({}[0:{}])", in.name, kMotifExtent));
      w.Line(fmt::format("T.writes({}[0:{}])", out.name, kMotifExtent));
      w.Line(fmt::format("{} = T.alloc_buffer(({}, 4), \"{}\", scope=\"{}\")", m, rows, in.dtype,
                         w.random().Pick({"shared", "shared.dyn"})));
      if (w.random().Chance(30)) w.Line(fmt::format("{}[0] = {}[0]", out.name, in.name));
      Below(w, fmt::format("for {} in T.serial({}, {}):", i, min, min + rows), i, min + rows, [&] {
        Below(w, fmt::format("for {} in {}(4):", j, w.random().Pick({"range", "T.vectorized"})), j, 4, [&] {
          Below(w, "with T.block(\"\"):", "", 0, [&] {
            w.Line(fmt::format("T.reads({}[0:{}])", in.name, kMotifExtent));
            w.Line(fmt::format("T.writes({}[{} - {}, {}])", m, i, min, j));
            w.Line("T.block_attr({\"tir.manifest_shared_memory_local_stage\": 1})");
            w.Line(fmt::format("{}[{} - {}, {}] = {}", m, i, min, j, Read(w, in, fmt::format("{} * 4 + {}", i, j))));
          });
        });
      });
      Below(w, fmt::format("for {} in range({}):", k, 4 * rows), k, 4 * rows,
            [&] { w.Line(fmt::format("{0}[{1}] = {2}[{1} // 4, 3 - {1} % 4]", out.name, k, m)); });
    });
  });
}

// Shared memory whose columns are to be permuted.
void PermutedLayout(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string m = w.Name("M");
  const int64_t width = w.random().Pick({32, 64});
  const int64_t rows = w.random().Pick({2, 4, 8});
  const std::string note = w.random().Pick({"1", "2", "\"g2s_A\""});
  const auto step = [&](auto&& body) {
    const std::string i = w.Name("i"), j = w.Name("j");
    Below(w, "with T.block(\"\"):", "", 0, [&] {
      w.Line(fmt::format("T.reads({}[0:{}], {}[0:{}, 0:{}])", in.name, kMotifExtent, m, rows, width));
      w.Line(fmt::format("T.writes({}[0:{}], {}[0:{}, 0:{}])", out.name, kMotifExtent, m, rows, width));
      w.Line(fmt::format("T.block_attr({{\"permuted_layout\": {}}})", note));
      Below(w, fmt::format("for {}, {} in T.grid({}, {}):", i, j, rows, width), i, rows, [&] { body(i, j); });
    });
  };
  w.InParallel([&] {
    Below(w, "with T.block(\"\"):", "", 0, [&] {
      w.Line(fmt::format("{} = T.alloc_buffer(({}, {}), \"{}\", scope=\"shared\")", m, rows, width, in.dtype));
      step([&](const std::string& i, const std::string& j) {
        w.Line(fmt::format("{}[{}, {}] = {}", m, i, j, Read(w, in, fmt::format("({} * 8 + {}) % 64", i, j))));
      });
      step([&](const std::string& i, const std::string& j) {
        w.Line(fmt::format("if {} < {}:", i, 64 / width));
        w.Nest([&] { w.Line(fmt::format("{}[{} * {} + {}] = {}[{}, {}]", out.name, i, width, j, m, i, j)); });
      });
    });
  });
}

// Copies along loops that are left to a function, with and without a condition that keeps them inside of the source.
void MarkedCopy(ScriptWriter& w, const Memory& in, const Memory& out) {
  const int64_t rows = w.random().Between(1, 4), columns = w.random().Between(1, 8);
  const int64_t begin = w.random().Between(0, 2), row_step = w.random().Between(1, 8);
  const bool transposes = w.random().Chance(30);
  const auto copy = [&] {
    const std::string i = w.Name("i"), j = w.Name("j");
    const std::string from = fmt::format("{}[{} * {} + {} + {}]", in.name, i, row_step, j, begin);
    const std::string to = transposes ? fmt::format("{} * 4 + {}", j, i) : fmt::format("{} * 8 + {}", i, j);
    const std::string padding =
        w.random().Chance(50) ? fmt::format("T.{}(3)", in.dtype) : fmt::format("{}[0]", in.name);
    const std::string condition =
        w.random().Pick({fmt::format("{} < {}", j, w.random().Between(0, 9)), fmt::format("{} <= {}", begin, j),
                         fmt::format("1 <= {0} and {0} < {1}", j, w.random().Between(0, 9)), j + " < n",
                         fmt::format("{} < {} and {} < n", j, columns - 1, i)});
    std::string value = from;
    if (w.random().Chance(60))
      value = fmt::format("T.{}({}, {}, {})", w.random().Pick({"if_then_else", "Select"}), condition, from, padding);
    Below(w, "with T.attr(0, \"pragma_copy\", 1):", "", 0, [&] {
      Below(w, fmt::format("for {}, {} in T.grid({}, {}):", i, j, rows, columns), "", 0,
            [&] { w.Line(fmt::format("{}[{}] = {}", out.name, to, value)); });
    });
  };
  if (w.random().Chance(50)) return copy();
  const std::string k = w.Name("k");
  Below(w, fmt::format("for {} in range(2):", k), k, 2, copy);
}

// Numbers of small floats: computed, compared, converted, and taken for their bits.
void SmallFloats(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), m = w.Name("M");
  const std::string bits = in.dtype == "bfloat16" ? "uint16" : "uint8";
  const auto store = [&](int64_t row, const std::string& value) {
    w.Line(fmt::format("{}[{} + {}] = {}", out.name, i, 8 * row, value));
  };
  const std::string x = fmt::format("{}[{}]", in.name, i), y = fmt::format("{}[{} + 1]", in.name, i);
  Declare(w, m, 8, in.dtype, w.random().Pick({"global", "local"}), [&] {
    Below(w, fmt::format("for {} in {}(8):", i, w.random().Pick({"range", "T.unroll", "T.vectorized"})), i, 8, [&] {
      w.InParallel([&] {
        w.Line(fmt::format("{}[{}] = {} + {}", m, i, x, y));
        store(0, fmt::format("{}[{}] * {}", m, i, x));
        store(1, fmt::format("T.Cast(\"{}\", T.Cast(\"float32\", {}) * T.float32({}.5))", in.dtype, x,
                             w.random().Between(0, 3)));
        store(2, fmt::format("T.{}({}, {})", w.random().Pick({"min", "max"}), x, y));
        store(3, fmt::format("T.Select({} {} {}, {}, {})", x, w.random().Pick({"<", "<=", ">", "!="}), y, y, x));
        store(4, fmt::format("T.if_then_else({}, {}, T.Cast(\"{}\", {}))", w.Condition(0), x, in.dtype, i));
        store(5, fmt::format("T.reinterpret(\"{}\", T.bitwise_and(T.reinterpret(\"{}\", {}), T.{}({})))", in.dtype,
                             bits, x, bits, w.random().Pick({255, 127, 248, 60})));
      });
    });
  });
}

// Copies to and from shared memory that are left to the compiler.
void AutoCopy(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string ty = w.Name("ty"), m = w.Name("M");
  const bool flat = w.random().Chance(50);
  const int64_t threads = w.random().Pick({1, 2, 4});
  const std::string bytes = fmt::format("{}", w.random().Pick({1, 4, 8, 16}));
  const std::string stage = w.random().Chance(40) ? ", \"local_stage\": 1" : "";
  const auto copy = [&](const std::string& reads, const std::string& writes, const std::string& notes, auto&& body) {
    Below(w, "with T.block(\"\"):", "", 0, [&] {
      w.Line(fmt::format("T.reads({})", reads));
      w.Line(fmt::format("T.writes({})", writes));
      if (!notes.empty())
        w.Line(fmt::format("T.block_attr({{\"auto_copy\": 1, \"vector_bytes\": {}{}}})", bytes, notes));
      const std::string i = w.Name("i"), j = w.Name("j");
      if (flat) return Below(w, fmt::format("for {} in range(48):", i), i, 48, [&] { body(i, std::string()); });
      Below(w, fmt::format("for {}, {} in T.grid(6, 8):", i, j), i, 6, [&] { body(i, j); });
    });
  };
  const std::string all = flat ? m + "[0:48]" : m + "[0:6, 0:8]";
  const auto element = [&](const std::string& i, const std::string& j) {
    return flat ? fmt::format("{}[{}]", m, i) : fmt::format("{}[{}, {}]", m, i, j);
  };
  const auto position = [&](const std::string& i, const std::string& j) {
    return flat ? i : fmt::format("{} * 8 + {}", i, j);
  };
  w.InParallel([&] {
    Below(w, fmt::format("for {} in T.thread_binding({}, thread=\"threadIdx.y\"):", ty, threads), "", 0, [&] {
      Below(w, "with T.block(\"\"):", "", 0, [&] {
        w.Line(fmt::format("T.reads({}[0:48])", in.name));
        w.Line(fmt::format("T.writes({}[0:48])", out.name));
        if (w.random().Chance(40)) w.Line("T.block_attr({\"warp_execution\": 1})");
        w.Line(fmt::format("{} = T.alloc_buffer({}, \"{}\", scope=\"{}\")", m, flat ? "(48,)" : "(6, 8)", in.dtype,
                           w.random().Pick({"shared", "shared.dyn"})));
        copy(in.name + "[0:48]", all, stage.empty() ? " " : stage, [&](const std::string& i, const std::string& j) {
          w.Line(fmt::format("{} = {}[{}]", element(i, j), in.name, position(i, j)));
        });
        copy(all, out.name + "[0:48]", flat && w.random().Chance(50) ? " " : "",
             [&](const std::string& i, const std::string& j) {
               w.Line(fmt::format("{}[{}] = {}", out.name, position(i, j), element(i, j)));
             });
      });
    });
  });
}

}  // namespace relayopt::motif
