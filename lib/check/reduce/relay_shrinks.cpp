// Making functions of Relay smaller.
//
//   fn (%x, %w) {                      fn (%x, %p: Tensor[...]) {
//     %0 = nn.conv2d(%x, %w);            add(%p, %x)                a call is a parameter
//     add(%0, %x)                      }
//   }
//
// Functions without callers may have other parameters and another result; of the others calls become one of their
// operands. A call in a closure that is not needed becomes the result of the whole, with the variables bound around it
// as parameters.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_set.h"

#include "lib/check/reduce/shrinks.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/types/unifier.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Functions that functions of Relay mention.
auto Mentioned(const Module& module) -> absl::flat_hash_set<GlobalId> {
  absl::flat_hash_set<GlobalId> mentioned;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId expr : function.ids()) {
      if (function.kind(expr) == ExprKind::kGlobal) mentioned.insert(function.global(expr));
    }
  }
  return mentioned;
}

// Returns the module with functions without callers replaced: `change(function) -> std::optional<Function>`.
template <typename Change>
auto WithEntries(const Module& module, Change&& change) -> std::optional<Module> {
  const absl::flat_hash_set<GlobalId> mentioned = Mentioned(module);
  return RewriteFunctions<Function>(module, [&](GlobalId id, const Function& function) {
    return mentioned.contains(id) ? std::nullopt : change(function);
  });
}

// Tensors, and tuples of tensors.
auto IsData(const Context& context, TypeId id) -> bool {
  if (!id) return false;
  const Type& type = context.type(id);
  if (type.is_tensor()) return true;
  return type.is_tuple() &&
         std::ranges::all_of(type.args, [&](TypeId field) { return context.type(field).is_tensor(); });
}

// Not a variable or a name, nor what only makes sense at its position.
auto IsComputed(ExprKind kind) -> bool {
  constexpr ExprKind kKinds[] = {ExprKind::kTuple, ExprKind::kTupleGetItem, ExprKind::kOpCall,
                                 ExprKind::kCall,  ExprKind::kLet,          ExprKind::kIf,
                                 ExprKind::kMatch, ExprKind::kRefRead,      ExprKind::kRefWrite};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

auto EmitRoot(Rebuild& rebuild, std::span<const ExprId> params, ExprId body) -> ExprId {
  FunctionInfo info = rebuild.from().info();
  info.result = TypeId();
  return rebuild.to().Lambda(std::move(info), params, body);
}

// Replaces the body by `body`; variables in it that are no longer bound become parameters.
auto WithBody(const Function& function, ExprId body) -> Function {
  Rebuild rebuild(function);
  rebuild.ForEach([&](ExprId id) {
    if (id != function.root()) return rebuild.Copy(id);
    const auto operands = rebuild.NewOperands(id);
    const std::vector<ExprId> params(operands.begin(), operands.end() - 1);
    return EmitRoot(rebuild, params, rebuild.New(body));
  });
  const Function open = rebuild.Finish();
  std::vector<bool> bound(open.size());
  for (const ExprId id : open.ids()) {
    const auto operands = open.operands(id);
    const auto bind = [&](ExprId var) { bound[var.value()] = bound[var.value()] || open.kind(var) == ExprKind::kVar; };
    if (open.kind(id) == ExprKind::kFunction) std::ranges::for_each(open.params(id), bind);
    if (open.kind(id) == ExprKind::kLet) {
      for (size_t i = 0; i < open.let_size(id); ++i) bind(open.let_var(id, i));
    }
    if (open.kind(id) != ExprKind::kMatch) continue;
    for (const MatchClause& clause : open.match(id).clauses) {
      for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) bind(operands[i]);
    }
  }
  Rebuild closed(open);
  closed.ForEach([&](ExprId id) {
    if (id != open.root()) return closed.Copy(id);
    const auto operands = closed.NewOperands(id);
    std::vector<ExprId> params(operands.begin(), operands.end() - 1);
    const ExprId result = operands.back();
    for (const ExprId var : open.ids_below_root()) {
      if (open.kind(var) == ExprKind::kVar && !bound[var.value()]) params.push_back(closed.New(var));
    }
    return EmitRoot(closed, params, result);
  });
  Function made = closed.Finish();
  for (const ExprId param : made.params()) {
    if (!made.var(param).annotation) made.set_annotation(param, made.type(param));
  }
  return made;
}

// The first chosen place is the result of its function.
auto OtherResults(const Module& module, Places& places) -> std::optional<Module> {
  return WithEntries(module, [&](const Function& function) -> std::optional<Function> {
    ExprId body;
    for (const ExprId id : function.ids_below_root()) {
      const bool can_be = IsComputed(function.kind(id)) && IsData(function.context(), function.type(id));
      if (can_be && id != function.body() && places.Next() && !body) body = id;
    }
    return body ? std::optional(WithBody(function, body)) : std::nullopt;
  });
}

