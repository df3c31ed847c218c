// PointerValueTypeRewrite: pointers to scalars become pointers to vectors where all accesses are vectors.
//
// For each pointer that is declared (parameter, allocation, constant, let) the types of its accesses are collected; an
// access counts as a vector when its index is a ramp of step 1 that begins at a multiple of its length. If there is one
// type of access, and the extents of the memory and of the buffers that are accessed are multiples of its lanes, the
// pointer gets that type, and indices count in vectors:
//
//   A = T.allocate([64], "float32")          A = T.allocate([16], "float32x4")
//   A[i * 4:i * 4 + 4] = ...            ->   A[T.Div(i * 4, 4)] = ...
#include "lib/tir/transforms/storage/pointer_value_type_rewrite.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kUntyped{"pointer-untyped", Severity::kError,
                                  "the variable {} of this let is not a pointer to elements of a known type"};
constexpr DiagnosticKind kOtherVectors{"pointer-type-vectors", Severity::kError,
                                       "the vector type of a buffer on the memory {} differs from that of the memory"};
constexpr DiagnosticKind kUndeclared{"pointer-undeclared", Severity::kError,
                                     "the memory of {} is accessed before anything declares it"};
constexpr DiagnosticKind kDeclaredTwice{"pointer-twice", Severity::kError, "the memory {} is declared twice"};
constexpr DiagnosticKind kLanes{"pointer-lanes", Severity::kError,
                                "this access of {} is not a whole number of vectors of the type of its memory"};

enum class DeclaredBy : uint8_t { kParam, kAllocate, kAllocateConst, kLet };

// The accesses through a pointer.
struct PointerInfo {
  PrimExpr var;
  DataType element;
  // The last extent; a literal 0 when it is not known.
  PrimExpr extent;
  DeclaredBy declared;
  // The types of the accesses, each once, in the order of first occurrence.
  std::vector<DataType> accesses;
  // The types of single elements that are read, with the step between them as the number of lanes.
  std::vector<DataType> scalar_reads;
  // The buffers that are accessed, each once: they determine the extent of memory if it is not known.
  std::vector<BufferId> buffers;
};

auto AsBytes(DataType type) -> DataType {
  return arith::IsBool(type) ? arith::WithLanes(DataType::Int(8), type.lanes) : type;
}

template <typename T>
void AddOnce(std::vector<T>& items, T item) {
  if (std::ranges::find(items, item) == items.end()) items.push_back(item);
}

class PointerChecker {
 public:
  PointerChecker(const PrimFunc& func, const PointerTypeOptions& options)
      : func_(func), tables_(func.tables()), terms_(func.terms()), options_(options), analyzer_(terms_) {}

