// The statements of a tensor program: a table in post-order, in which the parts of a statement precede it.
#pragma once

#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/core/data_type.h"
#include "relayopt/support/source.h"
#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

// The kinds of statements, with TVM's class of each.
enum class StmtKind : uint8_t {
  kLet,            // LetStmt: var = value, visible in the body
  kAttr,           // AttrStmt: a note on a node, for the body
  kAssert,         // AssertStmt
  kStore,          // BufferStore
  kRealize,        // BufferRealize
  kAllocate,       // Allocate
  kAllocateConst,  // AllocateConst
  kDeclBuffer,     // DeclBuffer
  kSeq,            // SeqStmt: at least two statements, none of them a kSeq
  kEvaluate,       // Evaluate
  kIf,             // IfThenElse
  kFor,            // For
  kWhile,          // While
  kPrefetch,       // Prefetch
  kBlock,          // Block
  kBlockRealize,   // BlockRealize
};

// Returns the name of TVM's class: "LetStmt", "For", ...
auto Name(StmtKind kind) -> std::string_view;

// How the iterations of a loop are executed.
enum class ForKind : uint8_t { kSerial, kParallel, kVectorized, kUnrolled, kThreadBinding };

// The subject of an AttrStmt.
struct AttrNode {
  enum class Kind : uint8_t {
    kExpr,     // a PrimExpr: most often a variable, or the literal 0
    kBuffer,   // a buffer
    kIterVar,  // an iteration variable, such as that of a thread
    kReducer,  // a combiner
    kObject,   // any other value, such as a string or a target; none is the null object
  };
  Kind kind = Kind::kObject;
  uint32_t id = ObjectId::kNone;

  constexpr AttrNode() = default;
  constexpr AttrNode(PrimExpr expr) : kind(Kind::kExpr), id(expr.value()) {}
  constexpr AttrNode(BufferId buffer) : kind(Kind::kBuffer), id(buffer.value()) {}
  constexpr AttrNode(IterVarId iter) : kind(Kind::kIterVar), id(iter.value()) {}
  constexpr AttrNode(ReducerId reducer) : kind(Kind::kReducer), id(reducer.value()) {}
  constexpr AttrNode(ObjectId object) : id(object.value()) {}
  friend constexpr auto operator==(AttrNode, AttrNode) -> bool = default;

  // Returns the subject when it is of that kind; invalid otherwise.
  constexpr auto expr() const -> PrimExpr { return kind == Kind::kExpr ? PrimExpr(id) : PrimExpr(); }
  constexpr auto buffer() const -> BufferId { return kind == Kind::kBuffer ? BufferId(id) : BufferId(); }
  constexpr auto iter_var() const -> IterVarId { return kind == Kind::kIterVar ? IterVarId(id) : IterVarId(); }
  constexpr auto reducer() const -> ReducerId { return kind == Kind::kReducer ? ReducerId(id) : ReducerId(); }
  constexpr auto object() const -> ObjectId { return kind == Kind::kObject ? ObjectId(id) : ObjectId(); }
};

// An axis of a block. Its domain is among the block's expressions.
struct BlockAxis {
  PrimExpr var;
  IterType type = IterType::kDataPar;
  StringId thread_tag;
  friend auto operator==(const BlockAxis&, const BlockAxis&) -> bool = default;
};

// A region of a block: a buffer, and the minimum and extent of each dimension, which are among the block's expressions.
struct BlockRegion {
  BufferId buffer;
  // The index of the first minimum among the expressions of the block.
  uint32_t first = 0;
  uint32_t ndim = 0;
  friend auto operator==(const BlockRegion&, const BlockRegion&) -> bool = default;
};

// Declares that `buffer` is a view of the region.
struct BlockMatch {
  BufferId buffer;
  BlockRegion source;
  friend auto operator==(const BlockMatch&, const BlockMatch&) -> bool = default;
};

// What a block has besides its expressions and statements.
struct BlockInfo {
  // The name hint; may be empty.
  StringId name;
  std::vector<BlockAxis> axes;
  std::vector<BlockRegion> reads;
  std::vector<BlockRegion> writes;
  std::vector<BufferId> alloc_buffers;
  std::vector<BlockMatch> match_buffers;
  // A map, or invalid.
  ObjectId annotations;
  friend auto operator==(const BlockInfo&, const BlockInfo&) -> bool = default;
};

