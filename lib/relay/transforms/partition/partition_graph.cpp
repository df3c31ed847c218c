// PartitionGraph: moves what is between compiler annotations to global functions.
//
// For each function of the module:
// 1. Normalize moves the ends of tuples to their fields, so that every value that leaves a region has an end of its
//    own, and drops annotations for 'default'.
// 2. AnnotatedRegions finds the regions: what is connected without passing a begin or an end. RegionFunctions walks
//    from the results and gives each its inputs and outputs, in the order in which they are met; Build makes functions.
// 3. Caller rebuilds the function, values before their users, with one call for each region. The arguments of a call
//    may come after the first use of one of its results, hence the search from results to operands; a region that needs
//    a result of itself shows as a cycle, and is an error.
// Afterwards functions that had the attribute Compiler already are renamed like new ones, with their calls.
//
//   %1 = nn.relu(begin(%x)); %2 = end(%1);     region 0: input %x, output %1
//   exp(%2)                              =>    exp(@tvmgen_default_dnnl_main_0(%x))
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler_annotations.h"
#include "region_functions.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/offload_report.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/plural.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCyclicRegion = {
    "partition-cyclic-region", Severity::kError,
    "the region for '{}' needs one of its own results: it cannot run as one function"};
constexpr DiagnosticKind kScatteredRegion = {
    "partition-scattered-region", Severity::kError,
    "a region with parts in several scopes cannot run as one function: as its argument, {}"};

struct PartitionGraphOptions {
  std::string mod_name = "default";
  bool bind_constants = true;
  static constexpr auto Fields() {
    return std::array{
        Option<&PartitionGraphOptions::mod_name>("part of the names of the new functions"),
        Option<&PartitionGraphOptions::bind_constants>("put constants into the new functions instead of passing them"),
    };
  }
};

// Ends of tuples move to their fields; annotations for the default compiler go.
auto Normalize(const Function& function) -> Function {
  Rebuild rebuild(function);
  rebuild.ForEach([&](ExprId id) {
    const bool is_end = IsCompilerEnd(function, id);
    if (!is_end && !IsCompilerBegin(function, id)) return rebuild.Copy(id);
    const std::string_view compiler = CompilerOf(function, id);
    const ExprId value = function.operand(id, 0);
    const bool is_default = compiler == kDefaultCompiler;
    if (is_end && function.kind(value) == ExprKind::kTuple) {
      std::vector<ExprId> fields;
      for (const ExprId field : function.operands(value)) {
        const ExprId made = rebuild.New(field);
        fields.push_back(is_default ? made
                                    : EmitAnnotation(rebuild.to(), "annotation.compiler_end"_op, made, compiler));
      }
      return EmitTuple(rebuild.to(), fields);
    }
    return is_default ? rebuild.New(value) : rebuild.Copy(id);
  });
  return rebuild.Finish();
}

// Replaces regions by calls of the new functions. Walks from results to operands, because the arguments of a call may
// come after the first use of its result.
class Caller {
 public:
  Caller(const Function& function, const RegionFunctions& regions, const std::vector<GlobalId>& globals)
      : function_(function), regions_(regions), globals_(globals), rebuild_(function), state_(function.size()) {
    calls_.resize(regions.functions().size());
    items_.resize(regions.functions().size());
  }

