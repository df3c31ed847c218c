// Motifs of threads and of the memory that they share.
#include "lib/check/random/script_motifs.h"

namespace relayopt::motif {

// The producer of an iteration can run one ahead: it reads only memory that is not written.
void DoubleBuffer(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), k = w.Name("j"), m = w.Name("M"), data = w.Name("m");
  const int64_t extent = w.random().Between(1, 6);
  const char* scope = w.random().Pick({"global", "local", "shared"});
  Below(w, fmt::format("for {} in {}({}):", i, w.random().Pick({"range", "T.unroll"}), extent), i, extent, [&] {
    w.Line(fmt::format("{} = T.allocate([4], \"{}\", \"{}\")", data, in.dtype, scope));
    w.Line(fmt::format("{} = T.Buffer((4,), \"{}\", data={}, scope=\"{}\")", m, in.dtype, data, scope));
    w.InParallel([&] {
      Below(w, fmt::format("with T.attr({}, \"double_buffer_scope\", 1):", data), "", 0, [&] {
        Below(w, fmt::format("for {} in range(4):", j), j, 4,
              [&] { w.Line(fmt::format("{}[{}] = {}", m, j, Read(w, in, fmt::format("{} * 4 + {}", i, j)))); });
      });
    });
    Below(w, fmt::format("for {} in range(4):", k), k, 4, [&] {
      w.Line(fmt::format("{0}[{1} * 4 + {2}] = {3}[3 - {2}] + {3}[{2}]", out.name, i, k, m));
      if (w.random().Chance(30)) w.Line(fmt::format("{}[{} * 2 + 1] = {}", out.name, i, Read(w, {m, in.dtype, {}}, k)));
    });
  });
}

void VirtualThreads(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string x = w.Name("vx"), y = w.Name("vy"), j = w.Name("j"), m = w.Name("M");
  const int64_t nx = w.random().Pick({2, 3, 4, 16, 20});
  const int64_t ny = w.random().Pick({1, 1, 2});
  const char* tag = w.random().Pick({"vthread", "vthread.x", "cthread"});
  const auto body = [&] {
    const std::string own = ny == 1 ? x : fmt::format("({} * {} + {})", x, ny, y);
    Declare(w, m, 4, in.dtype, "local", [&] {
      w.InParallel([&] {
        const bool alike = w.random().Chance(20);
        Below(w, fmt::format("for {} in range(4):", j), j, 4,
              [&] { w.Line(fmt::format("{}[{}] = {}", m, j, Read(w, in, alike ? j : own + " + " + j))); });
        if (w.random().Chance(40))
          w.Line(fmt::format("if {} < {}:", x, w.random().Between(1, nx)));
        else
          w.Line("if True:");
        w.Nest(
            [&] { w.Line(fmt::format("{}[{}] = {}[{}] + {}", out.name, own, m, w.Inside(4), w.Value(in.dtype, 1))); });
      });
    });
  };
  Launch(w, tag, nx, x, [&] {
    if (ny == 1)
      body();
    else
      Launch(w, "vthread.y", ny, y, body);
  });
}

