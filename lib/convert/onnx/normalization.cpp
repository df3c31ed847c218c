// Normalization, dropout and similar layers of networks.
#include "builders.h"
#include "families.h"
#include "relayopt/support/map_to_vector.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// Returns the axes of the data but the channels.
auto AxesButChannels(int64_t rank) -> Ints {
  Ints axes;
  for (int64_t i = 0; i < rank; ++i) {
    if (i != 1) axes.push_back(i);
  }
  return axes;
}

// Returns a vector along the channels as the data has them.
auto AlongChannels(Emitter& em, ExprId vector, int64_t rank) -> ExprId {
  return rank <= 2 ? vector : ExpandDims(em, vector, 1, rank - 2);
}

// Before version 14 a node with outputs for the statistics trains; versions below 7 say also otherwise.
auto Trains(Node& n) -> bool {
  if (n.opset() >= 14) return n.Flag("training_mode");
  return (n.wants(1) || n.wants(2) || n.wants(3) || n.wants(4)) && !n.Flag("is_test");
}

// With the statistics of the batch; the running ones move by the rest of the momentum.
auto TrainBatchNorm(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  const Ints axes = AxesButChannels(rank);
  const double momentum = n.Float("momentum");
  const ExprId mean = Reduce(em, "mean"_op, x, axes, false);
  const ExprId centred = Sub(em, x, AlongChannels(em, mean, rank));
  const ExprId variance = Reduce(em, "mean"_op, Mul(em, centred, centred), axes, false);
  const ExprId root = em.Call("sqrt"_op, {Add(em, variance, em.Scalar(em.dtype(variance), n.Float("epsilon")))});
  const ExprId normal = Div(em, centred, AlongChannels(em, root, rank));
  const ExprId scaled = Mul(em, normal, AlongChannels(em, n.in(1), rank));
  const ExprId result = Add(em, scaled, AlongChannels(em, n.in(2), rank));
  const auto running = [&](ExprId old, ExprId now) {
    const DataType dtype = em.dtype(old);
    return Add(em, Mul(em, old, em.Scalar(dtype, momentum)),
               Mul(em, CastTo(em, now, dtype), em.Scalar(dtype, 1 - momentum)));
  };
  return {result, running(n.in(3), mean), running(n.in(4), variance), mean, variance};
}

auto ConvertBatchNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  if (Trains(n)) return TrainBatchNorm(n);
  // From version 15 on the statistics may be of wider floats than the data.
  const DataType dtype = em.dtype(n.in(0));
  DataType widest = dtype;
  for (const ExprId in : n.ins()) widest = em.dtype(in).bits > widest.bits ? em.dtype(in) : widest;
  const auto operands =
      MapToVector<ExprId>(n.ins(), [&](ExprId in) { return em.dtype(in) == widest ? in : Cast(em, in, widest); });
  const ExprId b = em.Call("nn.batch_norm"_op, operands, std::array{AttrSetting("epsilon", n.Decimal("epsilon"))});
  const ExprId mean = em.Get(b, 1);
  const ExprId variance = em.Get(b, 2);
  const ExprId result = em.Get(b, 0);
  return {dtype == widest ? result : Cast(em, result, dtype), mean, variance, mean, variance};
}

auto ConvertInstanceNormalization(Node& n) -> Results {
  return n.em().Call("nn.instance_norm"_op, {n.in(0), n.in(1), n.in(2)}, {{"epsilon", n.Decimal("epsilon")}});
}

auto ConvertLayerNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType original = em.dtype(n.in(0));
  // stash_type 1: the statistics are float32, whatever the data are.
  const bool stashes = n.Int("stash_type") == 1 && original.is_float() && original.bits < 32;
  const ExprId x = stashes ? Cast(em, n.in(0), DataType::Float(32)) : n.in(0);
  const DataType dtype = em.dtype(x);
  const int64_t rank = em.rank(x);
  Ints axes;
  for (int64_t i = n.Axis(n.Int("axis"), rank); i < rank; ++i) axes.push_back(i);
  const ExprId mean = Reduce(em, "mean"_op, x, axes, true);
  const ExprId variance = em.Call("variance"_op, {x, mean}, {{"axis", axes}, {"keepdims", true}});
  const ExprId root = em.Call("sqrt"_op, {Add(em, variance, em.Scalar(dtype, n.Float("epsilon")))});
  const ExprId inverse = Div(em, em.Scalar(dtype, 1.0), root);
  ExprId normal = Mul(em, Sub(em, x, mean), inverse);
  if (stashes) normal = Cast(em, normal, original);
  ExprId result = Mul(em, normal, n.in(1));
  if (n.has(2)) result = Add(em, result, n.in(2));
  return {result, mean, inverse};
}

// RMSNormalization, and SimplifiedLayerNormalization, ONNX Runtime's name for it.
auto ConvertRMSNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  const int64_t rank = em.rank(n.in(0));
  Ints axes;
  for (int64_t i = n.Axis(n.Int("axis"), rank); i < rank; ++i) axes.push_back(i);
  if (n.failed()) return {};
  const auto [normal, inverse] = NormalizeByRms(n, n.in(0), n.in(1), axes);
  return {n.has(2) ? Add(em, normal, n.in(2)) : normal, inverse};
}

