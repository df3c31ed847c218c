// PrimFunc: a tensor program, with parameters, buffers bound to them, and a table of statements.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/module.h"
#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// Binds a buffer to a parameter, which is a handle of it.
struct BufferBinding {
  PrimExpr param;
  BufferId buffer;
  friend auto operator==(const BufferBinding&, const BufferBinding&) -> bool = default;
};

// What a PrimFunc has besides its statements.
struct PrimFuncInfo {
  // The parameters, which are variables.
  std::vector<PrimExpr> params;
  // In the order in which the bindings were created.
  std::vector<BufferBinding> buffer_map;
  // The return type; the empty tuple when nothing is returned.
  VarType ret_type{VarType::Kind::kTuple, {}, {}};
  // Attributes with distinct keys.
  std::vector<DictAttr> attrs;
};

// The kind of tensor programs.
inline constexpr FunctionKind kPrimFuncs = {.name = "tir", .pass_level = "PrimFunc"};

// A TIR function. Immutable once it is in a module; made by StmtBuilder or by a Rewriter. Its table is laid out: it
// contains exactly the body, in post-order, so that the body is the last statement, and [first(s), s] is the statement
// s with all that is inside.
class PrimFunc final : public GlobalFunction {
 public:
  static constexpr const FunctionKind& kFunctionKind = kPrimFuncs;

  // `stmts` must be laid out (StmtBuilder::Finish does it).
  PrimFunc(PrimFuncInfo info, StmtTable stmts)
      : GlobalFunction(kFunctionKind), info_(std::move(info)), stmts_(std::move(stmts)) {}

  auto context() const -> Context& { return stmts_.context(); }
  auto terms() const -> Terms& { return tables().terms(); }
  auto tables() const -> Tables& { return context().Part<Tables>(); }

  auto stmts() const -> const StmtTable& { return stmts_; }
  auto size() const -> size_t { return stmts_.size(); }
  auto stmt(StmtId id) const -> Stmt { return stmts_[id]; }
  auto body() const -> Stmt { return stmts_[StmtId(static_cast<uint32_t>(stmts_.size() - 1))]; }

  auto info() const -> const PrimFuncInfo& { return info_; }
  auto mutable_info() -> PrimFuncInfo& { return info_; }
  auto params() const -> std::span<const PrimExpr> { return info_.params; }
  auto buffer_map() const -> std::span<const BufferBinding> { return info_.buffer_map; }
  auto ret_type() const -> const VarType& { return info_.ret_type; }
  auto attrs() const -> std::span<const DictAttr> { return info_.attrs; }
  // Returns the value of an attribute, or invalid if it is missing.
  auto FindAttr(std::string_view key) const -> ObjectId;
  // Returns the value of an attribute as an integer, or as a string; `otherwise`, or invalid, when it is missing or of
  // another type.
  auto IntAttr(std::string_view key, int64_t otherwise = 0) const -> int64_t;
  auto StringAttr(std::string_view key) const -> StringId;
  // Adds or replaces an attribute, or removes it (invalid value).
  void SetAttr(std::string_view key, ObjectId value);

 private:
  PrimFuncInfo info_;
  StmtTable stmts_;
};

// The buffers bound to the parameters of a function, for those that ask for many of them.
class ParamBuffers {
 public:
  ParamBuffers() = default;
  explicit ParamBuffers(const PrimFunc& func);

  // Returns the buffer bound to a parameter, or invalid if it has none.
  auto operator[](PrimExpr param) const -> BufferId;

 private:
  absl::flat_hash_map<PrimExpr, BufferId> buffers_;
};

// Whether both are the same program with identical variables, buffers and attribute values, as after a rewrite that
// changed nothing. (equality.h compares up to names of variables.)
auto Same(const PrimFunc& a, const PrimFunc& b) -> bool;

// Builds statements from parts to wholes. Nothing folds or matches types here; the checks are TVM's and stop the
// program, so readers of text check first.
//
//   StmtBuilder b(context);
//   const StmtId store = b.Store(buffer, value, {{i}});
//   const StmtId loop = b.For(i, zero, extent, ForKind::kSerial, store);
//   PrimFunc func(info, b.Finish(loop));
class StmtBuilder {
 public:
  explicit StmtBuilder(Context& context) : table_(context) {}

  auto context() const -> Context& { return table_.context(); }
  auto terms() const -> Terms& { return context().Part<Terms>(); }
  auto tables() const -> Tables& { return context().Part<Tables>(); }
  // Returns the statements built so far, which need not be laid out.
  auto table() const -> const StmtTable& { return table_; }
  auto stmt(StmtId id) const -> Stmt { return table_[id]; }

