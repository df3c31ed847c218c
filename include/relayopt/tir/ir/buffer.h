// The things that statements refer to besides expressions: buffers, iteration variables, combiners.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "relayopt/arith/prim_expr.h"
#include "relayopt/core/context.h"
#include "relayopt/support/append_table.h"

namespace relayopt::tir {

using arith::BufferId;
using arith::PrimExpr;
using arith::PrimKind;
using arith::Range;
using arith::Terms;
using arith::VarType;

using IterVarId = Id<struct IterVarTag>;    // an iteration variable
using ReducerId = Id<struct ReducerTag>;    // a combiner of a reduction
using IndexMapId = Id<struct IndexMapTag>;  // a map of indices

using StmtId = Index<struct StmtTag>;  // a statement of one table

// Whether accesses to axes of extent 1 broadcast (kAutoBroadcast).
enum class BufferType : uint8_t { kDefault, kAutoBroadcast };

// A buffer: a multi-dimensional view of the memory behind a pointer. Its id is its identity; the name is only a hint.
struct Buffer {
  // The pointer: a variable of a pointer type, whose element type need not be `dtype`.
  PrimExpr data;
  DataType dtype;
  BufferType type = BufferType::kDefault;
  StringId name;
  std::vector<PrimExpr> shape;
  // Strides in elements, one for each dimension; empty for compact memory.
  std::vector<PrimExpr> strides;
  // The dimensions at which a new axis of the flattened form starts.
  std::vector<int32_t> axis_separators;
  // The offset from `data`, in elements.
  PrimExpr elem_offset;
  // The alignment of `data`, in bytes.
  int32_t data_alignment = 64;
  // A number of which `elem_offset` is known to be a multiple.
  int32_t offset_factor = 1;

  auto ndim() const -> size_t { return shape.size(); }
};

// The kinds of iteration variables, as in TVM.
enum class IterType : uint8_t {
  kDataPar,
  kThreadIndex,
  kCommReduce,
  kOrdered,
  kOpaque,
  kUnrolled,
  kVectorized,
  kParallelized,
  kTensorized,
};

// TVM's name: "DataPar", "ThreadIndex", ...
auto Name(IterType type) -> std::string_view;
// Returns the inverse of Name, or nothing for other texts.
auto ParseIterType(std::string_view text) -> std::optional<IterType>;

// An iteration variable outside of blocks: that of a thread, or the subject of an attribute.
struct IterVar {
  PrimExpr var;
  // The range of the variable; both members are invalid when it has none.
  Range domain;
  IterType type = IterType::kDataPar;
  // `threadIdx.x`, `blockIdx.y`, `vthread`, ...; may be empty.
  StringId thread_tag;
};

// A commutative combiner, used by reductions: result[i] is computed from lhs and rhs; identity elements are neutral.
struct CommReducer {
  std::vector<PrimExpr> lhs;
  std::vector<PrimExpr> rhs;
  std::vector<PrimExpr> result;
  std::vector<PrimExpr> identity;
};

// A map of indices: `lambda indices: result`.
struct IndexMap {
  std::vector<PrimExpr> indices;
  std::vector<PrimExpr> result;
};

// The part of a context that owns buffers, iteration variables and combiners. Records never move and live as long as
// the context; each call of Add makes a new one. Thread-safe.
class Tables {
 public:
  explicit Tables(Context& context);

  auto terms() const -> Terms& { return *terms_; }

  auto buffer(BufferId id) const -> const Buffer& { return buffers_[id]; }
  auto iter_var(IterVarId id) const -> const IterVar& { return iter_vars_[id]; }
  auto reducer(ReducerId id) const -> const CommReducer& { return reducers_[id]; }
  auto index_map(IndexMapId id) const -> const IndexMap& { return index_maps_[id]; }

  // Adds a buffer. `data` must be a variable of a pointer type; strides must be empty, or as many as dimensions. An
  // invalid `elem_offset` becomes a literal 0 of the type of the first extent (int32 when there is none).
  auto Add(Buffer buffer) -> BufferId;
  auto Add(IterVar iter_var) -> IterVarId;
  auto Add(CommReducer reducer) -> ReducerId;
  auto Add(IndexMap index_map) -> IndexMapId;

  // Returns a copy of the buffer with another data variable.
  auto WithData(BufferId id, PrimExpr data) -> BufferId;
  // Returns the storage scope of the buffer's pointer; "global" when it states none.
  auto Scope(BufferId id) const -> std::string_view;

  // Changes the name of a buffer. For readers of programs, which learn names after they have made the buffers.
  void Rename(BufferId id, StringId name) { buffers_.Mutable(id).name = name; }

 private:
  Context& context_;
  Terms* terms_;
  std::mutex mutex_;
  AppendTable<BufferId, Buffer> buffers_;
  AppendTable<IterVarId, IterVar> iter_vars_;
  AppendTable<ReducerId, CommReducer> reducers_;
  AppendTable<IndexMapId, IndexMap> index_maps_;
};

// The kinds of attribute values that exist only in tensor
// programs. Each corresponds to a class of nodes in TVM.
enum class RefKind : uint8_t {
  kNone,      // something else
  kPrimExpr,  // an expression that is not a literal
  kBuffer,
  kIterVar,
  kReducer,
  kIndexMap,
  kTarget,  // `items` is its exported map, keys and values alternating, keys in order
};
// Makes the object by which an attribute refers to an expression, a buffer and so on; `id` is the value of its id.
auto AddRef(Context& context, RefKind kind, uint32_t id) -> ObjectId;
// Returns the kind of thing an object refers to; its id is the object's `integer`.
auto RefKindOf(const Context& context, const Object& object) -> RefKind;
// Makes the object of a target from its exported map.
auto AddTarget(Context& context, std::span<const ObjectId> items) -> ObjectId;

// Returns the storage scope of a pointer variable; "global" when it states none, or is not a pointer.
auto ScopeOf(const Terms& terms, const Context& context, PrimExpr pointer) -> std::string_view;

}  // namespace relayopt::tir