auto ConvertGroupNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  if (rank < 2) return n.Fail("the data has no channels");
  const auto shape = em.StaticShape(x);
  const DataType dtype = em.dtype(x);
  const int64_t groups = n.Int("num_groups");
  const int64_t channels = n.NeedExtent(x, 1, "X");
  if (n.failed()) return {};
  const auto restored = [&](ExprId data) {
    return shape ? Reshape(em, data, *shape) : ReshapeBy(em, data, em.ShapeOf(x));
  };
  if (groups < 1 || channels % groups != 0)
    return n.Fail("{} channels cannot be divided into {} groups", channels, groups);
  const ExprId grouped = Reshape(em, x, {shape ? (*shape)[0] : 0, groups, -1});
  const ExprId mean = Reduce(em, "mean"_op, grouped, {2}, true);
  const ExprId variance = em.Call("variance"_op, {grouped, mean}, {{"axis", Ints{2}}, {"keepdims", true}});
  const ExprId root = em.Call("sqrt"_op, {Add(em, variance, em.Scalar(dtype, n.Float("epsilon")))});
  const ExprId normal = Div(em, Sub(em, grouped, mean), root);
  // Version 18 has a scale for each group, later ones for each channel.
  const auto scaled = [&](ExprId data, ExprId scale, ExprId bias, int64_t axes) {
    return Add(em, Mul(em, data, ExpandDims(em, scale, 1, axes)), ExpandDims(em, bias, 1, axes));
  };
  if (n.opset() < 21 && em.Extent(n.in(1), 0) == groups) {
    return restored(scaled(normal, n.in(1), n.in(2), 1));
  }
  const ExprId back = restored(normal);
  const int64_t spatial = rank - 2;
  if (spatial > 0) return scaled(back, n.in(1), n.in(2), spatial);
  return Add(em, Mul(em, back, n.in(1)), n.in(2));
}

auto ConvertMeanVarianceNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const Ints axes = n.IntList("axes").value_or(Ints{0, 2, 3});
  const ExprId mean = Reduce(em, "mean"_op, x, axes, true);
  const ExprId mean_squared = Power(em, mean, 2);
  const ExprId squares = Reduce(em, "mean"_op, Power(em, x, 2), axes, true);
  // ONNX adds a little, so that constant data are not divided by zero.
  constexpr double kEpsilon = 1e-9;
  const ExprId deviation = em.Call("sqrt"_op, {Sub(em, squares, mean_squared)});
  return Div(em, Sub(em, x, mean), Add(em, deviation, em.Scalar(em.dtype(x), kEpsilon)));
}

// LRN over a window of an even number of channels, which reaches one channel further after the center than before it.
auto EvenLRN(Node& n, int64_t size) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const int64_t channels = n.NeedExtent(x, 1, "X");
  if (!n.CheckIterations(size) || em.rank(x) < 2) return n.Fail("the data has no channels");
  std::vector<std::pair<int64_t, int64_t>> widths(static_cast<size_t>(em.rank(x)));
  widths[1] = {(size - 1) / 2, size / 2};
  const ExprId padded = PadInts(em, Mul(em, x, x), widths, em.Scalar(dtype, 0.0));
  ExprId sum = SliceAxis(em, padded, 1, 0, channels);
  for (int64_t i = 1; i < size; ++i) sum = Add(em, sum, SliceAxis(em, padded, 1, i, i + channels));
  const ExprId scaled = Mul(em, sum, em.Scalar(dtype, n.Float("alpha") / static_cast<double>(size)));
  return Div(em, x, Power(em, Add(em, scaled, em.Scalar(dtype, n.Float("bias"))), n.Float("beta")));
}

auto ConvertLRN(Node& n) -> Results {
  // Relay's windows are symmetric.
  if (const int64_t size = n.Int("size"); size > 0 && size % 2 == 0) return EvenLRN(n, size);
  return n.em().Call("nn.lrn"_op, {n.in(0)},
                     {{"size", n.Int("size")},
                      {"axis", 1},
                      {"alpha", n.Decimal("alpha")},
                      {"beta", n.Decimal("beta")},
                      {"bias", n.Decimal("bias")}});
}

auto ConvertLpNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t axis = n.Int("axis");
  const int64_t p = n.Int("p");
  if (p != 1 && p != 2) return n.Fail("attribute 'p' is {}, and only 1 and 2 are norms", p);
  const ExprId magnitudes = p == 1 ? em.Call("abs"_op, {x}) : Mul(em, x, x);
  ExprId norm = Reduce(em, "sum"_op, magnitudes, {axis}, true);
  if (p == 2) norm = em.Call("sqrt"_op, {norm});
  if (!n.exact()) return Div(em, x, norm);
  // A slice of zeros stays one.
  const DataType dtype = em.dtype(norm);
  const ExprId is_zero = em.Call("equal"_op, {norm, em.Scalar(dtype, 0)});
  return Div(em, x, Where(em, is_zero, em.Scalar(dtype, 1), norm));
}

