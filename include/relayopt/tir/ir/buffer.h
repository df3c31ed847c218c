// What the statements of tensor programs speak of besides expressions: buffers, iteration variables, combiners.
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

enum class BufferType : uint8_t { kDefault, kAutoBroadcast };

// A buffer: a multi-dimensional view of the memory behind a pointer. Its id is its identity; the name is a hint.
struct Buffer {
  // The pointer, a variable of a pointer type. Its element type need not be `dtype`.
  PrimExpr data;
  DataType dtype;
  BufferType type = BufferType::kDefault;
  StringId name;
  std::vector<PrimExpr> shape;
  // Empty, or one for each dimension, in elements.
  std::vector<PrimExpr> strides;
  // Dimensions before which the flattened form starts a new axis.
  std::vector<int32_t> axis_separators;
  // In elements from `data`.
  PrimExpr elem_offset;
  // In bytes.
  int32_t data_alignment = 64;
  // `elem_offset` is a multiple of it.
  int32_t offset_factor = 1;

  auto ndim() const -> size_t { return shape.size(); }
};

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

// "DataPar", "ThreadIndex", ...
auto Name(IterType type) -> std::string_view;
// The inverse; nothing for anything else.
auto ParseIterType(std::string_view text) -> std::optional<IterType>;

// An iteration variable outside of blocks: of a thread, or the subject of an attribute.
struct IterVar {
  PrimExpr var;
  // Both none, or the range of the variable.
  Range domain;
  IterType type = IterType::kDataPar;
  // `threadIdx.x`, `blockIdx.y`, `vthread`, ...; may be empty.
  StringId thread_tag;
};

// A commutative combiner: result[i] of lhs and rhs, with the neutral elements.
struct CommReducer {
  std::vector<PrimExpr> lhs;
  std::vector<PrimExpr> rhs;
  std::vector<PrimExpr> result;
  std::vector<PrimExpr> identity;
};

// `lambda indices: result`.
struct IndexMap {
  std::vector<PrimExpr> indices;
  std::vector<PrimExpr> result;
};

// The buffers, iteration variables and combiners of a context: `context.Part<Tables>()`. Records never move and live as
// long as the context; each call of Add makes a new one. Thread-safe.
class Tables {
 public:
  explicit Tables(Context& context);

  auto terms() const -> Terms& { return *terms_; }

  auto buffer(BufferId id) const -> const Buffer& { return buffers_[id]; }
  auto iter_var(IterVarId id) const -> const IterVar& { return iter_vars_[id]; }
  auto reducer(ReducerId id) const -> const CommReducer& { return reducers_[id]; }
  auto index_map(IndexMapId id) const -> const IndexMap& { return index_maps_[id]; }

  // `data` is a variable of a pointer type; strides are none or as many as dimensions. An `elem_offset` of none becomes
  // a literal 0 of the type of the first extent (int32 where there is none).
  auto Add(Buffer buffer) -> BufferId;
  auto Add(IterVar iter_var) -> IterVarId;
  auto Add(CommReducer reducer) -> ReducerId;
  auto Add(IndexMap index_map) -> IndexMapId;

  // A copy of `id` with another data variable.
  auto WithData(BufferId id, PrimExpr data) -> BufferId;
  // The storage scope of the buffer's pointer, "global" where it has none.
  auto Scope(BufferId id) const -> std::string_view;

  // For whoever reads a program: its buffers are named after they were made.
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

// What an object that is none of the core's kinds is, as the value of an attribute: a node of the reference's class.
enum class RefKind : uint8_t {
  kNone,      // something else
  kPrimExpr,  // an expression that is no literal
  kBuffer,
  kIterVar,
  kReducer,
  kIndexMap,
  kTarget,  // `items` is its exported map, keys and values alternating, keys in order
};
// The object by which an attribute names an expression, a buffer and so on; `id` is the value of the id.
auto AddRef(Context& context, RefKind kind, uint32_t id) -> ObjectId;
// What an object names; the id is its `integer`.
auto RefKindOf(const Context& context, const Object& object) -> RefKind;
// A target from its exported map.
auto AddTarget(Context& context, std::span<const ObjectId> items) -> ObjectId;

// The storage scope of a pointer variable, "global" where it has none or is no pointer.
auto ScopeOf(const Terms& terms, const Context& context, PrimExpr pointer) -> std::string_view;

}  // namespace relayopt::tir
