// Boxes of elements of buffers, for analyses of what memory holds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// The elements of a buffer whose index along each axis is in an interval.
struct BufferBox {
  BufferId buffer;
  std::vector<arith::IntSet> axes;
};

// Whether the value of an Evaluate is T.assume(condition).
auto IsAssumption(const Terms& terms, PrimExpr value) -> bool;
// Whether each variable is defined by one loop or let at most, so that what an analyzer knows of it holds everywhere.
auto HasUniqueVars(const PrimFunc& func) -> bool;

// Questions about boxes, which an analyzer that knows the ranges around a statement answers.
class BoxProver {
 public:
  BoxProver(Terms& terms, arith::Analyzer& analyzer) : terms_(terms), analyzer_(analyzer) {}

  // Returns the box of one element, or nullopt for the elements of a vector.
  static auto Point(const Terms& terms, BufferId buffer, std::span<const PrimExpr> indices) -> std::optional<BufferBox>;
  // Whether the element is in the box, or outside of it, for certain.
  auto Contains(const BufferBox& box, std::span<const PrimExpr> indices) -> bool;
  auto IsOutside(const BufferBox& box, std::span<const PrimExpr> indices) -> bool;
  // Returns c with `index == var + c`, where `var` does not occur in c, or an invalid term.
  auto Offset(PrimExpr index, PrimExpr var) -> PrimExpr;
  // Returns the axis along which the box is a point that moves with `var`, if `var` does not occur elsewhere in it.
  auto MovingAxis(const BufferBox& box, PrimExpr var) -> std::optional<size_t>;
  // Returns the interval of the point along a moving axis while `loop` runs.
  auto Swept(const BufferBox& box, size_t axis, For loop) -> arith::IntSet;
  auto Mentions(const BufferBox& box, PrimExpr var) const -> bool;
  auto IsSame(const BufferBox& a, const BufferBox& b) -> bool;
  auto CanProveEqual(PrimExpr a, PrimExpr b) -> bool {
    return a == b || (terms_.dtype(a) == terms_.dtype(b) && analyzer_.CanProveEqual(a, b));
  }

 private:
  auto CanProveLessEqual(PrimExpr a, PrimExpr b) -> bool;

  Terms& terms_;
  arith::Analyzer& analyzer_;
};

// The stores and loads of a function by the memory that they access, so that those inside of a loop are found.
class MemoryAccesses {
 public:
  struct Access {
    StmtId stmt;
    BufferId buffer;
    std::span<const PrimExpr> indices;
  };

  explicit MemoryAccesses(const PrimFunc& func);

  // Returns the stores or loads of memory, by its pointer, in a statement and inside of it.
  auto StoresIn(Stmt stmt, PrimExpr data) const -> std::span<const Access>;
  auto LoadsIn(Stmt stmt, PrimExpr data) const -> std::span<const Access>;
  // Whether a statement inside of `stmt`, or the statement itself, has an effect other than its stores.
  auto HasEffectIn(Stmt stmt) const -> bool;
  // Whether the pointer is used other than by loads and stores.
  auto Escapes(PrimExpr data) const -> bool { return escaped_.contains(data); }

 private:
  using ByData = absl::flat_hash_map<PrimExpr, std::vector<Access>>;
  static auto In(const ByData& accesses, Stmt stmt, PrimExpr data) -> std::span<const Access>;

  // In the order of the statements.
  ByData stores_;
  ByData loads_;
  std::vector<StmtId> effects_;
  absl::flat_hash_set<PrimExpr> escaped_;
};

}  // namespace relayopt::tir
