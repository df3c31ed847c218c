// AnnotateTarget: marks the calls that external compilers support.
//
// One walk upwards over the old function. Each call is given a target: the first of `targets` that supports it (its
// table of operators, or the name of the composite function), else `default`. An argument that was made for a target is
// ended for that target, then begun for the one of the call; a call itself is ended when its user is met, or at the end
// of the function. Tuples, projections and references take the target that all their operands have, or `default`.
//
//   nn.relu(exp(%x)), the target takes nn.relu only
//
//   exp(%x)       default: begin(%x, "default")
//   nn.relu(..)   its argument was made for default: end(.., "default"), then begin(.., "dnnl")
//   the result    end(nn.relu(..), "dnnl")
//
// A call whose first argument has been begun for a target already stays as it is; so does what is inside of a composite
// function.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "accelerator.h"
#include "compiler_annotations.h"
#include "external_compilers.h"
#include "lib/relay/transforms/pass_remarks.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/pass_callbacks.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kUnknownCompiler = {
    "annotate-target-unknown-compiler", Severity::kError,
    "unknown external compiler '{}'{}: it is not built in, `accelerator` describes another one, and no "
    "composite function is named for it"};
constexpr std::string_view kTargetsDoc = "names of external compilers, best first; may be left out with `accelerator`";

struct AnnotateTargetOptions {
  std::vector<std::string> targets;
  std::string accelerator;
  std::string table;
  bool include_non_call_ops = true;
  static constexpr auto Fields() {
    return std::array{
        Option<&AnnotateTargetOptions::targets>(kTargetsDoc),
        Option<&AnnotateTargetOptions::accelerator>(
            "a JSON file that describes an accelerator, @acc.json; its name comes last in `targets` unless "
            "it is among them"),
        Option<&AnnotateTargetOptions::table>("the former name of `accelerator`"),
        Option<&AnnotateTargetOptions::include_non_call_ops>(
            "let tuples, projections and references join the regions of their operands"),
    };
  }
};

class Annotator {
 public:
  // `targets` best first; `accelerator` may be null.
  Annotator(const Function& function, const AnnotateTargetOptions& options, const std::vector<std::string>& targets,
            const Accelerator* accelerator, const PassCallbacks* callbacks, PassRemarks& remarks)
      : function_(function),
        options_(options),
        targets_(targets),
        accelerator_(accelerator),
        callbacks_(callbacks),
        remarks_(remarks),
        rebuild_(function),
        composite_(function.size()) {}

