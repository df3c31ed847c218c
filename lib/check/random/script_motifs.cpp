// Motifs of loops, blocks and memory, and the table of all.
#include "lib/check/random/script_motifs.h"

namespace relayopt {

namespace motif {

namespace {

// Lanes with memory of their own, conditions, and operations without a vector form.
void Lanes(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string v = w.Name("v"), m = w.Name("M"), x = w.Name("x"), i = w.Name("i");
  const int64_t factor = w.random().Between(1, 3);
  Below(w, fmt::format("for {} in T.vectorized(4):", v), v, 4, [&] {
    w.InParallel([&] {
      Declare(w, m, 2, in.dtype, "local", [&] {
        w.Line(fmt::format("{}[1] = {}", m, Read(w, in, fmt::format("{} * {}", v, factor))));
        switch (w.random().Below(4)) {
          case 0:
            Below(w, fmt::format("if {}:", w.Condition(1)), "", 0,
                  [&] { w.Line(fmt::format("{0}[1] = {0}[1] + {1}", m, Read(w, in, v))); });
            break;
          case 1:
            Below(w, fmt::format("for {} in range({} + 1):", i, w.random().Pick({v, std::string("n")})), i, 8,
                  [&] { w.Line(fmt::format("{0}[1] = {0}[1] + {1}", m, Read(w, in, i))); });
            break;
          case 2:
            Below(w, fmt::format("with T.LetStmt({} * 2 + n) as {}:", v, x), x, 16,
                  [&] { w.Line(fmt::format("{0}[1] = {0}[1] + {1}", m, Read(w, in, x))); });
            break;
          default: break;
        }
        w.Line(fmt::format("{}[{} * (n % 2 + {})] = {}[1] + {}", out.name, v, factor, m, w.Value(in.dtype, 1)));
      });
    });
  });
}

// Memory that is accessed only by vectors.
void VectorMemory(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), m = w.Name("M");
  const int64_t lanes = w.random().Pick({2, 4, 8});
  const int64_t count = w.random().Between(1, 4);
  const auto slice = [&](const std::string& name, const std::string& index) {
    return fmt::format("{}[T.Ramp({} * {}, 1, {})]", name, index, lanes, lanes);
  };
  Declare(w, m, count * lanes, in.dtype, w.random().Pick({"global", "local", "shared"}), [&] {
    Below(w, fmt::format("for {} in range({}):", i, count), i, count, [&] {
      w.Line(fmt::format("{} = {}", slice(m, i), slice(in.name, i)));
      w.Line(
          fmt::format("{} = {} + T.Broadcast({}, {})", slice(out.name, i), slice(m, i), w.Value(in.dtype, 1), lanes));
    });
  });
}

// A condition that holds in most iterations, of a loop or of blocks of threads.
void LikelyBounds(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j");
  const int64_t step = w.random().Between(2, 5);
  const std::string head = fmt::format("(n * {} + {}) // {}", w.random().Between(1, 3), step - 1, step);
  const auto body = [&] {
    const std::string index = fmt::format("{} * {} + {}", i, step, j);
    Below(w, fmt::format("for {} in range({}):", j, step), j, step, [&] {
      Below(w, fmt::format("if T.likely({} < n * {}):", index, w.random().Between(1, 3)), "", 0,
            [&] { w.InParallel([&] { w.Line(fmt::format("{}[{}] = {}", out.name, index, Read(w, in, index))); }); });
    });
  };
  if (w.random().Chance(25)) {
    Below(w, fmt::format("with T.launch_thread(\"blockIdx.x\", {}) as {}:", head, i), "", 0, body);
  } else {
    Below(w, fmt::format("for {} in range({}):", i, head), "", 0, body);
  }
}

// Blocks with memory between a producer and a consumer, in a loop that both share.
void StagedBlocks(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), k = w.Name("k"), m = w.Name("M");
  const bool shared_loop = w.random().Chance(70);
  const bool guarded = w.random().Chance(40);
  const auto block = [&](const std::string& inner, const std::string& target, auto&& body) {
    const std::string vi = "v" + i + inner, vj = "v" + inner;
    Below(w, fmt::format("with T.block(\"{}\"):", w.Name("block")), "", 0, [&] {
      w.Line(fmt::format("{}, {} = T.axis.remap(\"SS\", [{}, {}])", vi, vj, i, inner));
      w.Know(vi, 8);
      w.Know(vj, 8);
      if (guarded && w.random().Chance(50)) w.Line(fmt::format("T.where({} < n)", inner));
      w.Line(fmt::format("{} = {}", fmt::format(fmt::runtime(target), vi, vj), body(vi, vj)));
    });
  };
  const auto produce = [&] {
    Below(w, fmt::format("for {} in range(8):", j), "", 0, [&] {
      block(j, m + "[{}, {}]",
            [&](const std::string& vi, const std::string& vj) { return Read(w, in, vi + " * 8 + " + vj); });
    });
  };
  const auto consume = [&] {
    Below(w, fmt::format("for {} in range(8):", k), "", 0, [&] {
      block(k, out.name + "[{} * 8 + {}]", [&](const std::string& vi, const std::string& vj) {
        return fmt::format("{}[{}, {}] + {}", m, vi, w.random().Pick({vj, "7 - " + vj}), w.Value(in.dtype, 1));
      });
    });
  };
  Below(w, fmt::format("with T.block(\"{}\"):", w.Name("root")), "", 0, [&] {
    w.Line(fmt::format("{} = T.alloc_buffer((8, 8), \"{}\")", m, in.dtype));
    w.InParallel([&] {
      const std::string head = fmt::format("for {} in range(8):", i);
      // Elements that a condition skips would be read before they are written.
      if (guarded) {
        Below(w, fmt::format("for {0}, {1} in T.grid(8, 8):", j, k), "", 0, [&] {
          Below(w, fmt::format("with T.block(\"{}\"):", w.Name("block")), "", 0, [&] {
            w.Line(fmt::format("v{0}, v{1} = T.axis.remap(\"SS\", [{0}, {1}])", j, k));
            w.Line(fmt::format("{}[v{}, v{}] = T.{}(1)", m, j, k, in.dtype));
          });
        });
      }
      if (shared_loop) {
        Below(w, head, "", 0, [&] {
          produce();
          consume();
        });
      } else {
        Below(w, head, "", 0, produce);
        Below(w, head, "", 0, consume);
      }
    });
  });
}

// A view of a part of a buffer.
void MatchedRegion(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), v = w.Name("V"), u = w.Name("V");
  Below(w, fmt::format("for {} in range(8):", i), i, 8, [&] {
    Below(w, fmt::format("with T.block(\"{}\"):", w.Name("block")), "", 0, [&] {
      w.Line(fmt::format("T.reads({}[{} * 8:{} * 8 + 8])", in.name, i, i));
      w.Line(fmt::format("T.writes({}[{} * 8:{} * 8 + 8])", out.name, i, i));
      const std::string match = "{0} = T.match_buffer({1}[{2} * 8:{2} * 8 + 8], (8,), \"{3}\", offset_factor={4})";
      w.Line(fmt::format(fmt::runtime(match), v, in.name, i, in.dtype, w.random().Pick({1, 8})));
      w.Line(fmt::format(fmt::runtime(match), u, out.name, i, in.dtype, 1));
      w.InParallel([&] {
        Below(w, fmt::format("for {} in range(8):", j), j, 8, [&] {
          w.Line(fmt::format("{}[{}] = {}", u, j, Read(w, {v, in.dtype, {}}, "7 - " + j)));
        });
      });
    });
  });
}

