// MakePackedAPI: exposed functions take their arguments packed: arrays of values and of type codes.
//
// A function for a host that has a global symbol gets six parameters of one convention. Before its body come, from the
// outside inwards: the check of the number of arguments, the type codes, the arguments themselves, what buffers take
// from their DLTensor (data, extents, strides, offset: ArgBinder), the checks of type codes, the checks of the tensors,
// and the declarations of the buffers:
//
//   def main(A: T.handle):                    def main(args, arg_type_ids, num_args, ...) -> T.int32:
//       A_1 = T.match_buffer(A, (n,))             assert num_args == 1, "main: num_args should be 1"
//       A_1[0] = T.float32(0)                     A: T.handle = T.tvm_struct_get(args, 0, 12, "handle")
//                                       ->        A_1: T.handle("float32") = T.tvm_struct_get(A, 0, 1, "handle")
//                                                 n: T.int32 = T.Cast("int32", main_A_shape[0])
//                                                 assert ...
//                                                 with T.attr(0, "compute_scope", "main_compute_"):
//                                                     A_1[0] = T.float32(0)
//                                                 T.ret(0)
//
// `ret(x)` in the body stores x and its type code in the caller's memory. Calls of functions that get this convention
// become packed calls by symbol, in all functions of the module.
#include <fmt/core.h>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/arg_binder.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/module/functions.h"
#include "relayopt/tir/analysis/undefined.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToPackFor{"packed-api-target", Severity::kError,
                                            "MakePackedAPI: the function @{} has no attribute target"};
constexpr DiagnosticKind kUndefinedVars{
    "packed-api-undefined", Severity::kError,
    "MakePackedAPI: the variables [{}] of @{} are used, and nothing defines or passes them"};
constexpr DiagnosticKind kParallelReturn{"packed-api-parallel", Severity::kError,
                                         "T.ret in a parallel loop has no meaning"};
constexpr DiagnosticKind kBadReturn{"packed-api-return", Severity::kError,
                                    "MakePackedAPI: a value of type {} cannot be returned"};
constexpr DiagnosticKind kBadParam{"packed-api-param", Severity::kError,
                                   "MakePackedAPI: a parameter of type {} cannot be passed"};

constexpr std::string_view kResourceHandle = "device_api_context";

// Whether the function is exposed and has no calling convention yet.
auto IsExposed(const PrimFunc& func) -> bool {
  return func.IntAttr("calling_conv") == 0 && static_cast<bool>(func.StringAttr("global_symbol"));
}

// The parameters that the calling convention adds.
struct PackedParams {
  PrimExpr args;
  BufferId arg_type_ids;
  PrimExpr num_args;
  PrimExpr out_ret_value;
  PrimExpr out_ret_tcode;
  PrimExpr resource_handle;
};

// The body with returns through the caller's memory.
class ReturnRewriter : public Rewriter {
 public:
  ReturnRewriter(const PrimFunc& func, const PackedParams& params)
      : Rewriter(func), params_(params), ret_(terms().Intrinsic("tir.ret"_intrin)) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Enter(Stmt stmt) -> Descent override {
    const auto loop = stmt.As<For>();
    if (loop && loop->for_kind() == ForKind::kParallel) ++parallel_;
    return Descent::Into();
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto loop = stmt.As<For>();
    if (loop && loop->for_kind() == ForKind::kParallel) --parallel_;
    const auto evaluate = stmt.As<Evaluate>();
    if (!evaluate || !terms().IsCall(evaluate->value(), ret_)) return Rewriter::Leave(stmt, parts);
    if (parallel_ != 0) Fail(MakeDiagnostic(kParallelReturn, stmt.range()));
    return Return(stmt, terms().operand(evaluate->value(), 0));
  }

