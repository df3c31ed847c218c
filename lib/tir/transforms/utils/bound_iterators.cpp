#include "lib/tir/transforms/utils/bound_iterators.h"

namespace relayopt::tir {

void BindIterators(arith::Analyzer& analyzer, const Tables& tables, Stmt stmt) {
  if (const auto loop = stmt.As<For>()) {
    analyzer.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
  } else if (const auto block = stmt.As<Block>()) {
    for (size_t i = 0; i < block->axes().size(); ++i) {
      analyzer.Bind(block->axes()[i].var, Range{block->axis_min(i), block->axis_extent(i)});
    }
  } else if (const auto attr = stmt.As<AttrStmt>(); attr && attr->launched_thread()) {
    Terms& terms = tables.terms();
    const PrimExpr zero = terms.IntImm(terms.dtype(attr->value()), 0);
    analyzer.Bind(tables.iter_var(attr->launched_thread()).var, Range{zero, attr->value()});
  }
}

}  // namespace relayopt::tir