// One statement. 16 bytes, as a million of them is nothing special. Its words lie in a pool of 32-bit ids:
//
//   kind           fixed words                        parts          expressions, in the order of evaluation
//   kLet           var                                body           value
//   kAttr          key, node kind, node id            body           value
//   kAssert                                           body           condition, message
//   kStore         buffer                                            value, indices...
//   kRealize       buffer                             body           (min, extent)..., condition
//   kAllocate      var, dtype, annotations            body           extents..., condition
//   kAllocateConst var, dtype, annotations, data,     body           extents...
//                  index
//   kDeclBuffer    buffer                             body
//   kSeq                                              statements...
//   kEvaluate                                                        value
//   kIf                                               then [, else]  condition
//   kFor           var, kind, thread, annotations     body           min, extent
//   kWhile                                            body           condition
//   kPrefetch      buffer                                            (min, extent)...
//   kBlock         info                               [init,] body   axes (min, extent)..., then reads, writes and
//                                                                    sources of matches, each (min, extent)...
//   kBlockRealize                                     block          values..., predicate
struct StmtNode {
  static constexpr uint32_t kPartBits = 27;
  static constexpr uint32_t kMaxParts = (uint32_t{1} << kPartBits) - 1;

  uint32_t kind_and_parts;
  // The position of its fixed words in the pool.
  uint32_t words;
  uint32_t num_exprs;
  // The first statement inside: the interval [first, id] is the statement with everything inside.
  uint32_t first;

  auto kind() const -> uint32_t { return kind_and_parts >> kPartBits; }
  auto num_parts() const -> uint32_t { return kind_and_parts & kMaxParts; }
};
static_assert(sizeof(StmtNode) == 16);

class Stmt;

// An append-only table of statements. Every part of a statement has a smaller id than the statement.
class StmtTable {
 public:
  explicit StmtTable(Context& context) : context_(&context) {}

  auto context() const -> Context& { return *context_; }
  auto size() const -> size_t { return nodes_.size(); }
  auto operator[](StmtId id) const -> Stmt;

  auto kind(StmtId id) const -> StmtKind { return static_cast<StmtKind>(node(id).kind()); }
  // Returns the statements directly inside this one.
  auto parts(StmtId id) const -> std::span<const StmtId> {
    return {reinterpret_cast<const StmtId*>(words_.data()) + node(id).words + Fixed(id), node(id).num_parts()};
  }
  // Returns the expressions of the statement itself.
  auto exprs(StmtId id) const -> std::span<const PrimExpr> {
    return {reinterpret_cast<const PrimExpr*>(words_.data()) + node(id).words + Fixed(id) + node(id).num_parts(),
            node(id).num_exprs};
  }
  auto fixed(StmtId id) const -> std::span<const uint32_t> { return {words_.data() + node(id).words, Fixed(id)}; }
  // Only for a kBlock.
  auto block(StmtId id) const -> const BlockInfo& { return blocks_[fixed(id)[0]]; }
  // Returns the first statement inside; see Contains.
  auto first(StmtId id) const -> StmtId { return StmtId(node(id).first); }
  // Whether `inner` is `outer` or inside it. Only for tables that are laid out.
  auto Contains(StmtId outer, StmtId inner) const -> bool { return first(outer) <= inner && inner <= outer; }
  // Returns the range of the statement in the source text, or invalid if unknown.
  auto range(StmtId id) const -> SourceRange {
    return id.value() < ranges_.size() ? ranges_[id.value()] : SourceRange();
  }

 private:
  friend class StmtBuilder;

  static constexpr uint8_t kFixedWords[] = {1, 3, 0, 1, 1, 3, 5, 1, 0, 0, 0, 4, 0, 1, 1, 0};

  auto node(StmtId id) const -> const StmtNode& { return nodes_[id.value()]; }
  auto Fixed(StmtId id) const -> size_t { return kFixedWords[node(id).kind()]; }

  Context* context_;
  std::vector<StmtNode> nodes_;
  std::vector<uint32_t> words_;
  std::vector<BlockInfo> blocks_;
  // May be shorter than the table: the statements after its end have no range.
  std::vector<SourceRange> ranges_;
};

// A statement as a value: a table and an id in it. `As<For>()` and the like give access to the parts of a kind of
// statement.
class Stmt {
 public:
  Stmt(const StmtTable& table, StmtId id) : table_(&table), id_(id) {}

