// Outlines of modules: those of their functions, in the order of their names.
#include "relayopt/module/outline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

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
    FunctionSameness sameness;
  };
  static constexpr size_t kMax = 16;
  std::array<Row, kMax> rows{};
  std::atomic<size_t> count = 0;

  auto Find(const FunctionKind& kind) const -> const Row* {
    for (size_t i = 0; i < count; ++i) {
      if (rows[i].kind == &kind) return &rows[i];
    }
    return nullptr;
  }
};

auto TheOutlines() -> Outlines& {
  static Outlines outlines;
  return outlines;
}

}  // namespace

void RegisterOutline(const FunctionKind& kind, FunctionOutline outline, FunctionSameness sameness) {
  Outlines& outlines = TheOutlines();
  if (outlines.Find(kind) != nullptr) return;
  const size_t count = outlines.count;
  RELAYOPT_CHECK(count < Outlines::kMax, "there are few kinds of functions");
  outlines.rows[count] = {&kind, outline, sameness};
  outlines.count = count + 1;
}

auto OutlineOf(const Module& module) -> uint64_t {
  uint64_t all = 0;
  for (const GlobalId id : module.SortedFunctions()) {
    const GlobalFunction& function = *module.global(id).function;
    const Outlines::Row* row = TheOutlines().Find(function.function_kind());
    all = MixWords(all ^ (row == nullptr ? 0 : row->outline(function)), kHashFactor) + 1;
  }
  return all;
}

auto HaveSameFunctions(const Module& a, const Module& b) -> bool {
  const std::vector<GlobalId> ids = a.SortedFunctions();
  // What types consist of is told by the texts.
  if (ids != b.SortedFunctions() || !a.type_defs().empty() || !b.type_defs().empty()) return false;
  const auto is_same = [](const DictAttr& x, const DictAttr& y) { return x.key == y.key && x.value == y.value; };
  if (&a.context() != &b.context() || !std::ranges::equal(a.attrs(), b.attrs(), is_same)) return false;
  return std::ranges::all_of(ids, [&](GlobalId id) {
    const Global& x = a.global(id);
    const Global& y = b.global(id);
    if (x.name != y.name || x.function == y.function) return x.name == y.name;
    const FunctionKind& kind = x.function->function_kind();
    const Outlines::Row* row = TheOutlines().Find(kind);
    return row != nullptr && &kind == &y.function->function_kind() && row->sameness(*x.function, *y.function);
  });
}

}  // namespace relayopt
