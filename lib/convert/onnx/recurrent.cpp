// Recurrent networks, unrolled over their steps. Where the length or the batch is not known they become a loop:
//
//   while (step < length) { h, c = step(take(x, step), h, c); y = [y, h] }
#include <algorithm>
#include <tuple>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "recurrent_kernel.h"
#include "relayopt/relay/analysis/emit.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// One activation with its numbers.
struct Activation {
  std::string name;
  std::optional<double> alpha;
  std::optional<double> beta;
};

// The common parts of all three kinds.
struct Recurrent {
  size_t gates = 1;
  int64_t directions = 1;
  int64_t hidden = 0;
  // Nothing if they are not known.
  std::optional<int64_t> batch;
  std::optional<int64_t> length;
  // The data, [length, batch, columns], and what masks them; none if all sequences are as long as the data.
  ExprId x;
  ExprId lengths;
  bool batch_first = false;
  std::vector<Activation> activations;
  // Indexed by direction.
  Exprs w, r, wb, rb, h, c;
  // The states of all directions, split.
  ExprId states;
  // Indexed by step; empty for a loop, as masks are when all sequences are as long as the data.
  Exprs steps;
  Exprs masks;
  double clip = 0;

  auto is_loop() const -> bool { return !batch || !length; }
};

auto ReadActivations(Node& n, const std::vector<std::string>& defaults, int64_t directions) -> std::vector<Activation> {
  std::vector<std::string> names;
  if (const auto given = n.TextList("activations")) {
    names = *given;
  } else {
    for (int64_t d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != defaults.size() * static_cast<size_t>(directions))
    n.Fail("{} activations for {} directions", names.size(), directions);
  std::vector<double> alphas = n.FloatList("activation_alpha").value_or(std::vector<double>());
  std::vector<double> betas = n.FloatList("activation_beta").value_or(std::vector<double>());
  std::vector<Activation> activations;
  const auto take = [](std::vector<double>& from) {
    std::optional<double> value;
    if (from.empty()) return value;
    value = from.front();
    from.erase(from.begin());
    return value;
  };
  for (const std::string& name : names) {
    Activation activation{name, std::nullopt, std::nullopt};
    if (ActivationHasAlpha(name)) activation.alpha = take(alphas);
    if (ActivationHasBeta(name)) activation.beta = take(betas);
    activations.push_back(activation);
  }
  return activations;
}

auto Activate(Node& n, const Activation& activation, ExprId x) -> ExprId {
  std::vector<AttributeProto> attributes;
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (!value) return;
    AttributeProto& attribute = attributes.emplace_back();
    attribute.name = name;
    attribute.type = AttributeType::kFloat;
    attribute.f = static_cast<float>(*value);
  };
  add("alpha", activation.alpha);
  add("beta", activation.beta);
  const Results results = n.importer().ConvertAs(n, activation.name, {Value(x)}, std::move(attributes), 1);
  return results.values.empty() ? ExprId() : results.values[0].expr;
}

auto Squeezed(Emitter& em, ExprId x) -> ExprId { return Squeeze(em, x, {0}); }

auto PerDirection(Emitter& em, ExprId x, int64_t directions) -> Exprs {
  Exprs parts = Parts(em, Split(em, x, directions, 0), directions);
  for (ExprId& part : parts) part = Squeezed(em, part);
  return parts;
}

// Zeros, [directions, batch, hidden].
auto FirstState(Emitter& em, const Recurrent& rnn, DataType dtype) -> ExprId {
  const DataType i32 = DataType::Int(32);
  if (rnn.batch) return Zeros(em, em.Vector({rnn.directions, *rnn.batch, rnn.hidden}, i32), dtype);
  const ExprId batch = SliceInts(em, em.ShapeOf(rnn.x), {1}, {2}, {1});
  const ExprId zeros = Zeros(em, Concat(em, {em.Vector({rnn.directions}), batch, em.Vector({rnn.hidden})}, 0), dtype);
  // The reshape adds the known extents to the type.
  return Reshape(em, zeros, {rnn.directions, -1, rnn.hidden});
}

