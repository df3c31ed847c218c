// Which loops carry values from one iteration to the next in a buffer.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Finds out how far down the allocation of a buffer may move. A buffer that is allocated inside of a loop is a new one
// in each iteration, so what an iteration reads must have been written in it.
//
//   B = T.alloc_buffer((1,))
//   for i in range(4):
//       for k in range(8):
//           if k == 0:
//               B[0] = 0               the loop over k carries B: only its first iteration writes before it reads
//           B[0] = B[0] + A[i, k]
//       C[i] = B[0]                    the loop over i does not
//
// Accesses are taken in the order of the text. A store counts for whatever is read after it, unless a condition around
// it has one value in the whole iteration, or asks for one value of what a loop around the iteration counts, too, as
// the initialization of a reduction over two loops does: ko * 4 + ki == 0. So this is not a proof: it keeps out of
// loops what they visibly carry.
class CarriedValues {
 public:
  explicit CarriedValues(const PrimFunc& func);

  // Returns the innermost loop or block (a For or a Block) around `scope`, or `scope` itself, in which a buffer with
  // this data variable can be allocated; not outside of `home`, which contains `scope`.
  auto PlaceFor(PrimExpr data, StmtId scope, StmtId home) const -> StmtId;

 private:
  static constexpr uint32_t kNoGuard = UINT32_MAX;
  // A condition around an access.
  struct Guard {
    StmtId stmt;
    // The innermost loop over a variable of the condition; invalid if it has none.
    StmtId loop;
    // The outermost loop over a variable of an equation in the condition; invalid if there is none.
    StmtId equation_loop;
    bool depends_on_thread;
    // The next one around it.
    uint32_t outer;
  };
  struct Access {
    StmtId stmt;
    bool is_write;
    uint32_t guard;
  };
  // The dependences of the value of a variable.
  struct Origin {
    // The innermost and the outermost loop over which it changes; invalid if there is none.
    StmtId loop;
    StmtId outermost;
    bool is_thread = false;
  };

  void Enter(Stmt stmt);
  void EnterRealize(Stmt stmt);
  void EnterGuard(Stmt stmt, PrimExpr condition);
  void EnterExprs(Stmt stmt);
  void AddPointer(Stmt stmt, PrimExpr data);
  void Add(PrimExpr data, Stmt stmt, bool is_write);
  auto OriginOf(PrimExpr e) const -> Origin;
  auto EquationLoop(PrimExpr condition) const -> StmtId;
  auto Carries(PrimExpr data, StmtId scope) const -> bool;

  const PrimFunc& func_;
  Terms& terms_;
  // In the order of execution in one iteration.
  absl::flat_hash_map<PrimExpr, std::vector<Access>> accesses_;
  std::vector<Guard> guards_;
  absl::flat_hash_map<PrimExpr, Origin> origins_;
  // For loops and blocks: the enclosing one, and the number of sequential loops around it, including itself.
  std::vector<StmtId> outer_;
  std::vector<uint32_t> depth_;
  // At the position of the walk.
  std::vector<StmtId> scopes_;
  std::vector<StmtId> blocks_;
  uint32_t guard_ = kNoGuard;
  uint32_t loops_ = 0;
};

}  // namespace relayopt::tir