// Assumptions of the program, and values that do not matter.
void Promises(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i");
  w.Line("T.evaluate(T.assume(n >= 0))");
  if (w.random().Chance(40))
    w.Line(fmt::format("T.evaluate(T.call_packed(\"report\", n, {}))", w.random().Between(0, 9)));
  Below(w, fmt::format("for {} in range(8):", i), i, 8, [&] {
    w.Line(fmt::format("{}[{}] = T.undef(dtype=\"{}\")", out.name, i, in.dtype));
    w.Line(fmt::format("{}[{}] = {}", out.name, i, Read(w, in, i)));
    if (w.random().Chance(30)) w.Line(fmt::format("{0}[{1}] = {0}[{1}]", out.name, i));
    w.Line(fmt::format("assert {} < 8, \"within bounds\"", i));
    w.Line(fmt::format("{0}[{1} + 8] = T.Select({2}, {3}[{1}], {4})", out.name, i, w.Condition(1), in.name,
                       w.Value(in.dtype, 0)));
  });
}

// Indices of 64 bits, a table of literals, and annotations of loops.
void WideLoops(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), m = w.Name("C");
  const int64_t extent = w.random().Between(1, 8);
  const char* note =
      w.random().Pick({"pragma_unroll_explicit", "pragma_auto_unroll_max_step", "pragma_other", "other"});
  Below(w, fmt::format("with T.allocate_const([1, 2, 3, 4], \"int32\", [4]) as {}:", m), "", 0, [&] {
    const std::string table = m + "_1";
    w.Line(fmt::format("{} = T.Buffer((4,), \"int32\", data={})", table, m));
    Below(w, fmt::format("for {} in T.serial({}, annotations={{\"{}\": {}}}):", i, extent, note, w.random().Below(20)),
          i, extent, [&] {
            Below(w, fmt::format("for {} in range(T.int64(8)):", j), "", 0, [&] {
              w.InParallel([&] {
                w.Line(fmt::format("{}[T.Cast(\"int64\", {}) * T.int64(8) + {}] = {} + T.Cast(\"{}\", {}[{}])",
                                   out.name, i, j, Read(w, in, w.random().Pick({j, i, j + " * T.int64(2)"})), in.dtype,
                                   table, w.Inside(4)));
              });
            });
          });
  });
}