  // Returns nothing if a region needs a result of itself.
  auto Run() -> std::optional<Function> {
    stack_.push_back({function_.root(), OperandsOf(function_.root())});
    state_[function_.root()] = State::kOpen;
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.operands.size()) {
        rebuild_.Set(frame.node, Emit(frame.node));
        state_[frame.node] = State::kDone;
        stack_.pop_back();
        continue;
      }
      const ExprId operand = frame.operands[frame.next++];
      if (state_[operand] == State::kDone) continue;
      if (state_[operand] == State::kOpen) {
        culprit_ = operand;
        return std::nullopt;
      }
      state_[operand] = State::kOpen;
      stack_.push_back({operand, OperandsOf(operand)});
    }
    return rebuild_.Finish();
  }

  // After a result of nothing: the position of the cycle.
  auto culprit() const -> ExprId { return culprit_; }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    ExprId node;
    std::vector<ExprId> operands;
    size_t next = 0;
  };
  // The projection of one of several outputs, once it exists.
  struct Item {
    uint32_t index = 0;
    ExprId made;
  };

  auto RegionAt(ExprId id) const -> const RegionFunction* {
    return IsCompilerEnd(function_, id) ? regions_.Find(id) : nullptr;
  }

  auto PlaceOf(const RegionFunction& region) const -> size_t {
    return static_cast<size_t>(&region - regions_.functions().data());
  }

  auto OperandsOf(ExprId id) const -> std::vector<ExprId> {
    const RegionFunction* region = RegionAt(id);
    if (region == nullptr) return {function_.operands(id).begin(), function_.operands(id).end()};
    std::vector<ExprId> args;
    // The first end has visited them before the call was created.
    if (calls_[PlaceOf(*region)]) return args;
    for (const auto& input : region->inputs) {
      if (!input.is_bound) args.push_back(input.value);
    }
    return args;
  }

  auto Emit(ExprId id) -> ExprId {
    const RegionFunction* region = RegionAt(id);
    if (region != nullptr) return EmitOutput(*region, function_.operand(id, 0));
    // Annotations that open or close nothing.
    if (IsCompilerBegin(function_, id) || IsCompilerEnd(function_, id)) return rebuild_.New(function_.operand(id, 0));
    return rebuild_.Copy(id);
  }

  // One call for a region, one projection for each of several outputs.
  auto EmitOutput(const RegionFunction& region, ExprId output) -> ExprId {
    FunctionBuilder& to = rebuild_.to();
    const size_t place = PlaceOf(region);
    if (!calls_[place]) {
      std::vector<ExprId> args;
      for (const auto& input : region.inputs) {
        if (!input.is_bound) args.push_back(rebuild_.New(input.value));
      }
      calls_[place] = to.Call(to.Global(globals_[place]), args);
      for (const ExprId each : region.outputs)
        items_[place].try_emplace(each, Item{static_cast<uint32_t>(items_[place].size()), {}});
    }
    if (region.outputs.size() == 1) {
      to.SetType(calls_[place], function_.type(output));
      return calls_[place];
    }
    Item& item = items_[place].at(output);
    if (!item.made) {
      item.made = to.TupleGetItem(calls_[place], item.index);
      to.SetType(item.made, function_.type(output));
    }
    return item.made;
  }

  const Function& function_;
  const RegionFunctions& regions_;
  const std::vector<GlobalId>& globals_;
  Rebuild rebuild_;
  SideTable<ExprId, State> state_;
  std::vector<Frame> stack_;
  std::vector<ExprId> calls_;
  std::vector<absl::flat_hash_map<ExprId, Item>> items_;
  ExprId culprit_;
};

class Partitioner {
 public:
  Partitioner(const Module& module, const PartitionGraphOptions& options) : module_(module), options_(options) {}

  auto Run(DiagnosticSink& sink) -> Result<Module> {
    const std::vector<GlobalId> ids = module_.SortedFunctions<Function>();
    for (const GlobalId id : ids) {
      if (auto error = Partition(id)) return *std::move(error);
    }
    Rename(ids);
    InferTypes(module_, sink);
    return std::move(module_);
  }

 private:
  auto context() const -> Context& { return module_.context(); }

