// A tensor program: parameters, buffers bound to them, and a table of statements.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// A parameter that is a handle of this buffer.
struct BufferBinding {
  PrimExpr param;
  BufferId buffer;
  friend auto operator==(const BufferBinding&, const BufferBinding&) -> bool = default;
};

// What a PrimFunc is besides its statements.
struct PrimFuncInfo {
  // Variables.
  std::vector<PrimExpr> params;
  // In the order in which the bindings were made.
  std::vector<BufferBinding> buffer_map;
  // The empty tuple when nothing is returned.
  VarType ret_type{VarType::Kind::kTuple, {}, {}};
  // Keys are different.
  std::vector<DictAttr> attrs;
};

// The kind of tensor programs.
inline constexpr FunctionKind kPrimFuncs = {.name = "tir", .pass_level = "PrimFunc"};

// A TIR function. Immutable once it is in a module; made by StmtBuilder or by a Rewriter. Its table is laid out: it
// holds nothing but the body, in post-order, so the body is the last statement, and [first(s), s] is all that stands in
// s.
class PrimFunc final : public GlobalFunction {
 public:
  static constexpr const FunctionKind& kFunctionKind = kPrimFuncs;

  // `stmts` is laid out (StmtBuilder::Finish does it).
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
  // The buffer bound to a parameter; none when it has none.
  auto BufferOf(PrimExpr param) const -> BufferId;
  auto ret_type() const -> const VarType& { return info_.ret_type; }
  auto attrs() const -> std::span<const DictAttr> { return info_.attrs; }
  // The value of an attribute; none when it is missing.
  auto FindAttr(std::string_view key) const -> ObjectId;
  // The same as an integer or string; `otherwise`, or none, when it is missing or something else.
  auto IntAttr(std::string_view key, int64_t otherwise = 0) const -> int64_t;
  auto StringAttr(std::string_view key) const -> StringId;
  // Adds or replaces; a value of none removes.
  void SetAttr(std::string_view key, ObjectId value);

 private:
  PrimFuncInfo info_;
  StmtTable stmts_;
};

// Whether both are the same program with the same variables, buffers and attribute values: what a rewrite that changed
// nothing makes. (Equal up to names of variables: equality.h.)
auto Same(const PrimFunc& a, const PrimFunc& b) -> bool;

// Builds statements from parts to wholes. Nothing folds or matches types here; the checks are the reference's and stop
// the program, so whoever reads text checks first.
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
  // What has been built so far; statements in it need not be laid out.
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
  // `annotations` is a map or none.
  auto Allocate(PrimExpr buffer_var, DataType dtype, std::span<const PrimExpr> extents, PrimExpr condition, StmtId body,
                ObjectId annotations = {}) -> StmtId;
  // Exactly one of `data` and `module_index` counts: the index where there is no data.
  auto AllocateConst(PrimExpr buffer_var, DataType dtype, std::span<const PrimExpr> extents, ConstantId data,
                     uint32_t module_index, StmtId body, ObjectId annotations = {}) -> StmtId;
  auto DeclBuffer(BufferId buffer, StmtId body) -> StmtId;
  // The statements one after the other: nested sequences are spliced and `Evaluate(0)` is left out; nothing left
  // becomes `Evaluate(0)`, a single one stands for itself.
  auto Seq(std::span<const StmtId> stmts) -> StmtId;
  auto Seq(std::initializer_list<StmtId> stmts) -> StmtId { return Seq(std::span(stmts.begin(), stmts.size())); }
  auto Evaluate(PrimExpr value) -> StmtId;
  // `Evaluate(0)`.
  auto NoOp() -> StmtId;
  // `else_case` may be none.
  auto If(PrimExpr condition, StmtId then_case, StmtId else_case = {}) -> StmtId;
  auto For(PrimExpr loop_var, PrimExpr min, PrimExpr extent, ForKind kind, StmtId body, IterVarId thread_binding = {},
           ObjectId annotations = {}) -> StmtId;
  auto While(PrimExpr condition, StmtId body) -> StmtId;
  auto Prefetch(BufferId buffer, Bounds bounds) -> StmtId;
  // `exprs` as StmtNode says; `init` may be none.
  auto Block(BlockInfo info, std::span<const PrimExpr> exprs, StmtId body, StmtId init = {}) -> StmtId;
  auto BlockRealize(std::span<const PrimExpr> values, PrimExpr predicate, StmtId block) -> StmtId;

  // A statement like `stmt`, which may be of another table of the context, with these parts and expressions (as many as
  // it has; a sequence may have any number of parts, and is flattened). Its range comes along.
  auto Copy(Stmt stmt, std::span<const StmtId> parts, std::span<const PrimExpr> exprs) -> StmtId;
  // The same with other fixed words (see StmtNode), for a statement that gets another variable or buffer.
  auto Copy(Stmt stmt, std::span<const uint32_t> fixed, std::span<const StmtId> parts, std::span<const PrimExpr> exprs)
      -> StmtId;
  // `stmt` of another table with all that is in it.
  auto CopyTree(Stmt stmt) -> StmtId;

  void SetRange(StmtId id, SourceRange range);
  void Reserve(size_t stmts);

  // The table laid out with `body` as its last statement: what is not inside of it is left out, and what was used
  // several times is copied for each use. The builder is empty afterwards.
  auto Finish(StmtId body) -> StmtTable;

 private:
  auto Add(StmtKind kind, std::span<const uint32_t> fixed, std::span<const StmtId> parts,
           std::span<const PrimExpr> exprs, std::span<const PrimExpr> more) -> StmtId;
  auto Add(StmtKind kind, std::initializer_list<uint32_t> fixed, std::span<const StmtId> parts,
           std::span<const PrimExpr> exprs, std::initializer_list<PrimExpr> more = {}) -> StmtId;

  StmtTable table_;
  // Whether every statement so far has its parts directly before it.
  bool laid_out_ = true;
};

}  // namespace relayopt::tir
