// InjectPTXLDG32: guarded loads become predicated loads through the read-only cache.
//
//   B[i] = T.if_then_else(c, A[j], T.float32(0))
//   ->
//   addr[0] = j
//   addr[1] = i
//   predicate[0] = c
//   B[addr[1]] = T.float32(0)
//   T.ptx_ldg32(B, predicate[0], A[addr[0]], addr[1])
//
// The load must be of 32 bits, by one scalar index, and the value taken where the guard holds; the other one a literal.
// Nothing may store to the memory that is loaded. The intrinsic counts from the pointer that it gets, so the buffer
// that is stored to must start there and be compact.
#include "absl/container/flat_hash_set.h"
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

struct Ldg32Options {
  bool enable_inject_ptx_intrin = true;
  static constexpr auto Fields() { return std::array{Option<&Ldg32Options::enable_inject_ptx_intrin>("do it at all")}; }
};

class Ldg32Injector : public Rewriter {
 public:
  explicit Ldg32Injector(const PrimFunc& func) : Rewriter(func) {
    addr_ = Declare("addr", DataType::Int(32), 2);
    predicate_ = Declare("predicate", DataType::Bool(), 1);
    for (StmtId id(0U); id.value() < func.size(); ++id) {
      if (const auto store = func.stmt(id).As<BufferStore>()) stored_.insert(tables().buffer(store->buffer()).data);
    }
    ChooseScope();
  }

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto store = stmt.As<BufferStore>();
    const StmtId made = store && IsGuardedLoad(*store) ? Load(*store) : Rewriter::Leave(stmt, parts);
    if (!has_loads_ || stmt.id() != scope_) return made;
    StmtId body = made;
    for (const BufferId id : {addr_, predicate_}) {
      const Buffer& buffer = tables().buffer(id);
      body = builder().Allocate(buffer.data, buffer.dtype, buffer.shape, terms().Bool(true), body);
    }
    return body;
  }

 private:
  auto Declare(std::string_view name, DataType type, int64_t extent) -> BufferId {
    const PrimExpr data = terms().Var(name, VarType::Pointer(type, context().Intern("local")));
    return tables().Add(
        Buffer{.data = data, .dtype = type, .name = context().Intern(name), .shape = {terms().Int32(extent)}});
  }

  // The first allocation that is complete, as in TVM, or the whole body if loads are outside of it.
  void ChooseScope() {
    scope_ = func().body().id();
    StmtId first;
    StmtId last_load;
    StmtId first_load;
    for (StmtId id(0U); id.value() < func().size(); ++id) {
      const Stmt stmt = func().stmt(id);
      if (!first && stmt.As<Allocate>()) first = id;
      const auto store = stmt.As<BufferStore>();
      if (!store || !IsGuardedLoad(*store)) continue;
      has_loads_ = true;
      if (!first_load) first_load = id;
      last_load = id;
    }
    if (!first || !has_loads_) return;
    if (func().stmts().first(first).value() <= first_load.value() && last_load.value() < first.value()) scope_ = first;
  }

  auto IsGuardedLoad(BufferStore store) const -> bool {
    const PrimExpr value = store.value();
    if (!terms().IsCall(value, terms().ops().if_then_else) || store.indices().size() != 1) return false;
    const PrimExpr load = terms().operand(value, 1);
    const PrimKind otherwise = terms().kind(terms().operand(value, 2));
    if (terms().kind(load) != PrimKind::kBufferLoad || stored_.contains(tables().buffer(terms().buffer(load)).data)) {
      return false;
    }
    const Buffer& to = tables().buffer(store.buffer());
    if (!terms().IsInt(to.elem_offset, 0) || !(to.strides.empty() || terms().IsInt(to.strides[0], 1))) return false;
    const bool is_literal = otherwise == PrimKind::kIntImm || otherwise == PrimKind::kFloatImm;
    return is_literal && terms().num_operands(load) == 1 && terms().dtype(load).bits == 32 &&
           terms().lanes(load) == 1 && IsIndex(store.indices()[0]) && IsIndex(terms().operand(load, 0));
  }
  auto IsIndex(PrimExpr index) const -> bool { return terms().dtype(index) == DataType::Int(32); }

  auto Load(BufferStore store) -> StmtId {
    const auto args = terms().operands(store.value());
    const PrimExpr zero = terms().Int32(0);
    const PrimExpr one = terms().Int32(1);
    const PrimExpr from = terms().BufferLoad(addr_, {&zero, 1}, DataType::Int(32));
    const PrimExpr to = terms().BufferLoad(addr_, {&one, 1}, DataType::Int(32));
    const PrimExpr guard = terms().BufferLoad(predicate_, {&zero, 1}, DataType::Bool());
    const Buffer& target = tables().buffer(store.buffer());
    const PrimExpr source = terms().BufferLoad(terms().buffer(args[1]), {&from, 1}, terms().dtype(args[1]));
    return builder().Seq({builder().Store(addr_, terms().operand(args[1], 0), {&zero, 1}),
                          builder().Store(addr_, store.indices()[0], {&one, 1}),
                          builder().Store(predicate_, args[0], {&zero, 1}),
                          builder().Store(store.buffer(), args[2], {&to, 1}),
                          builder().Evaluate(terms().Call(target.dtype, terms().Intrinsic("tir.ptx_ldg32"_intrin),
                                                          {target.data, guard, source, to}))});
  }

  BufferId addr_;
  BufferId predicate_;
  absl::flat_hash_set<PrimExpr> stored_;
  // The statement around which the buffers are allocated.
  StmtId scope_;
  bool has_loads_ = false;
};

struct InjectPtxLdg32Pass {
  using Options = Ldg32Options;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (!options.enable_inject_ptx_intrin) return std::optional<PrimFunc>();
    return Ldg32Injector(func).Run();
  }
};

}  // namespace

constinit const PassDef kInjectPTXLDG32Pass = DescribePass<InjectPtxLdg32Pass>({
    .name = "tir.InjectPTXLDG32",
    .summary = "Load read-only memory through the cache, with guards",
    .details = R"(  B[i] = T.if_then_else(c, A[j], T.float32(0))
  ->
  addr[0] = j
  addr[1] = i
  predicate[0] = c
  B[addr[1]] = T.float32(0)
  T.ptx_ldg32(B, predicate[0], A[addr[0]], addr[1])

For loads of 32 bits by a scalar index that are taken where the guard holds.)",
    .aliases = "tir.transform.InjectPTXLDG32",
});

}  // namespace relayopt::tir