  auto Partition(GlobalId id) -> std::optional<Diagnostic> {
    const Function function = Normalize(*module_.function<Function>(id));
    auto regions = AnnotatedRegions::Find(function);
    if (!regions) return std::move(regions).error();
    const RegionFunctions functions(function, *regions, options_.bind_constants);
    std::vector<GlobalId> globals;
    for (const RegionFunction& region : functions.functions()) {
      const std::string_view compiler = regions->compiler(region.region);
      const std::string name =
          FreshName(Mangled(fmt::format("{}_{}_{}", compiler, module_.name(id), region.region.value())));
      globals.push_back(module_.NameGlobal(name));
      module_.SetFunction(globals.back(), std::make_shared<Function>(functions.Build(region, Attrs(compiler, name))));
    }
    Caller caller(function, functions, globals);
    auto made = caller.Run();
    if (!made)
      return MakeDiagnostic(kCyclicRegion, function.range(caller.culprit()), Culprit(function, caller.culprit()));
    // Expressions merged across scopes merge their regions, whose call is then outside of some of them.
    if (const auto broken = globals.empty() ? std::nullopt : Verify(module_, *made)) {
      return MakeDiagnostic(kScatteredRegion, made->range(broken->expr), broken->text);
    }
    module_.SetFunction(id, std::make_shared<Function>(*std::move(made)));
    return std::nullopt;
  }

  static auto Culprit(const Function& function, ExprId id) -> std::string_view {
    return IsCompilerEnd(function, id) ? CompilerOf(function, id) : kDefaultCompiler;
  }

  // Letters, digits and underscores.
  auto Mangled(std::string_view name) const -> std::string {
    std::string mangled = options_.mod_name.empty() ? "tvmgen_" : "tvmgen_" + options_.mod_name + "_";
    mangled += name;
    for (char& c : mangled) {
      if (!IsLetterOrDigit(c)) c = '_';
    }
    return mangled;
  }

  auto FreshName(const std::string& name) const -> std::string {
    std::string fresh = name;
    for (int i = 1; module_.FindGlobal(fresh) && module_.function(module_.FindGlobal(fresh)) != nullptr; ++i) {
      fresh = fmt::format("{}_{}", name, i);
    }
    return fresh;
  }

  // As TVM: in the order in which its map is printed.
  auto Attrs(std::string_view compiler, std::string_view name) const -> std::vector<FunctionAttr> {
    return {{context().Intern(attr::kCompiler), context().AddString(compiler)},
            {context().Intern(attr::kPrimitive), context().AddInt(1)},
            {context().Intern(attr::kInline), context().AddInt(1)},
            {context().Intern(attr::kGlobalSymbol), context().AddString(name)}};
  }

  // Functions that were external before get names of the same kind.
  void Rename(const std::vector<GlobalId>& ids) {
    SideTable<GlobalId, GlobalId> renamed(module_.globals().size());
    bool changes = false;
    for (const GlobalId id : ids) {
      const FunctionRef function = module_.function_ref<Function>(id);
      if (!CompilerAttr(*function, function->root())) continue;
      const std::string name = FreshName(Mangled(module_.name(id)));
      const GlobalId made = module_.NameGlobal(name);
      Function copy = *function;
      SetSymbol(copy.mutable_info(copy.root()).attrs, name);
      module_.SetFunction(made, std::make_shared<Function>(std::move(copy)));
      module_.SetFunction(id, nullptr);
      renamed[id] = made;
      changes = true;
    }
    if (!changes) return;
    for (const GlobalId id : module_.SortedFunctions<Function>()) PointTo(id, renamed);
  }

  void SetSymbol(std::vector<FunctionAttr>& attrs, std::string_view name) const {
    const StringId key = context().Intern(attr::kGlobalSymbol);
    const ObjectId value = context().AddString(name);
    const auto found = std::ranges::find(attrs, key, &FunctionAttr::key);
    if (found == attrs.end()) {
      attrs.push_back({key, value});
      return;
    }
    found->value = value;
    if (attrs.size() != 4) return;
    // A full map of four entries becomes a hash table when one is replaced.
    constexpr std::string_view kOrder[] = {attr::kCompiler, attr::kPrimitive, attr::kInline, attr::kGlobalSymbol};
    std::ranges::stable_sort(attrs, {}, [&](const FunctionAttr& attr) {
      return std::ranges::find(kOrder, context().text(attr.key)) - std::begin(kOrder);
    });
  }

