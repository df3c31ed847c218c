// LowerTVMBuiltin: calls with packed arguments, arrays and workspaces in terms of functions of the runtime.
//
// Arguments are written to stacks that the function allocates once, as large as its largest call needs; a parallel loop
// has stacks of its own in its body. Stacks are filled directly before the statement that holds the call:
//
//   T.call_packed("f", n, "s")
//   ->
//   stack_tcode: T.handle("int32") = T.tvm_stack_alloca("arg_tcode", 3)
//   stack_tcode_1 = T.decl_buffer((T.uint64(3),), "int32", data=stack_tcode)
//   stack_value: T.handle = T.tvm_stack_alloca("arg_value", 3)
//   T.tvm_struct_set(stack_value, 0, 12, T.Cast("int64", n))
//   stack_tcode_1[0] = 0
//   T.tvm_struct_set(stack_value, 1, 12, "s")
//   stack_tcode_1[1] = 11
//   T.call_packed_lowered("f", stack_value, stack_tcode, 0, 2)
//
// Allocations that are not small ones of a CPU become calls of the runtime, checked, with a call that frees them after
// the body. The attributes device_type and device_id determine the device, and are removed.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/arg_binder.h"
#include "lib/tir/transforms/utils/host_func.h"
#include "lib/tir/transforms/utils/packed_call_lowering.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kSecondDevice{"builtin-second-device", Severity::kError,
                                       "LowerTVMBuiltin: the function specifies its device twice"};
constexpr DiagnosticKind kTypedPointer{"builtin-pointer", Severity::kError,
                                       "LowerTVMBuiltin: memory needs a pointer with a type of elements"};

// Allocations below stay on the stack of the host.
constexpr int64_t kMaxStackBytes = 1024;
constexpr int64_t kWorkspaceAlignment = 64;

class BuiltinLowerer : public Rewriter {
 public:
  explicit BuiltinLowerer(const PrimFunc& func)
      : Rewriter(func), calls_(builder()), nd_alloc_(terms().Intrinsic("tir.nd_mem_alloc_with_scope"_intrin)) {}

  // With the stacks of the function around its body.
  auto Lower() -> std::optional<PrimFunc> {
    OpenFrame(func().body());
    return Run();
  }