// Returns a tensor with these extents in its type; 0 is an extent that is not known. A model may compute them, as those
// of an initial state.
auto WithExtents(Emitter& em, ExprId x, const Ints& shape) -> ExprId {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 0 && !em.Extent(x, static_cast<int64_t>(i))) return Reshape(em, x, shape);
  }
  return x;
}

// Returns the initial state of this input, [directions, batch, hidden].
auto GivenState(Node& n, const Recurrent& rnn, size_t input) -> ExprId {
  Emitter& em = n.em();
  const ExprId state = rnn.batch_first ? Transpose(em, n.in(input), {1, 0, 2}) : n.in(input);
  return WithExtents(em, state, {rnn.directions, rnn.batch.value_or(0), rnn.hidden});
}

auto ReadRecurrent(Node& n, size_t gates, const std::vector<std::string>& defaults) -> std::optional<Recurrent> {
  Emitter& em = n.em();
  Recurrent rnn;
  rnn.gates = gates;
  rnn.batch_first = n.opset() >= 14 && n.Flag("layout");
  rnn.x = rnn.batch_first ? Transpose(em, n.in(0), {1, 0, 2}) : n.in(0);
  rnn.length = em.Extent(rnn.x, 0);
  rnn.batch = em.Extent(rnn.x, 1);
  for (const size_t input : {5, 6}) {
    if (!rnn.batch && n.has(input)) rnn.batch = em.Extent(n.in(input), rnn.batch_first ? 0 : 1);
  }
  if (rnn.batch) rnn.x = WithExtents(em, rnn.x, {0, *rnn.batch, 0});
  rnn.directions = n.NeedExtent(n.in(1), 0, "W");
  rnn.hidden = n.NeedExtent(n.in(2), 2, "R");
  if (n.failed()) return std::nullopt;
  rnn.clip = n.Has("clip") ? n.Float("clip") : 0;
  if (rnn.directions != 1 && rnn.directions != 2) n.Fail("{} directions", rnn.directions);
  if (!n.CheckIterations(rnn.length.value_or(1))) return std::nullopt;
  if (!n.Elements({rnn.directions, rnn.batch.value_or(1), rnn.hidden})) return std::nullopt;
  const DataType dtype = em.dtype(n.in(1));
  if (!rnn.is_loop()) {
    rnn.steps = Parts(em, Split(em, rnn.x, *rnn.length, 0), *rnn.length);
    for (ExprId& step : rnn.steps) step = Squeezed(em, step);
  }
  const ExprId h = n.has(5) ? GivenState(n, rnn, 5) : FirstState(em, rnn, dtype);
  rnn.states = Split(em, h, rnn.directions, 0);
  rnn.h = Parts(em, rnn.states, rnn.directions);
  for (ExprId& part : rnn.h) part = Squeezed(em, part);
  rnn.w = PerDirection(em, n.in(1), rnn.directions);
  rnn.r = PerDirection(em, n.in(2), rnn.directions);
  if (n.has(3)) {
    const ExprId all = Split(em, n.in(3), rnn.directions, 0);
    for (int64_t d = 0; d < rnn.directions; ++d) {
      const ExprId halves = Split(em, em.Get(all, static_cast<size_t>(d)), 2, -1);
      rnn.wb.push_back(Squeezed(em, em.Get(halves, 0)));
      rnn.rb.push_back(Squeezed(em, em.Get(halves, 1)));
    }
  }
  rnn.activations = ReadActivations(n, defaults, rnn.directions);
  if (n.failed()) return std::nullopt;
  return rnn;
}

// True for the sequences of the batch that have an element at this position; none without lengths.
auto MaskAt(Emitter& em, const Recurrent& rnn, ExprId position) -> ExprId {
  return rnn.lengths ? ExpandDims(em, Less(em, position, rnn.lengths), 1) : ExprId();
}

