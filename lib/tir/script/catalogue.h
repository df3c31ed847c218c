// The functions of `T.*` and `I.*` that are more than an intrinsic, by what they make.
#pragma once

#include <span>

#include "lib/tir/script/reader_state.h"

namespace relayopt::tir::catalogue {

// Rows, in any order.
auto Statements() -> std::span<const Builtin>;
auto Blocks() -> std::span<const Builtin>;
auto Buffers() -> std::span<const Builtin>;
auto Expressions() -> std::span<const Builtin>;
// Whether the function makes a statement, so that it can only be called in a function.
auto IsStatement(const Builtin& row) -> bool;
// `T.axis.*`.
auto Axes() -> std::span<const Builtin>;
// The method of a buffer, whose first parameter is the buffer; null for one that takes its arguments otherwise.
auto MethodRow(Method method) -> const Builtin*;
// `I.*`.
auto Modules() -> std::span<const Builtin>;

// Returns a loop over one variable from `start` to `stop`; without `stop`, `start` is the end and counting begins at 0.
auto LoopFrame(Reader& reader, const Value& start, const Value* stop, ForKind kind, SourceRange range)
    -> std::optional<Frame>;

}  // namespace relayopt::tir::catalogue
