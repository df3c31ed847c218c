// Control flow.
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/support/map_to_vector.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// The results of both branches of an If, with sequences as tuples of their items.
struct Branches {
  Exprs then_exprs;
  Exprs else_exprs;
  // Of each output: how many items a sequence has; nothing for a tensor.
  std::vector<std::optional<size_t>> lengths;
};

// Makes tensors whose extents are known, but differ between the branches, tensors of one type: each is cut to an extent
// that depends on the condition, which is its own one.
//
//   (3, 4) and (2, 4)  ->  n = where(condition, 3, 2), take(x, arange(0, n), axis=0) of both
void UnifyExtents(Node& n, ExprId condition, ExprId& a, ExprId& b) {
  Emitter& em = n.em();
  const DataType i64 = DataType::Int(64);
  if (em.rank(a) != em.rank(b) || em.dtype(a) != em.dtype(b)) return;
  for (int64_t axis = 0; axis < em.rank(a); ++axis) {
    const auto in_a = em.Extent(a, axis);
    const auto in_b = em.Extent(b, axis);
    if (!in_a || !in_b || *in_a == *in_b) continue;
    const ExprId extent = Where(em, condition, em.Scalar(i64, *in_a), em.Scalar(i64, *in_b));
    const ExprId zero = em.Scalar(i64, 0);
    const ExprId one = em.Scalar(i64, 1);
    const ExprId places = em.Call("arange"_op, {zero, extent, one}, ArangeAttributes(em, zero, extent, one, i64));
    a = Take(em, a, places, axis);
    b = Take(em, b, places, axis);
  }
}

// Nothing, with an error, when the branches differ in the number of outputs, in ranks or in lengths.
auto PairBranches(Node& n, ExprId condition, const std::vector<Value>& then_values,
                  const std::vector<Value>& else_values) -> std::optional<Branches> {
  Emitter& em = n.em();
  if (then_values.size() != else_values.size()) {
    n.Fail("the branches have {} and {} outputs", then_values.size(), else_values.size());
    return std::nullopt;
  }
  Branches branches;
  for (size_t i = 0; i < then_values.size(); ++i) {
    const Value& a = then_values[i];
    const Value& b = else_values[i];
    if (a.is_sequence() != b.is_sequence() || (a.is_sequence() && a.items->size() != b.items->size())) {
      n.NeedsValue("the condition, because the branches give sequences of different lengths,");
      return std::nullopt;
    }
    if (!a.is_sequence()) {
      if (em.rank(a.expr) != em.rank(b.expr)) {
        n.NeedsValue(fmt::format("the condition, because the branches give output {} of rank {} and {},", i,
                                 em.rank(a.expr), em.rank(b.expr)));
        return std::nullopt;
      }
      branches.lengths.emplace_back();
      branches.then_exprs.push_back(a.expr);
      branches.else_exprs.push_back(b.expr);
      UnifyExtents(n, condition, branches.then_exprs.back(), branches.else_exprs.back());
      continue;
    }
    Exprs a_items;
    Exprs b_items;
    for (size_t k = 0; k < a.items->size(); ++k) {
      a_items.push_back((*a.items)[k].expr);
      b_items.push_back((*b.items)[k].expr);
      UnifyExtents(n, condition, a_items.back(), b_items.back());
    }
    branches.lengths.emplace_back(a.items->size());
    branches.then_exprs.push_back(em.Tuple(a_items));
    branches.else_exprs.push_back(em.Tuple(b_items));
  }
  return branches;
}

// Whether an output is a tensor of another rank in each branch. Relay has no type for both.
auto HaveDifferentRanks(Emitter& em, const std::vector<Value>& then_values, const std::vector<Value>& else_values)
    -> bool {
  const auto differ = [&](const Value& a, const Value& b) {
    return !a.is_sequence() && !b.is_sequence() && em.rank(a.expr) != em.rank(b.expr);
  };
  for (size_t i = 0; i < std::min(then_values.size(), else_values.size()); ++i) {
    if (differ(then_values[i], else_values[i])) return true;
  }
  return false;
}

// Returns the selected branch, when the condition depends only on extents that are known. Other extents of the same
// shape may be unknown.
auto TakenByExtents(Emitter& em, ExprId condition) -> std::optional<bool> {
  const SymbolicShapes shapes(em.to().function());
  const auto known = shapes.IntegersOf(condition);
  return known && known->size() == 1 ? std::optional(known->front() != 0) : std::nullopt;
}

