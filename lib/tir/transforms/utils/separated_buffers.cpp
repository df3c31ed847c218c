// Finds buffers with axis separators.
#include "lib/tir/transforms/utils/separated_buffers.h"

#include <algorithm>

#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

auto SeparatedBuffers::On(const Allocate& alloc) -> BufferId {
  // Allocations of several dimensions are rare.
  if (!is_collected_) Collect();
  const auto found = buffers_.find(alloc.buffer_var());
  if (found == buffers_.end()) return {};
  for (const BufferId id : found->second) {
    const Buffer& buffer = func_.tables().buffer(id);
    if (buffer.dtype == alloc.dtype() && std::ranges::equal(buffer.shape, alloc.extents())) return id;
  }
  return {};
}

void SeparatedBuffers::Collect() {
  is_collected_ = true;
  absl::flat_hash_set<BufferId> seen;
  const auto note = [&](BufferId id) {
    const Buffer& buffer = func_.tables().buffer(id);
    if (!buffer.axis_separators.empty() && seen.insert(id).second) buffers_[buffer.data].push_back(id);
  };
  TermVisitor visitor(func_.terms());
  for (StmtId id(0U); id.value() < func_.size(); ++id) {
    const Stmt stmt = func_.stmt(id);
    if (const auto decl = stmt.As<DeclBuffer>()) note(decl->buffer());
    if (const auto store = stmt.As<BufferStore>()) note(store->buffer());
    for (const PrimExpr expr : stmt.exprs()) {
      visitor.Visit(expr, [&](PrimExpr e) {
        if (func_.terms().kind(e) == PrimKind::kBufferLoad) note(func_.terms().buffer(e));
      });
    }
  }
}

}  // namespace relayopt::tir