  auto table() const -> const StmtTable& { return *table_; }
  auto context() const -> Context& { return table_->context(); }
  auto id() const -> StmtId { return id_; }
  auto kind() const -> StmtKind { return table_->kind(id_); }
  auto is(StmtKind kind) const -> bool { return this->kind() == kind; }
  auto num_parts() const -> size_t { return table_->parts(id_).size(); }
  auto part(size_t i) const -> Stmt { return {*table_, table_->parts(id_)[i]}; }
  auto parts() const -> std::span<const StmtId> { return table_->parts(id_); }
  auto exprs() const -> std::span<const PrimExpr> { return table_->exprs(id_); }
  auto expr(size_t i) const -> PrimExpr { return exprs()[i]; }
  auto range() const -> SourceRange { return table_->range(id_); }
  auto Contains(Stmt inner) const -> bool { return table_->Contains(id_, inner.id_); }

  // Returns the statement as a `View` (For, Block, ...), or nothing if it is of another kind.
  template <typename View>
  auto As() const -> std::optional<View> {
    return kind() == View::kKind ? std::optional<View>(View(*this)) : std::nullopt;
  }
  friend auto operator==(const Stmt& a, const Stmt& b) -> bool { return a.table_ == b.table_ && a.id_ == b.id_; }

 protected:
  auto fixed(size_t i) const -> uint32_t { return table_->fixed(id_)[i]; }
  // Returns the expressions from `begin` up to, not including, the last `end`.
  auto ExprsBetween(size_t begin, size_t end) const -> std::span<const PrimExpr> {
    const auto all = exprs();
    return all.subspan(begin, all.size() - begin - end);
  }

 private:
  const StmtTable* table_;
  StmtId id_;
};

inline auto StmtTable::operator[](StmtId id) const -> Stmt { return {*this, id}; }

// The minimum and extent of each dimension, alternating.
using Bounds = std::span<const PrimExpr>;

// Views of the statements, one class for each kind; StmtNode lists what each consists of.
class LetStmt : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kLet;
  explicit LetStmt(Stmt stmt) : Stmt(stmt) {}
  auto var() const -> PrimExpr { return PrimExpr(fixed(0)); }
  auto value() const -> PrimExpr { return expr(0); }
  auto body() const -> Stmt { return part(0); }
};

class AttrStmt : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kAttr;
  explicit AttrStmt(Stmt stmt) : Stmt(stmt) {}
  auto key() const -> StringId { return StringId(fixed(0)); }
  auto key_text() const -> std::string_view { return context().text(key()); }
  // Returns the thread that is launched for the body, for the keys `thread_extent` and `virtual_thread`, or invalid for
  // other keys.
  auto launched_thread() const -> IterVarId {
    const bool launches = key_text() == "thread_extent" || key_text() == "virtual_thread";
    return launches ? node().iter_var() : IterVarId();
  }
  auto node() const -> AttrNode {
    AttrNode node;
    node.kind = static_cast<AttrNode::Kind>(fixed(1));
    node.id = fixed(2);
    return node;
  }
  auto value() const -> PrimExpr { return expr(0); }
  auto body() const -> Stmt { return part(0); }
};

class AssertStmt : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kAssert;
  explicit AssertStmt(Stmt stmt) : Stmt(stmt) {}
  auto condition() const -> PrimExpr { return expr(0); }
  auto message() const -> PrimExpr { return expr(1); }
  auto body() const -> Stmt { return part(0); }
};

class BufferStore : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kStore;
  explicit BufferStore(Stmt stmt) : Stmt(stmt) {}
  auto buffer() const -> BufferId { return BufferId(fixed(0)); }
  auto value() const -> PrimExpr { return expr(0); }
  auto indices() const -> std::span<const PrimExpr> { return ExprsBetween(1, 0); }
};

class BufferRealize : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kRealize;
  explicit BufferRealize(Stmt stmt) : Stmt(stmt) {}
  auto buffer() const -> BufferId { return BufferId(fixed(0)); }
  auto bounds() const -> Bounds { return ExprsBetween(0, 1); }
  auto condition() const -> PrimExpr { return exprs().back(); }
  auto body() const -> Stmt { return part(0); }
};

class Allocate : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kAllocate;
  explicit Allocate(Stmt stmt) : Stmt(stmt) {}
  auto buffer_var() const -> PrimExpr { return PrimExpr(fixed(0)); }
  auto dtype() const -> DataType { return std::bit_cast<DataType>(fixed(1)); }
  // Returns a map, or invalid.
  auto annotations() const -> ObjectId { return ObjectId(fixed(2)); }
  auto extents() const -> std::span<const PrimExpr> { return ExprsBetween(0, 1); }
  auto condition() const -> PrimExpr { return exprs().back(); }
  auto body() const -> Stmt { return part(0); }
};

