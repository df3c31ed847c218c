// Type inference of a module: declarations first, then functions, callees without annotations before their callers.
#include "relayopt/relay/analysis/infer.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_set.h"
#include "forward_inference.h"
#include "inferencer.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/analysis/diagnostics.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/parallel.h"
#include "relayopt/support/plural.h"

namespace relayopt {

namespace {

// Checks the types that are written in a module: names exist and have the right number of arguments, extents are not
// negative.
class DeclarationChecker {
 public:
  DeclarationChecker(const Module& module, DiagnosticSink& sink) : module_(module), sink_(sink) {}

  void CheckType(TypeId type, SourceRange range) {
    // Most types have been checked before, and recently.
    if (!type || recent_[type.value() % kRecent] == type) return;
    recent_[type.value() % kRecent] = type;
    if (!seen_.contains(type)) CheckNewType(type, range);
  }

  void CheckFunction(const Function& function) {
    for (const ExprId id : function.ids()) {
      const ExprKind kind = function.kind(id);
      if (kind == ExprKind::kVar) {
        const TypeId annotation = function.var(id).annotation;
        if (annotation) CheckType(annotation, function.range(id));
      } else if (kind == ExprKind::kFunction) {
        CheckType(function.info(id).result, function.range(id));
      } else if (kind == ExprKind::kGlobal) {
        CheckGlobal(function, id);
      }
    }
  }

 private:
  void CheckNewType(TypeId root, SourceRange range) {
    std::vector<TypeId> stack = {root};
    while (!stack.empty()) {
      const TypeId id = stack.back();
      stack.pop_back();
      if (!id || !seen_.insert(id).second) continue;
      const Type& type = module_.context().type(id);
      stack.insert(stack.end(), type.args.begin(), type.args.end());
      stack.push_back(type.result);
      for (const Dim& dim : type.shape) {
        if (dim.is_int() && dim.value() < 0) sink_.Report(diag::kNegativeExtent, range, dim.value());
      }
      if (type.kind == TypeKind::kCall) CheckTypeCall(type, range);
    }
  }

  void CheckTypeCall(const Type& type, SourceRange range) {
    const TypeDefId def = module_.FindTypeDef(type.name);
    const std::string_view name = module_.context().text(type.name);
    if (!def) {
      const auto names = MapToVector<std::string_view>(
          module_.type_defs(), [&](const TypeDef& other) { return module_.context().text(other.name); });
      sink_.Report(diag::kUnknownTypeName, range, name, DidYouMean(name, names));
      return;
    }
    const size_t wanted = module_.type_def(def).params.size();
    if (wanted != type.args.size()) {
      sink_.Report(diag::kTypeArity, range, name, Counted(wanted, "argument"), type.args.size());
    }
  }

  void CheckGlobal(const Function& function, ExprId id) {
    const GlobalId global = function.global(id);
    if (module_.function<Function>(global) != nullptr) return;
    const auto names = MapToVector<std::string_view>(module_.SortedFunctions<Function>(),
                                                     [&](GlobalId other) { return module_.name(other); });
    const std::string_view name = module_.name(global);
    sink_.Report(diag::kUndefinedGlobal, function.range(id), name, DidYouMean(name, names));
  }

  const Module& module_;
  DiagnosticSink& sink_;
  absl::flat_hash_set<TypeId> seen_;
  static constexpr size_t kRecent = 256;
  std::array<TypeId, kRecent> recent_;
};

// The order in which functions are typed: a function whose callees lack annotations comes after them. Otherwise the
// order of the module.
class CallOrder {
 public:
  explicit CallOrder(const Module& module) : module_(module), state_(module.globals().size()) {}

  auto Run() -> std::vector<GlobalId> {
    for (const auto& [id, function] : FunctionsOf<Function>(module_)) {
      if (!function.info().result) ++num_unannotated_;
    }
    for (const GlobalId id : module_.ids()) Visit(id);
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    GlobalId global;
    std::vector<GlobalId> callees;
  };

  void Open(GlobalId id) {
    if (module_.function<Function>(id) == nullptr || state_[id] != State::kNew) return;
    state_[id] = State::kOpen;
    Frame frame{id, {}};
    const Function& function = *module_.function<Function>(id);
    // A function that calls itself waits for nothing.
    const bool has_others = num_unannotated_ > (function.info().result ? 0 : 1);
    for (const ExprId expr : function.ids()) {
      if (!has_others) break;
      if (function.kind(expr) != ExprKind::kGlobal) continue;
      const Function* callee = module_.function<Function>(function.global(expr));
      if (callee != nullptr && !callee->info().result) frame.callees.push_back(function.global(expr));
    }
    stack_.push_back(std::move(frame));
  }

