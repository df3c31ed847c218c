// Compares the values inside of two versions of a program.
//
// The function is copied with a body that returns what is to be compared, as a tuple:
//
//   fn (%x) { %0 = exp(%x); %1 = nn.relu(%0); add(%0, %1) }   becomes   fn (%x) { ...; (%0, %1, add(%0, %1)) }
//
// A value belongs to the last operator of the input that it came from: operators are numbered in the order of
// evaluation, so that this is the one that the others feed.
#include "relayopt/check/divergence.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/text/origins.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// The number of a source; origins that are cut off are not compared.
constexpr size_t kMostSources = 4096;
// The values that are kept at the same time.
constexpr size_t kMostBytes = size_t{1} << 28;

auto BytesOf(const Context& context, TypeId id) -> std::optional<size_t> {
  if (!id || !context.type(id).is_tensor()) return std::nullopt;
  const Type& type = context.type(id);
  size_t elements = 1;
  for (const Dim& dim : type.shape) {
    if (!dim.is_int() || dim.value() < 0) return std::nullopt;
    const auto extent = static_cast<size_t>(dim.value());
    if (extent != 0 && elements > kMostBytes / extent) return kMostBytes;
    elements *= extent;
  }
  return elements * std::max<size_t>(1, type.dtype.bytes());
}

// Returns for each source the last value with this source that the function itself evaluates.
auto ValuesBySource(const Function& function) -> absl::flat_hash_map<uint32_t, ExprId> {
  absl::flat_hash_map<uint32_t, ExprId> values;
  const Scopes scopes = ComputeScopes(function);
  for (const ExprId id : function.ids_below_root()) {
    const ExprKind kind = function.kind(id);
    if (!scopes.of[id] || (kind != ExprKind::kOpCall && kind != ExprKind::kCall && kind != ExprKind::kTupleGetItem))
      continue;
    const ExprId owner = scopes[scopes.of[id]].owner;
    if (owner != function.root() && owner != function.body()) continue;
    if (owner == function.body() && function.kind(owner) != ExprKind::kLet) continue;
    if (!BytesOf(function.context(), function.type(id))) continue;
    Origin origin = FindOrigin(function, id, kMostSources);
    // The first field of a tuple stands for the operator that returns the tuple.
    if (kind == ExprKind::kTupleGetItem && origin.sources.empty() && function.index(id) == 0)
      origin = FindOrigin(function, function.operand(id, 0), kMostSources);
    if (!origin.sources.empty() && !origin.has_more) values[origin.sources.back()] = id;
  }
  return values;
}

// Returns the function with a tuple of these values as its result.
auto ReturningValues(const Function& function, std::span<const ExprId> wanted) -> Function {
  Rebuild rebuild(function);
  FunctionBuilder& to = rebuild.to();
  // A value that a let binds is used by its name, so that it is evaluated once.
  absl::flat_hash_map<ExprId, ExprId> names;
  const ExprId body = function.body();
  const bool is_let = function.kind(body) == ExprKind::kLet;
  for (size_t i = 0; is_let && i < function.let_size(body); ++i)
    names.try_emplace(function.let_value(body, i), function.let_var(body, i));
  for (const ExprId id : function.ids_below_root()) rebuild.Set(id, rebuild.Copy(id));
  std::vector<ExprId> fields;
  for (const ExprId id : wanted) {
    const auto name = names.find(id);
    fields.push_back(rebuild.New(name == names.end() ? id : name->second));
  }
  ExprId result = to.Tuple(fields);
  if (is_let) {
    std::vector<ExprId> steps;
    for (size_t i = 0; i < function.let_size(body); ++i) {
      steps.push_back(rebuild.New(function.let_var(body, i)));
      steps.push_back(rebuild.New(function.let_value(body, i)));
    }
    result = to.Let(steps, result);
  }
  const auto params = MapToVector<ExprId>(function.params(), [&](ExprId param) { return rebuild.New(param); });
  FunctionInfo info = function.info();
  info.result = {};
  rebuild.Set(function.root(), to.Lambda(std::move(info), params, result));
  return rebuild.Finish();
}

auto ValuesIn(Module module, GlobalId id, std::span<const ExprId> wanted, std::span<const Value> arguments,
              const EvaluationLimits& limits) -> std::optional<Value> {
  module.SetFunction(id, std::make_shared<const Function>(ReturningValues(*module.function<Function>(id), wanted)));
  DiagnosticSink problems;
  if (!InferTypes(module, problems)) return std::nullopt;
  auto own = MapToVector<Value>(arguments, [&](const Value& argument) { return WithOwnReferences(argument); });
  Result<Value> result = Evaluator(module, limits).Call(id, std::move(own));
  return result ? std::optional<Value>(*std::move(result)) : std::nullopt;
}

}  // namespace

auto FindDivergence(const Module& before, const Module& after, std::string_view function,
                    std::span<const Value> arguments, const Tolerance& tolerance, const EvaluationLimits& limits)
    -> std::optional<Divergence> {
  const GlobalId id = before.FindGlobal(function);
  const Function* old = id ? before.function<Function>(id) : nullptr;
  const Function* made = id ? after.function<Function>(id) : nullptr;
  if (old == nullptr || made == nullptr || !old->tracks_origins() || !made->tracks_origins()) return std::nullopt;
  const absl::flat_hash_map<uint32_t, ExprId> old_values = ValuesBySource(*old);
  std::vector<std::pair<ExprId, ExprId>> pairs;
  for (const auto& [source, value] : ValuesBySource(*made)) {
    const auto found = old_values.find(source);
    if (found != old_values.end() && old->type(found->second) == made->type(value))
      pairs.emplace_back(value, found->second);
  }
  std::ranges::sort(pairs);
  std::vector<ExprId> wanted_before;
  std::vector<ExprId> wanted_after;
  size_t bytes = 0;
  for (const auto& [value, original] : pairs) {
    bytes += BytesOf(made->context(), made->type(value)).value_or(0);
    if (bytes > kMostBytes) break;
    wanted_before.push_back(original);
    wanted_after.push_back(value);
  }
  const auto expected = ValuesIn(before, id, wanted_before, arguments, limits);
  const auto got = expected ? ValuesIn(after, id, wanted_after, arguments, limits) : std::nullopt;
  if (!got) return std::nullopt;
  for (size_t i = 0; i < wanted_after.size(); ++i) {
    const auto mismatch = Compare(expected->fields()[i], got->fields()[i], tolerance);
    if (mismatch) return Divergence{id, wanted_before[i], wanted_after[i], ToString(*mismatch), i};
  }
  return std::nullopt;
}

auto ToText(const Divergence& divergence, const Module& before) -> std::string {
  const Function& function = *before.function<Function>(divergence.function);
  const auto& sources = before.context().Part<OriginTable>().sources();
  const Origin origin = FindOrigin(function, divergence.before, kMostSources);
  std::string place = "an expression";
  if (!origin.sources.empty()) place = SourceName(before, sources[origin.sources.back()]);
  return fmt::format("{} in @{}: {}  ({} earlier values agree)", place, before.name(divergence.function),
                     divergence.difference, divergence.agreed);
}

}  // namespace relayopt
