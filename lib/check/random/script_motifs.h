// Structures that random statements rarely form.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "lib/check/random/script_writer.h"

namespace relayopt {

// A part of a tensor program that one of the passes rewrites: memory that is filled ahead, virtual threads, reductions
// over threads, memory of a warp. Reads `in` and stores to `out`, vectors of kMotifExtent elements of one type, about
// which nothing else is known.
using WriteMotif = void (*)(ScriptWriter& w, const Memory& in, const Memory& out);

struct Motif {
  // The element types that are allowed.
  std::span<const std::string_view> dtypes;
  WriteMotif write;
  // The attributes of the function that the motif needs.
  std::string_view attributes = {};
};
constexpr int64_t kMotifExtent = 64;

auto DrawMotif(Random& random) -> const Motif&;

namespace motif {

void DoubleBuffer(ScriptWriter& w, const Memory& in, const Memory& out);
void VirtualThreads(ScriptWriter& w, const Memory& in, const Memory& out);
void ThreadReduction(ScriptWriter& w, const Memory& in, const Memory& out);
void WarpMemory(ScriptWriter& w, const Memory& in, const Memory& out);
void SharedMemory(ScriptWriter& w, const Memory& in, const Memory& out);
void BoundLoops(ScriptWriter& w, const Memory& in, const Memory& out);
void ReducingBlock(ScriptWriter& w, const Memory& in, const Memory& out);
void Fragments(ScriptWriter& w, const Memory& in, const Memory& out);
void AsyncCopy(ScriptWriter& w, const Memory& in, const Memory& out);
void SoftwarePipeline(ScriptWriter& w, const Memory& in, const Memory& out);
void AutoCopy(ScriptWriter& w, const Memory& in, const Memory& out);
void LocalStage(ScriptWriter& w, const Memory& in, const Memory& out);
void MarkedCopy(ScriptWriter& w, const Memory& in, const Memory& out);
void SmallFloats(ScriptWriter& w, const Memory& in, const Memory& out);
void PermutedLayout(ScriptWriter& w, const Memory& in, const Memory& out);

// Returns an element that is read, as an operand of a random operation.
inline auto Read(ScriptWriter& w, const Memory& in, const std::string& index) -> std::string {
  std::string element = fmt::format("{}[{}]", in.name, index);
  switch (w.random().Below(4)) {
    case 0: return element;
    case 1: return fmt::format("{} + {}", element, w.Value(in.dtype, 1));
    case 2: return fmt::format("T.max({}, {})", element, w.Value(in.dtype, 0));
    default: return fmt::format("T.if_then_else({}, {}, {})", w.Condition(0), element, w.Value(in.dtype, 0));
  }
}

// Writes a header line and, indented below it, what `inner` writes, which may use a variable that the line defines.
template <typename Inner>
void Below(ScriptWriter& w, const std::string& line, const std::string& var, int64_t end, Inner&& inner) {
  w.Line(line);
  w.Nest([&] {
    if (!var.empty()) w.Know(var, end);
    inner();
  });
}
template <typename Inner>
void Launch(ScriptWriter& w, std::string_view tag, int64_t extent, const std::string& var, Inner&& inner) {
  Below(w, fmt::format("with T.launch_thread(\"{}\", {}) as {}:", tag, extent, var), var, extent, inner);
}
template <typename Inner>
void Declare(ScriptWriter& w, const std::string& name, int64_t extent, std::string_view dtype, std::string_view scope,
             Inner&& inner) {
  const std::string line = "with T.decl_buffer(({},), \"{}\", scope=\"{}\") as {}:";
  Below(w, fmt::format(fmt::runtime(line), extent, dtype, scope, name), "", 0, inner);
}

}  // namespace motif

}  // namespace relayopt
