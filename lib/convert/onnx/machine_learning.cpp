// Operators of classical machine learning, as far as they are about numbers.
#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto FloatsAsRow(Emitter& em, const std::vector<double>& values, DataType dtype) -> ExprId {
  if (values.size() == 1) return em.Scalar(dtype, values[0]);
  return em.Array(values, {static_cast<int64_t>(values.size())}, dtype);
}

auto ConvertArrayFeatureExtractor(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  return Take(em, x, Reshape(em, n.in(1), {-1}), em.rank(x) - 1);
}

auto ConvertBinarizer(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(n.in(0));
  return Cast(em, Greater(em, n.in(0), em.Scalar(dtype, n.Float("threshold"))), dtype);
}

auto ConvertScaler(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const auto offset = n.FloatList("offset");
  const auto scale = n.FloatList("scale");
  if (!offset || !scale) return n.Fail("attributes 'offset' and 'scale' are missing");
  return Mul(em, Sub(em, CastTo(em, n.in(0), f32), FloatsAsRow(em, *offset, f32)), FloatsAsRow(em, *scale, f32));
}

auto ConvertNormalizer(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = CastTo(em, n.in(0), DataType::Float(32));
  const std::string norm = n.Choice("norm", "MAX,L1,L2");
  if (norm == "MAX") return Div(em, x, Reduce(em, "max"_op, x, {-1}, true));
  if (norm == "L1") return Div(em, x, Reduce(em, "sum"_op, em.Call("abs"_op, {x}), {-1}, true));
  return Div(em, x, em.Call("sqrt"_op, {Reduce(em, "sum"_op, Mul(em, x, x), {-1}, true)}));
}

auto ConvertLinearRegressor(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const auto coefficients = n.FloatList("coefficients");
  const int64_t targets = n.Int("targets");
  if (!coefficients || targets < 1) return n.Fail("attributes 'coefficients' and 'targets' do not fit");
  if (n.Choice("post_transform", "NONE") != "NONE") return {};
  const auto width = static_cast<int64_t>(coefficients->size()) / targets;
  ExprId x = CastTo(em, n.in(0), f32);
  if (const auto extent = em.Extent(x, -1); extent && *extent > width) x = em.Get(SplitAt(em, x, {width}, -1), 0);
  const ExprId product = Dense(em, x, em.Array(*coefficients, {targets, width}, f32));
  const auto intercepts = n.FloatList("intercepts");
  if (!intercepts) return product;
  const ExprId bias = em.Array(*intercepts, {static_cast<int64_t>(intercepts->size())}, f32);
  return targets == 1 ? em.Call("nn.bias_add"_op, {product, bias}, {{"axis", -1}}) : Add(em, product, bias);
}

// How often each n-gram of numbers occurs, with gaps.
auto ConvertTfIdfVectorizer(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType f32 = DataType::Float(32);
  const auto pool = n.IntList("pool_int64s");
  const auto counts = n.IntList("ngram_counts");
  const auto indexes = n.IntList("ngram_indexes");
  if (!pool || !counts || !indexes) return n.Fail("only n-grams of integers are counted");
  const std::string mode = n.Choice("mode", "TF,IDF,TFIDF");
  const auto weights = n.FloatList("weights");
  const int64_t least = n.Int("min_gram_length");
  const int64_t most = n.Int("max_gram_length");
  const int64_t skips = n.Int("max_skip_count");
  const int64_t rank = em.rank(x);
  const int64_t length = n.NeedExtent(x, rank - 1, "X");
  if (n.failed()) return {};
  int64_t width = 0;
  for (const int64_t index : *indexes) width = std::max(width, index);
  ++width;
  if (!n.Turns(width)) return {};
  std::vector<ExprId> columns(static_cast<size_t>(width));
  std::vector<double> column_weights(static_cast<size_t>(width), 1);
  size_t gram = 0;
  for (size_t c = 0; c < counts->size(); ++c) {
    const auto size = static_cast<int64_t>(c) + 1;
    const auto begin = static_cast<size_t>(std::max<int64_t>((*counts)[c], 0));
    const auto end = c + 1 < counts->size() ? static_cast<size_t>((*counts)[c + 1]) : pool->size();
    for (size_t at = begin; at + static_cast<size_t>(size) <= end && end <= pool->size();
         at += static_cast<size_t>(size), ++gram) {
      if (gram >= indexes->size() || (*indexes)[gram] < 0) return n.Fail("attribute 'ngram_indexes' does not fit");
      const auto column = static_cast<size_t>((*indexes)[gram]);
      if (weights && gram < weights->size()) column_weights[column] = (*weights)[gram];
      if (size < least || size > most) continue;
      for (int64_t skip = 0; skip <= (size == 1 ? 0 : skips); ++skip) {
        const int64_t reach = (size - 1) * (skip + 1);
        if (reach >= length) break;
        ExprId all;
        for (int64_t j = 0; j < size; ++j) {
          const ExprId part = SliceAxis(em, x, rank - 1, j * (skip + 1), j * (skip + 1) + length - reach);
          const ExprId same = em.Call("equal"_op, {part, em.Scalar(em.dtype(x), (*pool)[at + static_cast<size_t>(j)])});
          all = all ? em.Call("logical_and"_op, {all, same}) : same;
        }
        const ExprId sum = Reduce(em, "sum"_op, Cast(em, all, f32), {-1}, false);
        columns[column] = columns[column] ? Add(em, columns[column], sum) : sum;
      }
    }
  }
  const ExprId nothing = Mul(em, em.Scalar(f32, 0.0), Cast(em, Reduce(em, "sum"_op, x, {-1}, false), f32));
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i]) columns[i] = nothing;
    if (mode != "TF") {
      const ExprId count = mode == "IDF" ? Minimum(em, columns[i], em.Scalar(f32, 1.0)) : columns[i];
      columns[i] = Mul(em, count, em.Scalar(f32, column_weights[i]));
    }
  }
  return Stack(em, columns, -1);
}

constexpr std::string_view kMl = "ai.onnx.ml";

constexpr OpRow kMachineLearningRows[] = {
    {.domain = kMl,
     .name = "ArrayFeatureExtractor",
     .versions = "1",
     .inputs = "X, Y",
     .convert = ConvertArrayFeatureExtractor},
    {.domain = kMl,
     .name = "Binarizer",
     .versions = "1",
     .inputs = "X",
     .attributes = "float threshold = 0",
     .convert = ConvertBinarizer},
    {.domain = kMl,
     .name = "Scaler",
     .versions = "1",
     .inputs = "X",
     .attributes = "floats offset; floats scale",
     .convert = ConvertScaler},
    {.domain = kMl,
     .name = "Normalizer",
     .versions = "1",
     .inputs = "X",
     .attributes = "string norm = MAX",
     .convert = ConvertNormalizer},
    {.domain = kMl,
     .name = "LinearRegressor",
     .versions = "1",
     .inputs = "X",
     .attributes = "floats coefficients; floats intercepts; string post_transform = NONE; int targets = 1",
     .convert = ConvertLinearRegressor},
    {.name = "TfIdfVectorizer",
     .versions = "9",
     .inputs = "X",
     .attributes = "int max_gram_length; int max_skip_count; int min_gram_length; string mode; ints ngram_counts; ints "
                   "ngram_indexes; ints pool_int64s; strings pool_strings; floats weights",
     .convert = ConvertTfIdfVectorizer},
};

}  // namespace

auto MachineLearningRows() -> std::span<const OpRow> { return kMachineLearningRows; }

}  // namespace relayopt::onnx
