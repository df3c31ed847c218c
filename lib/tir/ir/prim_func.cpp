// Statement tables: names, building and laying out.
#include "relayopt/tir/ir/prim_func.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr std::array<std::string_view, 16> kStmtNames = {
    "LetStmt", "AttrStmt", "AssertStmt", "BufferStore", "BufferRealize", "Allocate", "AllocateConst", "DeclBuffer",
    "SeqStmt", "Evaluate", "IfThenElse", "For",         "While",         "Prefetch", "Block",         "BlockRealize"};

}  // namespace

auto Name(StmtKind kind) -> std::string_view { return kStmtNames[static_cast<size_t>(kind)]; }

ParamBuffers::ParamBuffers(const PrimFunc& func) {
  buffers_.reserve(func.buffer_map().size());
  for (const BufferBinding& binding : func.buffer_map()) buffers_.try_emplace(binding.param, binding.buffer);
}

auto ParamBuffers::operator[](PrimExpr param) const -> BufferId {
  const auto found = buffers_.find(param);
  return found == buffers_.end() ? BufferId() : found->second;
}

auto PrimFunc::FindAttr(std::string_view key) const -> ObjectId {
  for (const DictAttr& attr : info_.attrs) {
    if (context().text(attr.key) == key) return attr.value;
  }
  return {};
}

auto PrimFunc::IntAttr(std::string_view key, int64_t otherwise) const -> int64_t {
  const ObjectId value = FindAttr(key);
  if (!value || context().object(value).kind != ObjectKind::kInt) return otherwise;
  return context().object(value).integer;
}

auto PrimFunc::StringAttr(std::string_view key) const -> StringId {
  const ObjectId value = FindAttr(key);
  if (!value || context().object(value).kind != ObjectKind::kString) return {};
  return context().object(value).text;
}

void PrimFunc::SetAttr(std::string_view key, ObjectId value) {
  const StringId id = context().Intern(key);
  std::erase_if(info_.attrs, [&](const DictAttr& attr) { return attr.key == id && !value; });
  for (DictAttr& attr : info_.attrs) {
    if (attr.key == id) {
      attr.value = value;
      return;
    }
  }
  if (value) info_.attrs.push_back({id, value});
}

auto Same(const PrimFunc& a, const PrimFunc& b) -> bool {
  const PrimFuncInfo& x = a.info();
  const PrimFuncInfo& y = b.info();
  const auto same_attr = [](const DictAttr& p, const DictAttr& q) { return p.key == q.key && p.value == q.value; };
  if (a.size() != b.size() || x.params != y.params || x.buffer_map != y.buffer_map || !(x.ret_type == y.ret_type) ||
      !std::ranges::equal(x.attrs, y.attrs, same_attr)) {
    return false;
  }
  for (StmtId id(0U); id.value() < a.size(); ++id) {
    const StmtTable& s = a.stmts();
    const StmtTable& t = b.stmts();
    if (s.kind(id) != t.kind(id) || !std::ranges::equal(s.parts(id), t.parts(id)) ||
        !std::ranges::equal(s.exprs(id), t.exprs(id))) {
      return false;
    }
    const bool same =
        s.kind(id) == StmtKind::kBlock ? s.block(id) == t.block(id) : std::ranges::equal(s.fixed(id), t.fixed(id));
    if (!same) return false;
  }
  return true;
}

auto StmtBuilder::Add(StmtKind kind, std::initializer_list<uint32_t> fixed, std::span<const StmtId> parts,
                      std::span<const PrimExpr> exprs, std::initializer_list<PrimExpr> more) -> StmtId {
  return Add(kind, std::span(fixed.begin(), fixed.size()), parts, exprs, std::span(more.begin(), more.size()));
}

auto StmtBuilder::Add(StmtKind kind, std::span<const uint32_t> fixed, std::span<const StmtId> parts,
                      std::span<const PrimExpr> exprs, std::span<const PrimExpr> more) -> StmtId {
  const StmtId id(static_cast<uint32_t>(table_.nodes_.size()));
  StmtNode node{};
  RELAYOPT_CHECK(parts.size() <= StmtNode::kMaxParts, "a statement has room for its parts");
  RELAYOPT_CHECK(kind != StmtKind::kBlockRealize || table_.kind(parts[0]) == StmtKind::kBlock, "a block is realized");
  node.kind_and_parts = static_cast<uint32_t>(kind) << StmtNode::kPartBits | static_cast<uint32_t>(parts.size());
  node.num_exprs = static_cast<uint32_t>(exprs.size() + more.size());
  node.words = static_cast<uint32_t>(table_.words_.size());
  node.first = id.value();
  // The parts of a laid-out statement are directly before it, one after the other.
  for (size_t i = parts.size(); i-- > 0;) {
    RELAYOPT_CHECK(parts[i] < id, "a part of a statement comes before it");
    if (parts[i].value() + 1 != node.first) laid_out_ = false;
    node.first = table_.nodes_[parts[i].value()].first;
  }
  // The given words may belong to this table, which is about to grow.
  const size_t size = fixed.size() + parts.size() + exprs.size() + more.size();
  std::vector<uint32_t>& words = table_.words_;
  std::vector<uint32_t> before;
  if (words.capacity() - words.size() < size) {
    before.reserve(std::max(2 * words.capacity(), words.size() + size));
    before.assign(words.begin(), words.end());
    words.swap(before);
  }
  const auto append = [&](const auto& span) {
    for (const auto item : span) words.push_back(std::bit_cast<uint32_t>(item));
  };
  append(fixed);
  append(parts);
  append(exprs);
  append(more);
  table_.nodes_.push_back(node);
  return id;
}