  auto fault() -> std::optional<Diagnostic>& { return calls_.fault(); }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (IsLaunch(stmt)) ++launches_;
    if (root_ == stmt.id() && IsDevice(stmt)) root_ = stmt.part(0).id();
    if (!IsDevice(stmt)) return Descent::Into();
    const AttrStmt attr(stmt);
    PrimExpr& known = attr.key_text() == "device_id" ? calls_.device_id : calls_.device_type;
    if (known && !fault()) fault() = MakeDiagnostic(kSecondDevice, stmt.range());
    known = attr.value();
    return Descent::Instead(attr.body());
  }

  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    if (IsNdAlloc(stmt)) expr = NdAlloc(LetStmt(stmt));
    before_now_.clear();
    const PrimExpr made = calls_.Lower(expr, stmt.range(), before_now_);
    if (!before_now_.empty()) {
      std::vector<StmtId>& before = before_[stmt.id()];
      before.insert(before.end(), before_now_.begin(), before_now_.end());
    }
    return made;
  }

  void EnterPart(Stmt stmt, size_t, Exprs) override {
    if (IsParallel(stmt)) OpenFrame(stmt.part(0));
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (IsParallel(stmt)) parts.stmts[0] = calls_.CloseFrame(parts.stmts[0]);
    if (IsNdAlloc(stmt)) parts.stmts[0] = FreeNd(LetStmt(stmt), parts.stmts[0]);
    if (IsLaunch(stmt)) --launches_;
    const auto alloc = stmt.As<Allocate>();
    StmtId made = alloc && !StaysOnStack(*alloc) ? Workspace(*alloc, parts) : Rewriter::Leave(stmt, parts);
    if (const auto found = before_.find(stmt.id()); found != before_.end()) {
      found->second.push_back(made);
      made = builder().Seq(found->second);
      before_.erase(found);
    }
    return stmt.id() == root_ ? calls_.CloseFrame(made) : made;
  }

 private:
  static auto IsDevice(Stmt stmt) -> bool {
    const auto attr = stmt.As<AttrStmt>();
    return attr && (attr->key_text() == "device_id" || attr->key_text() == "device_type");
  }
  static auto IsLaunch(Stmt stmt) -> bool {
    const auto loop = stmt.As<For>();
    if (loop && loop->for_kind() == ForKind::kThreadBinding) return true;
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "thread_extent";
  }
  static auto IsParallel(Stmt stmt) -> bool {
    const auto loop = stmt.As<For>();
    return loop && loop->for_kind() == ForKind::kParallel;
  }
  auto IsNdAlloc(Stmt stmt) const -> bool {
    const auto let = stmt.As<LetStmt>();
    return let && terms().IsCall(let->value(), nd_alloc_);
  }

  // Opens the stacks for calls in `body`, except for those in parallel loops inside.
  void OpenFrame(Stmt body) {
    calls_.OpenFrame();
    Walk(
        body,
        [&](Stmt stmt) {
          if (IsNdAlloc(stmt)) {
            calls_.Count(NdAlloc(LetStmt(stmt)));
            calls_.Count(NdFree(LetStmt(stmt)));
          } else {
            for (const PrimExpr expr : stmt.exprs()) calls_.Count(expr);
          }
          return !IsParallel(stmt);
        },
        [](Stmt) {});
    calls_.SealFrame();
  }

  // Returns the packed calls that allocate and free memory of several dimensions.
  auto NdAlloc(const LetStmt& let) -> PrimExpr {
    const VarType& type = terms().var(let.var()).type;
    if (type.kind != VarType::Kind::kPointer && !fault()) fault() = MakeDiagnostic(kTypedPointer, let.range());
    std::vector<PrimExpr> args = {calls_.device_type, calls_.device_id,
                                  terms().Int32(static_cast<int64_t>(type.dtype.code)), terms().Int32(type.dtype.bits)};
    for (const PrimExpr arg : terms().operands(let.value())) args.push_back(arg);
    return NdCall(arith::kHandleType, "alloc_nd", std::move(args), let);
  }
  auto NdFree(const LetStmt& let) -> PrimExpr {
    const PrimExpr scope = terms().operand(let.value(), 0);
    return NdCall(DataType::Int(32), "free_nd", {calls_.device_type, calls_.device_id, scope, let.var()}, let);
  }
  auto NdCall(DataType type, std::string_view method, std::vector<PrimExpr> args, const LetStmt& let) -> PrimExpr {
    // Before the device is known, calls are only counted, so their arguments do not matter.
    for (PrimExpr& arg : args) arg = arg ? arg : terms().Int32(kCpuDevice);
    if (!calls_.device_type) return terms().Call(type, terms().Intrinsic("tir.tvm_call_packed"_intrin), Named(args));
    return calls_.CallMethod(type, method, std::move(args), let.range());
  }
  auto Named(std::vector<PrimExpr> args) const -> std::vector<PrimExpr> {
    args.insert(args.begin(), terms().StringImm(""));
    return args;
  }

  auto Throw() -> StmtId {
    return builder().Evaluate(
        terms().Call(DataType::Int(32), terms().Intrinsic("tir.tvm_throw_last_error"_intrin), {}));
  }
  auto ThrowIfNull(PrimExpr var) -> StmtId {
    return builder().If(terms().Call(DataType::Bool(), terms().Intrinsic("tir.isnullptr"_intrin), {var}), Throw());
  }
  auto ThrowUnlessZero(PrimExpr result) -> StmtId {
    return builder().If(arith::Ne(terms(), result, terms().Int32(0)), Throw());
  }

  auto FreeNd(const LetStmt& let, StmtId body) -> StmtId {
    if (!calls_.RequireDevice(let.range())) return body;
    std::vector<StmtId> steps = {ThrowIfNull(let.var()), body};
    const PrimExpr result = calls_.Lower(NdFree(let), let.range(), steps);
    steps.push_back(ThrowUnlessZero(result));
    return builder().Seq(steps);
  }

  auto StaysOnStack(const Allocate& alloc) const -> bool {
    if (HasFlag(alloc.annotations(), "disable_lower_builtin")) return true;
    const bool is_global = ScopeOf(terms(), context(), alloc.buffer_var()) == "global";
    // Memory that threads share is not on the host.
    if (!is_global && launches_ != 0) return true;
    const bool is_cpu = calls_.device_type && terms().IsInt(calls_.device_type, kCpuDevice);
    if (!is_cpu || !is_global) return false;
    int64_t bytes = VectorBytes(alloc.dtype());
    for (const PrimExpr extent : alloc.extents()) {
      const auto literal = terms().AsInt(extent);
      if (!literal || *literal <= 0 || __builtin_mul_overflow(bytes, *literal, &bytes)) return false;
    }
    return bytes < kMaxStackBytes;
  }

  auto HasFlag(ObjectId annotations, std::string_view key) const -> bool {
    if (!annotations) return false;
    const std::span<const ObjectId> items = context().object(annotations).items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (context().text(context().object(items[i]).text) == key) return context().object(items[i + 1]).integer != 0;
    }
    return false;
  }

  auto Workspace(const Allocate& alloc, Parts parts) -> StmtId {
    if (!calls_.RequireDevice(alloc.range())) return builder().NoOp();
    const PrimExpr var = alloc.buffer_var();
    const PrimExpr device = arith::CastTo(terms(), DataType::Int(32), calls_.device_type);
    const PrimExpr id = arith::CastTo(terms(), DataType::Int(32), calls_.device_id);
    PrimExpr bytes = terms().IntImm(DataType::UInt(64), VectorBytes(alloc.dtype()));
    for (size_t i = 0; i < alloc.extents().size(); ++i) bytes = arith::Mul(terms(), bytes, parts.exprs[i]);
    const PrimExpr free =
        terms().Call(DataType::Int(32), terms().Intrinsic("tir.TVMBackendFreeWorkspace"_intrin), {device, id, var});
    // Declarations directly in the body hold for what frees it as well.
    std::vector<BufferId> declared;
    StmtId body = parts.stmts[0];
    while (const auto decl = builder().stmt(body).As<DeclBuffer>()) {
      declared.push_back(decl->buffer());
      body = decl->body().id();
    }
    body = builder().Seq({body, ThrowUnlessZero(free)});
    while (!declared.empty()) {
      body = builder().DeclBuffer(declared.back(), body);
      declared.pop_back();
    }
    body = builder().Seq({ThrowIfNull(var), body});
    body = builder().Attr(var, "storage_alignment", terms().Int32(kWorkspaceAlignment), body);
    const PrimExpr memory = terms().Call(arith::kHandleType, terms().Intrinsic("tir.TVMBackendAllocWorkspace"_intrin),
                                         {device, id, bytes, terms().Int32(static_cast<int64_t>(alloc.dtype().code)),
                                          terms().Int32(alloc.dtype().bits)});
    return builder().Let(var, memory, body);
  }

  PackedCallLowering calls_;
  arith::CallOpId nd_alloc_;
  // Launches that are open.
  size_t launches_ = 0;
  // The outermost statement that stays.
  StmtId root_ = func().body().id();
  // The statements to execute before a statement that is being rewritten.
  absl::flat_hash_map<StmtId, std::vector<StmtId>> before_;
  std::vector<StmtId> before_now_;
};

struct LowerTVMBuiltinPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (!IsHostFunc(func)) return std::optional<PrimFunc>();
    BuiltinLowerer lowerer(func);
    std::optional<PrimFunc> made = lowerer.Lower();
    if (lowerer.fault()) return *std::move(lowerer.fault());
    return made;
  }
};

}  // namespace

constinit const PassDef kLowerTVMBuiltinPass = DescribePass<LowerTVMBuiltinPass>({
    .name = "tir.LowerTVMBuiltin",
    .summary = "Lower packed calls and workspaces of host functions to calls of the runtime",
    .details = R"(  T.call_packed("f", n)    ->    stack_value: T.handle = T.tvm_stack_alloca("arg_value", 2)
                                 T.tvm_struct_set(stack_value, 0, 12, T.Cast("int64", n))
                                 stack_tcode_1[0] = 0
                                 T.call_packed_lowered("f", stack_value, stack_tcode, 0, 1)

Functions whose target has the key cpu. Allocations that are not small become T.TVMBackendAllocWorkspace, with a call
behind that frees them; the device is that of the attributes device_type and device_id, which go.)",
    .aliases = "tir.transform.LowerTVMBuiltin",
});

}  // namespace relayopt::tir