auto ConvertIf(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId condition = n.in(0);
  if (em.rank(condition) > 0) condition = Take(em, condition, em.Scalar(DataType::Int(64), 0));
  const GraphProto* then_graph = n.Graph("then_branch");
  const GraphProto* else_graph = n.Graph("else_branch");
  if (n.failed() || then_graph == nullptr || else_graph == nullptr) return {};
  // When the condition is known, only the selected branch is imported; the other one need not be valid.
  if (const auto known = em.IntsOf(condition); known && known->size() == 1) {
    auto taken = n.importer().ImportBody(n, known->front() != 0 ? *then_graph : *else_graph, {});
    return taken ? Results(*std::move(taken)) : Results();
  }
  const auto then_values = n.importer().ImportBody(n, *then_graph, {});
  if (!then_values) return {};
  const auto else_values = n.importer().ImportBody(n, *else_graph, {});
  if (!else_values) return {};
  if (HaveDifferentRanks(em, *then_values, *else_values)) {
    if (const auto taken = TakenByExtents(em, condition)) return Results(*taken ? *then_values : *else_values);
  }
  const auto branches = PairBranches(n, condition, *then_values, *else_values);
  if (!branches) return {};
  const bool is_single = branches->lengths.size() == 1;
  const ExprId then_expr = is_single ? branches->then_exprs[0] : em.Tuple(branches->then_exprs);
  const ExprId else_expr = is_single ? branches->else_exprs[0] : em.Tuple(branches->else_exprs);
  if (n.failed() || !then_expr || !else_expr) return {};
  FunctionBuilder& to = em.to();
  const ExprId choice = to.If(condition, then_expr, else_expr);
  to.SetType(choice, JoinTypes(em.context(), to.function().type(then_expr), to.function().type(else_expr)));
  if (!to.function().type(choice))
    return n.Fail("the branches give {} and {}", em.TypeText(then_expr), em.TypeText(else_expr));
  std::vector<Value> results;
  for (size_t i = 0; i < branches->lengths.size(); ++i) {
    const ExprId part = is_single ? choice : EmitTupleGetItem(to, choice, static_cast<uint32_t>(i));
    if (!branches->lengths[i]) {
      results.emplace_back(part);
      continue;
    }
    std::vector<Value> items;
    items.reserve(*branches->lengths[i]);
    for (size_t k = 0; k < *branches->lengths[i]; ++k)
      items.emplace_back(EmitTupleGetItem(to, part, static_cast<uint32_t>(k)));
    results.push_back(Value::Sequence(std::move(items)));
  }
  return results;
}

struct LoopParts {
  const GraphProto* body = nullptr;
  size_t carried = 0;
  size_t scans = 0;
};

auto ReadLoop(Node& n) -> std::optional<LoopParts> {
  LoopParts parts;
  parts.body = n.Graph("body");
  if (n.failed() || parts.body == nullptr) return std::nullopt;
  parts.carried = n.num_inputs() > 2 ? n.num_inputs() - 2 : 0;
  if (parts.body->inputs.size() != parts.carried + 2 || parts.body->outputs.size() < parts.carried + 1) {
    n.Fail("the body has {} inputs and {} outputs for {} carried values", parts.body->inputs.size(),
           parts.body->outputs.size(), parts.carried);
    return std::nullopt;
  }
  parts.scans = parts.body->outputs.size() - 1 - parts.carried;
  return parts;
}

// Returns a scan output for zero iterations: no elements, of the shape that the model declares for one.
auto EmptyScan(Node& n, const ValueInfo& declared) -> ExprId {
  const auto dtype = RelayType(declared.type.element_type);
  if (!dtype || !declared.type.shape)
    return n.Fail("the loop runs zero times and the type of output '{}' is not known", declared.name);
  Ints shape = {0};
  for (const DimProto& dim : *declared.type.shape) shape.push_back(dim.value.value_or(0));
  return n.em().Array({}, shape, *dtype);
}

