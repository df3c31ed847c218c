// Operators of classical machine learning, as far as they work on numbers.
#include <algorithm>
#include <cmath>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto FloatsAsRow(Emitter& em, const std::vector<double>& values, DataType dtype) -> ExprId {
  if (values.size() == 1) return em.Scalar(dtype, values[0]);
  return em.Array(values, {static_cast<int64_t>(values.size())}, dtype);
}

// A list counts as a matrix of one row.
auto ConvertArrayFeatureExtractor(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = em.rank(n.in(0)) == 1 ? Reshape(em, n.in(0), {1, -1}) : n.in(0);
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
  const auto total = [&](ExprId parts) { return Reduce(em, "sum"_op, parts, {-1}, true); };
  const ExprId length = norm == "MAX"  ? Reduce(em, "max"_op, x, {-1}, true)
                        : norm == "L1" ? total(em.Call("abs"_op, {x}))
                                       : em.Call("sqrt"_op, {total(Mul(em, x, x))});
  // Rows of zeros stay.
  const ExprId is_zero = em.Call("equal"_op, {length, em.Scalar(DataType::Float(32), 0.0)});
  return Div(em, x, Where(em, is_zero, em.Scalar(DataType::Float(32), 1.0), length));
}

auto ConvertLinearRegressor(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const auto coefficients = n.FloatList("coefficients");
  const int64_t targets = n.Int("targets");
  if (!coefficients || targets < 1) return n.Fail("attribute 'coefficients' is missing, or 'targets' is less than 1");
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

auto ConvertLinearClassifier(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const auto coefficients = n.FloatList("coefficients");
  const auto intercepts = n.FloatList("intercepts");
  const ExprId x = CastTo(em, n.in(0), f32);
  const int64_t width = n.NeedExtent(x, -1, "X");
  if (n.failed()) return {};
  if (!coefficients || width < 1 || coefficients->size() % static_cast<size_t>(width) != 0)
    return n.Fail("attribute 'coefficients' does not match rows of {}", width);
  const int64_t classes = static_cast<int64_t>(coefficients->size()) / width;
  if (classes < 2) return n.Fail("scores of at least two classes must be given");
  ExprId scores = Dense(em, x, em.Array(*coefficients, {classes, width}, f32));
  if (intercepts && !intercepts->empty()) scores = Add(em, scores, em.Array(*intercepts, {classes}, f32));
  return ClassOf(n, scores, n.Text("post_transform"));
}

// Returns the kernel of two sets of rows: (rows, vectors).
auto KernelProduct(Node& n, ExprId x, ExprId vectors) -> ExprId {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const std::string kind = n.Choice("kernel_type", "LINEAR,POLY,RBF,SIGMOID");
  const auto given = n.FloatList("kernel_params").value_or(std::vector<double>{0, 0, 3});
  if (n.failed()) return {};
  if (given.size() != 3) return n.Fail("attribute 'kernel_params' has {} numbers instead of 3", given.size());
  const auto k = [&](size_t i) { return em.Scalar(f32, given[i]); };
  if (kind == "RBF") {
    const ExprId apart = Sub(em, ExpandDims(em, x, 1), vectors);
    return em.Call("exp"_op,
                   {Mul(em, em.Scalar(f32, -given[0]), Reduce(em, "sum"_op, Mul(em, apart, apart), {2}, false))});
  }
  const ExprId product = Dense(em, x, vectors);
  if (kind == "LINEAR") return product;
  const ExprId scaled = Add(em, Mul(em, k(0), product), k(1));
  return kind == "POLY" ? Power(em, scaled, given[2]) : em.Call("tanh"_op, {scaled});
}

auto ConvertSvmRegressor(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const auto coefficients = n.FloatList("coefficients");
  const auto rho = n.FloatList("rho").value_or(std::vector<double>{0});
  const auto vectors = n.FloatList("support_vectors").value_or(std::vector<double>());
  const int64_t count = n.Int("n_supports");
  const ExprId x = CastTo(em, n.in(0), f32);
  const int64_t width = n.NeedExtent(x, -1, "X");
  if (n.failed()) return {};
  if (!coefficients || rho.empty() || count < 0) return n.Fail("attributes 'coefficients' and 'rho' are missing");
  ExprId score;
  if (count > 0) {
    if (static_cast<int64_t>(coefficients->size()) != count)
      return n.Fail("attribute 'coefficients' must have one value for each support vector");
    const ExprId kernel = KernelProduct(n, x, em.Array(vectors, {count, width}, f32));
    score = Dense(em, kernel, em.Array(*coefficients, {1, count}, f32));
  } else {
    score = Dense(em, x, em.Array(*coefficients, {1, width}, f32));
  }
  score = Add(em, score, em.Scalar(f32, rho[0]));
  if (n.Flag("one_class")) {
    const ExprId inside = Greater(em, score, em.Scalar(f32, 0.0));
    return Where(em, inside, em.Scalar(f32, 1.0), em.Scalar(f32, -1.0));
  }
  return TransformScores(n, score, n.Text("post_transform"));
}

auto ConvertImputer(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const bool is_float = dtype.is_float();
  std::vector<double> values = n.FloatList("imputed_value_floats").value_or(std::vector<double>());
  double replaced = n.Float("replaced_value_float");
  if (!is_float) {
    const Ints ints = n.IntList("imputed_value_int64s").value_or(Ints());
    values.assign(ints.begin(), ints.end());
    replaced = static_cast<double>(n.Int("replaced_value_int64"));
  }
  if (values.empty()) return n.Fail("attribute 'imputed_value_{}' is missing", is_float ? "floats" : "int64s");
  const ExprId is_missing =
      std::isnan(replaced) ? em.Call("isnan"_op, {x}) : em.Call("equal"_op, {x, em.Scalar(dtype, replaced)});
  return Where(em, is_missing, FloatsAsRow(em, values, dtype), x);
}

auto ConvertOneHotEncoder(Node& n) -> Results {
  Emitter& em = n.em();
  const auto categories = n.IntList("cats_int64s");
  if (!categories) return n.Fail("only categories that are integers are encoded");
  if (!n.Flag("zeros")) n.Warn("a value that is not a category becomes zeros");
  const ExprId x = CastTo(em, n.in(0), DataType::Int(64));
  return Cast(em, em.Call("equal"_op, {ExpandDims(em, x, em.rank(x)), em.Vector(*categories)}), DataType::Float(32));
}

auto ConvertFeatureVectorizer(Node& n) -> Results {
  Emitter& em = n.em();
  const auto widths = n.IntList("inputdimensions");
  Exprs parts;
  for (size_t i = 0; i < n.num_inputs(); ++i) {
    ExprId part = CastTo(em, n.in(i), DataType::Float(32));
    if (em.rank(part) == 1) part = Reshape(em, part, {1, -1});
    if (em.rank(part) > 2) part = Reshape(em, part, {0, -1});
    if (widths && i < widths->size()) {
      const auto extent = em.Extent(part, 1);
      const int64_t width = (*widths)[i];
      if (extent && width > *extent)
        part = PadInts(em, part, {{0, 0}, {0, width - *extent}}, em.Scalar(DataType::Float(32), 0.0));
      if (!extent || width < *extent) part = SliceAxis(em, part, 1, 0, width);
    }
    parts.push_back(part);
  }
  return Concat(em, parts, 1);
}

// The numbers of a list attribute of LabelEncoder, and their type.
struct Labels {
  std::vector<double> numbers;
  DataType dtype = DataType::Void();
};

auto ReadLabels(Node& n, const std::string& stem) -> Labels {
  if (const auto ints = n.IntList(stem + "_int64s")) return {{ints->begin(), ints->end()}, DataType::Int(64)};
  if (const auto floats = n.FloatList(stem + "_floats")) return {*floats, DataType::Float(32)};
  if (const AttributeProto* attribute = n.Find(stem + "_tensor");
      attribute != nullptr && attribute->tensor != nullptr) {
    const ExprId constant = n.TensorConstant(*attribute).expr;
    if (const auto numbers = n.em().DoublesOf(constant)) return {*numbers, n.em().dtype(constant)};
  }
  n.Fail("string labels are not supported");
  return {};
}

auto ConvertLabelEncoder(Node& n) -> Results {
  Emitter& em = n.em();
  const Labels keys = ReadLabels(n, "keys");
  const Labels values = ReadLabels(n, "values");
  if (n.failed()) return {};
  if (keys.numbers.size() != values.numbers.size() || keys.numbers.empty())
    return n.Fail("{} keys have {} values", keys.numbers.size(), values.numbers.size());
  double other = values.dtype.is_float() ? n.Float("default_float") : static_cast<double>(n.Int("default_int64"));
  if (n.Has("default_tensor")) {
    const Labels given = ReadLabels(n, "default");
    if (given.numbers.size() != 1) return n.Fail("attribute 'default_tensor' must be one number");
    other = given.numbers.front();
  }
  const auto count = static_cast<int64_t>(keys.numbers.size());
  const ExprId x = n.in(0);
  const ExprId key = em.Array(keys.numbers, {count}, em.dtype(x));
  const ExprId spread = ExpandDims(em, x, em.rank(x));
  ExprId same = em.Call("equal"_op, {spread, key});
  if (std::ranges::any_of(keys.numbers, [](double number) { return std::isnan(number); })) {
    same = em.Call("logical_or"_op,
                   {same, em.Call("logical_and"_op, {em.Call("isnan"_op, {spread}), em.Call("isnan"_op, {key})})});
  }
  const ExprId at = em.Call("argmax"_op, {Cast(em, same, DataType::Int(32))}, {{"axis", Ints{-1}}});
  const ExprId found = Reduce(em, "any"_op, same, {-1}, false);
  const ExprId value = Take(em, em.Array(values.numbers, {count}, values.dtype), at);
  return Where(em, found, value, em.Scalar(values.dtype, other));
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
  if (!n.CheckIterations(width)) return {};
  std::vector<ExprId> columns(static_cast<size_t>(width));
  std::vector<double> column_weights(static_cast<size_t>(width), 1);
  size_t gram = 0;
  for (size_t c = 0; c < counts->size(); ++c) {
    const auto size = static_cast<int64_t>(c) + 1;
    const auto begin = static_cast<size_t>(std::max<int64_t>((*counts)[c], 0));
    const auto end = c + 1 < counts->size() ? static_cast<size_t>((*counts)[c + 1]) : pool->size();
    for (size_t at = begin; at + static_cast<size_t>(size) <= end && end <= pool->size();
         at += static_cast<size_t>(size), ++gram) {
      if (gram >= indexes->size() || (*indexes)[gram] < 0)
        return n.Fail("attribute 'ngram_indexes' must have an index for each n-gram");
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

constexpr std::string_view kEncoded =
    "float default_float = -0.0; int default_int64 = -1; string default_string = _Unused; tensor default_tensor; "
    "floats "
    "keys_floats; ints keys_int64s; strings keys_strings; tensor keys_tensor; floats values_floats; ints "
    "values_int64s; "
    "strings values_strings; tensor values_tensor; strings classes_strings";

// Relay has no maps: a map from classes to numbers for each row is the tensor of these numbers.
auto ConvertZipMap(Node& n) -> Results {
  n.Warn("maps from classes to numbers are imported as a tensor of the numbers, with a column for each class");
  return n.in(0);
}

constexpr OpRow kMachineLearningRows[] = {
    {"ai.onnx.ml::ZipMap", "1", "X", "ints classlabels_int64s; strings classlabels_strings", ConvertZipMap},
    {"ai.onnx.ml::ArrayFeatureExtractor", "1", "X, Y", "", ConvertArrayFeatureExtractor},
    {"ai.onnx.ml::Binarizer", "1", "X", "float threshold = 0", ConvertBinarizer},
    {"ai.onnx.ml::Scaler", "1", "X", "floats offset; floats scale", ConvertScaler},
    {"ai.onnx.ml::Normalizer", "1", "X", "string norm = MAX", ConvertNormalizer},
    {"ai.onnx.ml::LinearRegressor", "1", "X",
     "floats coefficients; floats intercepts; string post_transform = NONE; int targets = 1", ConvertLinearRegressor},
    {"ai.onnx.ml::LinearClassifier", "1", "X",
     "ints classlabels_ints; strings classlabels_strings; floats coefficients; floats intercepts; int multi_class = 0; "
     "string post_transform = NONE",
     ConvertLinearClassifier},
    {"ai.onnx.ml::SVMRegressor", "1", "X",
     "floats coefficients; floats kernel_params; string kernel_type = LINEAR; int n_supports = 0; int one_class = 0; "
     "string post_transform = NONE; floats rho; floats support_vectors",
     ConvertSvmRegressor},
    {"ai.onnx.ml::Imputer", "1", "X",
     "floats imputed_value_floats; ints imputed_value_int64s; float replaced_value_float = 0; int replaced_value_int64 "
     "= 0",
     ConvertImputer},
    {"ai.onnx.ml::OneHotEncoder", "1", "X", "ints cats_int64s; strings cats_strings; int zeros = 1",
     ConvertOneHotEncoder},
    {"ai.onnx.ml::FeatureVectorizer", "1", "X...", "ints inputdimensions", ConvertFeatureVectorizer},
    {"ai.onnx.ml::LabelEncoder", "1 2 4", "X", kEncoded, ConvertLabelEncoder},
    {"TfIdfVectorizer", "9", "X",
     "int max_gram_length; int max_skip_count; int min_gram_length; string mode; ints ngram_counts; ints "
     "ngram_indexes; ints pool_int64s; strings pool_strings; floats weights",
     ConvertTfIdfVectorizer},
};

}  // namespace

auto TransformScores(Node& n, ExprId scores, std::string_view transform) -> ExprId {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(scores);
  if (transform == "NONE") return scores;
  if (transform == "LOGISTIC") return em.Call("sigmoid"_op, {scores});
  if (transform == "SOFTMAX") return em.Call("nn.softmax"_op, {scores}, {{"axis", 1}});
  if (transform != "SOFTMAX_ZERO") return n.Fail("attribute 'post_transform': '{}' is not imported", transform);
  // Scores of zero stay.
  const ExprId is_zero = em.Call("equal"_op, {scores, em.Scalar(dtype, 0.0)});
  const ExprId greatest = Reduce(em, "max"_op, scores, {1}, true);
  const ExprId power = Where(em, is_zero, scores, em.Call("exp"_op, {Sub(em, scores, greatest)}));
  return Div(em, power, Reduce(em, "sum"_op, power, {1}, true));
}

auto LabelsAt(Node& n, ExprId positions) -> ExprId {
  // A model that uses only the scores does not need labels.
  if (!n.wants(0)) return positions;
  auto labels = n.IntList("classlabels_int64s");
  if (!labels) labels = n.IntList("classlabels_ints");
  if (!labels) return n.Fail("string labels are not supported");
  return Take(n.em(), n.em().Vector(*labels), positions);
}

auto ClassOf(Node& n, ExprId scores, std::string_view transform) -> Results {
  Emitter& em = n.em();
  const ExprId best = em.Call("argmax"_op, {scores}, {{"axis", Ints{1}}});
  return {LabelsAt(n, best), CastTo(em, TransformScores(n, scores, transform), DataType::Float(32))};
}

auto GivesMaps(const OpRow& row) -> bool { return row.convert == ConvertZipMap; }

auto MachineLearningRows() -> std::span<const OpRow> { return kMachineLearningRows; }

}  // namespace relayopt::onnx