// Masks are needed when the lengths are not known to be those of the data.
void ReadLengths(Node& n, Recurrent& rnn) {
  if (!n.has(4)) return;
  const auto lengths = n.em().IntsOf(n.in(4));
  if (lengths && std::ranges::all_of(*lengths, [&](int64_t l) { return l == rnn.length; })) return;
  rnn.lengths = n.in(4);
  const DataType dtype = n.em().dtype(rnn.lengths);
  for (size_t t = 0; t < rnn.steps.size(); ++t)
    rnn.masks.push_back(MaskAt(n.em(), rnn, n.em().Scalar(dtype, static_cast<int64_t>(t))));
}

auto Clipped(Emitter& em, ExprId x, double clip) -> ExprId { return clip > 0 ? Clip(em, x, -clip, clip) : x; }

struct State {
  ExprId h;
  ExprId c;
};

// One step: the next state and the output. A finished sequence keeps its state and gives zeros.
template <typename Step>
auto MaskedStep(Emitter& em, ExprId x, ExprId mask, const State& state, size_t d, Step&& step)
    -> std::pair<State, ExprId> {
  State next = step(x, state, d);
  if (!mask) return {next, next.h};
  const ExprId output = Mul(em, next.h, Cast(em, mask, em.dtype(next.h)));
  next.h = Where(em, mask, next.h, state.h);
  if (state.c) next.c = Where(em, mask, next.c, state.c);
  return {next, output};
}

// Runs one direction: forwards, or backwards over the steps. `step` makes the next state.
template <typename Step>
auto RunDirection(Node& n, const Recurrent& rnn, size_t d, bool backwards, bool has_cell, Step&& step)
    -> std::pair<Exprs, State> {
  Emitter& em = n.em();
  State state{rnn.h[d], has_cell ? rnn.c[d] : ExprId()};
  Exprs outputs(rnn.steps.size());
  for (size_t i = 0; i < rnn.steps.size(); ++i) {
    const size_t t = backwards ? rnn.steps.size() - 1 - i : i;
    const ExprId mask = rnn.masks.empty() ? ExprId() : rnn.masks[t];
    std::tie(state, outputs[t]) = MaskedStep(em, rnn.steps[t], mask, state, d, step);
  }
  return {outputs, state};
}

// The same as a loop; gives the outputs as one tensor, [length, batch, hidden].
template <typename Step>
auto LoopDirection(Node& n, const Recurrent& rnn, size_t d, bool backwards, bool has_cell, Step&& step)
    -> std::pair<ExprId, State> {
  Emitter& em = n.em();
  FunctionBuilder& to = em.to();
  const DataType i32 = DataType::Int(32);
  const ExprId length = Take(em, em.ShapeOf(rnn.x, i32), em.Scalar(i32, 0));
  const ExprId one = em.Scalar(i32, 1);
  Exprs initial = {em.Scalar(i32, 0), rnn.h[d]};
  std::vector<std::string_view> names = {"step", "h"};
  if (has_cell) {
    initial.push_back(rnn.c[d]);
    names.emplace_back("c");
  }
  initial.push_back(SliceAxis(em, ExpandDims(em, rnn.h[d], 0), 0, 0, 0));
  names.emplace_back("y");
  if (n.failed()) return {};
  Exprs vars;
  for (size_t i = 0; i < initial.size(); ++i) {
    TypeId type = to.function().type(initial[i]);
    if (i + 1 == initial.size()) {
      // The collected output grows.
      const Type collected = em.context().type(type);
      std::vector<Dim> dims(collected.shape.begin(), collected.shape.end());
      dims[0] = Dim::Any();
      type = em.context().Tensor(dims, collected.dtype);
    }
    vars.push_back(n.importer().Variable(names[i], type));
  }
  const ExprId t = backwards ? Sub(em, Sub(em, length, one), vars[0]) : vars[0];
  const ExprId mask = rnn.lengths ? MaskAt(em, rnn, CastTo(em, t, em.dtype(rnn.lengths))) : ExprId();
  const State state{vars[1], has_cell ? vars[2] : ExprId()};
  const auto [next, output] = MaskedStep(em, Take(em, rnn.x, t, 0), mask, state, d, step);
  const ExprId row = ExpandDims(em, output, 0);
  const ExprId y = vars.back();
  Exprs values = {Add(em, vars[0], one), next.h};
  if (has_cell) values.push_back(next.c);
  values.push_back(Concat(em, backwards ? Exprs{row, y} : Exprs{y, row}, 0));
  if (n.failed()) return {};
  for (size_t i = 0; i < vars.size(); ++i) {
    if (to.function().type(values[i]) == to.function().type(vars[i])) continue;
    n.Fail("a state changes from {} to {}", em.TypeText(vars[i]), em.TypeText(values[i]));
    return {};
  }
  const ExprId call = While(em, vars, Less(em, vars[0], length), values, initial);
  const auto result = [&](size_t i) { return EmitTupleGetItem(to, call, static_cast<uint32_t>(i)); };
  return {result(vars.size() - 1), State{result(1), has_cell ? result(2) : ExprId()}};
}

