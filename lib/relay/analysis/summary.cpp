// Counting what a model consists of.
//
//   %0 = fn (%p0, %p1, Primitive=1) { %1 = nn.conv2d(%p0, %p1); nn.relu(%1) };
//   %2 = %0(%data, meta[relay.Constant][0]);        one layer: nn.conv2d+nn.relu, with the constant as its weight
//   %3 = nn.softmax(%2);                            another one
//
// One descending scan finds what is inside of kernels; one upwards collects for each function literal what is in it,
// and makes a layer of each call that launches something. A second pair of scans over @main finds the last use of every
// value, through tuples, lets and reshapes, and adds up what lives.
#include "relayopt/relay/analysis/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

void Add(uint64_t& sum, uint64_t value) { sum = sum > UINT64_MAX - value ? UINT64_MAX : sum + value; }

struct Size {
  uint64_t elements = 0;
  uint64_t bytes = 0;
  bool is_known = true;
};

// Returns the total size of the tensors in a type.
auto SizeOf(const Context& context, TypeId type) -> Size {
  Size size;
  std::vector<TypeId> work = {type};
  // Types share their parts, so that a small term may represent a very large tree. Results are never that large, so
  // counting stops here.
  constexpr size_t kMostParts = 100'000;
  for (size_t parts = 0; !work.empty(); ++parts) {
    const TypeId id = work.back();
    work.pop_back();
    if (!id || parts == kMostParts) return {.is_known = false};
    const Type& term = context.type(id);
    if (term.is_tuple()) {
      work.insert(work.end(), term.args.begin(), term.args.end());
    } else if (term.is_tensor()) {
      uint64_t elements = 1;
      for (const Dim& extent : term.shape) {
        if (!extent.is_int() || extent.value() < 0) {
          size.is_known = false;
          elements = 0;
        } else if (__builtin_mul_overflow(elements, static_cast<uint64_t>(extent.value()), &elements)) {
          elements = UINT64_MAX / 64;
        }
      }
      Add(size.elements, elements);
      Add(size.bytes, elements * term.dtype.bytes());
    }
  }
  return size;
}

// The content of a kernel, or of a function for an external compiler.
struct KernelContents {
  std::string name;
  std::string source;
  // The span of the operator before.
  SpanId span;
  uint64_t operators = 0;
  uint64_t macs = 0;
  bool is_known = true;
  // Whether the operators only view their data, so that the result takes no memory of its own.
  bool is_view = true;
  std::vector<ConstantId> constants;
};

constexpr size_t kLongestLayerName = 200;

// The layers of the original model, one after the other.
void AddSource(KernelContents& inside, const Function& function, ExprId call) {
  const SpanId span = function.span(call);
  if (!span || span == inside.span || inside.source.size() > kLongestLayerName) return;
  inside.span = span;
  inside.source += inside.source.empty() ? "" : "+";
  inside.source += function.context().text(function.context().span(span).source);
  if (inside.source.size() > kLongestLayerName) inside.source += "+...";
}

void AddOperator(KernelContents& inside, const Function& function, ExprId call) {
  AddSource(inside, function, call);
  ++inside.operators;
  inside.is_view = inside.is_view && function.op(call)->reshape_only;
  const auto macs = CallMacs(function, call);
  inside.is_known = inside.is_known && macs.has_value();
  Add(inside.macs, macs.value_or(0));
  if (inside.name.size() > kLongestLayerName) return;
  inside.name += (inside.name.empty() ? "" : "+") + std::string(function.op(call)->name);
  if (inside.name.size() > kLongestLayerName) inside.name += "+...";
}

// Resolves let-bound variables to their values.
class Aliases {
 public:
  explicit Aliases(const Function& function) : function_(function), lets_(function), found_(function.size()) {}

  auto Of(ExprId id) -> ExprId {
    ExprId end = id;
    // Each step of a path is looked up once: the path then leads to its end.
    std::vector<ExprId> path;
    while (function_.kind(end) == ExprKind::kVar) {
      if (found_[end].has_value()) {
        end = found_[end];
        break;
      }
      const ExprId value = lets_.ValueOf(end);
      if (!value.has_value() || path.size() > function_.size()) break;
      path.push_back(end);
      end = value;
    }
    for (const ExprId step : path) found_[step] = end;
    return end;
  }

 private:
  const Function& function_;
  LetIndex lets_;
  SideTable<ExprId, ExprId> found_;
};

class Summarizer {
 public:
  explicit Summarizer(const Module& module) : module_(module), regions_(module.globals().size()) {}

  auto Run() -> ModelSummary {
    std::vector<GlobalId> order = module_.SortedFunctions<Function>();
    const GlobalId main = module_.FindGlobal("main");
    std::ranges::stable_partition(order, [&](GlobalId id) { return id == main; });
    for (const GlobalId id : order) {
      const Function& function = *module_.function<Function>(id);
      if (IsKernel(function, function.root())) regions_[id.value()] = InsideOf(function);
    }
    for (const GlobalId id : order) {
      if (regions_[id.value()]) continue;
      const Function& function = *module_.function<Function>(id);
      CountFunction(function, std::string(module_.name(id)), id == main);
      if (id == main) summary_.peak_bytes = PeakBytes(function);
    }
    return std::move(summary_);
  }