// Returns the iterations one after the other, as long as what decides about the next is known.
auto Unroll(Node& n, const LoopParts& parts) -> Results {
  Emitter& em = n.em();
  const int64_t most = n.has(0) ? em.IntOf(n.in(0)).value_or(0) : kMostTurns + 1;
  std::vector<Value> carried;
  carried.reserve(parts.carried);
  for (size_t i = 0; i < parts.carried; ++i) carried.push_back(n.value(i + 2));
  std::vector<Exprs> scans(parts.scans);
  ExprId condition = n.has(1) ? n.in(1) : em.Scalar(DataType::Bool(), 1);
  for (int64_t turn = 0; turn < most; ++turn) {
    const auto goes_on = em.IntOf(condition);
    if (!goes_on) return n.NeedsValue("the condition of the loop");
    if (*goes_on == 0) break;
    if (turn >= kMostTurns) return n.Fail("the loop runs more than {} times", kMostTurns);
    std::vector<Value> inputs = {Value(em.Scalar(DataType::Int(64), turn)), Value(condition)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    auto outputs = n.importer().ImportBody(n, *parts.body, inputs);
    if (!outputs) return {};
    condition = (*outputs)[0].expr;
    for (size_t i = 0; i < parts.carried; ++i) carried[i] = (*outputs)[i + 1];
    for (size_t i = 0; i < parts.scans; ++i) scans[i].push_back((*outputs)[1 + parts.carried + i].expr);
  }
  for (size_t i = 0; i < parts.scans; ++i) {
    carried.emplace_back(scans[i].empty() ? EmptyScan(n, parts.body->outputs[1 + parts.carried + i])
                                          : Stack(em, scans[i], 0));
  }
  return carried;
}

// An extent that may change from iteration to iteration is not known.
auto Forgotten(Context& context, TypeId from, TypeId to) -> TypeId {
  const Type& a = context.type(from);
  const Type& b = context.type(to);
  if (!a.is_tensor() || !b.is_tensor() || a.rank() != b.rank() || a.dtype != b.dtype) return {};
  std::vector<Dim> dims;
  dims.reserve(a.rank());
  for (size_t i = 0; i < a.rank(); ++i) dims.push_back(SameExtent(a.shape[i], b.shape[i]) ? a.shape[i] : Dim::Any());
  return context.Tensor(dims, a.dtype);
}

// Returns the type of what an iteration gives for each scan output: what the model says, else what the body makes of
// the types that the loop begins with.
auto ScanTypes(Node& n, const LoopParts& parts, const std::vector<std::string>& names, const std::vector<TypeId>& types)
    -> std::optional<std::vector<TypeId>> {
  const std::span declared = std::span(parts.body->outputs).subspan(1 + parts.carried);
  // As TVM: a declared extent without a number is not known, although the body may determine it.
  const auto is_known = [&](const DimProto& dim) { return !n.exact() || dim.value.has_value(); };
  const bool are_declared = std::ranges::all_of(declared, [&](const ValueInfo& output) {
    return output.type.is_tensor() && output.type.shape && std::ranges::all_of(*output.type.shape, is_known);
  });
  std::vector<TypeId> result;
  if (are_declared) {
    for (const ValueInfo& output : declared) {
      const auto type = n.importer().TypeOfInput(output, false);
      if (!type) return std::nullopt;
      result.push_back(*type);
    }
    return result;
  }
  std::vector<Value> inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    if (i != 1) inputs.emplace_back(n.importer().Variable(names[i], types[i]));
  }
  const auto outputs = n.importer().ImportBody(n, *parts.body, inputs);
  if (!outputs) return std::nullopt;
  for (size_t i = 0; i < parts.scans; ++i) {
    const ExprId made = (*outputs)[1 + parts.carried + i].expr;
    if (!n.em().is_tensor(made)) {
      n.Fail("output '{}' of the body is not a tensor", declared[i].name);
      return std::nullopt;
    }
    result.push_back(n.em().to().function().type(made));
  }
  return result;
}

// The variables of a loop: the number of the iteration, the maximum, the condition, the carried values, and the scan
// outputs so far. Each has a name, a type and an initial value.
struct LoopVariables {
  std::vector<std::string> names;
  std::vector<TypeId> types;
  Exprs initial;
};