// Removes fields of a result that is a tuple.
auto FewerResults(const Module& module, Places& places) -> std::optional<Module> {
  return WithEntries(module, [&](const Function& function) -> std::optional<Function> {
    const ExprId body = function.body();
    if (function.kind(body) != ExprKind::kTuple) return std::nullopt;
    std::vector<ExprId> fields;
    for (const ExprId field : function.operands(body)) {
      if (!places.Next()) fields.push_back(field);
    }
    if (fields.size() == function.operands(body).size() || fields.empty()) return std::nullopt;
    if (fields.size() == 1) return WithBody(function, fields[0]);
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (id == body) {
        for (ExprId& field : fields) field = rebuild.New(field);
        return rebuild.to().Tuple(fields);
      }
      if (id != function.root()) return {};
      const auto operands = rebuild.NewOperands(id);
      const std::vector<ExprId> params(operands.begin(), operands.end() - 1);
      return EmitRoot(rebuild, params, rebuild.New(body));
    });
  });
}

auto ToOperands(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<Function>(module, [&](GlobalId, const Function& function) {
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      const ExprKind kind = function.kind(id);
      if (!IsComputed(kind) || !function.type(id)) return {};
      ExprId chosen;
      ExprId last;
      for (const ExprId operand : function.operands(id)) {
        // For a let chain, only its result.
        const bool fits = function.type(operand) == function.type(id) && operand != last &&
                          (kind != ExprKind::kLet || operand == function.let_result(id));
        last = operand;
        if (fits && places.Next() && !chosen) chosen = operand;
      }
      return chosen ? rebuild.New(chosen) : ExprId();
    });
  });
}

auto ToParameters(const Module& module, Places& places) -> std::optional<Module> {
  return WithEntries(module, [&](const Function& function) {
    std::vector<ExprId> fresh;
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      const bool is_constant = function.kind(id) == ExprKind::kConstant && !function.constant(id).is_scalar();
      if ((IsComputed(function.kind(id)) || is_constant) && IsData(function.context(), function.type(id))) {
        if (!places.Next()) return {};
        const std::string name = fmt::format("p{}", fresh.size());
        fresh.push_back(rebuild.to().Var({.name = function.context().Intern(name), .annotation = function.type(id)}));
        return fresh.back();
      }
      if (id != function.root() || fresh.empty()) return {};
      const auto operands = rebuild.NewOperands(id);
      std::vector<ExprId> params(operands.begin(), operands.end() - 1);
      const ExprId body = operands.back();
      params.insert(params.end(), fresh.begin(), fresh.end());
      return EmitRoot(rebuild, params, body);
    });
  });
}

// A variable of a let is its value.
auto WithoutLets(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<Function>(module, [&](GlobalId, const Function& function) -> std::optional<Function> {
    const LetIndex lets(function);
    if (lets.empty()) return std::nullopt;
    absl::flat_hash_set<ExprId> inlined;
    const auto without_steps = [&](Rebuild& rebuild, ExprId id) {
      std::vector<ExprId> kept;
      for (size_t i = 0; i < function.let_size(id); ++i) {
        if (inlined.contains(function.let_var(id, i))) continue;
        kept.push_back(rebuild.New(function.let_var(id, i)));
        kept.push_back(rebuild.New(function.let_value(id, i)));
      }
      const ExprId result = rebuild.New(function.let_result(id));
      return kept.empty() ? result : rebuild.to().Let(kept, result);
    };
    Rebuild rebuild(function);
    rebuild.ForEach([&](ExprId id) {
      const ExprId made = function.kind(id) == ExprKind::kLet ? without_steps(rebuild, id) : rebuild.Copy(id);
      for (const LetStep& step : lets.StepsOf(id)) {
        if (step.var > id || lets.IsRecursive(step) || !places.Next()) continue;
        inlined.insert(step.var);
        rebuild.Set(step.var, made);
      }
      return made;
    });
    return inlined.empty() ? std::nullopt : std::optional(rebuild.Finish());
  });
}

auto WithoutUnusedParameters(const Module& module, Places& places) -> std::optional<Module> {
  return WithEntries(module, [&](const Function& function) {
    std::vector<bool> used(function.size());
    for (const ExprId id : function.ids_below_root()) {
      for (const ExprId operand : function.operands(id)) used[operand.value()] = true;
    }
    used[function.body().value()] = true;
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (id != function.root()) return {};
      std::vector<ExprId> kept;
      for (const ExprId param : function.params()) {
        if (used[param.value()] || !places.Next()) kept.push_back(rebuild.New(param));
      }
      if (kept.size() == function.params().size()) return {};
      return EmitRoot(rebuild, kept, rebuild.New(function.body()));
    });
  });
}

auto ByRelayPasses(const Module& module, Places& places) -> std::optional<Module> {
  constexpr std::string_view kPasses[] = {"PartialEvaluate", "DeadCodeElimination", "ToGraphNormalForm",
                                          "EliminateCommonSubexpr"};
  return ByPasses(module, places, kPasses);
}