  void Visit(GlobalId id) {
    Open(id);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.callees.empty()) {
        state_[frame.global] = State::kDone;
        order_.push_back(frame.global);
        stack_.pop_back();
        continue;
      }
      const GlobalId next = frame.callees.back();
      frame.callees.pop_back();
      Open(next);
    }
  }

  const Module& module_;
  // Functions without an annotated result.
  size_t num_unannotated_ = 0;
  SideTable<GlobalId, State> state_;
  std::vector<Frame> stack_;
  std::vector<GlobalId> order_;
};

// Returns the type of a global according to its annotations (or an earlier inference).
auto SignatureType(const Function* function, Unifier& unifier) -> TypeId {
  if (function == nullptr) return {};
  std::vector<TypeId> params;
  for (const ExprId param : function->params()) {
    const TypeId annotation = function->var(param).annotation;
    params.push_back(annotation ? annotation : unifier.Fresh());
  }
  const FunctionInfo& info = function->info();
  const TypeId result = info.result ? info.result : unifier.Fresh();
  return unifier.context().FunctionType(params, result, info.type_params);
}

// Infers the types of one function in a module that has the signatures of the others. Returns the function itself if it
// has all its types, and null after an error.
auto InferFunction(const Module& module, GlobalId id, DiagnosticSink& sink) -> FunctionRef {
  const auto signature = [&module](GlobalId global, Unifier& unifier) {
    return SignatureType(module.function<Function>(global), unifier);
  };
  FunctionRef function = module.function_ref<Function>(id);
  if (FunctionRef typed = InferForward(module, function)) return typed;
  // Each run that widens parameters forgets at least one extent; nested functions need a few runs.
  constexpr int kMostRuns = 16;
  bool again = true;
  for (int run = 0; run < kMostRuns && again; ++run) {
    Inferencer inferencer(module, id, *function, sink, signature);
    if (run == kMostRuns - 1) inferencer.KeepParams();
    if (!inferencer.Run()) return nullptr;
    again = inferencer.widened() || (run == 0 && inferencer.again());
    if (auto typed = inferencer.TakeTyped()) function = std::move(typed);
  }
  return function;
}

// The types that callers see: those of the parameters, and of the result, which is invalid when it is not annotated.
auto Signature(const Function& function) -> std::vector<TypeId> {
  std::vector<TypeId> types = {function.info().result};
  for (const ExprId param : function.params()) types.push_back(function.var(param).annotation);
  return types;
}

// Infers the types of all functions at once. Returns false, with nothing done, if their order matters: a signature is
// unknown, or inference changes it.
auto InferInParallel(Module& module, std::span<const GlobalId> order, DiagnosticSink& sink, size_t threads) -> bool {
  for (const GlobalId id : order) {
    const std::vector<TypeId> signature = Signature(*module.function<Function>(id));
    if (std::find(signature.begin(), signature.end(), TypeId()) != signature.end()) return false;
  }
  std::vector<FunctionRef> functions(order.size());
  std::vector<DiagnosticSink> sinks(order.size());
  ParallelFor(order.size(), threads, [&](size_t i) { functions[i] = InferFunction(module, order[i], sinks[i]); });
  for (size_t i = 0; i < order.size(); ++i) {
    if (functions[i] != nullptr && Signature(*functions[i]) != Signature(*module.function<Function>(order[i])))
      return false;
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (const Diagnostic& diagnostic : sinks[i].diagnostics()) sink.Report(diagnostic);
    if (functions[i] != nullptr) module.SetFunction(order[i], std::move(functions[i]));
  }
  return true;
}

}  // namespace

auto InferTypes(Module& module, DiagnosticSink& sink, size_t threads) -> bool {
  const size_t before = sink.errors();
  DeclarationChecker checker(module, sink);
  for (const TypeDef& def : module.type_defs()) {
    for (const CtorId ctor : def.constructors) {
      for (const TypeId input : module.constructor(ctor).inputs) checker.CheckType(input, {});
    }
  }
  for (const auto& [id, function] : FunctionsOf<Function>(module)) checker.CheckFunction(function);
  if (sink.errors() != before) return false;

  Module typed = module;
  const std::vector<GlobalId> order = CallOrder(module).Run();
  if (threads <= 1 || order.size() <= 1 || !InferInParallel(typed, order, sink, threads)) {
    for (const GlobalId id : order) {
      if (FunctionRef function = InferFunction(typed, id, sink)) typed.SetFunction(id, std::move(function));
    }
  }
  if (sink.errors() != before) return false;
  typed.MarkUpToDate(kRelayFunctions);
  module = std::move(typed);
  return true;
}

}  // namespace relayopt