// Attributes that are next to each other, and programs of older schedules.
void Attributes(ScriptWriter& w, const Memory& in, const Memory& out) {
  const int64_t count = w.random().Between(2, 4);
  for (int64_t k = 0; k < count; ++k) {
    const std::string i = w.Name("i");
    Below(w, fmt::format("with T.attr({}.data, \"pragma_group\", {}):", in.name, w.random().Below(2)), "", 0, [&] {
      Below(w, fmt::format("for {} in range(8):", i), i, 8, [&] {
        const auto body = [&] {
          w.InParallel([&] { w.Line(fmt::format("{}[{} + {}] = {}", out.name, i, 8 * k, Read(w, in, i))); });
        };
        if (w.random().Chance(40)) {
          Below(w, fmt::format("with T.attr({}, \"prefetch_scope\", {}):", in.name, w.random().Between(1, 3)), "", 0,
                body);
        } else {
          body();
        }
      });
    });
  }
}

// Copies of continuous regions that a DMA engine makes.
void DmaCopy(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), m = w.Name("M");
  Declare(w, m, 16, in.dtype, "global", [&] {
    Below(w, "with T.attr(0, \"async_commit_queue_scope\", 0):", "", 0, [&] {
      Below(w, "with T.attr(0, \"async_scope\", 1):", "", 0, [&] {
        Below(w, fmt::format("for {} in range(16):", i), "", 0,
              [&] { w.Line(fmt::format("{0}[{1}] = {2}[{1} + {3}]", m, i, in.name, w.random().Between(0, 9))); });
      });
    });
    Below(w, "with T.attr(0, \"async_wait_queue_scope\", 0):", "", 0, [&] {
      Below(w, "with T.attr(0, \"async_wait_inflight_count\", 0):", "", 0, [&] {
        Below(w, fmt::format("for {} in range(16):", j), j, 16, [&] {
          w.Line(fmt::format("{}[{}] = {}", out.name, j, Read(w, {m, in.dtype, {}}, j)));
        });
      });
    });
  });
}

// A buffer of which each iteration realizes a part, in rows that may be aligned.
void RealizedParts(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), k = w.Name("j"), m = w.Name("M");
  const int64_t extent = w.random().Between(1, 4), width = w.random().Pick({1, 3, 4, 8}),
                step = w.random().Between(0, 3);
  const int64_t begin = w.random().Between(0, 2);
  const char* scope = w.random().Pick({"global", "local", "shared", ""});
  const std::string first = step == 0 ? fmt::format("{}", begin) : fmt::format("{} * {} + {}", i, step, begin);
  w.Line(fmt::format("{} = T.Buffer((4, 32), \"{}\", scope=\"{}\")", m, in.dtype, scope));
  const auto use = [&] {
    Below(w, fmt::format("with T.realize({0}[{1}:{1} + 1, {2}:{2} + {3}], \"\"):", m, i, first, width), "", 0, [&] {
      w.InParallel([&] {
        Below(w, fmt::format("for {} in range({}):", j, width), j, width, [&] {
          w.Line(fmt::format("{}[{}, {} + {}] = {}", m, i, first, j, Read(w, in, fmt::format("{} * 8 + {}", i, j))));
        });
      });
      Below(w, fmt::format("for {} in range({}):", k, width), k, width, [&] {
        w.Line(fmt::format("{}[{} * 8 + {}] = {}[{}, {} + {} - {}]", out.name, i, k, m, i, first, width - 1, k));
      });
    });
  };
  Below(w, fmt::format("for {} in range({}):", i, extent), i, extent, [&] {
    if (w.random().Chance(50)) return use();
    const size_t dim = w.random().Below(2), offset = w.random().Below(4);
    const int64_t factor = w.random().Between(1, 8);
    Below(w, fmt::format("with T.attr({}, \"buffer_dim_align\", T.tvm_tuple({}, {}, {})):", m, dim, factor, offset), "",
          0, use);
  });
}

