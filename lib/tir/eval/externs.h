// The functions that call_extern and the LLVM intrinsics may name.
#pragma once

#include <string_view>

#include "relayopt/arith/intrinsics.h"

namespace relayopt::tir {

class MemoryPool;

// A known function: an intrinsic under a different name, or a function that works on memory.
struct ExternRow {
  std::string_view name;
  // The intrinsic that it computes, with `tir.`; empty for one that works on memory.
  std::string_view intrinsic;
  // The number of operands at the end of a call that are flags.
  size_t num_flags = 0;
};

// Returns the row of a function by its name (`expf`, `__expf`, `llvm.exp`, `memcpy`), or null if it is not known.
auto FindExtern(std::string_view name) -> const ExternRow*;

// The intrinsic, with `tir.`, that an instruction of the SPIR-V set GLSL.std.450 computes; empty when it is not known.
auto GlslIntrinsic(int64_t number) -> std::string_view;

}  // namespace relayopt::tir