class AllocateConst : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kAllocateConst;
  explicit AllocateConst(Stmt stmt) : Stmt(stmt) {}
  auto buffer_var() const -> PrimExpr { return PrimExpr(fixed(0)); }
  auto dtype() const -> DataType { return std::bit_cast<DataType>(fixed(1)); }
  // Returns a map, or invalid.
  auto annotations() const -> ObjectId { return ObjectId(fixed(2)); }
  // Returns the elements, or invalid if they are among the constants of the module.
  auto data() const -> ConstantId { return ConstantId(fixed(3)); }
  // Returns the index in the module's attribute "constants", when `data` is invalid.
  auto module_index() const -> uint32_t { return fixed(4); }
  auto extents() const -> std::span<const PrimExpr> { return exprs(); }
  auto body() const -> Stmt { return part(0); }
};

class DeclBuffer : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kDeclBuffer;
  explicit DeclBuffer(Stmt stmt) : Stmt(stmt) {}
  auto buffer() const -> BufferId { return BufferId(fixed(0)); }
  auto body() const -> Stmt { return part(0); }
};

class SeqStmt : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kSeq;
  explicit SeqStmt(Stmt stmt) : Stmt(stmt) {}
};

class Evaluate : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kEvaluate;
  explicit Evaluate(Stmt stmt) : Stmt(stmt) {}
  auto value() const -> PrimExpr { return expr(0); }
};

class IfThenElse : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kIf;
  explicit IfThenElse(Stmt stmt) : Stmt(stmt) {}
  auto condition() const -> PrimExpr { return expr(0); }
  auto then_case() const -> Stmt { return part(0); }
  auto has_else() const -> bool { return num_parts() == 2; }
  // Only when has_else().
  auto else_case() const -> Stmt { return part(1); }
};

class For : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kFor;
  explicit For(Stmt stmt) : Stmt(stmt) {}
  auto loop_var() const -> PrimExpr { return PrimExpr(fixed(0)); }
  auto for_kind() const -> ForKind { return static_cast<ForKind>(fixed(1)); }
  // Returns the iteration variable of a kThreadBinding loop; invalid otherwise.
  auto thread_binding() const -> IterVarId { return IterVarId(fixed(2)); }
  // Returns a map, or invalid.
  auto annotations() const -> ObjectId { return ObjectId(fixed(3)); }
  auto min() const -> PrimExpr { return expr(0); }
  auto extent() const -> PrimExpr { return expr(1); }
  auto body() const -> Stmt { return part(0); }
};

class While : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kWhile;
  explicit While(Stmt stmt) : Stmt(stmt) {}
  auto condition() const -> PrimExpr { return expr(0); }
  auto body() const -> Stmt { return part(0); }
};

class Prefetch : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kPrefetch;
  explicit Prefetch(Stmt stmt) : Stmt(stmt) {}
  auto buffer() const -> BufferId { return BufferId(fixed(0)); }
  auto bounds() const -> Bounds { return exprs(); }
};

class Block : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kBlock;
  explicit Block(Stmt stmt) : Stmt(stmt) {}
  auto info() const -> const BlockInfo& { return table().block(id()); }
  auto name() const -> StringId { return info().name; }
  auto axes() const -> std::span<const BlockAxis> { return info().axes; }
  auto axis_min(size_t i) const -> PrimExpr { return expr(2 * i); }
  auto axis_extent(size_t i) const -> PrimExpr { return expr(2 * i + 1); }
  auto reads() const -> std::span<const BlockRegion> { return info().reads; }
  auto writes() const -> std::span<const BlockRegion> { return info().writes; }
  auto alloc_buffers() const -> std::span<const BufferId> { return info().alloc_buffers; }
  auto match_buffers() const -> std::span<const BlockMatch> { return info().match_buffers; }
  // Returns a map, or invalid.
  auto annotations() const -> ObjectId { return info().annotations; }
  auto bounds(const BlockRegion& region) const -> Bounds {
    return exprs().subspan(region.first, size_t{2} * region.ndim);
  }
  auto body() const -> Stmt { return part(num_parts() - 1); }
  auto has_init() const -> bool { return num_parts() == 2; }
  // Only when has_init().
  auto init() const -> Stmt { return part(0); }
};

class BlockRealize : public Stmt {
 public:
  static constexpr StmtKind kKind = StmtKind::kBlockRealize;
  explicit BlockRealize(Stmt stmt) : Stmt(stmt) {}
  auto values() const -> std::span<const PrimExpr> { return ExprsBetween(0, 1); }
  auto predicate() const -> PrimExpr { return exprs().back(); }
  auto block() const -> Block { return Block(part(0)); }
};

}  // namespace relayopt::tir