void ThreadReduction(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string bx = w.Name("b"), ty = w.Name("ty"), tx = w.Name("tx"), m = w.Name("M"), m1 = w.Name("M");
  const int64_t width = w.random().Pick({1, 2, 6, 8, 10, 16, 32, 64});
  const int64_t groups = w.random().Pick({1, 1, 2, 4});
  const bool all = w.random().Chance(20);
  const bool pair = w.random().Chance(25);
  const std::string zero = fmt::format("T.{}(0)", in.dtype);
  const std::string index = fmt::format("({} * {} + {}) % {}", ty, width, tx, kMotifExtent);
  const auto reduce = [&] {
    const std::string reducer = pair ? "lambda a0, a1, b0, b1: (a0 + b0, a1 + b1), [" + zero + ", " + zero + "]"
                                     : "lambda a, b: a + b, [" + zero + "]";
    w.InParallel([&] {
      const std::string condition =
          w.random().Chance(70) ? "T.bool(True)" : fmt::format("{} < {}", tx, w.random().Between(1, width));
      Below(w,
            fmt::format("with T.attr(T.comm_reducer({}), \"reduce_scope\", T.reinterpret(\"handle\", T.uint64(0))):",
                        reducer),
            "", 0, [&] {
              std::string args = fmt::format("T.uint32({}), {}", pair ? 2 : 1, Read(w, in, index));
              if (pair) args += ", " + Read(w, in, tx);
              args += fmt::format(", {}, {}[0]", condition, m);
              if (pair) args += fmt::format(", {}[0]", m1);
              args += ", " + tx + (all ? ", " + ty : "");
              w.Line(fmt::format("T.tvm_thread_allreduce({})", args));
            });
      Below(w, fmt::format("if {} == 0{}:", tx, all ? fmt::format(" and {} == 0", ty) : ""), "", 0, [&] {
        // One of the two results: a difference of short floats would be only rounding error, which differs by the order
        // of the sums.
        const std::string sum =
            pair ? fmt::format("T.Select(({} + {}) % 2 == 0, {}[0], {}[0])", bx, ty, m, m1) : m + "[0]";
        w.Line(fmt::format("{}[{} * {} + {}] = {}", out.name, bx, groups, ty, sum));
      });
    });
  };
  Launch(w, "blockIdx.x", 2, bx, [&] {
    Launch(w, "threadIdx.y", groups, ty, [&] {
      Declare(w, m, 1, in.dtype, "local", [&] {
        const auto threads = [&] { Launch(w, "threadIdx.x", width, tx, reduce); };
        if (pair)
          Declare(w, m1, 1, in.dtype, "local", threads);
        else
          threads();
      });
    });
  });
}

// Threads of a warp read what other threads of it wrote.
void WarpMemory(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string bx = w.Name("b"), tx = w.Name("t"), m = w.Name("W");
  const int64_t width = w.random().Pick({4, 8, 16, 32});
  const int64_t parts = w.random().Between(1, 3);
  const bool strided = w.random().Chance(50);
  const auto place = [&](const std::string& thread, int64_t part) {
    return strided ? fmt::format("{} * {} + {}", thread, parts, part) : fmt::format("{} + {}", thread, part * width);
  };
  Launch(w, "blockIdx.x", 2, bx, [&] {
    Declare(w, m, width * parts, in.dtype, "warp", [&] {
      Launch(w, "threadIdx.x", width, tx, [&] {
        w.InParallel([&] {
          for (int64_t i = 0; i < parts; ++i) {
            w.Line(fmt::format("{}[{}] = {}", m, place(tx, i), Read(w, in, tx)));
          }
          std::string sum;
          for (int64_t i = 0; i < parts; ++i) {
            const std::string other = fmt::format("(({} + {}) % {})", tx, w.random().Between(0, width), width);
            sum += fmt::format("{}{}[{}]", sum.empty() ? "" : " + ", m, place(w.random().Chance(70) ? other : tx, i));
          }
          w.Line(fmt::format("{}[{} * {} + {}] = {}", out.name, bx, width, tx, sum));
        });
      });
    });
  });
}

// Three memories, of which the last can take the place of the first.
void SharedMemory(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string bx = w.Name("b"), tx = w.Name("t");
  const std::string m[] = {w.Name("S"), w.Name("S"), w.Name("S")};
  const int64_t threads = w.random().Pick({4, 8, 32});
  const char* scope = w.random().Pick({"shared", "shared.dyn", "shared.dyn", "shared.dyn"});
  const bool waits = w.random().Chance(70);
  const char* other = w.random().Pick({"int8", "float16", "int32", "float32"});
  const auto wait = [&] {
    if (waits) w.Line(fmt::format("T.tvm_storage_sync(\"{}\")", scope));
  };
  const auto neighbour = [&] { return fmt::format("({} + {}) % {}", tx, w.random().Between(0, 3), threads); };
  const auto body = [&] {
    w.InParallel([&] {
      w.Line(fmt::format("{}[{}] = {}", m[0], tx, Read(w, in, tx)));
      wait();
      w.Line(fmt::format("{}[{}] = T.Cast(\"{}\", {}[{}])", m[1], tx, other, m[0], neighbour()));
      wait();
      w.Line(fmt::format("{}[{}] = T.Cast(\"{}\", {}[{}])", m[2], tx, in.dtype, m[1], neighbour()));
      wait();
      w.Line(fmt::format("{}[{} * {} + {}] = {}[{}] + {}", out.name, bx, threads, tx, m[2], neighbour(),
                         w.Value(in.dtype, 1)));
    });
  };
  Launch(w, "blockIdx.x", 2, bx, [&] {
    Declare(w, m[0], threads, in.dtype, scope, [&] {
      Declare(w, m[1], threads, other, scope, [&] {
        Declare(w, m[2], threads, in.dtype, scope, [&] { Launch(w, "threadIdx.x", threads, tx, body); });
      });
    });
  });
}

