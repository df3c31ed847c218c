// Scan: a graph that runs once for each slice of its inputs along an axis.
//
//   Scan(sum = s, x : (3, 2)), body (sum, slice) -> (total, copy)
//     while (iter < 3) { total = body(sum, take(x, iter)); copies = [copies, copy][1:4] }
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/support/map_to_vector.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

constexpr DataType kCounter = DataType::Int(32);

// The attributes of a Scan. Axes of inputs refer to the scanned tensors, axes of outputs to the collected ones.
struct ScanParts {
  const GraphProto* body = nullptr;
  size_t states = 0;
  Ints in_axes;
  Ints in_directions;
  Ints out_axes;
  Ints out_directions;
};

auto ReadScan(Node& n, size_t given) -> std::optional<ScanParts> {
  ScanParts parts;
  parts.body = n.Graph("body");
  if (n.failed() || parts.body == nullptr) return std::nullopt;
  const auto fail = [&](std::string_view why) {
    n.Fail("{}", why);
    return std::nullopt;
  };
  const auto scanned = static_cast<size_t>(std::max<int64_t>(n.Int("num_scan_inputs"), 0));
  if (scanned == 0 || scanned > given) return fail("num_scan_inputs must be from 1 to the number of inputs");
  parts.states = given - scanned;
  if (parts.body->inputs.size() != given) return fail("the body has another number of inputs");
  if (parts.body->outputs.size() < parts.states) return fail("the body has fewer outputs than there are states");
  const size_t outs = parts.body->outputs.size() - parts.states;
  const auto list = [&](const char* name, size_t count) { return n.IntList(name).value_or(Ints(count, 0)); };
  parts.in_axes = list("scan_input_axes", scanned);
  parts.out_axes = list("scan_output_axes", outs);
  parts.in_directions = n.opset() < 9 ? list("directions", scanned) : list("scan_input_directions", scanned);
  parts.out_directions = list("scan_output_directions", outs);
  if (parts.in_axes.size() != scanned || parts.out_axes.size() != outs || parts.in_directions.size() != scanned ||
      parts.out_directions.size() != outs)
    return fail("there must be one axis and one direction for each scanned value");
  return n.failed() ? std::nullopt : std::optional(parts);
}

// The slices that iteration `at` works on, after the states.
auto AddSlices(Emitter& em, const ScanParts& parts, const std::vector<Value>& inputs, ExprId at, ExprId from_end,
               std::vector<Value>& to) -> void {
  for (size_t i = 0; i < parts.in_axes.size(); ++i) {
    const ExprId position = parts.in_directions[i] != 0 ? from_end : at;
    to.emplace_back(Take(em, inputs[parts.states + i].expr, position, parts.in_axes[i]));
  }
}

// Unrolls the iterations, if they can be evaluated.
auto UnrollScan(Node& n, const ScanParts& parts, const std::vector<Value>& inputs, int64_t turns)
    -> std::optional<std::vector<Value>> {
  Emitter& em = n.em();
  if (turns > kMostTurns) {
    n.Fail("the scan runs more than {} times", kMostTurns);
    return std::nullopt;
  }
  std::vector<Value> carried(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(parts.states));
  std::vector<Exprs> made(parts.out_axes.size());
  for (int64_t turn = 0; turn < turns; ++turn) {
    std::vector<Value> given = carried;
    AddSlices(em, parts, inputs, em.Scalar(kCounter, turn), em.Scalar(kCounter, turns - 1 - turn), given);
    const auto outputs = n.importer().ImportBody(n, *parts.body, given);
    if (!outputs) return std::nullopt;
    for (size_t i = 0; i < parts.states; ++i) carried[i] = (*outputs)[i];
    for (size_t i = 0; i < made.size(); ++i) made[i].push_back((*outputs)[parts.states + i].expr);
  }
  for (size_t i = 0; i < made.size(); ++i) {
    if (parts.out_directions[i] != 0) std::ranges::reverse(made[i]);
    if (made[i].empty()) {
      n.Fail("the scan runs zero times");
      return std::nullopt;
    }
    carried.emplace_back(Stack(em, made[i], parts.out_axes[i]));
  }
  return carried;
}

// What a loop appends to in each of `turns` steps, and its first value. As TVM: where the number is known, collected
// outputs have their whole length from the start, and each step drops one.
struct Collected {
  TypeId type;
  ExprId first;
};

auto CollectedOf(Emitter& em, ExprId made, Ints shape, int64_t axis, std::optional<int64_t> turns) -> Collected {
  shape.insert(shape.begin() + axis, turns.value_or(0));
  std::vector<Dim> dims = PlainDims(shape).values;
  const ExprId first = em.Call("zeros"_op, {}, {{"shape", PlainDims(shape)}, {"dtype", em.dtype(made)}});
  if (!turns) dims[static_cast<size_t>(axis)] = Dim::Any();
  return {em.context().Tensor(dims, em.dtype(made)), first};
}