template <typename Step>
auto RunAll(Node& n, const Recurrent& rnn, bool has_cell, Step&& step) -> Results {
  Emitter& em = n.em();
  const std::string direction = n.Choice("direction", "forward,reverse,bidirectional");
  if (n.failed()) return {};
  std::vector<Exprs> outputs;
  std::vector<State> states;
  for (size_t d = 0; d < static_cast<size_t>(rnn.directions); ++d) {
    const bool backwards = d == 1 || direction == "reverse";
    if (rnn.is_loop()) {
      const auto [ys, state] = LoopDirection(n, rnn, d, backwards, has_cell, step);
      outputs.push_back({ys});
      states.push_back(state);
      continue;
    }
    auto [ys, state] = RunDirection(n, rnn, d, backwards, has_cell, step);
    outputs.push_back(std::move(ys));
    states.push_back(state);
  }
  if (n.failed()) return {};
  ExprId y;
  if (rnn.is_loop()) {
    y = rnn.directions == 1 ? ExpandDims(em, outputs[0][0], 1) : Stack(em, {outputs[0][0], outputs[1][0]}, 1);
  } else if (rnn.directions == 1) {
    y = ExpandDims(em, Stack(em, outputs[0], 0), 1);
  } else {
    Exprs both;
    for (size_t t = 0; t < outputs[0].size(); ++t) both.push_back(Stack(em, {outputs[0][t], outputs[1][t]}, 0));
    y = Stack(em, both, 0);
  }
  const auto last = [&](ExprId State::*part) {
    if (rnn.directions == 1) return ExpandDims(em, states[0].*part, 0);
    return Stack(em, {states[0].*part, states[1].*part}, 0);
  };
  ExprId h = last(&State::h);
  ExprId c = has_cell ? last(&State::c) : ExprId();
  if (rnn.batch_first) {
    y = Transpose(em, y, {2, 0, 1, 3});
    h = Transpose(em, h, {1, 0, 2});
    if (has_cell) c = Transpose(em, c, {1, 0, 2});
  }
  if (!has_cell) return {y, h};
  return {y, h, c};
}

auto ConvertRNN(Node& n) -> Results {
  Emitter& em = n.em();
  auto rnn = ReadRecurrent(n, 1, {"Tanh"});
  if (!rnn) return {};
  ReadLengths(n, *rnn);
  return RunAll(n, *rnn, false, [&](ExprId x, const State& state, size_t d) {
    ExprId from_x = Dense(em, x, rnn->w[d]);
    ExprId from_h = Dense(em, state.h, rnn->r[d]);
    if (!rnn->wb.empty()) {
      from_x = Add(em, from_x, rnn->wb[d]);
      from_h = Add(em, from_h, rnn->rb[d]);
    }
    return State{Activate(n, rnn->activations[d], Clipped(em, Add(em, from_x, from_h), rnn->clip)), {}};
  });
}