  auto Run() -> Function {
    MarkComposites();
    rebuild_.ForEach([this](ExprId id) {
      const ExprId made = composite_[id] ? rebuild_.Copy(id) : Visit(id);
      target_of_.resize(to().function().size());
      return made;
    });
    return rebuild_.Finish();
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto made() -> const Function& { return rebuild_.to().function(); }

  // Marks the insides of composite functions, which stay as they are.
  void MarkComposites() {
    for (const ExprId id : function_.ids().reversed()) {
      if (!composite_[id] && !CompositeAttr(function_, id)) continue;
      for (const ExprId operand : function_.operands(id)) composite_[operand] = true;
    }
  }

  // Returns the target that a new expression was given, or none for variables, constants and annotations.
  auto TargetOf(ExprId id) const -> const std::string& {
    static const std::string none;
    return id.value() < target_of_.size() && target_of_[id.value()] != 0 ? Target(target_of_[id.value()]) : none;
  }
  // 0: none, 1: default, then the others.
  auto Target(size_t number) const -> const std::string& { return number == 1 ? default_ : other_targets_[number - 2]; }
  void SetTarget(ExprId id, const std::string& target) {
    target_of_.resize(to().function().size());
    size_t number = 1;
    if (target != default_) {
      const auto found = std::ranges::find(other_targets_, target);
      number = 2 + static_cast<size_t>(found - other_targets_.begin());
      if (found == other_targets_.end()) other_targets_.push_back(target);
    }
    target_of_[id.value()] = static_cast<uint32_t>(number);
  }

  auto Begin(ExprId value, std::string_view target) -> ExprId {
    return EmitAnnotation(to(), "annotation.compiler_begin"_op, value, target);
  }
  auto End(ExprId value, std::string_view target) -> ExprId {
    return EmitAnnotation(to(), "annotation.compiler_end"_op, value, target);
  }

  auto IsEmptyCall(ExprId id) -> bool {
    return (made().kind(id) == ExprKind::kOpCall && made().operands(id).empty()) ||
           (made().kind(id) == ExprKind::kCall && made().operands(id).size() == 1);
  }

  // Ends every argument for its own target and begins it for `target`; without one for what the arguments have in
  // common. Returns the target.
  auto Annotate(std::vector<ExprId>& args, std::string target) -> std::string {
    std::string common;
    std::vector<bool> begun(args.size());
    for (size_t i = 0; i < args.size(); ++i) {
      std::string own = default_;
      ExprId& arg = args[i];
      if (IsCompilerBegin(made(), arg)) {
        const ExprId end = made().operand(arg, 0);
        begun[i] = CompilerOf(made(), arg) != kDefaultCompiler;
        if (!begun[i]) arg = end;
        if (IsCompilerEnd(made(), end)) own = CompilerOf(made(), end);
      } else if (const std::string& known = TargetOf(arg); !known.empty()) {
        own = known;
        // An operator without arguments has no begin that an end could close.
        if (!IsEmptyCall(arg)) arg = End(arg, own);
      }
      if (common.empty())
        common = own;
      else if (common != own)
        common = default_;
    }
    if (target.empty()) target = common;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!begun[i]) args[i] = Begin(args[i], target);
    }
    return target;
  }

  // Returns the value, with an end if it has a target.
  auto Close(ExprId id) -> ExprId {
    const std::string target = TargetOf(id);
    if (!target.empty()) {
      if (IsCompilerEnd(made(), id) || IsEmptyCall(id)) return id;
      const ExprId end = End(id, target);
      SetTarget(end, target);
      return end;
    }
    if (!IsCompilerEnd(made(), id) || CompilerOf(made(), id) != kDefaultCompiler) return id;
    const ExprId value = made().operand(id, 0);
    const std::string inner = TargetOf(value);
    return inner.empty() ? id : End(value, inner);
  }

  auto Visit(ExprId id) -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kOpCall:
      case ExprKind::kCall: return VisitCall(id);
      case ExprKind::kTuple:
      case ExprKind::kTupleGetItem:
      case ExprKind::kRefCreate:
      case ExprKind::kRefRead:
      case ExprKind::kRefWrite: return options_.include_non_call_ops ? AnnotateOperands(id) : CloseOperands(id, 0);
      case ExprKind::kFunction:
        return CompositeAttr(function_, id) ? rebuild_.Copy(id) : CloseOperands(id, function_.operands(id).size() - 1);
      case ExprKind::kLet:
      case ExprKind::kIf:
      case ExprKind::kMatch: return CloseOperands(id, 0);
      default: return rebuild_.Copy(id);
    }
  }

  // Operators that only move data get the target of their operands. References do not: an external function has no
  // known effects.
  auto AnnotateOperands(ExprId id) -> ExprId {
    std::vector<ExprId> operands(rebuild_.NewOperands(id).begin(), rebuild_.NewOperands(id).end());
    if (operands.empty()) return rebuild_.Copy(id);
    const ExprKind kind = function_.kind(id);
    const bool is_data = kind == ExprKind::kTuple || kind == ExprKind::kTupleGetItem;
    const std::string target = Annotate(operands, is_data ? std::string() : default_);
    const ExprId made = to().Copy(function_, id, operands);
    SetTarget(made, target);
    return made;
  }

  auto CloseOperands(ExprId id, size_t first) -> ExprId {
    std::vector<ExprId> operands(rebuild_.NewOperands(id).begin(), rebuild_.NewOperands(id).end());
    for (size_t i = first; i < operands.size(); ++i) {
      const ExprKind kind = made().kind(operands[i]);
      if (kind != ExprKind::kVar && kind != ExprKind::kFunction) operands[i] = Close(operands[i]);
    }
    return to().Copy(function_, id, operands);
  }

  auto VisitCall(ExprId id) -> ExprId {
    const bool is_op = function_.kind(id) == ExprKind::kOpCall;
    if (IsCompilerBegin(function_, id)) return rebuild_.Copy(id);
    if (IsCompilerEnd(function_, id)) {
      const ExprId made = rebuild_.Copy(id);
      const ExprId value = rebuild_.New(function_.operand(id, 0));
      if (TargetOf(value).empty()) SetTarget(value, std::string(CompilerOf(function_, id)));
      return made;
    }
    const size_t first = is_op ? 0 : 1;
    const auto old_operands = function_.operands(id);
    if (old_operands.size() > first && IsCompilerBegin(function_, old_operands[first]) &&
        CompilerOf(function_, old_operands[first]) != kDefaultCompiler) {
      return rebuild_.Copy(id);
    }
    if (!is_op && !options_.include_non_call_ops && function_.kind(old_operands[0]) == ExprKind::kVar) {
      return CloseOperands(id, 1);
    }
    const std::string target = ChooseTarget(id);
    const auto operands = rebuild_.NewOperands(id);
    std::vector<ExprId> args(operands.begin() + static_cast<ptrdiff_t>(first), operands.end());
    Annotate(args, target);
    if (!is_op) args.insert(args.begin(), rebuild_.New(old_operands[0]));
    const ExprId made = to().Copy(function_, id, args);
    SetTarget(made, target);
    return made;
  }

  // Why the target does not take the call of an operator; returns nothing if it does.
  auto WhyNot(const std::string& target, ExprId id) const -> std::optional<std::string> {
    if (accelerator_ != nullptr && accelerator_->name() == target) return accelerator_->WhyNot(function_, id);
    const ExternalCompiler* compiler = FindExternalCompiler(target);
    if (compiler == nullptr) return "it takes only composite functions";
    if (compiler->supports(function_, id)) return std::nullopt;
    return "not among its operators, or not on these types";
  }

  // Returns the first target that takes the call.
  auto ChooseTarget(ExprId id) const -> std::string {
    if (function_.kind(id) == ExprKind::kOpCall) {
      std::string reasons;
      for (const std::string& target : targets_) {
        std::optional<std::string> why;
        std::optional<bool> answer;
        if (callbacks_ != nullptr && callbacks_->supports) answer = callbacks_->supports(target, function_, id);
        if (answer)
          why = *answer ? std::nullopt : std::optional<std::string>("it says so");
        else
          why = WhyNot(target, id);
        if (!why) {
          remarks_.PassedOp("Taken", id, "goes to " + target);
          return target;
        }
        if (remarks_.is_wanted()) reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", target, *why);
      }
      remarks_.MissedOp("Stays", id, "stays here: " + reasons);
      return default_;
    }
    const ExprId callee = function_.operand(id, 0);
    const StringId composite = CompositeAttr(function_, callee);
    if (!composite) return default_;
    const std::string_view name = function_.context().text(composite);
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return default_;
    const auto found = std::ranges::find(targets_, name.substr(0, dot));
    return found == targets_.end() ? default_ : *found;
  }

  const Function& function_;
  const AnnotateTargetOptions& options_;
  const std::vector<std::string>& targets_;
  const Accelerator* accelerator_;
  const PassCallbacks* callbacks_;
  PassRemarks& remarks_;
  const std::string default_ = std::string(kDefaultCompiler);
  Rebuild rebuild_;
  SideTable<ExprId, bool> composite_;
  // For new expressions; see Target.
  std::vector<uint32_t> target_of_;
  std::vector<std::string> other_targets_;
};