 private:
  auto Return(Stmt stmt, PrimExpr value) -> StmtId {
    const DataType type = terms().dtype(value);
    int code = kArgNull;
    if (type.lanes == 1 && arith::IsInteger(type)) {
      code = kArgInt;
      value = terms().Cast(DataType::Int(64), value);
    } else if (type.lanes == 1 && arith::IsFloat(type)) {
      code = kArgFloat;
      value = terms().Cast(DataType::Float(64), value);
    } else {
      Fail(MakeDiagnostic(kBadReturn, stmt.range(), ToString(type)));
    }
    BufferId& to = value_buffers_[code];
    if (!to) to = SlotOf(params_.out_ret_value, terms().dtype(value));
    if (!code_buffer_) code_buffer_ = SlotOf(params_.out_ret_tcode, DataType::Int(32));
    const PrimExpr zero = terms().Int32(0);
    const StmtId store_value = builder().Store(to, value, {&zero, 1});
    const StmtId store_code = builder().Store(code_buffer_, terms().Int32(code), {&zero, 1});
    const StmtId end = builder().Evaluate(terms().Call(DataType::Int(32), ret_, {zero}));
    return builder().Seq({store_value, store_code, end});
  }

  auto SlotOf(PrimExpr pointer, DataType type) -> BufferId {
    const PrimExpr one = terms().Int32(1);
    return tables().Add(
        Buffer{.data = pointer, .dtype = type, .name = terms().var(pointer).name, .shape = {one}, .strides = {one}});
  }

  const PackedParams& params_;
  arith::CallOpId ret_;
  int parallel_ = 0;
  absl::flat_hash_map<int, BufferId> value_buffers_;
  BufferId code_buffer_;
};

// Rewrites one function.
class PackedApiMaker {
 public:
  PackedApiMaker(const PrimFunc& func, const TargetView& target)
      : func_(func),
        target_(target),
        context_(func.context()),
        terms_(func.terms()),
        symbol_(context_.text(func.StringAttr("global_symbol"))),
        builder_(context_),
        binder_(builder_) {}

  auto Run() -> Result<PrimFunc> {
    MakeParams();
    RELAYOPT_TRY(const std::optional<PrimFunc> rewritten, ReturnRewriter(func_, params_).RunOrFail());
    RELAYOPT_TRY(const Nest heads, BindParams());
    const StmtId body = MakeBody((rewritten ? *rewritten : func_).body());
    const StmtId whole = Wrap(builder_, heads, body);

    PrimFuncInfo info = func_.info();
    info.params = {params_.args,          func_.tables().buffer(params_.arg_type_ids).data,
                   params_.num_args,      params_.out_ret_value,
                   params_.out_ret_tcode, params_.resource_handle};
    info.buffer_map.clear();
    info.ret_type = VarType::Prim(DataType::Int(32));
    PrimFunc made(std::move(info), builder_.Finish(whole));
    made.SetAttr("calling_conv", context_.AddInt(kPackedConvention));
    made.SetAttr("target", target_.host());
    if (auto fault = CheckUndefined(made)) return *std::move(fault);
    return made;
  }

 private:
  void MakeParams() {
    const auto pointer = [&](std::string_view name, DataType type) { return terms_.Var(name, VarType::Pointer(type)); };
    params_.args = terms_.Var("args", arith::kHandleType);
    Buffer codes{.data = pointer("arg_type_ids", DataType::Int(32)),
                 .dtype = DataType::Int(32),
                 .name = context_.Intern("arg_type_ids"),
                 .shape = {terms_.Int32(static_cast<int64_t>(func_.params().size()))}};
    params_.arg_type_ids = func_.tables().Add(std::move(codes));
    params_.num_args = terms_.Var("num_args", DataType::Int(32));
    params_.out_ret_value = pointer("out_ret_value", DataType::Void());
    params_.out_ret_tcode = pointer("out_ret_tcode", DataType::Int(32));
    params_.resource_handle = terms_.Var("resource_handle", arith::kHandleType);
    for (const PrimExpr param : func_.params()) {
      if (IsResourceHandle(param)) params_.resource_handle = param;
    }
    device_id_ = terms_.Var("dev_id", DataType::Int(32));
  }