auto StmtBuilder::Let(PrimExpr var, PrimExpr value, StmtId body) -> StmtId {
  return Add(StmtKind::kLet, {var.value()}, {&body, 1}, {&value, 1});
}

auto StmtBuilder::Attr(AttrNode node, StringId key, PrimExpr value, StmtId body) -> StmtId {
  return Add(StmtKind::kAttr, {key.value(), static_cast<uint32_t>(node.kind), node.id}, {&body, 1}, {&value, 1});
}

auto StmtBuilder::Assert(PrimExpr condition, PrimExpr message, StmtId body) -> StmtId {
  return Add(StmtKind::kAssert, {}, {&body, 1}, {}, {condition, message});
}

auto StmtBuilder::Store(BufferId buffer, PrimExpr value, std::span<const PrimExpr> indices) -> StmtId {
  RELAYOPT_CHECK(indices.size() == tables().buffer(buffer).ndim(), "a store has an index for each dimension");
  return Add(StmtKind::kStore, std::initializer_list<uint32_t>{buffer.value()}, {}, {&value, 1}, indices);
}

auto StmtBuilder::Realize(BufferId buffer, Bounds bounds, PrimExpr condition, StmtId body) -> StmtId {
  return Add(StmtKind::kRealize, {buffer.value()}, {&body, 1}, bounds, {condition});
}

auto StmtBuilder::Allocate(PrimExpr buffer_var, DataType dtype, std::span<const PrimExpr> extents, PrimExpr condition,
                           StmtId body, ObjectId annotations) -> StmtId {
  return Add(StmtKind::kAllocate, {buffer_var.value(), std::bit_cast<uint32_t>(dtype), annotations.value()}, {&body, 1},
             extents, {condition});
}

auto StmtBuilder::AllocateConst(PrimExpr buffer_var, DataType dtype, std::span<const PrimExpr> extents, ConstantId data,
                                uint32_t module_index, StmtId body, ObjectId annotations) -> StmtId {
  return Add(StmtKind::kAllocateConst,
             {buffer_var.value(), std::bit_cast<uint32_t>(dtype), annotations.value(), data.value(), module_index},
             {&body, 1}, extents);
}

auto StmtBuilder::DeclBuffer(BufferId buffer, StmtId body) -> StmtId {
  return Add(StmtKind::kDeclBuffer, {buffer.value()}, {&body, 1}, {});
}

auto StmtBuilder::Seq(std::span<const StmtId> stmts) -> StmtId {
  const auto is_nothing = [this](StmtId id) {
    return table_.kind(id) == StmtKind::kEvaluate && terms().IsInt(table_.exprs(id)[0], 0);
  };
  if (stmts.size() == 1 && !is_nothing(stmts[0])) return stmts[0];
  const bool flat = std::none_of(stmts.begin(), stmts.end(),
                                 [&](StmtId id) { return table_.kind(id) == StmtKind::kSeq || is_nothing(id); });
  if (flat && stmts.size() > 1) return Add(StmtKind::kSeq, {}, stmts, {});
  // Sequences in the table are flat, so flattening one level is enough.
  std::vector<StmtId> all;
  for (const StmtId id : stmts) {
    const std::span<const StmtId> inner = table_.kind(id) == StmtKind::kSeq ? table_.parts(id) : std::span(&id, 1);
    std::copy_if(inner.begin(), inner.end(), std::back_inserter(all), [&](StmtId part) { return !is_nothing(part); });
  }
  if (all.empty()) return NoOp();
  if (all.size() == 1) return all[0];
  return Add(StmtKind::kSeq, {}, all, {});
}

auto StmtBuilder::Evaluate(PrimExpr value) -> StmtId { return Add(StmtKind::kEvaluate, {}, {}, {&value, 1}); }

auto StmtBuilder::NoOp() -> StmtId { return Evaluate(terms().Int32(0)); }

auto StmtBuilder::If(PrimExpr condition, StmtId then_case, StmtId else_case) -> StmtId {
  const StmtId cases[] = {then_case, else_case};
  return Add(StmtKind::kIf, {}, std::span(cases, else_case ? 2 : 1), {&condition, 1});
}