// Loops over threads, two of them over the same.
void BoundLoops(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string bx = w.Name("b"), t = w.Name("t"), u = w.Name("t"), m = w.Name("S");
  const char* inner = w.random().Pick({"threadIdx.x", "threadIdx.y", "vthread.x"});
  const auto line = [](const std::string& var, int64_t extent, std::string_view tag) {
    return fmt::format("for {} in T.thread_binding({}, thread=\"{}\"):", var, extent, tag);
  };
  Below(w, line(bx, 2, "blockIdx.x"), bx, 2, [&] {
    Declare(w, m, 4, in.dtype, "shared", [&] {
      w.InParallel([&] {
        Below(w, line(t, 4, inner), t, 4, [&] { w.Line(fmt::format("{}[{}] = {}", m, t, Read(w, in, t))); });
        Below(w, line(u, 4, inner), u, 4, [&] {
          w.Line(fmt::format("{}[{} * 4 + {}] = {}[{}] + {}", out.name, bx, u, m, u, w.Value(in.dtype, 1)));
        });
      });
    });
  });
}

// A block that reduces over threads; some loops of the reduction may be serial, and a condition may leave values out.
void ReducingBlock(ScriptWriter& w, const Memory& in, const Memory& out) {
  struct Combiner {
    const char* initial;
    const char* update;
  };
  const auto combiner = w.random().Pick<Combiner>({{"T.{1}(0)", "{0} + ({2})"},
                                                   {"T.min_value(\"{1}\")", "T.max({0}, {2})"},
                                                   {"T.max_value(\"{1}\")", "T.min({0}, {2})"}});
  const std::string root = w.Name("root"), bx = w.Name("b"), ko = w.Name("k"), tx = w.Name("t"), ty = w.Name("t");
  const std::string vi = w.Name("v"), vk = w.Name("v");
  const int64_t serial = w.random().Pick({1, 1, 3});
  const int64_t rows = w.random().Pick({1, 1, 2});
  const int64_t width = w.random().Pick({2, 4, 5, 8});
  const int64_t extent = serial * rows * width;
  const int64_t used = w.random().Chance(30) ? w.random().Between(1, extent) : extent;
  const std::string k = fmt::format("({} * {} + {}) * {} + {}", ko, rows, ty, width, tx);
  const auto thread = [](const std::string& var, int64_t count, std::string_view tag) {
    return fmt::format("for {} in T.thread_binding({}, thread=\"{}\"):", var, count, tag);
  };
  const auto block = [&] {
    Below(w, fmt::format("with T.block(\"{}\"):", w.Name("block")), "", 0, [&] {
      w.Line(fmt::format("{} = T.axis.spatial(2, {})", vi, bx));
      w.Line(fmt::format("{} = T.axis.reduce({}, {})", vk, used, k));
      w.Know(vi, 2);
      w.Know(vk, used);
      if (used < extent) w.Line(fmt::format("T.where({} < {})", k, used));
      w.Line(fmt::format("T.reads({}[0:{}])", in.name, kMotifExtent));
      w.Line(fmt::format("T.writes({}[{}])", out.name, vi));
      const std::string result = fmt::format("{}[{}]", out.name, vi);
      const std::string value = Read(w, in, fmt::format("({} * {} + {}) % {}", vi, used, vk, kMotifExtent));
      Below(w, "with T.init():", "", 0, [&] {
        w.Line(fmt::format("{} = {}", result, fmt::format(fmt::runtime(combiner.initial), result, in.dtype, value)));
      });
      w.Line(fmt::format("{} = {}", result, fmt::format(fmt::runtime(combiner.update), result, in.dtype, value)));
    });
  };
  Below(w, fmt::format("with T.block(\"{}\"):", root), "", 0, [&] {
    Below(w, thread(bx, 2, "blockIdx.x"), bx, 2, [&] {
      Below(w, fmt::format("for {} in range({}):", ko, serial), ko, serial, [&] {
        Below(w, thread(ty, rows, "threadIdx.y"), ty, rows,
              [&] { Below(w, thread(tx, width, "threadIdx.x"), tx, width, block); });
      });
    });
  });
}

