// Annotations that align the dimensions of buffers.
#include "lib/tir/transforms/utils/storage_align.h"

#include "lib/tir/transforms/utils/annotations.h"

namespace relayopt::tir {

auto CollectStorageAligns(const PrimFunc& func) -> StorageAligns {
  const Context& context = func.context();
  StorageAligns aligns;
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    const auto block = stmt.As<Block>();
    const auto alloc = stmt.As<Allocate>();
    if (!block && !alloc) continue;
    const ObjectId list = FindAnnotation(context, block ? block->annotations() : alloc->annotations(), kBufferDimAlign);
    if (!list) continue;
    for (const ObjectId entry : context.object(list).items) {
      const std::span<const ObjectId> items = context.object(entry).items;
      if (items.size() != 4) continue;
      const auto number = [&](size_t i) { return context.object(items[i]).integer; };
      PrimExpr data;
      if (alloc) {
        data = alloc->buffer_var();
      } else if (number(0) >= 0 && static_cast<size_t>(number(0)) < block->writes().size()) {
        data = func.tables().buffer(block->writes()[static_cast<size_t>(number(0))].buffer).data;
      }
      if (data) aligns[data].push_back({number(1), number(2), number(3)});
    }
  }
  return aligns;
}

}  // namespace relayopt::tir