// A buffer of which each iteration realizes the next part, which overlaps with the one before.
void RollingParts(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), k = w.Name("j"), m = w.Name("M");
  const int64_t begin = w.random().Pick({0, 0, 1}), end = begin + w.random().Between(1, 4);
  const int64_t width = w.random().Between(1, 5), step = w.random().Between(1, 4), columns = w.random().Between(1, 3);
  const std::string first = step == 1 ? i : fmt::format("{} * {}", i, step);
  w.Line(fmt::format("{} = T.Buffer((32, {}), \"{}\")", m, columns, in.dtype));
  // An element has the same value in all iterations, so that the value mentions neither the iteration nor the row.
  Below(w, fmt::format("for {} in range({}, {}):", i, begin, end), "", 0, [&] {
    Below(w, fmt::format("with T.realize({0}[{1}:{1} + {2}, 0:{3}], \"\"):", m, first, width, columns), "", 0, [&] {
      w.InParallel([&] {
        Below(w, fmt::format("with T.attr({}, \"rolling_buffer_scope\", True):", m), "", 0, [&] {
          Below(w, fmt::format("for {}, {} in T.grid({}, {}):", j, k, width, columns), k, columns, [&] {
            w.Line(fmt::format("{0}[{1} + {2}, {3}] = {4}", m, first, j, k,
                               Read(w, in, fmt::format("({} + {}) * {} + {}", first, j, columns, k))));
          });
        });
      });
      w.Line(fmt::format("{}[{}] = {}[{} + {}, {}]", out.name, i, m, first, w.random().Below(width),
                         w.random().Below(columns)));
    });
  });
}

// Conditional stores of what elements hold already, or nearly.
void KnownStores(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), j = w.Name("j"), k = w.Name("k"), m = w.Name("M");
  const std::string value = fmt::format("T.{}({})", in.dtype, w.random().Pick({0, 0, 1, 7}));
  Declare(w, m, 8, in.dtype, "global", [&] {
    Below(w, fmt::format("for {} in range(8):", i), i, 8, [&] { w.Line(fmt::format("{}[{}] = {}", m, i, value)); });
    Below(w, fmt::format("for {} in range({}):", j, w.random().Between(2, 8)), j, 8, [&] {
      if (w.random().Chance(30)) w.Line(fmt::format("{}[{} // 2] = {}", m, j, Read(w, in, j)));
      const std::string stored = w.random().Chance(80) ? value : w.Value(in.dtype, 0);
      Below(w, fmt::format("if {} < n:", j), "", 0, [&] { w.Line(fmt::format("{}[{}] = {}", m, j, stored)); });
      Below(w, fmt::format("if {}:", w.Condition(1)), "", 0,
            [&] { w.Line(fmt::format("{0}[0] = {0}[0] + {1}[{2}]", out.name, m, j)); });
    });
    Below(w, fmt::format("for {} in range(8):", k), k, 8,
          [&] { w.Line(fmt::format("{0}[{1} + 8] = {2}[{1}]", out.name, k, m)); });
  });
}