  auto Run() -> Result<std::vector<PointerInfo>> {
    for (const BufferBinding& binding : func_.buffer_map()) {
      const Buffer& buffer = tables_.buffer(binding.buffer);
      const PrimExpr extent = buffer.shape.empty() ? terms_.Int32(0) : buffer.shape.back();
      Declare({}, buffer.data, buffer.dtype, extent, DeclaredBy::kParam);
    }
    const ParamBuffers buffers(func_);
    for (const PrimExpr param : func_.params()) {
      const arith::VarType& type = terms_.var(param).type;
      if (type.kind != arith::VarType::Kind::kPointer || buffers[param]) continue;
      Declare({}, param, type.dtype, terms_.Int32(0), DeclaredBy::kParam);
    }
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          Visit(stmt);
          return !fault_;
        },
        [](Stmt) {});
    if (fault_) return *std::move(fault_);
    return std::move(pointers_);
  }

  // Returns the type that the pointer should have.
  auto Preferred(const PointerInfo& info) -> DataType {
    std::vector<DataType> bases;
    for (const auto* types : {&info.accesses, &info.scalar_reads}) {
      for (const DataType type : *types) AddOnce(bases, arith::ElementOf(type));
    }
    if (bases.size() != 1) return info.element;
    int lanes = info.element.lanes;
    if (lanes == 1 && info.accesses.size() == 1) {
      const int wanted = info.accesses[0].lanes;
      for (const DataType type : info.scalar_reads) {
        if (type.lanes % wanted != 0) return info.element;
      }
      const auto fits = [&](BufferId id) { return HasVectors(tables_.buffer(id), wanted); };
      if (IsMultiple(info.extent, wanted) && std::ranges::all_of(info.buffers, fits)) lanes = wanted;
    }
    return arith::WithLanes(bases[0], lanes);
  }

 private:
  void Fault(KindFor<std::string_view> kind, Stmt stmt, PrimExpr var) {
    if (!fault_) fault_ = MakeDiagnostic(kind, stmt.range(), func_.context().text(terms_.var(var).name));
  }

  auto IsMultiple(PrimExpr e, int64_t lanes) -> bool {
    const arith::ModularSet set = analyzer_.Modular(e);
    return set.coefficient % lanes == 0 && set.base % lanes == 0;
  }

  // Whether the buffer consists of whole vectors.
  auto HasVectors(const Buffer& buffer, int lanes) -> bool {
    if (lanes == 1 || buffer.dtype.lanes != 1) return true;
    const bool is_dense = buffer.strides.empty() || (buffer.strides.size() == 1 && terms_.IsInt(buffer.strides[0], 1));
    return is_dense && IsMultiple(buffer.elem_offset, lanes) && IsMultiple(buffer.shape.back(), lanes);
  }

  void Declare(std::optional<Stmt> stmt, PrimExpr var, DataType element, PrimExpr extent, DeclaredBy declared) {
    const bool is_new = positions_.try_emplace(var, pointers_.size()).second;
    if (!is_new) {
      if (stmt) Fault(kDeclaredTwice, *stmt, var);
      return;
    }
    pointers_.push_back({var, AsBytes(element), extent, declared, {}, {}, {}});
  }

  void Visit(Stmt stmt) {
    if (const auto alloc = stmt.As<Allocate>()) {
      Declare(stmt, alloc->buffer_var(), alloc->dtype(), alloc->extents().back(), DeclaredBy::kAllocate);
    }
    if (const auto alloc = stmt.As<AllocateConst>()) {
      const PrimExpr extent = alloc->extents().empty() ? terms_.Int32(0) : alloc->extents().back();
      Declare(stmt, alloc->buffer_var(), alloc->dtype(), extent, DeclaredBy::kAllocateConst);
    }
    if (const auto let = stmt.As<LetStmt>()) DeclareLet(stmt, let->var());
    if (const auto store = stmt.As<BufferStore>()) {
      Access(stmt, store->buffer(), terms_.dtype(store->value()), store->indices(), false);
    }
    for (const PrimExpr expr : stmt.exprs()) {
      for (const PrimExpr part : arith::PostOrder(terms_, expr)) VisitPart(stmt, part);
    }
  }

  void DeclareLet(Stmt stmt, PrimExpr var) {
    if (!arith::IsHandle(terms_.dtype(var))) return;
    const arith::VarType& type = terms_.var(var).type;
    if (type.kind == arith::VarType::Kind::kPointer) {
      Declare(stmt, var, type.dtype, terms_.Int32(0), DeclaredBy::kLet);
    } else if (options_.allow_untyped_pointers) {
      Declare(stmt, var, arith::kHandleType, terms_.Int32(0), DeclaredBy::kLet);
    } else {
      Fault(kUntyped, stmt, var);
    }
  }

  void VisitPart(Stmt stmt, PrimExpr part) {
    const auto load = [&](PrimExpr e, bool is_load) {
      Access(stmt, terms_.buffer(e), terms_.dtype(e), terms_.operands(e), is_load);
    };
    if (terms_.kind(part) == PrimKind::kBufferLoad) return load(part, true);
    if (terms_.kind(part) == PrimKind::kLet) return DeclareLet(stmt, terms_.operand(part, 0));
    if (terms_.IsCall(part, access_ptr_) && terms_.is_var(terms_.operand(part, 1))) {
      const PrimExpr index = terms_.operand(part, 2);
      Access(stmt, terms_.operand(part, 1), terms_.dtype(terms_.operand(part, 0)), {&index, 1}, false);
    }
    if (terms_.IsCall(part, address_of_) && terms_.kind(terms_.operand(part, 0)) == PrimKind::kBufferLoad) {
      load(terms_.operand(part, 0), false);
    }
  }

  void Access(Stmt stmt, BufferId buffer, DataType value, std::span<const PrimExpr> indices, bool is_load) {
    const PrimExpr var = tables_.buffer(buffer).data;
    Access(stmt, var, value, indices, is_load);
    const auto found = positions_.find(var);
    if (found == positions_.end() || indices.empty()) return;
    if (accessed_.emplace(found->second, buffer).second) pointers_[found->second].buffers.push_back(buffer);
  }

  void Access(Stmt stmt, PrimExpr var, DataType value, std::span<const PrimExpr> indices, bool is_load) {
    const auto found = positions_.find(var);
    if (found == positions_.end()) return Fault(kUndeclared, stmt, var);
    PointerInfo& info = pointers_[found->second];
    value = AsBytes(value);
    if (arith::IsHandle(info.element)) info.element = arith::ElementOf(value);
    int lanes = info.element.lanes;
    const int index_lanes = indices.empty() ? 1 : terms_.lanes(indices.back());
    if (index_lanes * lanes != value.lanes) {
      const bool is_other = arith::ElementOf(info.element) != arith::ElementOf(value);
      if (is_other && index_lanes != value.lanes) return Fault(kOtherVectors, stmt, var);
      lanes = 1;
      info.element = arith::ElementOf(info.element);
    }
    if (!indices.empty() && terms_.kind(indices.back()) == PrimKind::kRamp) {
      const PrimExpr ramp = indices.back();
      if (terms_.IsInt(terms_.operand(ramp, 1), 1) && IsMultiple(terms_.operand(ramp, 0), terms_.lanes(ramp))) {
        lanes = terms_.lanes(ramp);
      }
    }
    if (options_.shuffle_scalar_reads && is_load && !indices.empty() && index_lanes == 1) {
      const int64_t step = analyzer_.Modular(indices.back()).coefficient;
      AddOnce(info.scalar_reads, arith::WithLanes(value, static_cast<int>(std::min<int64_t>(step, UINT16_MAX))));
      return;
    }
    AddOnce(info.accesses, arith::WithLanes(value, lanes));
  }

  const PrimFunc& func_;
  Tables& tables_;
  Terms& terms_;
  const PointerTypeOptions& options_;
  arith::Analyzer analyzer_;
  arith::CallOpId access_ptr_ = terms_.Intrinsic("tir.tvm_access_ptr"_intrin);
  arith::CallOpId address_of_ = terms_.Intrinsic("tir.address_of"_intrin);
  absl::flat_hash_map<PrimExpr, size_t> positions_;
  absl::flat_hash_set<std::pair<size_t, BufferId>> accessed_;
  std::vector<PointerInfo> pointers_;
  std::optional<Diagnostic> fault_;
};