// The compilers that composite functions of a module are named after: the part of the name before the first dot.
struct CompositeOwners {
  explicit CompositeOwners(const Module& module) {
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      const Function& function = *module.function<Function>(id);
      for (const ExprId expr : function.ids()) {
        const StringId composite = CompositeAttr(function, expr);
        if (!composite) continue;
        const std::string_view name = function.context().text(composite);
        names.emplace(name.substr(0, name.find('.')));
      }
    }
  }

  std::set<std::string, std::less<>> names;
};

struct AnnotateTarget {
  using Options = AnnotateTargetOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    std::vector<std::string> targets = options.targets;
    std::optional<Accelerator> accelerator;
    const std::string& file = options.accelerator.empty() ? options.table : options.accelerator;
    if (!file.empty()) {
      RELAYOPT_TRY(accelerator, Accelerator::ReadFile(file));
      if (std::ranges::find(targets, accelerator->name()) == targets.end()) targets.push_back(accelerator->name());
    }
    if (targets.empty()) return MakeDiagnostic(diag::kMissingPassOption, {}, "AnnotateTarget", "targets", kTargetsDoc);
    for (const std::string& target : targets) {
      if (!IsKnown(target, accelerator ? &*accelerator : nullptr, module, context)) {
        std::vector<std::string_view> names = ExternalCompilerNames();
        if (accelerator) names.push_back(accelerator->name());
        return MakeDiagnostic(kUnknownCompiler, {}, target, DidYouMean(target, names));
      }
    }
    PassRemarks remarks(context, "AnnotateTarget", module, function, id);
    return Annotator(function, options, targets, accelerator ? &*accelerator : nullptr, CallbacksOf(context), remarks)
        .Run();
  }

  static auto IsKnown(const std::string& target, const Accelerator* accelerator, const Module& module,
                      PassContext& context) -> bool {
    if (target == kDefaultCompiler || FindExternalCompiler(target) != nullptr) return true;
    if (accelerator != nullptr && accelerator->name() == target) return true;
    const PassCallbacks* callbacks = CallbacksOf(context);
    if (callbacks != nullptr && callbacks->supports) return true;
    return module.Analysis<CompositeOwners>().names.contains(target);
  }
};

}  // namespace

constinit const PassDef kAnnotateTargetPass = DescribePass<AnnotateTarget>({
    .name = "AnnotateTarget",
    .info_name = "AnnotateTargetFunc",
    .opt_level = 0,
    .required = "InferType",
    .summary = "marks the operators that external compilers support",
    .details =
        R"(Puts annotation.compiler_begin around every argument and annotation.compiler_end around every result of the calls that
one of `targets` takes; the first that does wins, and 'default' stands for none of them:

  nn.softmax(nn.relu(%x))   =>   %0 = annotation.compiler_begin(%x, compiler="dnnl");
                                 %1 = nn.relu(%0);
                                 %2 = annotation.compiler_end(%1, compiler="dnnl");
                                 ...

An operator is taken when the compiler has it ('dnnl' is built in, `table` describes others), a composite function (see MergeComposite) when its name starts
with that of the target and a dot. Tuples and projections go with their operands. MergeCompilerRegions joins what lies side by side,
PartitionGraph makes functions of it.

Left alone: calls that are annotated for another compiler already, and the inside of composite functions. References and calls
of other functions stay with 'default', and so does an operator that has no arguments.)",
});

}  // namespace relayopt