// Returns nothing after an error.
auto InitialVariables(Node& n, const LoopParts& parts) -> std::optional<LoopVariables> {
  Emitter& em = n.em();
  FunctionBuilder& to = em.to();
  Context& context = em.context();
  const ExprId count = n.has(0) ? n.in(0) : em.Scalar(DataType::Int(64), INT64_MAX);
  const ExprId start = n.has(1) ? n.in(1) : em.Scalar(DataType::Bool(), 1);
  const DataType counter = em.dtype(count);
  LoopVariables loop;
  loop.initial = {em.Scalar(counter, 0), em.rank(count) == 1 ? Squeeze(em, count, {0}) : count,
                  em.rank(start) == 1 ? Squeeze(em, start, {0}) : start};
  loop.types = {context.Scalar(counter), context.Scalar(counter), context.Scalar(DataType::Bool())};
  loop.names = {std::string(parts.body->inputs[0].name), "max_count", std::string(parts.body->inputs[1].name)};
  for (size_t i = 0; i < parts.carried; ++i) {
    if (!em.is_tensor(n.in(i + 2))) {
      n.Fail("{} is not a tensor, and the number of iterations is not known", n.InputText(i + 2));
      return std::nullopt;
    }
    loop.initial.push_back(n.in(i + 2));
    loop.types.push_back(to.function().type(n.in(i + 2)));
    loop.names.emplace_back(parts.body->inputs[i + 2].name);
  }
  const auto scan_types = ScanTypes(n, parts, loop.names, loop.types);
  if (!scan_types) return std::nullopt;
  for (size_t i = 0; i < parts.scans; ++i) {
    const ValueInfo& output = parts.body->outputs[1 + parts.carried + i];
    const Type& one = context.type((*scan_types)[i]);
    std::vector<Dim> dims(one.rank() + 1, Dim::Any());
    Ints empty(one.rank() + 1, 1);
    empty[0] = 0;
    // As TVM: extents of what is collected are forgotten, and 1 where nothing is.
    for (size_t k = 0; n.exact() && k < one.rank(); ++k) {
      if (!one.shape[k].is_int()) continue;
      dims[k + 1] = one.shape[k];
      empty[k + 1] = one.shape[k].value();
    }
    loop.types.push_back(context.Tensor(dims, one.dtype));
    loop.names.emplace_back(output.name);
    loop.initial.push_back(Reshape(em, em.Array({}, {0}, one.dtype), empty));
  }
  return n.failed() ? std::nullopt : std::optional(std::move(loop));
}

// Returns the values of the variables after an iteration, or none after an error.
auto NextVariables(Node& n, const LoopParts& parts, const Exprs& vars) -> std::optional<Exprs> {
  Emitter& em = n.em();
  const DataType counter = em.dtype(vars[0]);
  std::vector<Value> inputs = {Value(vars[0]), Value(vars[2])};
  for (size_t i = 0; i < parts.carried; ++i) inputs.emplace_back(vars[i + 3]);
  const auto outputs = n.importer().ImportBody(n, *parts.body, inputs);
  if (!outputs) return std::nullopt;
  // ONNX Runtime takes a list of one condition, too.
  const ExprId goes_on = (*outputs)[0].expr;
  Exprs next = {ExprId(), vars[1], em.rank(goes_on) == 1 ? Squeeze(em, goes_on, {0}) : goes_on};
  for (size_t i = 0; i < parts.carried; ++i) next.push_back((*outputs)[i + 1].expr);
  for (size_t i = 0; i < parts.scans; ++i) {
    const ExprId made = (*outputs)[1 + parts.carried + i].expr;
    ExprId scan = vars[3 + parts.carried + i];
    const Shape all = em.dims(scan);
    const bool has_extents = AllKnown(all.subspan(1));
    if (em.rank(made) > 0 && !has_extents) {
      const ExprId sizes = Concat(em, {Reshape(em, vars[0], {1}), em.ShapeOf(made, counter)}, 0);
      scan = BroadcastTo(em, scan, sizes);
    }
    next.push_back(Concat(em, {scan, ExpandDims(em, made, 0)}, 0));
  }
  next[0] = Add(em, vars[0], em.Scalar(counter, 1));
  return n.failed() ? std::nullopt : std::optional(std::move(next));
}