// At inference dropout does nothing, and its mask is true everywhere.
auto ConvertDropout(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  double ratio = n.Decimal("ratio");
  const bool is_training = [&] {
    if (!n.has(2)) return false;
    const auto mode = em.IntsOf(n.in(2));
    if (!mode) n.WarnNeedsValue("training_mode is not known while importing and is taken for false");
    return mode && mode->size() == 1 && mode->front() != 0;
  }();
  if (n.has(1)) {
    const auto given = em.DoublesOf(n.in(1));
    if (given && given->size() == 1) ratio = given->front();
    if (!given && is_training) return n.NeedsValue(n.InputText(1));
  }
  if (is_training && ratio != 0) n.Warn("drops nothing: random masks of training are not imported");
  const ExprId result =
      n.has(1) || n.has(2) ? em.Call("copy"_op, {x}) : em.Get(em.Call("nn.dropout"_op, {x}, {{"rate", ratio}}), 0);
  if (!n.wants(1)) return result;
  // Before version 7 the mask had the type of the data.
  const DataType mask = n.opset() < 10 ? em.dtype(x) : DataType::Bool();
  const auto shape = em.StaticShape(x);
  const auto count = shape ? n.Elements(*shape) : std::nullopt;
  const ExprId ones = shape ? em.Array(std::vector<double>(count.value_or(0), 1), *shape, mask)
                            : em.Call("ones_like"_op, {Cast(em, x, mask)});
  return {result, ones};
}

constexpr OpRow kNormalizationRows[] = {
    OpRow("BatchNormalization", "1 6 7 9 14 15", "X, scale, B, mean, var",
          "float epsilon = 1e-5; float momentum = 0.9; int training_mode = 0; int spatial = 1; int is_test = 0; ints "
          "consumed_inputs",
          ConvertBatchNormalization)
        .ByTypes(),
    {"SpatialBN", "1", "X, scale, B, mean, var",
     "float epsilon = 1e-5; float momentum = 0.9; int training_mode = 0; int is_test = 0; int spatial = 1",
     ConvertBatchNormalization},
    OpRow("InstanceNormalization", "1 6", "input, scale, B", "float epsilon = 1e-5; ints consumed_inputs",
          ConvertInstanceNormalization)
        .ByTypes(),
    OpRow("LayerNormalization", "17", "X, Scale, B?", "int axis = -1; float epsilon = 1e-5; int stash_type = 1",
          ConvertLayerNormalization)
        .ByTypes(),
    {"RMSNormalization", "23", "X, scale", "int axis = -1; float epsilon = 1e-5; int stash_type = 1",
     ConvertRMSNormalization},
    {"SimplifiedLayerNormalization", "1", "X, scale, B?", "int axis = -1; float epsilon = 1e-5; int stash_type = 1",
     ConvertRMSNormalization},
    {"com.microsoft::SimplifiedLayerNormalization", "1", "X, scale, B?",
     "int axis = -1; float epsilon = 1e-5; int stash_type = 1", ConvertRMSNormalization},
    {"GroupNormalization", "18 21", "X, scale, bias", "float epsilon = 1e-5; int num_groups; int stash_type = 1",
     ConvertGroupNormalization},
    {"MeanVarianceNormalization", "9 13", "X", "ints axes", ConvertMeanVarianceNormalization},
    {"LpNormalization", "1", "input", "int axis = -1; int p = 2", ConvertLpNormalization},
    {"LRN", "1 13", "X", "int size; float alpha = 1e-4; float beta = 0.75; float bias = 1", ConvertLRN},
    {"Dropout", "1 6 7 10 12 13", "data, ratio?, training_mode?",
     "float ratio = 0.5; int is_test = 0; int seed = 0; ints consumed_inputs", ConvertDropout},
};

}  // namespace

auto NormalizeByRms(Node& n, ExprId x, ExprId scale, const Ints& axes) -> NormalizedByRms {
  Emitter& em = n.em();
  const DataType original = em.dtype(x);
  const bool stashes = original.is_float() && original.bits < 32;
  const ExprId wide = stashes ? Cast(em, x, DataType::Float(32)) : x;
  const DataType dtype = em.dtype(wide);
  const ExprId mean = Reduce(em, "mean"_op, Mul(em, wide, wide), axes, true);
  const ExprId root = em.Call("sqrt"_op, {Add(em, mean, em.Scalar(dtype, n.Float("epsilon")))});
  const ExprId inverse = Div(em, em.Scalar(dtype, 1.0), root);
  ExprId normal = Mul(em, wide, inverse);
  if (stashes) normal = Cast(em, normal, original);
  return {Mul(em, normal, scale), inverse};
}

auto NormalizationRows() -> std::span<const OpRow> { return kNormalizationRows; }

}  // namespace relayopt::onnx