// Returns the extents above 1 of parameters, in ascending order.
auto ExtentsOf(const Module& module) -> std::vector<int64_t> {
  std::map<int64_t, bool> found;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const Function& function = *module.function<Function>(id);
    for (const ExprId param : function.params()) {
      if (!function.type(param)) continue;
      static_cast<void>(RewriteType(
          function.context(), function.type(param), [](TypeId leaf) { return leaf; },
          [&](const Dim& dim) {
            if (dim.is_int() && dim.value() > 1) found[dim.value()] = true;
            return dim;
          }));
    }
  }
  return MapToVector<int64_t>(found, [](const auto& item) { return item.first; });
}

using ExtentMap = std::map<int64_t, int64_t>;

auto Mapped(const Dim& dim, const ExtentMap& map) -> Dim {
  const auto other = dim.is_int() ? map.find(dim.value()) : map.end();
  return other == map.end() ? dim : Dim(other->second, dim.bits());
}

// Returns the attributes with extents replaced in shapes.
auto MappedAttrs(Context& context, AttrsId attrs, const ExtentMap& map) -> AttrsId {
  if (!attrs) return attrs;
  const AttrsRecord& record = context.attrs(attrs);
  if (record.schema == nullptr) return attrs;
  AttrsBuilder builder(*record.schema, record.data);
  for (const FieldInfo& field : record.schema->fields) {
    if (field.kind == FieldKind::kDim) {
      auto& dim = field.Mutable<Dim>(builder.data());
      dim = Mapped(dim, map);
    } else if (field.kind == FieldKind::kDimList) {
      for (Dim& dim : field.Mutable<DimList>(builder.data()).values) dim = Mapped(dim, map);
    }
  }
  return context.InternAttrs(std::move(builder));
}

auto WithExtents(const Function& function, const ExtentMap& map) -> std::optional<Function> {
  Context& context = function.context();
  const auto mapped = [&](TypeId type) {
    return !type
               ? type
               : RewriteType(
                     context, type, [](TypeId leaf) { return leaf; }, [&](const Dim& dim) { return Mapped(dim, map); });
  };
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
    if (function.kind(id) == ExprKind::kVar) {
      VarInfo info = function.var(id);
      info.annotation = mapped(info.annotation);
      return rebuild.to().Var(info);
    }
    const auto operands = rebuild.NewOperands(id);
    const std::vector<ExprId> made(operands.begin(), operands.end());
    if (function.kind(id) == ExprKind::kFunction) {
      FunctionInfo info = function.info(id);
      info.result = mapped(info.result);
      return rebuild.to().Lambda(std::move(info), std::span(made).first(made.size() - 1), made.back());
    }
    if (function.kind(id) != ExprKind::kOpCall) return {};
    const AttrsId attrs = MappedAttrs(context, function.attrs(id), map);
    if (attrs == function.attrs(id)) return {};
    return rebuild.to().OpCall(InternOpInstance(context, {function.op(id), attrs}), made);
  });
}

// Replaces each extent by `smaller(extent)`.
auto SmallerExtents(const Module& module, Places& places, int64_t (*smaller)(int64_t)) -> std::optional<Module> {
  ExtentMap map;
  for (const int64_t extent : ExtentsOf(module)) {
    if (smaller(extent) < extent && places.Next()) map[extent] = smaller(extent);
  }
  if (map.empty()) return std::nullopt;
  return RewriteFunctions<Function>(module,
                                    [&](GlobalId, const Function& function) { return WithExtents(function, map); });
}
auto ExtentsOfOne(const Module& module, Places& places) -> std::optional<Module> {
  return SmallerExtents(module, places, [](int64_t) { return int64_t{1}; });
}
auto ExtentsOfTwo(const Module& module, Places& places) -> std::optional<Module> {
  return SmallerExtents(module, places, [](int64_t) { return int64_t{2}; });
}
auto HalfExtents(const Module& module, Places& places) -> std::optional<Module> {
  return SmallerExtents(module, places, [](int64_t extent) { return extent / 2; });
}

// Attributes of functions, such as Primitive, are left out.
auto WithoutAttributes(const Module& module, Places& places) -> std::optional<Module> {
  return RewriteFunctions<Function>(module, [&](GlobalId, const Function& function) {
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (function.kind(id) != ExprKind::kFunction || function.info(id).attrs.empty() || !places.Next()) return {};
      const auto operands = rebuild.NewOperands(id);
      const std::vector<ExprId> made(operands.begin(), operands.end());
      FunctionInfo info = function.info(id);
      info.attrs.clear();
      return rebuild.to().Lambda(std::move(info), std::span(made).first(made.size() - 1), made.back());
    });
  });
}

constexpr ModuleShrink kRelayShrinks[] = {
    OtherResults,      WithoutLets,  ToParameters, ToOperands, FewerResults, ByRelayPasses, WithoutUnusedParameters,
    WithoutAttributes, ExtentsOfOne, ExtentsOfTwo, HalfExtents};

}  // namespace

auto RelayShrinks() -> std::span<const ModuleShrink> { return kRelayShrinks; }

}  // namespace relayopt