auto LoopScan(Node& n, const ScanParts& parts, const std::vector<Value>& inputs, std::optional<int64_t> turns)
    -> std::optional<std::vector<Value>> {
  Emitter& em = n.em();
  FunctionBuilder& to = em.to();
  const ExprId scanned = inputs[parts.states].expr;
  const ExprId count =
      turns ? em.Scalar(kCounter, *turns)
            : Take(em, em.ShapeOf(scanned, kCounter), em.Scalar(kCounter, n.Axis(parts.in_axes[0], em.rank(scanned))));
  Exprs vars = {n.importer().Variable("iter", em.context().Scalar(kCounter))};
  Exprs initial = {em.Scalar(kCounter, 0)};
  std::vector<Value> given;
  for (size_t i = 0; i < parts.states; ++i) {
    initial.push_back(inputs[i].expr);
    vars.push_back(n.importer().Variable(parts.body->inputs[i].name, to.function().type(inputs[i].expr)));
    given.emplace_back(vars.back());
  }
  const ExprId from_end = turns ? Sub(em, em.Scalar(kCounter, *turns - 1), vars[0])
                                : Sub(em, Sub(em, count, em.Scalar(kCounter, 1)), vars[0]);
  AddSlices(em, parts, inputs, vars[0], from_end, given);
  const auto outputs = n.importer().ImportBody(n, *parts.body, given);
  if (!outputs) return std::nullopt;
  Exprs next = {Add(em, vars[0], em.Scalar(kCounter, 1))};
  for (size_t i = 0; i < outputs->size(); ++i) {
    const ExprId made = (*outputs)[i].expr;
    if (!em.is_tensor(made)) {
      n.Fail("output '{}' of the body is not a tensor", parts.body->outputs[i].name);
      return std::nullopt;
    }
    if (i < parts.states) {
      next.push_back(made);
      continue;
    }
    const auto shape = n.NeedShape(made, "an output of the body");
    if (!shape) return std::nullopt;
    const size_t k = i - parts.states;
    const int64_t axis = n.Axis(parts.out_axes[k], em.rank(made) + 1);
    if (n.failed()) return std::nullopt;
    const Collected collected = CollectedOf(em, made, *shape, axis, turns);
    vars.push_back(n.importer().Variable(parts.body->outputs[i].name, collected.type));
    initial.push_back(collected.first);
    const ExprId one = ExpandDims(em, made, axis);
    const bool forward = parts.out_directions[k] == 0;
    const ExprId both = forward ? Concat(em, {vars.back(), one}, axis) : Concat(em, {one, vars.back()}, axis);
    next.push_back(!turns    ? both
                   : forward ? SliceInts(em, both, {1}, {*turns + 1}, {1}, Ints{axis})
                             : SliceInts(em, both, {0}, {*turns}, {1}, Ints{axis}));
  }
  const ExprId call = While(em, vars, Less(em, vars[0], count), next, initial);
  if (n.failed()) return std::nullopt;
  std::vector<Value> results;
  for (size_t i = 1; i < vars.size(); ++i) results.emplace_back(EmitTupleGetItem(to, call, static_cast<uint32_t>(i)));
  return results;
}

auto RunScan(Node& n, const ScanParts& parts, const std::vector<Value>& inputs) -> std::optional<std::vector<Value>> {
  Emitter& em = n.em();
  const bool is_constant = std::ranges::all_of(inputs, [&](const Value& value) { return em.is_constant(value.expr); });
  const bool are_tensors = std::ranges::all_of(inputs, [&](const Value& value) { return em.is_tensor(value.expr); });
  const ExprId scanned = inputs[parts.states].expr;
  const auto turns = are_tensors ? em.Extent(scanned, parts.in_axes[0]) : std::nullopt;
  if (are_tensors && !is_constant) return LoopScan(n, parts, inputs, turns);
  const int64_t count = n.NeedExtent(scanned, parts.in_axes[0], "the scanned input");
  return n.failed() ? std::nullopt : UnrollScan(n, parts, inputs, count);
}

auto ConvertScan(Node& n) -> Results {
  Emitter& em = n.em();
  const size_t skipped = n.opset() < 9 ? 1 : 0;
  if (skipped != 0 && n.has(0)) return n.Fail("lengths of sequences (version 8) are not supported");
  std::vector<Value> inputs;
  for (size_t i = skipped; i < n.num_inputs(); ++i) inputs.push_back(n.value(i));
  const auto parts = ReadScan(n, inputs.size());
  if (!parts) return {};
  if (skipped == 0) {
    auto result = RunScan(n, *parts, inputs);
    return result ? Results(*std::move(result)) : Results();
  }
  // Version 8 has a batch in front of everything.
  const int64_t batch = n.NeedExtent(inputs[0].expr, 0, "the batch");
  if (!n.CheckIterations(batch)) return {};
  Exprs results;
  for (int64_t b = 0; b < batch; ++b) {
    const auto one = MapToVector<Value>(
        inputs, [&](const Value& input) { return Value(Take(em, input.expr, em.Scalar(kCounter, b), 0)); });
    const auto result = RunScan(n, *parts, one);
    if (!result) return {};
    results.resize(result->size());
    for (size_t i = 0; i < results.size(); ++i) {
      const ExprId part = ExpandDims(em, (*result)[i].expr, 0);
      results[i] = b == 0 ? part : Concat(em, {results[i], part}, 0);
    }
  }
  return results;
}

constexpr OpRow kScanRows[] = {
    {"Scan", "8 9 11 16 19 21", "initial_state_and_scan_inputs...",
     "graph body; int num_scan_inputs; ints directions; ints scan_input_axes; ints scan_output_axes; ints "
     "scan_input_directions; ints scan_output_directions",
     ConvertScan},
};

}  // namespace

auto ScanRows() -> std::span<const OpRow> { return kScanRows; }

}  // namespace relayopt::onnx