// A pointer that changes.
struct NewPointer {
  PrimExpr var;
  DataType type;
  // How many elements of an allocation or a buffer on it one new one has.
  auto FactorOf(DataType element) const -> int64_t { return std::max<int64_t>(1, BitsOf(type) / BitsOf(element)); }
  // How many new elements one of an allocation or a buffer on it has, where the old ones are larger.
  auto PiecesOf(DataType element) const -> int64_t { return (BitsOf(element) + BitsOf(type) - 1) / BitsOf(type); }

 private:
  static auto BitsOf(DataType element) -> int64_t {
    element = AsBytes(element);
    return int64_t{element.bits} * element.lanes;
  }
};

class PointerRewriter : public Rewriter {
 public:
  PointerRewriter(const PrimFunc& func, absl::flat_hash_map<PrimExpr, NewPointer> pointers)
      : Rewriter(func), pointers_(std::move(pointers)), analyzer_(func.terms()) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    place_ = stmt.range();
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kStore: {
        const BufferStore store(stmt);
        const NewPointer* pointer = PointerOf(store.buffer());
        if (pointer == nullptr) break;
        std::vector<PrimExpr> indices(parts.exprs.begin() + 1, parts.exprs.end());
        Rescale(*pointer, store.buffer(), indices);
        return builder().Store(RewriteBuffer(store.buffer()), parts.exprs[0], indices);
      }
      case StmtKind::kLet: {
        const auto found = pointers_.find(LetStmt(stmt).var());
        if (found == pointers_.end()) break;
        return builder().Let(found->second.var, parts.exprs[0], parts.stmts[0]);
      }
      case StmtKind::kAllocate: {
        const Allocate alloc(stmt);
        const auto found = pointers_.find(alloc.buffer_var());
        if (found == pointers_.end()) break;
        std::vector<PrimExpr> extents(parts.exprs.begin(), parts.exprs.end() - 1);
        extents.back() = Counted(extents.back(), found->second, alloc.dtype());
        return builder().Allocate(found->second.var, found->second.type, extents, parts.exprs.back(), parts.stmts[0],
                                  alloc.annotations());
      }
      case StmtKind::kAllocateConst: {
        const AllocateConst alloc(stmt);
        const auto found = pointers_.find(alloc.buffer_var());
        if (found == pointers_.end()) break;
        std::vector<PrimExpr> extents(parts.exprs.begin(), parts.exprs.end());
        if (!extents.empty()) extents.back() = Counted(extents.back(), found->second, alloc.dtype());
        return builder().AllocateConst(found->second.var, found->second.type, extents, alloc.data(),
                                       alloc.module_index(), parts.stmts[0], alloc.annotations());
      }
      case StmtKind::kAttr: {
        const AttrStmt attr(stmt);
        const auto found = pointers_.find(attr.node().expr());
        if (!attr.node().expr() || found == pointers_.end()) break;
        return builder().Attr(found->second.var, attr.key(), parts.exprs[0], parts.stmts[0]);
      }
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (const auto found = pointers_.find(old); found != pointers_.end()) return found->second.var;
    if (terms().IsCall(made, access_ptr_)) return RewriteAccessPtr(old, made);
    if (terms().kind(made) != PrimKind::kBufferLoad) return Rewriter::RewriteNode(old, made);
    const BufferId buffer = terms().buffer(made);
    const NewPointer* pointer = PointerOf(buffer);
    if (pointer == nullptr) return made;
    std::vector<PrimExpr> indices(terms().operands(made).begin(), terms().operands(made).end());
    const std::optional<int64_t> lane = Rescale(*pointer, buffer, indices);
    const DataType element = tables().buffer(RewriteBuffer(buffer)).dtype;
    const int lanes = element.lanes * (indices.empty() ? 1 : terms().lanes(indices.back()));
    const PrimExpr load = terms().BufferLoad(RewriteBuffer(buffer), indices, arith::WithLanes(element, lanes));
    if (!lane) return load;
    const PrimExpr index = terms().Int32(*lane);
    return terms().Shuffle({&load, 1}, {&index, 1});
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    const NewPointer* pointer = PointerOf(id);
    if (pointer == nullptr) return id;
    BufferId& made = buffers_[id];
    if (made) return made;
    Buffer buffer = tables().buffer(id);
    if (!buffer.shape.empty()) buffer.shape.back() = Counted(buffer.shape.back(), *pointer, buffer.dtype);
    buffer.elem_offset = Counted(buffer.elem_offset, *pointer, buffer.dtype);
    buffer.data = pointer->var;
    buffer.dtype = pointer->type;
    return made = tables().Add(std::move(buffer));
  }

  void Finish(PrimFuncInfo& info) override {
    for (PrimExpr& param : info.params) {
      if (const auto found = pointers_.find(param); found != pointers_.end()) param = found->second.var;
    }
    for (BufferBinding& binding : info.buffer_map) binding.buffer = RewriteBuffer(binding.buffer);
  }

 private:
  auto PointerOf(BufferId buffer) const -> const NewPointer* {
    const auto found = pointers_.find(tables().buffer(buffer).data);
    return found == pointers_.end() ? nullptr : &found->second;
  }

  auto Divided(PrimExpr e, int64_t factor) const -> PrimExpr {
    return arith::TruncDiv(terms(), e, arith::MakeConst(terms(), terms().dtype(e), factor));
  }

  // Returns the extent in new elements.
  auto Counted(PrimExpr extent, const NewPointer& pointer, DataType element) const -> PrimExpr {
    const int64_t pieces = pointer.PiecesOf(element);
    if (pieces <= 1) return Divided(extent, pointer.FactorOf(element));
    return arith::Mul(terms(), extent, arith::MakeConst(terms(), terms().dtype(extent), pieces));
  }

  // Returns the last index in new elements; the lane where one element of a vector is meant.
  auto Rescale(const NewPointer& pointer, BufferId id, std::vector<PrimExpr>& indices) -> std::optional<int64_t> {
    if (indices.empty()) return std::nullopt;
    PrimExpr& index = indices.back();
    const int64_t factor = pointer.FactorOf(tables().buffer(id).dtype);
    if (terms().kind(index) == PrimKind::kRamp && terms().IsInt(terms().operand(index, 1), 1)) {
      const int lanes = terms().lanes(index);
      const PrimExpr stride = terms().operand(index, 1);
      index = Divided(terms().operand(index, 0), lanes);
      if (lanes == factor) return std::nullopt;
      if (lanes % factor != 0) {
        Fail(MakeDiagnostic(kLanes, place_, context().text(tables().buffer(id).name)));
        return std::nullopt;
      }
      const auto vectors = static_cast<int>(lanes / factor);
      const PrimExpr scale = arith::MakeConst(terms(), terms().dtype(index), vectors);
      const PrimExpr base = arith::Mul(terms(), index, scale);
      index = vectors == 1 ? base : terms().Ramp(base, stride, vectors);
      return std::nullopt;
    }
    if (terms().lanes(index) != 1 || factor <= 1) return std::nullopt;
    // The step is a multiple of the factor; the base of a literal is the literal itself.
    const int64_t lane = arith::FloorModInt(analyzer_.Modular(index).base, factor);
    index = Divided(index, factor);
    return lane;
  }

  auto RewriteAccessPtr(PrimExpr old, PrimExpr made) -> PrimExpr {
    const auto found = pointers_.find(terms().operand(old, 1));
    if (found == pointers_.end()) return made;
    const NewPointer& pointer = found->second;
    const PrimExpr type = terms().Call(pointer.type, terms().Intrinsic("tir.type_annotation"_intrin), {});
    const int64_t factor = pointer.FactorOf(terms().dtype(terms().operand(made, 0)));
    const PrimExpr args[] = {type, pointer.var, Divided(terms().operand(made, 2), factor),
                             Divided(terms().operand(made, 3), factor), terms().operand(made, 4)};
    return terms().Call(pointer.type, access_ptr_, args);
  }

  absl::flat_hash_map<PrimExpr, NewPointer> pointers_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  arith::Analyzer analyzer_;
  arith::CallOpId access_ptr_ = terms().Intrinsic("tir.tvm_access_ptr"_intrin);
  SourceRange place_;
};

