// Outlines of modules: those of their functions, in the order of their names.
#include "relayopt/module/outline.h"

#include <array>
#include <atomic>

#include "relayopt/module/module.h"
#include "relayopt/support/check.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

namespace {

// Rows are appended before passes run, and read by all threads.
struct Outlines {
  struct Row {
    const FunctionKind* kind;
    FunctionOutline outline;
  };
  static constexpr size_t kMax = 16;
  std::array<Row, kMax> rows{};
  std::atomic<size_t> count = 0;

  auto Find(const FunctionKind& kind) const -> FunctionOutline {
    for (size_t i = 0; i < count; ++i) {
      if (rows[i].kind == &kind) return rows[i].outline;
    }
    return nullptr;
  }
};

auto TheOutlines() -> Outlines& {
  static Outlines outlines;
  return outlines;
}

}  // namespace

void RegisterOutline(const FunctionKind& kind, FunctionOutline outline) {
  Outlines& outlines = TheOutlines();
  if (outlines.Find(kind) != nullptr) return;
  const size_t count = outlines.count;
  RELAYOPT_CHECK(count < Outlines::kMax, "there are few kinds of functions");
  outlines.rows[count] = {&kind, outline};
  outlines.count = count + 1;
}

auto OutlineOf(const Module& module) -> uint64_t {
  uint64_t all = 0;
  for (const GlobalId id : module.SortedFunctions()) {
    const GlobalFunction& function = *module.global(id).function;
    const FunctionOutline outline = TheOutlines().Find(function.function_kind());
    all = MixWords(all ^ (outline == nullptr ? 0 : outline(function)), kHashFactor) + 1;
  }
  return all;
}

}  // namespace relayopt