  // Creates the code before the body.
  auto BindParams() -> Result<Nest> {
    Nest heads;
    Nest checks;
    std::vector<std::pair<PrimExpr, PrimExpr>> values;
    int64_t num_args = 0;
    for (size_t i = 0; i < func_.params().size(); ++i) {
      const PrimExpr param = func_.params()[i];
      if (IsResourceHandle(param)) continue;
      ++num_args;
      const PrimExpr index = terms_.Int32(static_cast<int64_t>(i));
      const PrimExpr code = terms_.Var(fmt::format("{}.code", NameOf(param)), DataType::Int(32));
      heads.Let(code, terms_.BufferLoad(params_.arg_type_ids, {&index, 1}, DataType::Int(32)));
      RELAYOPT_TRY(const PrimExpr value, Argument(param, index));
      values.emplace_back(param, value);
      checks.Assert(CodeCheck(terms_.dtype(param), code), terms_.StringImm(CodeMessage(terms_.dtype(param), i)));
    }
    for (const auto& [param, value] : values) {
      RELAYOPT_TRY(const bool bound, binder_.Bind(param, value, fmt::format("{}.{}", symbol_, NameOf(param))));
      static_cast<void>(bound);
    }
    Nest declarations;
    const ParamBuffers buffers(func_);
    for (const auto& [param, value] : values) {
      const BufferId buffer = buffers[param];
      if (!buffer) continue;
      if (auto fault = binder_.BindDLTensor(buffer, terms_.Int32(target_.device_type()), device_id_, param,
                                            fmt::format("{}.{}", symbol_, NameOf(param)))) {
        return *std::move(fault);
      }
      declarations.Declare(buffer);
    }
    if (binder_.IsBound(device_id_)) {
      const ObjectId node = context_.AddString("default");
      checks.Attr(node, context_.Intern("device_id"), device_id_);
      checks.Attr(node, context_.Intern("device_type"), terms_.Int32(target_.device_type()));
    }
    Nest all;
    all.Assert(arith::Eq(terms_, params_.num_args, terms_.Int32(num_args)),
               terms_.StringImm(fmt::format("{}: num_args should be {}", symbol_, num_args)));
    all.Declare(params_.arg_type_ids);
    for (const Nest& part : {heads, binder_.definitions(), checks, binder_.asserts(), declarations}) all.Append(part);
    return all;
  }

  // Returns the argument as the type of its parameter.
  auto Argument(PrimExpr param, PrimExpr index) -> Result<PrimExpr> {
    const DataType type = terms_.dtype(param);
    DataType packed = arith::kHandleType;
    if (arith::IsInteger(type)) packed = DataType::Int(64);
    if (arith::IsFloat(type)) packed = DataType::Float(64);
    const bool ok = type.lanes == 1 && (arith::IsHandle(type) || packed != arith::kHandleType);
    if (!ok) return MakeDiagnostic(kBadParam, {}, ToString(type));
    const PrimExpr value = StructGet(terms_, packed, params_.args, index, StructField::kValue);
    return packed == type ? value : terms_.Cast(type, value);
  }

  auto CodeCheck(DataType type, PrimExpr code) const -> PrimExpr {
    const auto is = [&](int value) { return arith::Eq(terms_, code, terms_.Int32(value)); };
    if (arith::IsInteger(type)) return is(kArgInt);
    if (arith::IsFloat(type)) return is(kArgFloat);
    PrimExpr any = is(kArgHandle);
    for (const int other : {kArgNDArray, kArgDLTensor, kArgNull}) any = arith::Or(terms_, any, is(other));
    return any;
  }
  auto CodeMessage(DataType type, size_t i) const -> std::string {
    const std::string_view what = arith::IsInteger(type) ? "int" : arith::IsFloat(type) ? "float" : "pointer";
    return fmt::format("{}: Expect arg[{}] to be {}", symbol_, i, what);
  }

  auto MakeBody(Stmt body) -> StmtId {
    std::vector<StmtId> steps;
    const int device = target_.device_type();
    if (binder_.IsBound(device_id_) && device != kCpuDevice && device != kMicroDevice) {
      const PrimExpr args[] = {terms_.StringImm("__tvm_set_device"), terms_.Int32(device), device_id_};
      steps.push_back(
          builder_.Evaluate(terms_.Call(DataType::Int(32), terms_.Intrinsic("tir.tvm_call_packed"_intrin), args)));
    }
    steps.push_back(builder_.Attr(terms_.Int32(0), "compute_scope",
                                  terms_.StringImm(fmt::format("{}_compute_", symbol_)), builder_.CopyTree(body)));
    const PrimExpr zero = terms_.Int32(0);
    steps.push_back(builder_.Evaluate(terms_.Call(DataType::Int(32), terms_.Intrinsic("tir.ret"_intrin), {zero})));
    return builder_.Seq(steps);
  }

