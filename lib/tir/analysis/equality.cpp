// Structural equality: both programs are walked side by side, definitions before uses.
#include "relayopt/tir/analysis/equality.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace relayopt::tir {

namespace {

class Comparer {
 public:
  Comparer(Context& context, FreeVars free_vars)
      : context_(context),
        terms_(context.Part<Terms>()),
        tables_(context.Part<Tables>()),
        map_free_(free_vars == FreeVars::kMapped) {}

  auto Functions(const PrimFunc& a, const PrimFunc& b) -> bool {
    if (a.params().size() != b.params().size() || a.buffer_map().size() != b.buffer_map().size()) return false;
    for (size_t i = 0; i < a.params().size(); ++i) {
      if (!Define(a.params()[i], b.params()[i])) return false;
    }
    const ParamBuffers buffers(b);
    for (const BufferBinding& binding : a.buffer_map()) {
      const BufferId other = buffers[vars_[binding.param]];
      if (!other || !Buffers(binding.buffer, other)) return false;
    }
    return a.ret_type() == b.ret_type() && Stmts(a.body(), b.body()) && Attrs(a.attrs(), b.attrs());
  }

  auto Stmts(Stmt a, Stmt b) -> bool {
    std::vector<std::pair<Stmt, Stmt>> stack = {{a, b}};
    while (!stack.empty()) {
      const auto [x, y] = stack.back();
      stack.pop_back();
      if (!Heads(x, y)) return false;
      for (size_t i = x.num_parts(); i-- > 0;) stack.emplace_back(x.part(i), y.part(i));
    }
    return true;
  }

  // Terms under the correspondence of variables. What was found equal stays so: the correspondence only grows.
  auto EqualTerms(PrimExpr a, PrimExpr b) -> bool {
    std::vector<std::pair<PrimExpr, PrimExpr>> stack = {{a, b}};
    while (!stack.empty()) {
      const auto [x, y] = stack.back();
      stack.pop_back();
      if (terms_.is_var(x)) {
        if (!Use(x, y)) return false;
        continue;
      }
      if (!equal_.insert({x, y}).second) continue;
      const PrimKind kind = terms_.kind(x);
      const auto p = terms_.operands(x);
      const auto q = terms_.operands(y);
      if (kind != terms_.kind(y) || terms_.dtype(x) != terms_.dtype(y) || p.size() != q.size() || !Payload(x, y)) {
        return false;
      }
      if (kind == PrimKind::kLet) {
        // The variable is defined before the body is looked at.
        if (!Define(p[0], q[0])) return false;
        stack.emplace_back(p[2], q[2]);
        stack.emplace_back(p[1], q[1]);
        continue;
      }
      for (size_t i = p.size(); i-- > 0;) stack.emplace_back(p[i], q[i]);
    }
    return true;
  }

 private:
  auto Payload(PrimExpr x, PrimExpr y) -> bool {
    switch (terms_.kind(x)) {
      case PrimKind::kIntImm: return terms_.int_value(x) == terms_.int_value(y);
      case PrimKind::kFloatImm: {
        const double a = terms_.float_value(x);
        const double b = terms_.float_value(y);
        return a == b || std::abs(a - b) < 1e-9 || (std::isnan(a) && std::isnan(b));
      }
      case PrimKind::kStringImm: return terms_.string_value(x) == terms_.string_value(y);
      case PrimKind::kBufferLoad: return Buffers(terms_.buffer(x), terms_.buffer(y));
      case PrimKind::kCall: return terms_.call_op(x) == terms_.call_op(y);
      case PrimKind::kShuffle: return terms_.num_vectors(x) == terms_.num_vectors(y);
      case PrimKind::kReduce: return terms_.reduce(x) == terms_.reduce(y);
      case PrimKind::kAny: return x == y;
      default: return true;
    }
  }

  auto Define(PrimExpr a, PrimExpr b) -> bool {
    if (!terms_.is_var(a) || !terms_.is_var(b) || !(terms_.var(a).type == terms_.var(b).type)) return false;
    const auto [left, is_new] = vars_.try_emplace(a, b);
    const auto [right, is_new_right] = vars_back_.try_emplace(b, a);
    return left->second == b && right->second == a && is_new == is_new_right;
  }

