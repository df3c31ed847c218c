// MakeUnpackedAPI: exposed functions take the data of their buffers as plain pointers.
//
//   def main(A: T.Buffer((8,))):    ->    def main(A: T.handle("float32")) -> T.int32:
//       A[0] = 0                              with T.attr("default", "device_id", 0): ...
//                                                 A[0] = 0
//                                             T.ret(0)
//
// Calls of functions of the module pass the data of the arrays created for them, and return a code.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/module/functions.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToUnpackFor{"unpacked-api-target", Severity::kError,
                                              "MakeUnpackedAPI: the function @{} has no attribute target"};

// Whether the function is exposed and has no calling convention yet.
auto IsOpenForUnpacking(const PrimFunc& func) -> bool {
  return func.IntAttr("calling_conv") == 0 && static_cast<bool>(func.StringAttr("global_symbol"));
}

// Calls of functions that take plain pointers now.
class PointerCallRewriter : public Rewriter {
 public:
  PointerCallRewriter(const PrimFunc& func, const absl::flat_hash_set<StringId>& unpacked)
      : Rewriter(func), unpacked_(unpacked), make_array_(terms().Intrinsic("tir.tvm_stack_make_array"_intrin)) {}

 protected:
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (terms().kind(made) != PrimKind::kCall) return made;
    const arith::CallOp& op = terms().op(terms().call_op(made));
    if (op.kind != arith::CallOpKind::kGlobal || !unpacked_.contains(op.name)) return made;
    std::vector<PrimExpr> args(terms().operands(made).begin(), terms().operands(made).end());
    for (PrimExpr& arg : args) {
      if (terms().IsCall(arg, make_array_)) arg = terms().operand(arg, 0);
    }
    return terms().Call(DataType::Int(32), terms().call_op(made), args);
  }

 private:
  const absl::flat_hash_set<StringId>& unpacked_;
  arith::CallOpId make_array_;
};

auto Unpacked(const PrimFunc& func, const TargetView& target) -> PrimFunc {
  Context& context = func.context();
  Terms& terms = func.terms();
  StmtBuilder builder(context);
  StmtId body = builder.CopyTree(func.body());
  for (size_t i = func.buffer_map().size(); i-- > 0;) body = builder.DeclBuffer(func.buffer_map()[i].buffer, body);
  if (!func.buffer_map().empty()) {
    const ObjectId node = context.AddString("default");
    body = builder.Attr(node, "device_type", terms.Int32(target.device_type()), body);
    body = builder.Attr(node, "device_id", terms.Int32(0), body);
  }
  const PrimExpr zero = terms.Int32(0);
  const StmtId end = builder.Evaluate(terms.Call(DataType::Int(32), terms.Intrinsic("tir.ret"_intrin), {zero}));
  body = builder.Seq({body, end});
  PrimFuncInfo info = func.info();
  const ParamBuffers buffers(func);
  for (PrimExpr& param : info.params) {
    if (const BufferId buffer = buffers[param]) param = func.tables().buffer(buffer).data;
  }
  info.buffer_map.clear();
  info.ret_type = VarType::Prim(DataType::Int(32));
  PrimFunc made(std::move(info), builder.Finish(body));
  made.SetAttr("target", target.host());
  return made;
}

struct MakeUnpackedApi {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    absl::flat_hash_set<StringId> unpacked;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      if (!IsOpenForUnpacking(func)) continue;
      const std::optional<TargetView> target = TargetView::Of(func);
      if (!target) return MakeDiagnostic(kNoTargetToUnpackFor, module.global(id).range, module.name(id));
      if (target->host()) unpacked.insert(module.global(id).name);
    }
    std::optional<Module> result;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      std::optional<PrimFunc> made = PointerCallRewriter(func, unpacked).Run();
      if (unpacked.contains(module.global(id).name)) {
        PrimFunc whole = Unpacked(made ? *made : func, *TargetView::Of(func));
        made.emplace(std::move(whole));
      }
      if (!made) continue;
      if (!result) result = module;
      result->SetFunction(id, std::make_shared<const PrimFunc>(*std::move(made)));
    }
    return result;
  }
};

}  // namespace

constinit const PassDef kMakeUnpackedAPIPass = DescribePass<MakeUnpackedApi>({
    .name = "tir.MakeUnpackedAPI",
    .summary = "Make functions take their buffers as data pointers",
    .details = R"(  def main(A: T.Buffer((8,))):    ->    def main(A: T.handle("float32")) -> T.int32:
      A[0] = 0                              A[0] = 0
                                            T.ret(0)

Functions that have a global symbol and a target with a host. Nothing is checked, and the buffers are declared inside.)",
    .aliases = "tir.transform.MakeUnpackedAPI",
});

}  // namespace relayopt::tir