  auto Let(PrimExpr var, PrimExpr value, StmtId body) -> StmtId;
  auto Attr(AttrNode node, StringId key, PrimExpr value, StmtId body) -> StmtId;
  auto Attr(AttrNode node, std::string_view key, PrimExpr value, StmtId body) -> StmtId {
    return Attr(node, context().Intern(key), value, body);
  }
  auto Assert(PrimExpr condition, PrimExpr message, StmtId body) -> StmtId;
  auto Store(BufferId buffer, PrimExpr value, std::span<const PrimExpr> indices) -> StmtId;
  auto Realize(BufferId buffer, Bounds bounds, PrimExpr condition, StmtId body) -> StmtId;
  // `annotations` is a map, or invalid.
  auto Allocate(PrimExpr buffer_var, DataType dtype, std::span<const PrimExpr> extents, PrimExpr condition, StmtId body,
                ObjectId annotations = {}) -> StmtId;
  // Uses `data`, or `module_index` when `data` is invalid.
  auto AllocateConst(PrimExpr buffer_var, DataType dtype, std::span<const PrimExpr> extents, ConstantId data,
                     uint32_t module_index, StmtId body, ObjectId annotations = {}) -> StmtId;
  auto DeclBuffer(BufferId buffer, StmtId body) -> StmtId;
  // Returns a sequence of statements. Nested sequences are flattened, and `Evaluate(0)` is left out; when nothing
  // remains the result is `Evaluate(0)`, and a single remaining statement is the result itself.
  auto Seq(std::span<const StmtId> stmts) -> StmtId;
  auto Seq(std::initializer_list<StmtId> stmts) -> StmtId { return Seq(std::span(stmts.begin(), stmts.size())); }
  auto Evaluate(PrimExpr value) -> StmtId;
  // `Evaluate(0)`, the statement that does nothing.
  auto NoOp() -> StmtId;
  // `else_case` may be invalid.
  auto If(PrimExpr condition, StmtId then_case, StmtId else_case = {}) -> StmtId;
  auto For(PrimExpr loop_var, PrimExpr min, PrimExpr extent, ForKind kind, StmtId body, IterVarId thread_binding = {},
           ObjectId annotations = {}) -> StmtId;
  auto While(PrimExpr condition, StmtId body) -> StmtId;
  auto Prefetch(BufferId buffer, Bounds bounds) -> StmtId;
  // `exprs` are in the order that StmtNode describes; `init` may be invalid.
  auto Block(BlockInfo info, std::span<const PrimExpr> exprs, StmtId body, StmtId init = {}) -> StmtId;
  auto BlockRealize(std::span<const PrimExpr> values, PrimExpr predicate, StmtId block) -> StmtId;
  // Removes the last statement, a block that is no part of another, and returns what it was made of.
  auto TakeBackBlock() -> BlockInfo;

  // Copies a statement, which may be in another table of the context, with other parts and expressions. Their numbers
  // must be the same, except that a sequence may get any number of parts, and is flattened. The source range is copied,
  // too.
  auto Copy(Stmt stmt, std::span<const StmtId> parts, std::span<const PrimExpr> exprs) -> StmtId;
  // The same with other fixed words (see StmtNode), for a statement that gets another variable or buffer.
  auto Copy(Stmt stmt, std::span<const uint32_t> fixed, std::span<const StmtId> parts, std::span<const PrimExpr> exprs)
      -> StmtId;
  // Copies a statement of another table, with everything inside.
  auto CopyTree(Stmt stmt) -> StmtId;

  void SetRange(StmtId id, SourceRange range);
  void Reserve(size_t stmts);

  // Lays the table out with `body` as its last statement: drops what is not inside `body`, and copies what is used
  // several times for each use. The builder is empty afterwards.
  auto Finish(StmtId body) -> StmtTable;

 private:
  auto Add(StmtKind kind, std::span<const uint32_t> fixed, std::span<const StmtId> parts,
           std::span<const PrimExpr> exprs, std::span<const PrimExpr> more) -> StmtId;
  auto Add(StmtKind kind, std::initializer_list<uint32_t> fixed, std::span<const StmtId> parts,
           std::span<const PrimExpr> exprs, std::initializer_list<PrimExpr> more = {}) -> StmtId;

  StmtTable table_;
  // Whether the parts of every statement so far directly precede it.
  bool laid_out_ = true;
};

}  // namespace relayopt::tir