  auto Use(PrimExpr a, PrimExpr b) -> bool {
    if (!terms_.is_var(b)) return false;
    if (const auto found = vars_.find(a); found != vars_.end()) return found->second == b;
    if (vars_back_.contains(b)) return false;
    return map_free_ || in_buffer_ ? Define(a, b) : a == b;
  }

  // The first occurrence of a buffer defines the variables in it.
  auto Buffers(BufferId a, BufferId b) -> bool {
    if (const auto found = buffers_.find(a); found != buffers_.end()) return found->second == b;
    if (!buffers_back_.try_emplace(b, a).second) return false;
    buffers_[a] = b;
    const Buffer& x = tables_.buffer(a);
    const Buffer& y = tables_.buffer(b);
    if (x.dtype != y.dtype || x.data_alignment != y.data_alignment || x.type != y.type ||
        x.axis_separators != y.axis_separators || x.shape.size() != y.shape.size() ||
        x.strides.size() != y.strides.size()) {
      return false;
    }
    const bool before = std::exchange(in_buffer_, true);
    bool same = EqualTerms(x.data, y.data);
    for (size_t i = 0; same && i < x.shape.size(); ++i) same = EqualTerms(x.shape[i], y.shape[i]);
    for (size_t i = 0; same && i < x.strides.size(); ++i) same = EqualTerms(x.strides[i], y.strides[i]);
    same = same && EqualTerms(x.elem_offset, y.elem_offset);
    in_buffer_ = before;
    return same;
  }

  auto IterVars(IterVarId a, IterVarId b) -> bool {
    if (!a || !b) return a == b;
    const IterVar& x = tables_.iter_var(a);
    const IterVar& y = tables_.iter_var(b);
    if (x.type != y.type || Text(x.thread_tag) != Text(y.thread_tag)) return false;
    if (static_cast<bool>(x.domain.min) != static_cast<bool>(y.domain.min)) return false;
    const bool domains =
        !x.domain.min || (EqualTerms(x.domain.min, y.domain.min) && EqualTerms(x.domain.extent, y.domain.extent));
    return domains && Define(x.var, y.var);
  }

  auto Text(StringId id) const -> std::string_view { return id ? context_.text(id) : std::string_view(); }

  auto Reducers(ReducerId a, ReducerId b) -> bool {
    const CommReducer& x = tables_.reducer(a);
    const CommReducer& y = tables_.reducer(b);
    const auto defines = [&](const std::vector<PrimExpr>& p, const std::vector<PrimExpr>& q) {
      return std::equal(p.begin(), p.end(), q.begin(), q.end(), [&](PrimExpr s, PrimExpr t) { return Define(s, t); });
    };
    return defines(x.lhs, y.lhs) && defines(x.rhs, y.rhs) && All(x.result, y.result) && All(x.identity, y.identity);
  }