 private:
  // Returns the contents of a whole function.
  auto InsideOf(const Function& function) -> KernelContents {
    KernelContents inside;
    for (const ExprId id : function.ids()) {
      if (function.kind(id) == ExprKind::kOpCall) AddOperator(inside, function, id);
      if (function.kind(id) == ExprKind::kConstant) inside.constants.push_back(function.constant_id(id));
    }
    CountOperatorsOf(function);
    return inside;
  }

  void CountOperatorsOf(const Function& function) {
    for (const ExprId id : function.ids()) {
      if (function.kind(id) == ExprKind::kOpCall) ++summary_.operators[std::string(function.op(id)->name)];
    }
  }

  void CountFunction(const Function& function, const std::string& name, bool is_main) {
    CountOperatorsOf(function);
    // The kernel that contains an expression; invalid if there is none. Kernels are closed: nothing inside is used
    // outside.
    SideTable<ExprId, ExprId> kernel_of(function.size());
    for (const ExprId id : function.ids().reversed()) {
      const bool is_kernel =
          function.kind(id) == ExprKind::kFunction && id != function.root() && IsKernel(function, id);
      const ExprId kernel = kernel_of[id].has_value() ? ExprId(kernel_of[id]) : is_kernel ? id : ExprId();
      if (!kernel.has_value()) continue;
      for (const ExprId operand : function.operands(id)) {
        // A constant may belong to several.
        if (function.kind(operand) != ExprKind::kConstant) kernel_of[operand] = kernel;
      }
    }
    absl::flat_hash_map<ExprId, KernelContents> kernels;
    for (const ExprId id : function.ids()) {
      if (!kernel_of[id].has_value()) continue;
      KernelContents& inside = kernels[kernel_of[id]];
      if (function.kind(id) == ExprKind::kOpCall) AddOperator(inside, function, id);
      for (const ExprId operand : function.operands(id)) {
        if (function.kind(operand) == ExprKind::kConstant) inside.constants.push_back(function.constant_id(operand));
      }
    }
    SideTable<ExprId, bool> is_weight(function.size());
    if (is_main) {
      for (const ExprId weight : FindWeights(module_, function)) {
        is_weight[weight] = true;
        AddWeight(summary_.total, SizeOf(function.context(), function.type(weight)));
      }
    }
    Aliases aliases(function);
    for (const ExprId id : function.ids()) {
      if (kernel_of[id].has_value()) continue;
      if (function.kind(id) == ExprKind::kConstant) AddConstant(function.context(), function.constant_id(id));
      std::optional<KernelContents> inside = LaunchedBy(function, id, aliases, kernels);
      if (inside) AddLayer(function, name, id, *inside, is_weight, aliases);
    }
  }

  // What a call launches; nothing when it launches nothing, or runs a function whose layers are counted separately.
  auto LaunchedBy(const Function& function, ExprId id, Aliases& aliases,
                  const absl::flat_hash_map<ExprId, KernelContents>& kernels) -> std::optional<KernelContents> {
    if (function.kind(id) == ExprKind::kOpCall) {
      KernelContents inside;
      AddOperator(inside, function, id);
      return inside;
    }
    if (function.kind(id) != ExprKind::kCall) return std::nullopt;
    const ExprId callee = aliases.Of(function.operand(id, 0));
    if (function.kind(callee) == ExprKind::kGlobal) {
      std::optional<KernelContents> region = regions_[function.global(callee).value()];
      if (region) region->name = fmt::format("@{}", module_.name(function.global(callee)));
      return region;
    }
    if (!IsKernel(function, callee)) return std::nullopt;
    const auto found = kernels.find(callee);
    return found == kernels.end() ? KernelContents() : found->second;
  }

  void AddLayer(const Function& function, const std::string& name, ExprId id, const KernelContents& inside,
                const SideTable<ExprId, bool>& is_weight, Aliases& aliases) {
    const Context& context = function.context();
    SummaryLayer layer;
    layer.name = inside.name;
    layer.source = inside.source;
    layer.function = name;
    layer.range = function.range(id);
    layer.output = TypeName(context, function.type(id));
    layer.kernels = 1;
    layer.operators = inside.operators;
    layer.macs = inside.macs;
    const Size result = SizeOf(context, function.type(id));
    layer.activation_bytes = inside.operators != 0 && inside.is_view ? 0 : result.bytes;
    absl::flat_hash_set<ExprId> seen;
    for (const ExprId operand : function.operands(id)) {
      const ExprId value = aliases.Of(operand);
      const bool is_constant = function.kind(value) == ExprKind::kConstant;
      if (!seen.insert(value).second || !(is_constant || is_weight[value])) continue;
      if (is_constant) {
        AddWeight(layer, SizeOfConstant(context.constant(function.constant_id(value))));
      } else {
        AddWeight(layer, SizeOf(context, function.type(value)));
      }
    }
    for (const ConstantId constant : inside.constants) {
      AddWeight(layer, SizeOfConstant(context.constant(constant)));
      AddConstant(context, constant);
    }
    SummaryCounts& total = summary_.total;
    Add(total.kernels, 1);
    Add(total.operators, layer.operators);
    Add(total.macs, layer.macs);
    Add(total.activation_bytes, layer.activation_bytes);
    layer.has_unknown_macs = !inside.is_known;
    layer.has_unknown_result = !result.is_known;
    if (!result.is_known || !inside.is_known) ++summary_.unknown;
    summary_.layers.push_back(std::move(layer));
  }