// Copies to shared memory that the hardware may make on its own, and those that wait for them.
void AsyncCopy(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string bx = w.Name("b"), tx = w.Name("t"), m = w.Name("S");
  const char* scope = w.random().Pick({"shared", "shared.dyn"});
  const int64_t lanes = w.random().Pick({1, 4});
  const bool guarded = lanes == 1 && w.random().Chance(50);
  const std::string place = lanes == 1 ? tx : fmt::format("T.Ramp({} * {}, 1, {})", tx, lanes, lanes);
  Launch(w, "blockIdx.x", 2, bx, [&] {
    Declare(w, m, 8 * lanes, in.dtype, scope, [&] {
      Launch(w, "threadIdx.x", 8, tx, [&] {
        w.InParallel([&] {
          Below(w, "with T.attr(0, \"async_commit_queue_scope\", 0):", "", 0, [&] {
            Below(w, "with T.attr(0, \"async_scope\", 1):", "", 0, [&] {
              const std::string load = fmt::format("{}[{}]", in.name, place);
              const std::string zero = fmt::format("T.{}(0)", in.dtype);
              w.Line(
                  fmt::format("{}[{}] = {}", m, place,
                              guarded ? fmt::format("T.if_then_else({}, {}, {})", w.Condition(1), load, zero) : load));
            });
          });
          Below(w, "with T.attr(0, \"async_wait_queue_scope\", 0):", "", 0, [&] {
            Below(w, "with T.attr(0, \"async_wait_inflight_count\", 0):", "", 0, [&] {
              if (w.random().Chance(70)) w.Line(fmt::format("T.tvm_storage_sync(\"{}\")", scope));
              w.Line(fmt::format("{}[{} * 8 + {}] = {}[7 - {}] + {}", out.name, bx, tx, m, tx, w.Value(in.dtype, 1)));
            });
          });
        });
      });
    });
  });
}

// A product of matrices by a warp.
void Fragments(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string tx = w.Name("t"), a = w.Name("a"), b = w.Name("b"), c = w.Name("c");
  const char* layout = w.random().Pick({"row_major", "col_major"});
  const auto call = [&](const std::string& text) { w.Line("T.evaluate(T." + text + ")"); };
  Launch(w, "threadIdx.x", 32, tx, [&] {
    for (const auto& [name, scope] :
         {std::pair(a, "matrix_a"), std::pair(b, "matrix_b"), std::pair(c, "accumulator")}) {
      w.Line(fmt::format("{} = T.allocate([64], \"{}\", \"wmma.{}\")", name, in.dtype, scope));
    }
    call(fmt::format("tvm_fill_fragment({}, 8, 8, 8, 0, T.{}({}))", c, in.dtype, w.random().Below(5)));
    const std::string pointer =
        w.random().Chance(50)
            ? in.name + ".data"
            : fmt::format("T.tvm_access_ptr(T.type_annotation(\"{}\"), {}.data, 0, 64, 1)", in.dtype, in.name);
    call(fmt::format("tvm_load_matrix_sync({}, 8, 8, 8, 0, {}, 8, \"{}\")", a, pointer, layout));
    call(fmt::format("tvm_load_matrix_sync({}, 8, 8, 8, 0, {}.data, 8, \"row_major\")", b, in.name));
    const std::string i = w.Name("i");
    Below(w, fmt::format("for {} in range({}):", i, w.random().Between(1, 2)), "", 0,
          [&] { call(fmt::format("tvm_mma_sync({0}, 0, {1}, 0, {2}, 0, {0}, 0)", c, a, b)); });
    call(fmt::format("tvm_store_matrix_sync({}, 8, 8, 8, 0, {}.data, 8, \"{}\")", c, out.name, layout));
  });
}

}  // namespace relayopt::motif