// Features that only some passes need: recorded bounds, pointers into memory, contexts of threads, memory of an
// accelerator, variables that are defined twice.
void Rarities(ScriptWriter& w, const Memory& in, const Memory& out) {
  const std::string i = w.Name("i"), x = w.Name("x"), m = w.Name("M");
  const auto copy = [&] {
    Below(w, fmt::format("for {} in range(8):", i), i, 8,
          [&] { w.InParallel([&] { w.Line(fmt::format("{}[{}] = {}", out.name, i, Read(w, in, i))); }); });
  };
  switch (w.random().Below(5)) {
    case 0:
      Below(w, fmt::format("with T.attr({}.data, \"buffer_bound\", T.tvm_tuple({})):", out.name, kMotifExtent), "", 0,
            copy);
      break;
    case 1:
      copy();
      w.Line(
          fmt::format("T.evaluate(T.call_extern(\"int32\", \"look\", T.tvm_access_ptr(T.type_annotation(\"{}\"), "
                      "{}.data, n * 4, 8, 1)))",
                      in.dtype, in.name));
      break;
    case 2:
      for (int k = 0; k < 2; ++k) {
        w.Line(
            "T.evaluate(T.call_extern(\"int32\", \"use\", T.tvm_thread_context(T.call_pure_extern(\"handle\", "
            "\"make\"), "
            "dtype=\"handle\")))");
      }
      copy();
      break;
    case 3: Declare(w, m, 16, in.dtype, "global.vtcm", copy); break;
    default:
      w.Line(fmt::format("{} = T.int32()", x));
      for (int k = 0; k < 2; ++k) {
        const size_t value = w.random().Below(8);
        Below(w, fmt::format("with T.LetStmt({}, var={}):", value, x), x, 8, [&] {
          w.InParallel([&] { w.Line(fmt::format("{}[{} + {}] = {}", out.name, x, 8 * k, Read(w, in, x))); });
        });
      }
  }
}

}  // namespace

}  // namespace motif

auto DrawMotif(Random& random) -> const Motif& {
  static constexpr std::string_view kNumbers[] = {"float32", "int32", "float16", "int64", "uint8", "int8"};
  static constexpr std::string_view kWords[] = {"float32", "int32"};
  static constexpr std::string_view kUncommon[] = {"float16", "int64"};
  static constexpr std::string_view kSmallFloats[] = {"bfloat16", "bfloat16", "e4m3_float8", "e5m2_float8"};
  static constexpr std::string_view kCuda = "\"target\": T.target(\"cuda\", host=\"llvm\")";
  static constexpr std::string_view kMetal = "\"target\": T.target(\"opencl -thread_warp_size=16\", host=\"llvm\")";
  static constexpr std::string_view kHost = "\"target\": T.target(\"llvm\", host=\"llvm\")";
  static constexpr std::string_view kLegacy = "\"from_legacy_te_schedule\": T.bool(True)";
  static constexpr Motif kMotifs[] = {
      {kNumbers, motif::DoubleBuffer},
      {kNumbers, motif::DoubleBuffer, kHost},
      {kNumbers, motif::VirtualThreads},
      {kWords, motif::ThreadReduction, kCuda},
      {kNumbers, motif::ThreadReduction, kMetal},
      {kUncommon, motif::ThreadReduction, kCuda},
      {kWords, motif::WarpMemory, kCuda},
      {kNumbers, motif::SharedMemory},
      {kNumbers, motif::SharedMemory, kCuda},
      {kNumbers, motif::BoundLoops},
      {kWords, motif::ReducingBlock},
      {kWords, motif::AsyncCopy},
      {kNumbers, motif::Lanes},
      {kNumbers, motif::Lanes},
      {kNumbers, motif::VectorMemory},
      {kNumbers, motif::LikelyBounds},
      {kNumbers, motif::LikelyBounds, kHost},
      {kNumbers, motif::StagedBlocks},
      {kNumbers, motif::SoftwarePipeline},
      {kNumbers, motif::SoftwarePipeline},
      {kNumbers, motif::LocalStage},
      {kNumbers, motif::AutoCopy},
      {kNumbers, motif::PermutedLayout},
      {kNumbers, motif::MatchedRegion},
      {kNumbers, motif::Promises},
      {kNumbers, motif::Promises, kHost},
      {kNumbers, motif::WideLoops},
      {kNumbers, motif::KnownStores},
      {kNumbers, motif::MarkedCopy},
      {kNumbers, motif::MarkedCopy, kHost},
      {kSmallFloats, motif::SmallFloats},
      {kSmallFloats, motif::SmallFloats, kHost},
      {kSmallFloats, motif::DoubleBuffer},
      {kSmallFloats, motif::WideLoops, kHost},
      {kSmallFloats, motif::VectorMemory},
      {kNumbers, motif::Attributes, kLegacy},
      {kNumbers, motif::Attributes},
      {kWords, motif::DmaCopy},
      {kWords, motif::Fragments},
      {kNumbers, motif::Rarities, kLegacy},
      {kNumbers, motif::RealizedParts, kLegacy},
      {kNumbers, motif::RollingParts, kLegacy},
      {kNumbers, motif::Rarities, kHost},
      {kNumbers, motif::Rarities},
  };
  return random.Pick<Motif>(kMotifs);
}

}  // namespace relayopt
