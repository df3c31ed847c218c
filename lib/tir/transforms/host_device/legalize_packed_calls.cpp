// LegalizePackedCalls: pointers that are passed to functions with packed arguments are wrapped into tensors.
//
//   T.evaluate(T.call_cpacked("f", p, ctx))
//   ->
//   T.evaluate(T.call_cpacked("f", T.tvm_stack_make_array(p, T.tvm_stack_make_shape(16), T.reinterpret("handle", 0),
//                                                         T.uint32(1), T.Cast("float32", 0), 0), ctx))
//
// Extents and type are those of the buffer that the called function binds to its parameter. Parameters of the calling
// function are passed on as they are: they are tensors already.
#include "absl/container/flat_hash_set.h"
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/address_of.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kUnknownCallee{"packed-callee", Severity::kError,
                                        "LegalizePackedCalls: the module has no function {}"};
constexpr DiagnosticKind kPackedForm{"packed-form", Severity::kError,
                                     "T.call_cpacked needs a name, arguments and the context at last"};

class PackedCallLegalizer : public Rewriter {
 public:
  PackedCallLegalizer(const Module& module, const PrimFunc& func)
      : Rewriter(func), module_(module), params_(func.params().begin(), func.params().end()) {}

 protected:
  // As TVM: only calls that are statements.
  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    const auto evaluate = stmt.As<Evaluate>();
    if (!evaluate || !terms().IsCall(expr, cpacked_)) return expr;
    const auto args = terms().operands(expr);
    if (args.size() < 2 || terms().kind(args[0]) != PrimKind::kStringImm) {
      Fail(MakeDiagnostic(kPackedForm, stmt.range()));
      return expr;
    }
    const std::string_view name = context().text(terms().string_value(args[0]));
    const GlobalId callee = module_.FindGlobal(name);
    if (!callee || !module_.global(callee).function) {
      Fail(MakeDiagnostic(kUnknownCallee, stmt.range(), name));
      return expr;
    }
    const PrimFunc* func = module_.function<PrimFunc>(callee);
    std::vector<PrimExpr> made(args.begin(), args.end());
    const auto [buffers, is_new] = buffers_.try_emplace(callee);
    if (is_new && func != nullptr) buffers->second = ParamBuffers(*func);
    for (size_t i = 1; i + 1 < made.size(); ++i) {
      if (params_.contains(made[i])) continue;
      const bool known = func != nullptr && i <= func->params().size();
      made[i] = Array(made[i], known ? buffers->second[func->params()[i - 1]] : BufferId());
    }
    return terms().WithOperands(expr, made);
  }

 private:
  auto Array(PrimExpr data, BufferId id) -> PrimExpr {
    const Buffer* buffer = id ? &tables().buffer(id) : nullptr;
    std::vector<PrimExpr> extents;
    if (buffer != nullptr) extents = buffer->shape;
    const PrimExpr shape = terms().Call(arith::kHandleType, make_shape_, extents);
    const PrimExpr rank = terms().IntImm(DataType::UInt(32), static_cast<int64_t>(extents.size()));
    const PrimExpr type = terms().Cast(buffer != nullptr ? buffer->dtype : arith::kHandleType, terms().Int32(0));
    const PrimExpr offset = buffer != nullptr ? buffer->elem_offset : terms().IntImm(DataType::UInt(64), 0);
    return terms().Call(arith::kHandleType, make_array_, {data, shape, NullHandle(terms()), rank, type, offset});
  }

  const Module& module_;
  absl::flat_hash_set<PrimExpr> params_;
  // The buffers of functions that are called.
  absl::flat_hash_map<GlobalId, ParamBuffers> buffers_;
  arith::CallOpId cpacked_ = terms().Intrinsic("tir.tvm_call_cpacked"_intrin);
  arith::CallOpId make_shape_ = terms().Intrinsic("tir.tvm_stack_make_shape"_intrin);
  arith::CallOpId make_array_ = terms().Intrinsic("tir.tvm_stack_make_array"_intrin);
};

struct LegalizePackedCallsPass {
  auto Run(const Module& module, GlobalId, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    return PackedCallLegalizer(module, func).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLegalizePackedCallsPass = DescribePass<LegalizePackedCallsPass>({
    .name = "tir.LegalizePackedCalls",
    .summary = "Wrap pointer arguments of packed calls in tensors",
    .details = R"(  T.call_cpacked("f", p, ctx)    ->    T.call_cpacked("f", T.tvm_stack_make_array(p, ...), ctx)

Extents and type are those of the buffer of the called function. What is a parameter of the calling function stays.)",
    .aliases = "tir.transform.LegalizePackedCalls",
});

}  // namespace relayopt::tir