  static auto SizeOfConstant(const Constant& constant) -> Size {
    return constant.is_scalar() ? Size() : Size{constant.num_elements(), constant.num_bytes()};
  }
  static void AddWeight(SummaryCounts& counts, const Size& size) {
    Add(counts.parameters, size.elements);
    Add(counts.weight_bytes, size.bytes);
  }
  // To the total, once.
  void AddConstant(const Context& context, ConstantId id) {
    if (constants_.insert(id).second) AddWeight(summary_.total, SizeOfConstant(context.constant(id)));
  }

  auto PeakBytes(const Function& function) const -> uint64_t;

  const Module& module_;
  ModelSummary summary_;
  // The contents of launched global functions.
  std::vector<std::optional<KernelContents>> regions_;
  absl::flat_hash_set<ConstantId> constants_;
};

// Whether the value is (part of) one that an operand already holds. FuseOps marks kernels that only reshape.
auto IsView(const Function& function, ExprId id) -> bool {
  switch (function.kind(id)) {
    case ExprKind::kCall: {
      const ExprId callee = function.operand(id, 0);
      return function.kind(callee) == ExprKind::kFunction && function.IntAttr(callee, attr::kReshapeOnly) != 0;
    }
    case ExprKind::kTuple:
    case ExprKind::kTupleGetItem:
    case ExprKind::kLet:
    case ExprKind::kIf:
    case ExprKind::kMatch: return true;
    case ExprKind::kOpCall: return function.op(id)->reshape_only || function.op(id)->non_computational;
    default: return false;
  }
}

auto Summarizer::PeakBytes(const Function& function) const -> uint64_t {
  Aliases aliases(function);
  const Context& context = function.context();
  // KernelContents of kernels nothing takes memory.
  SideTable<ExprId, bool> hidden(function.size());
  SideTable<ExprId, uint32_t> last_use(function.size(), 0);
  for (const ExprId id : function.ids().reversed()) {
    const bool is_function = function.kind(id) == ExprKind::kFunction;
    const bool hides = hidden[id] || (is_function && id != function.root() && IsKernel(function, id));
    // Binding a value does not use it.
    const auto operands = function.operands(id);
    for (const ExprId operand : is_function || function.kind(id) == ExprKind::kLet ? operands.last(1) : operands) {
      if (hides && function.kind(operand) != ExprKind::kConstant) hidden[operand] = true;
      const ExprId value = aliases.Of(operand);
      const uint32_t use = IsView(function, id) ? std::max<uint32_t>(id.value(), last_use[id]) : id.value();
      if (!hides) last_use[value] = std::max<uint32_t>(last_use[value], use);
    }
  }
  SideTable<ExprId, bool> is_weight(function.size());
  for (const ExprId weight : FindWeights(module_, function)) is_weight[weight] = true;
  uint64_t live = 0;
  const auto holds = [&](ExprId id) -> uint64_t {
    const ExprKind kind = function.kind(id);
    const bool is_result = (kind == ExprKind::kOpCall || kind == ExprKind::kCall) && !IsView(function, id);
    return is_result && !hidden[id] ? SizeOf(context, function.type(id)).bytes : 0;
  };
  // For each expression, the bytes that are no longer needed after it.
  std::vector<std::pair<uint32_t, uint64_t>> deaths;
  for (const ExprId param : function.params()) {
    if (is_weight[param]) continue;
    const uint64_t bytes = SizeOf(context, function.type(param)).bytes;
    Add(live, bytes);
    deaths.emplace_back(last_use[param], bytes);
  }
  for (const ExprId id : function.ids()) {
    if (const uint64_t bytes = holds(id)) deaths.emplace_back(std::max<uint32_t>(last_use[id], id.value()), bytes);
  }
  std::ranges::sort(deaths);
  uint64_t peak = live;
  size_t next = 0;
  for (const ExprId id : function.ids()) {
    Add(live, holds(id));
    peak = std::max(peak, live);
    for (; next < deaths.size() && deaths[next].first <= id.value(); ++next)
      live -= std::min(live, deaths[next].second);
  }
  return peak;
}

}  // namespace

auto AddedOperators(const ModelSummary& before, const ModelSummary& after) -> std::map<std::string, int64_t> {
  std::map<std::string, int64_t> added;
  for (const auto& [name, count] : after.operators) added[name] += static_cast<int64_t>(count);
  for (const auto& [name, count] : before.operators) added[name] -= static_cast<int64_t>(count);
  std::erase_if(added, [](const auto& entry) { return entry.second == 0; });
  return added;
}

auto Summarize(const Module& module) -> ModelSummary { return Summarizer(module).Run(); }

}  // namespace relayopt