auto StmtBuilder::For(PrimExpr loop_var, PrimExpr min, PrimExpr extent, ForKind kind, StmtId body,
                      IterVarId thread_binding, ObjectId annotations) -> StmtId {
  return Add(StmtKind::kFor,
             {loop_var.value(), static_cast<uint32_t>(kind), thread_binding.value(), annotations.value()}, {&body, 1},
             {}, {min, extent});
}

auto StmtBuilder::While(PrimExpr condition, StmtId body) -> StmtId {
  return Add(StmtKind::kWhile, {}, {&body, 1}, {&condition, 1});
}

auto StmtBuilder::Prefetch(BufferId buffer, Bounds bounds) -> StmtId {
  return Add(StmtKind::kPrefetch, {buffer.value()}, {}, bounds);
}

auto StmtBuilder::Block(BlockInfo info, std::span<const PrimExpr> exprs, StmtId body, StmtId init) -> StmtId {
  const StmtId parts[] = {init, body};
  table_.blocks_.push_back(std::move(info));
  return Add(StmtKind::kBlock, {static_cast<uint32_t>(table_.blocks_.size() - 1)},
             init ? std::span(parts) : std::span(parts).subspan(1), exprs);
}

auto StmtBuilder::TakeBackBlock() -> BlockInfo {
  RELAYOPT_CHECK(table_.nodes_.back().kind() == static_cast<uint32_t>(StmtKind::kBlock), "a block is taken back");
  BlockInfo info = std::move(table_.blocks_.back());
  table_.blocks_.pop_back();
  table_.words_.resize(table_.nodes_.back().words);
  table_.nodes_.pop_back();
  if (table_.ranges_.size() > table_.nodes_.size()) table_.ranges_.pop_back();
  return info;
}

auto StmtBuilder::BlockRealize(std::span<const PrimExpr> values, PrimExpr predicate, StmtId block) -> StmtId {
  return Add(StmtKind::kBlockRealize, {}, {&block, 1}, values, {predicate});
}

auto StmtBuilder::Copy(Stmt stmt, std::span<const StmtId> parts, std::span<const PrimExpr> exprs) -> StmtId {
  return Copy(stmt, stmt.table().fixed(stmt.id()), parts, exprs);
}

auto StmtBuilder::Copy(Stmt stmt, std::span<const uint32_t> fixed, std::span<const StmtId> parts,
                       std::span<const PrimExpr> exprs) -> StmtId {
  StmtId made;
  if (stmt.is(StmtKind::kSeq)) {
    made = Seq(parts);
    // The result of Seq may be a statement with a range of its own.
    if (table_.kind(made) != StmtKind::kSeq) return made;
  } else if (stmt.is(StmtKind::kBlock)) {
    const bool has_init = parts.size() == 2;
    made = Block(stmt.table().block(stmt.id()), exprs, parts.back(), has_init ? parts[0] : StmtId());
  } else {
    made = Add(stmt.kind(), fixed, parts, exprs, std::span<const PrimExpr>());
  }
  if (stmt.range().valid()) SetRange(made, stmt.range());
  return made;
}

auto StmtBuilder::CopyTree(Stmt stmt) -> StmtId {
  // In a laid-out table the tree is an interval; the parts of a statement are the trees that were added last.
  std::vector<StmtId> done;
  Walk(
      stmt, [](Stmt) { return true; },
      [&](Stmt old) {
        const std::span parts = std::span(done).last(old.num_parts());
        const StmtId made = Copy(old, parts, old.exprs());
        done.resize(done.size() - old.num_parts());
        done.push_back(made);
      });
  return done.back();
}

void StmtBuilder::SetRange(StmtId id, SourceRange range) {
  std::vector<SourceRange>& ranges = table_.ranges_;
  if (id.value() < ranges.size()) {
    ranges[id.value()] = range;
    return;
  }
  if (id.value() == ranges.size() && ranges.size() < ranges.capacity()) return ranges.push_back(range);
  ranges.reserve(table_.nodes_.capacity());
  if (ranges.size() < id.value()) ranges.resize(id.value());
  ranges.push_back(range);
}

void StmtBuilder::Reserve(size_t stmts) {
  table_.nodes_.reserve(stmts);
  table_.words_.reserve(4 * stmts);
}

auto StmtBuilder::Finish(StmtId body) -> StmtTable {
  const StmtNode& root = table_.nodes_[body.value()];
  StmtTable result(context());
  if (laid_out_ && body.value() + 1 == table_.nodes_.size() && root.first == 0) {
    result = std::move(table_);
  } else {
    StmtBuilder fresh(context());
    fresh.Reserve(table_.size());
    fresh.CopyTree(table_[body]);
    result = std::move(fresh.table_);
  }
  *this = StmtBuilder(context());
  return result;
}

}  // namespace relayopt::tir