  void PointTo(GlobalId id, const SideTable<GlobalId, GlobalId>& renamed) {
    const FunctionRef function = module_.function_ref<Function>(id);
    const auto new_global = [&](ExprId node) {
      if (function->kind(node) != ExprKind::kGlobal || function->global(node).value() >= renamed.size())
        return GlobalId();
      return renamed[function->global(node)];
    };
    bool mentions = false;
    for (const ExprId node : function->ids()) mentions = mentions || new_global(node);
    if (!mentions) return;
    Rebuild rebuild(*function);
    rebuild.ForEach([&](ExprId node) {
      const GlobalId made = new_global(node);
      return made ? rebuild.to().Global(made) : rebuild.Copy(node);
    });
    module_.SetFunction(id, std::make_shared<Function>(rebuild.Finish()));
  }

  Module module_;
  const PartitionGraphOptions& options_;
};

struct PartitionGraph {
  using Options = PartitionGraphOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    RELAYOPT_TRY(Module result, Partitioner(module, options).Run(context.diagnostics()));
    if (context.wants_remarks()) Report(result, context);
    return result;
  }

  // Remarks which operators run on an external compiler, and which do not.
  static void Report(const Module& module, PassContext& context) {
    const OffloadReport report = ReportOffload(module);
    const auto remark = [](RemarkKind kind, std::string_view name, std::string_view function) {
      return Remark(kind, "PartitionGraph", name, function, {});
    };
    for (const OffloadReport::Region& region : report.regions) {
      context.Report(remark(RemarkKind::kPassed, "Region", region.function)
                         .Text("@")
                         .Arg("Function", region.function)
                         .Text(fmt::format(" has {} and {} for {}; {} bytes go in and {} come out",
                                           Counted(region.count.operators, "operator"),
                                           Counted(region.count.macs, "multiply-accumulate"), region.compiler,
                                           region.bytes_in, region.bytes_out)));
    }
    for (const auto& [name, count] : report.staying)
      context.Report(
          remark(RemarkKind::kMissed, "Stays", "")
              .Text(fmt::format("{} of {} {} here", Counted(count, "call"), name, count == 1 ? "stays" : "stay")));
    context.Report(
        remark(RemarkKind::kAnalysis, "Coverage", "")
            .Text(fmt::format("{} regions hold {} of {} operators and {} of {} multiply-accumulates; {} bytes "
                              "cross the border",
                              report.regions.size(), report.inside.operators, report.total.operators,
                              report.inside.macs, report.total.macs, report.bytes_over_border)));
  }
};

}  // namespace

constinit const PassDef kPartitionGraphPass = DescribePass<PartitionGraph>({
    .name = "PartitionGraph",
    .opt_level = 0,
    .summary = "moves regions between compiler annotations into global functions",
    .details =
        R"(What lies between annotation.compiler_begin and annotation.compiler_end for one external compiler becomes a global function, and a
call of it stands in its place. Annotations for 'default' disappear.

  def @main(%x) {
    %0 = annotation.compiler_begin(%x, compiler="dnnl");
    %1 = nn.relu(%0);
    annotation.compiler_end(%1, compiler="dnnl")
  }
      =>
  def @main(%x) { @tvmgen_default_dnnl_main_0(%x) }
  def @tvmgen_default_dnnl_main_0(%dnnl_0_i0, Compiler="dnnl", Primitive=1, Inline=1, global_symbol=...) { nn.relu(%dnnl_0_i0) }

A region with several results returns a tuple. A value that enters twice is one parameter; constants move into the function unless
bind_constants=false. Names are made of mod_name, the compiler, the function and the number of the region; functions that have the
attribute Compiler already are renamed in the same way, with their calls.)",
});

}  // namespace relayopt