// As TVM: a function that calls itself until the condition is false.
auto Recursion(Node& n, const LoopParts& parts) -> Results {
  Emitter& em = n.em();
  FunctionBuilder& to = em.to();
  auto loop = InitialVariables(n, parts);
  if (!loop) return {};
  std::vector<TypeId>& types = loop->types;
  // The types after one iteration are known only after importing the body, so it is imported until they stay the same.
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    Exprs vars;
    for (size_t i = 0; i < types.size(); ++i) vars.push_back(n.importer().Variable(loop->names[i], types[i]));
    const auto next = NextVariables(n, parts, vars);
    if (!next) return {};
    bool settled = true;
    for (size_t i = 3; i < 3 + parts.carried; ++i) {
      if (!(*next)[i]) return n.Fail("a carried value is not a tensor");
      const TypeId type = Forgotten(em.context(), types[i], to.function().type((*next)[i]));
      if (!type) return n.Fail("a carried value changes from {} to {}", em.TypeText(vars[i]), em.TypeText((*next)[i]));
      settled &= type == types[i];
      types[i] = type;
    }
    if (!settled) continue;
    const ExprId runs = em.Call(
        "logical_and"_op, {em.Call("equal"_op, {vars[2], em.Scalar(DataType::Bool(), 1)}), Less(em, vars[0], vars[1])});
    const ExprId call = While(em, vars, runs, *next, loop->initial);
    if (n.failed()) return {};
    Exprs results;
    for (size_t i = 3; i < types.size(); ++i) results.push_back(EmitTupleGetItem(to, call, static_cast<uint32_t>(i)));
    return results;
  }
  return n.Fail("the types of the carried values change in every iteration");
}

auto ConvertLoop(Node& n) -> Results {
  const auto parts = ReadLoop(n);
  if (!parts) return {};
  Emitter& em = n.em();
  const auto bound = em.IntOf(n.in(0));
  const auto start = em.IntOf(n.in(1));
  // As TVM: a loop is unrolled only if everything about it is known.
  bool has_sequence = false;
  for (size_t i = 2; i < n.num_inputs(); ++i) has_sequence |= n.value(i).is_sequence() || n.value(i).is_empty_optional;
  const bool is_known = (!n.has(0) || bound) && (!n.has(1) || start);
  const bool is_constant = is_known && std::ranges::all_of(n.ins(), [&](ExprId x) { return !x || em.is_constant(x); });
  if (has_sequence && !is_known) return n.NeedsValue("the number of turns of a loop over sequences");
  return has_sequence || is_constant ? Unroll(n, *parts) : Recursion(n, *parts);
}

constexpr OpRow kControlRows[] = {
    {"If", "1 11 13 16 19 21", "cond", "graph then_branch; graph else_branch", ConvertIf},
    {"Loop", "1 11 13 16 19 21", "M?, cond?, v_initial...", "graph body", ConvertLoop},
};

}  // namespace

auto While(Emitter& em, const Exprs& vars, ExprId runs, const Exprs& next, const Exprs& initial) -> ExprId {
  if (em.failed()) return {};
  FunctionBuilder& to = em.to();
  Context& context = em.context();
  const auto types = MapToVector<TypeId>(vars, [&](ExprId var) { return to.function().type(var); });
  const TypeId result = context.Tuple(types);
  const ExprId loop = to.Var({context.Intern("while_loop"), {}, {}});
  to.SetType(loop, context.FunctionType(types, result));
  const ExprId again = to.Call(loop, next);
  to.SetType(again, result);
  const ExprId choice = to.If(runs, again, em.Tuple(vars));
  to.SetType(choice, result);
  const ExprId function = to.Lambda(FunctionInfo(), vars, choice);
  to.SetType(function, context.FunctionType(types, result));
  const ExprId steps[] = {loop, function};
  const ExprId let = to.Let(steps, loop);
  to.SetType(let, context.FunctionType(types, result));
  const ExprId call = to.Call(let, initial);
  to.SetType(call, result);
  return call;
}

auto JoinTypes(Context& context, TypeId a, TypeId b) -> TypeId {
  if (a == b) return a;
  const Type& x = context.type(a);
  const Type& y = context.type(b);
  if (!x.is_tuple() || !y.is_tuple()) return Forgotten(context, a, b);
  if (x.args.size() != y.args.size()) return {};
  std::vector<TypeId> fields;
  fields.reserve(x.args.size());
  for (size_t i = 0; i < x.args.size(); ++i) {
    fields.push_back(x.args[i] == y.args[i] ? x.args[i] : Forgotten(context, x.args[i], y.args[i]));
    if (!fields.back()) return {};
  }
  return context.Tuple(fields);
}

auto ControlRows() -> std::span<const OpRow> { return kControlRows; }

}  // namespace relayopt::onnx