struct PointerValueTypeRewritePass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return RewritePointerTypes(func, {});
  }
};

}  // namespace

auto RewritePointerTypes(const PrimFunc& func, const PointerTypeOptions& options) -> Result<std::optional<PrimFunc>> {
  PointerChecker checker(func, options);
  RELAYOPT_TRY(const std::vector<PointerInfo> infos, checker.Run());
  absl::flat_hash_map<PrimExpr, NewPointer> pointers;
  for (const PointerInfo& info : infos) {
    if (info.declared == DeclaredBy::kParam && !options.rewrite_params) continue;
    if (info.declared == DeclaredBy::kAllocateConst && !options.rewrite_allocate_const) continue;
    const DataType preferred = checker.Preferred(info);
    if (preferred == info.element) continue;
    const arith::VarInfo& old = func.terms().var(info.var);
    const arith::VarType type = arith::VarType::Pointer(preferred, old.type.scope);
    pointers[info.var] = {func.terms().Var(func.context().text(old.name), type), preferred};
  }
  if (pointers.empty()) return std::optional<PrimFunc>();
  return PointerRewriter(func, std::move(pointers)).RunOrFail();
}

constinit const PassDef kPointerValueTypeRewritePass = DescribePass<PointerValueTypeRewritePass>({
    .name = "tir.PointerValueTypeRewrite",
    .summary = "Use pointers to vectors where all accesses are vectors",
    .details = R"(  A = T.allocate([64], "float32")          A = T.allocate([16], "float32x4")
  A[i * 4:i * 4 + 4] = ...            ->   A[T.Div(i * 4, 4)] = ...

Parameters, allocations, constants and lets of pointers change where all accesses have one type and begin at multiples of its
lanes. An element that is read alone becomes one of a vector.)",
    .aliases = "tir.transform.PointerValueTypeRewrite",
});

}  // namespace relayopt::tir