  auto CheckUndefined(const PrimFunc& made) const -> std::optional<Diagnostic> {
    const Undefined undefined = FindUndefined(made.body(), made.params());
    if (undefined.vars.empty()) return std::nullopt;
    std::string names;
    for (const PrimExpr var : undefined.vars) names += fmt::format("{}{}", names.empty() ? "" : ", ", NameOf(var));
    return MakeDiagnostic(kUndefinedVars, {}, names, symbol_);
  }

  auto NameOf(PrimExpr var) const -> std::string_view { return context_.text(terms_.var(var).name); }
  auto IsResourceHandle(PrimExpr param) const -> bool { return NameOf(param) == kResourceHandle; }

  const PrimFunc& func_;
  const TargetView& target_;
  Context& context_;
  Terms& terms_;
  std::string symbol_;
  StmtBuilder builder_;
  ArgBinder binder_;
  PackedParams params_;
  PrimExpr device_id_;
};

// Calls of functions of the module that are packed now.
class CallRewriter : public Rewriter {
 public:
  CallRewriter(const PrimFunc& func, const absl::flat_hash_map<StringId, StringId>& symbols)
      : Rewriter(func), symbols_(symbols) {}

 protected:
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (terms().kind(made) != PrimKind::kCall) return made;
    const arith::CallOp& op = terms().op(terms().call_op(made));
    const auto found = op.kind == arith::CallOpKind::kGlobal ? symbols_.find(op.name) : symbols_.end();
    if (found == symbols_.end()) return made;
    std::vector<PrimExpr> args = {terms().StringImm(context().text(found->second))};
    for (const PrimExpr arg : terms().operands(made)) args.push_back(arg);
    const PrimExpr null = terms().IntImm(DataType::UInt(64), 0);
    args.push_back(terms().Call(arith::kHandleType, terms().Intrinsic("tir.reinterpret"_intrin), {null}));
    return terms().Call(terms().dtype(made), terms().Intrinsic("tir.tvm_call_cpacked"_intrin), args);
  }

 private:
  // Keyed by the name in the module.
  const absl::flat_hash_map<StringId, StringId>& symbols_;
};

struct MakePackedApi {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    absl::flat_hash_map<StringId, StringId> symbols;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      if (!IsExposed(func)) continue;
      const std::optional<TargetView> target = TargetView::Of(func);
      if (!target) return MakeDiagnostic(kNoTargetToPackFor, module.global(id).range, module.name(id));
      if (target->host()) symbols[module.global(id).name] = func.StringAttr("global_symbol");
    }
    std::optional<Module> result;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      std::optional<PrimFunc> made = CallRewriter(func, symbols).Run();
      if (symbols.contains(module.global(id).name)) {
        const TargetView target = *TargetView::Of(func);
        RELAYOPT_TRY(made, PackedApiMaker(made ? *made : func, target).Run());
      }
      if (!made) continue;
      if (!result) result = module;
      result->SetFunction(id, std::make_shared<const PrimFunc>(*std::move(made)));
    }
    return result;
  }
};

}  // namespace

constinit const PassDef kMakePackedAPIPass = DescribePass<MakePackedApi>({
    .name = "tir.MakePackedAPI",
    .summary = "Give functions the packed calling convention",
    .details =
        R"(  def main(n: T.int32):            def main(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32, ...):
      T.evaluate(n)                    assert num_args == 1, "main: num_args should be 1"
                           ->          n: T.int32 = T.Cast("int32", T.tvm_struct_get(args, 0, 12, "int64"))
                                       T.evaluate(n)
                                       T.ret(0)

Functions that have a global symbol and a target with a host (see tir.BindTarget). Everything about the tensors that are
passed is checked: rank, type, extents, strides, offset, device.)",
    .aliases = "tir.transform.MakePackedAPI",
});

}  // namespace relayopt::tir