// Returns the gates of ONNX, i o f c, as i f c o.
auto ReorderedGates(Emitter& em, ExprId x) -> ExprId {
  const Exprs p = Parts(em, Split(em, x, 4, 0), 4);
  return Concat(em, {p[0], p[2], p[3], p[1]}, 0);
}

auto ConvertLSTM(Node& n) -> Results {
  Emitter& em = n.em();
  auto rnn = ReadRecurrent(n, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (!rnn) return {};
  ReadLengths(n, *rnn);
  const bool couples = n.Flag("input_forget");
  if (n.has(6)) {
    rnn->c = PerDirection(em, GivenState(n, *rnn, 6), rnn->directions);
  } else {
    for (size_t d = 0; d < rnn->h.size(); ++d)
      rnn->c.push_back(Squeezed(em, em.Call("zeros_like"_op, {em.Get(rnn->states, d)})));
  }
  for (size_t d = 0; d < static_cast<size_t>(rnn->directions); ++d) {
    for (Exprs* weights : {&rnn->w, &rnn->r, &rnn->wb, &rnn->rb}) {
      if (!weights->empty()) (*weights)[d] = ReorderedGates(em, (*weights)[d]);
    }
  }
  // Peephole weights of input, output and forget gates, by direction.
  std::vector<Exprs> peepholes;
  if (n.has(7)) {
    for (const ExprId part : Parts(em, Split(em, n.in(7), 3, 1), 3))
      peepholes.push_back(PerDirection(em, part, rnn->directions));
  }
  return RunAll(n, *rnn, true, [&](ExprId x, const State& state, size_t d) {
    const ExprId joined = Concat(em, {x, state.h}, 1);
    ExprId gates = Dense(em, joined, Concat(em, {rnn->w[d], rnn->r[d]}, 1));
    if (!rnn->wb.empty()) gates = Add(em, Add(em, gates, rnn->wb[d]), rnn->rb[d]);
    const Exprs g = Parts(em, Split(em, gates, 4, -1), 4);
    const auto act = [&](size_t k, ExprId value) {
      return Activate(n, rnn->activations[d * 3 + k], Clipped(em, value, rnn->clip));
    };
    const auto peep = [&](size_t k, ExprId value, ExprId cell) {
      return peepholes.empty() ? value : Add(em, value, Mul(em, peepholes[k][d], cell));
    };
    const ExprId i = act(0, peep(0, g[0], state.c));
    const ExprId f = couples ? Sub(em, em.Scalar(em.dtype(i), 1), i) : act(0, peep(2, g[1], state.c));
    const ExprId t = act(1, g[2]);
    const ExprId c = Add(em, Mul(em, f, state.c), Mul(em, i, t));
    const ExprId o = act(0, peep(1, g[3], c));
    return State{Mul(em, o, act(2, c)), c};
  });
}

// Returns the gates of ONNX, z r h, as r z h.
auto SwappedGates(Emitter& em, ExprId x) -> ExprId {
  const Exprs p = Parts(em, Split(em, x, 3, 0), 3);
  return Concat(em, {p[1], p[0], p[2]}, 0);
}

auto ConvertGRU(Node& n) -> Results {
  Emitter& em = n.em();
  auto rnn = ReadRecurrent(n, 3, {"Sigmoid", "Tanh"});
  if (!rnn) return {};
  ReadLengths(n, *rnn);
  const bool late = n.Flag("linear_before_reset");
  for (size_t d = 0; d < static_cast<size_t>(rnn->directions); ++d) {
    for (Exprs* weights : {&rnn->w, &rnn->r, &rnn->wb, &rnn->rb}) {
      if (!weights->empty()) (*weights)[d] = SwappedGates(em, (*weights)[d]);
    }
  }
  return RunAll(n, *rnn, false, [&](ExprId x, const State& state, size_t d) {
    const bool has_bias = !rnn->wb.empty();
    const auto act = [&](size_t k, ExprId value) {
      return Activate(n, rnn->activations[d * 2 + k], Clipped(em, value, rnn->clip));
    };
    ExprId xw = Dense(em, x, rnn->w[d]);
    ExprId r;
    ExprId z;
    ExprId candidate;
    if (late) {
      if (has_bias) xw = Add(em, xw, rnn->wb[d]);
      ExprId hw = Dense(em, state.h, rnn->r[d]);
      if (has_bias) hw = Add(em, hw, rnn->rb[d]);
      const Exprs i = Parts(em, Split(em, xw, 3, -1), 3);
      const Exprs h = Parts(em, Split(em, hw, 3, -1), 3);
      r = act(0, Add(em, i[0], h[0]));
      z = act(0, Add(em, i[1], h[1]));
      candidate = act(1, Add(em, i[2], Mul(em, r, h[2])));
    } else {
      const Exprs i = Parts(em, Split(em, xw, 3, 1), 3);
      const Exprs w = Parts(em, Split(em, rnn->r[d], 3, 0), 3);
      r = Add(em, i[0], Dense(em, state.h, w[0]));
      z = Add(em, i[1], Dense(em, state.h, w[1]));
      ExprId in = i[2];
      ExprId hn;
      if (has_bias) {
        const Exprs bi = Parts(em, Split(em, rnn->wb[d], 3, -1), 3);
        const Exprs bh = Parts(em, Split(em, rnn->rb[d], 3, -1), 3);
        r = act(0, Add(em, r, Add(em, bi[0], bh[0])));
        z = Add(em, z, Add(em, bi[1], bh[1]));
        in = Add(em, in, bi[2]);
        hn = Add(em, Dense(em, Mul(em, r, state.h), w[2]), bh[2]);
      } else {
        r = act(0, r);
        hn = Dense(em, Mul(em, r, state.h), w[2]);
      }
      z = act(0, z);
      candidate = act(1, Add(em, in, hn));
    }
    return State{Add(em, Mul(em, Sub(em, state.h, candidate), z), candidate), {}};
  });
}

constexpr OpRow kRecurrentRows[] = {
    OpRow("RNN", "1 7 14", "X, W, R, B?, sequence_lens?, initial_h?",
          "floats activation_alpha; floats activation_beta; strings activations; float clip; string direction = "
          "forward; int hidden_size; int layout = 0; int output_sequence",
          ConvertRNN)
        .WithShapes("X[l b i], W[d h i], R[d h h] -> Y[l d b h], Y_h[d b h]"),
    OpRow("LSTM", "1 7 14", "X, W, R, B?, sequence_lens?, initial_h?, initial_c?, P?",
          "floats activation_alpha; floats activation_beta; strings activations; float clip; string direction = "
          "forward; int hidden_size; int input_forget = 0; int layout = 0; int output_sequence",
          ConvertLSTM)
        .WithShapes("X[l b i], W[d 4h i], R[d 4h h] -> Y[l d b h], Y_h[d b h], Y_c[d b h]"),
    OpRow("GRU", "1 3 7 14", "X, W, R, B?, sequence_lens?, initial_h?",
          "floats activation_alpha; floats activation_beta; strings activations; float clip; string direction = "
          "forward; int hidden_size; int layout = 0; int linear_before_reset = 0; int output_sequence",
          ConvertGRU)
        .WithShapes("X[l b i], W[d 3h i], R[d 3h h] -> Y[l d b h], Y_h[d b h]"),
};

}  // namespace

auto RecurrentRows() -> std::span<const OpRow> { return kRecurrentRows; }

}  // namespace relayopt::onnx