  auto All(std::span<const PrimExpr> a, std::span<const PrimExpr> b) -> bool {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](PrimExpr x, PrimExpr y) { return EqualTerms(x, y); });
  }

  // Values of attributes. Maps hold their keys in any order.
  auto Objects(ObjectId a, ObjectId b) -> bool {
    if (!a || !b) return a == b;
    const Object& x = context_.object(a);
    const Object& y = context_.object(b);
    if (x.kind != y.kind) return false;
    const auto p = static_cast<uint32_t>(x.integer);
    const auto q = static_cast<uint32_t>(y.integer);
    const RefKind ref = RefKindOf(context_, x);
    if (ref != RefKindOf(context_, y)) return false;
    switch (ref) {
      case RefKind::kNone: break;
      case RefKind::kTarget: return Maps(x, y);
      case RefKind::kPrimExpr: return EqualTerms(PrimExpr(p), PrimExpr(q));
      case RefKind::kBuffer: return Buffers(BufferId(p), BufferId(q));
      case RefKind::kIterVar: return IterVars(IterVarId(p), IterVarId(q));
      case RefKind::kReducer: return Reducers(ReducerId(p), ReducerId(q));
      case RefKind::kIndexMap: {
        const IndexMap& s = tables_.index_map(IndexMapId(p));
        const IndexMap& t = tables_.index_map(IndexMapId(q));
        for (size_t i = 0; i < std::min(s.indices.size(), t.indices.size()); ++i) {
          if (!Define(s.indices[i], t.indices[i])) return false;
        }
        return s.indices.size() == t.indices.size() && All(s.result, t.result);
      }
    }
    switch (x.kind) {
      case ObjectKind::kArray:
        return std::equal(x.items.begin(), x.items.end(), y.items.begin(), y.items.end(),
                          [&](ObjectId s, ObjectId t) { return Objects(s, t); });
      case ObjectKind::kMap: return Maps(x, y);
      default: return context_.EqualObjects(a, b);
    }
  }

  // Compares maps by keys, in any order.
  auto Maps(const Object& x, const Object& y) -> bool {
    if (x.items.size() != y.items.size()) return false;
    // The positions of keys that may be equal.
    absl::flat_hash_map<std::tuple<ObjectKind, StringId, int64_t>, std::vector<size_t>> positions;
    const auto head = [this](ObjectId key) {
      const Object& object = context_.object(key);
      return std::tuple(object.kind, object.text, object.integer);
    };
    for (size_t j = 0; j < y.items.size(); j += 2) positions[head(y.items[j])].push_back(j);
    for (size_t i = 0; i < x.items.size(); i += 2) {
      const auto candidates = positions.find(head(x.items[i]));
      if (candidates == positions.end()) return false;
      const auto same = std::ranges::find_if(candidates->second,
                                             [&](size_t j) { return context_.EqualObjects(x.items[i], y.items[j]); });
      if (same == candidates->second.end() || !Objects(x.items[i + 1], y.items[*same + 1])) return false;
    }
    return true;
  }

  auto Attrs(std::span<const DictAttr> a, std::span<const DictAttr> b) -> bool {
    if (a.size() != b.size()) return false;
    absl::flat_hash_map<StringId, ObjectId> values;
    for (const DictAttr& attr : b) values.try_emplace(attr.key, attr.value);
    return std::ranges::all_of(a, [&](const DictAttr& attr) {
      const auto other = values.find(attr.key);
      return other != values.end() && Objects(attr.value, other->second);
    });
  }

  auto Nodes(AttrNode a, AttrNode b) -> bool {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
      case AttrNode::Kind::kExpr: return EqualTerms(a.expr(), b.expr());
      case AttrNode::Kind::kBuffer: return Buffers(a.buffer(), b.buffer());
      case AttrNode::Kind::kIterVar: return IterVars(a.iter_var(), b.iter_var());
      case AttrNode::Kind::kReducer: return Reducers(a.reducer(), b.reducer());
      case AttrNode::Kind::kObject: return Objects(a.object(), b.object());
    }
    return false;
  }

  auto Constants(ConstantId a, ConstantId b) -> bool {
    if (!a || !b) return a == b;
    const Constant& x = context_.constant(a);
    const Constant& y = context_.constant(b);
    return x.dtype() == y.dtype() && std::ranges::equal(x.shape(), y.shape()) && x.Elements() == y.Elements();
  }

  // Compares two statements except for their parts.
  auto Heads(Stmt a, Stmt b) -> bool {
    if (a.kind() != b.kind() || a.num_parts() != b.num_parts() || a.exprs().size() != b.exprs().size()) return false;
    switch (a.kind()) {
      case StmtKind::kLet: return All(a.exprs(), b.exprs()) && Define(LetStmt(a).var(), LetStmt(b).var());
      case StmtKind::kAttr:
        return AttrStmt(a).key() == AttrStmt(b).key() && All(a.exprs(), b.exprs()) &&
               Nodes(AttrStmt(a).node(), AttrStmt(b).node());
      case StmtKind::kStore:
        return Buffers(BufferStore(a).buffer(), BufferStore(b).buffer()) && All(a.exprs(), b.exprs());
      case StmtKind::kRealize:
        return Buffers(BufferRealize(a).buffer(), BufferRealize(b).buffer()) && All(a.exprs(), b.exprs());
      case StmtKind::kAllocate: {
        const Allocate x(a), y(b);
        return x.dtype() == y.dtype() && Define(x.buffer_var(), y.buffer_var()) && All(a.exprs(), b.exprs()) &&
               Objects(x.annotations(), y.annotations());
      }
      case StmtKind::kAllocateConst: {
        const AllocateConst x(a), y(b);
        return x.dtype() == y.dtype() && Define(x.buffer_var(), y.buffer_var()) && All(a.exprs(), b.exprs()) &&
               Objects(x.annotations(), y.annotations()) && Constants(x.data(), y.data()) &&
               (x.data() || x.module_index() == y.module_index());
      }
      case StmtKind::kDeclBuffer: return Buffers(DeclBuffer(a).buffer(), DeclBuffer(b).buffer());
      case StmtKind::kFor: {
        const For x(a), y(b);
        return x.for_kind() == y.for_kind() && All(a.exprs(), b.exprs()) && Define(x.loop_var(), y.loop_var()) &&
               IterVars(x.thread_binding(), y.thread_binding()) && Objects(x.annotations(), y.annotations());
      }
      case StmtKind::kPrefetch: return Buffers(Prefetch(a).buffer(), Prefetch(b).buffer()) && All(a.exprs(), b.exprs());
      case StmtKind::kBlock: return Blocks(Block(a), Block(b));
      default: return All(a.exprs(), b.exprs());
    }
  }

  auto Blocks(const Block& a, const Block& b) -> bool {
    const BlockInfo& x = a.info();
    const BlockInfo& y = b.info();
    const auto regions = [&](const std::vector<BlockRegion>& p, const std::vector<BlockRegion>& q) {
      return std::equal(p.begin(), p.end(), q.begin(), q.end(), [&](const BlockRegion& s, const BlockRegion& t) {
        return s.ndim == t.ndim && Buffers(s.buffer, t.buffer) && All(a.bounds(s), b.bounds(t));
      });
    };
    const bool axes = std::equal(
        x.axes.begin(), x.axes.end(), y.axes.begin(), y.axes.end(), [&](const BlockAxis& s, const BlockAxis& t) {
          return s.type == t.type && Text(s.thread_tag) == Text(t.thread_tag) && Define(s.var, t.var);
        });
    const bool allocs =
        axes && std::equal(x.alloc_buffers.begin(), x.alloc_buffers.end(), y.alloc_buffers.begin(),
                           y.alloc_buffers.end(), [&](BufferId s, BufferId t) { return Buffers(s, t); });
    const bool matches = allocs && std::equal(x.match_buffers.begin(), x.match_buffers.end(), y.match_buffers.begin(),
                                              y.match_buffers.end(), [&](const BlockMatch& s, const BlockMatch& t) {
                                                return Buffers(s.buffer, t.buffer) && s.source.ndim == t.source.ndim &&
                                                       Buffers(s.source.buffer, t.source.buffer);
                                              });
    return matches && regions(x.reads, y.reads) && regions(x.writes, y.writes) && All(a.exprs(), b.exprs()) &&
           Objects(x.annotations, y.annotations);
  }

  Context& context_;
  Terms& terms_;
  Tables& tables_;
  bool map_free_;
  // Whether the walk is in the fields of a buffer at its first occurrence.
  bool in_buffer_ = false;
  absl::flat_hash_map<PrimExpr, PrimExpr> vars_, vars_back_;
  absl::flat_hash_map<BufferId, BufferId> buffers_, buffers_back_;
  absl::flat_hash_set<std::pair<PrimExpr, PrimExpr>> equal_;
};

}  // namespace

auto StructuralEqual(const PrimFunc& a, const PrimFunc& b, FreeVars free_vars) -> bool {
  return Comparer(a.context(), free_vars).Functions(a, b);
}

auto StructuralEqual(Stmt a, Stmt b, FreeVars free_vars) -> bool {
  return Comparer(a.context(), free_vars).Stmts(a, b);
}

auto StructuralEqual(Context& context, PrimExpr a, PrimExpr b, FreeVars free_vars) -> bool {
  return Comparer(context, free_vars).EqualTerms(a, b);
}

}  // namespace relayopt::tir
