// Operators of com.microsoft into which ONNX Runtime's optimizer fuses others, and products of packed weights.
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto ConvertSwiGLU(Node& n) -> Results {
  if (n.em().StaticShape(n.in(0)) != n.em().StaticShape(n.in(1))) return n.Fail("A and B have different shapes");
  return ConvertFormula(n);
}

auto ConvertFusedMatMul(Node& n) -> Results {
  Emitter& em = n.em();
  // A batch that is transposed is the second axis from the end: [M, batch..., K].
  const auto operand = [&](size_t i, const char* swaps, const char* moves) {
    ExprId x = n.in(i);
    const int64_t rank = em.rank(x);
    if (rank < 2) return x;
    Ints axes = Iota(rank);
    if (n.Flag(moves)) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
    if (n.Flag(swaps)) std::swap(axes[static_cast<size_t>(rank) - 1], axes[static_cast<size_t>(rank) - 2]);
    return std::ranges::is_sorted(axes) ? x : Transpose(em, x, axes);
  };
  const ExprId product = MatMul(n, operand(0, "transA", "transBatchA"), operand(1, "transB", "transBatchB"));
  const double alpha = n.Float("alpha");
  return alpha == 1 ? product : Mul(em, product, em.Scalar(em.dtype(product), alpha));
}

// Returns the attributes that do not belong to an activation.
auto OwnAttributes(const Node& n) -> std::vector<AttributeProto> {
  std::vector<AttributeProto> attributes;
  for (const AttributeProto& attribute : n.proto().attributes) {
    if (!attribute.name.starts_with("activation")) attributes.push_back(attribute);
  }
  return attributes;
}

// Returns the activation that the attribute `activation` names, of a value, with its numbers in order.
auto Activated(Node& n, ExprId x, const std::vector<double>& numbers) -> Results {
  const std::string name = n.Has("activation") ? n.Text("activation") : "";
  if (name.empty()) return x;
  // The names of the numbers, in order.
  const std::vector<std::string_view> names =
      name == "Clip" ? std::vector<std::string_view>{"min", "max"} : std::vector<std::string_view>{"alpha", "beta"};
  std::vector<AttributeProto> settings;
  for (size_t i = 0; i < std::min(numbers.size(), names.size()); ++i) {
    AttributeProto& attribute = settings.emplace_back();
    attribute.name = names[i];
    attribute.type = AttributeType::kFloat;
    attribute.f = static_cast<float>(numbers[i]);
  }
  return n.importer().ConvertAs(n, name, {Value(x)}, std::move(settings), 6);
}

// Returns a convolution, the sum with another tensor, and an activation with its numbers.
auto ConvertFusedConv(Node& n) -> Results {
  Emitter& em = n.em();
  std::vector<Value> inputs = {n.value(0), n.value(1)};
  if (n.has(2)) inputs.push_back(n.value(2));
  const Results conv = n.importer().ConvertAs(n, "Conv", std::move(inputs), OwnAttributes(n), 11);
  if (conv.values.empty() || n.failed()) return {};
  ExprId x = conv.values.front().expr;
  if (n.has(3)) x = Add(em, x, n.in(3));
  return Activated(n, x, n.FloatList("activation_params").value_or(std::vector<double>()));
}

// Returns a product with a bias, and an activation with its numbers.
auto ConvertFusedGemm(Node& n) -> Results {
  std::vector<Value> inputs = {n.value(0), n.value(1)};
  if (n.has(2)) inputs.push_back(n.value(2));
  const Results gemm = n.importer().ConvertAs(n, "Gemm", std::move(inputs), OwnAttributes(n), 11);
  if (gemm.values.empty() || n.failed()) return {};
  std::vector<double> numbers;
  for (const char* name : {"activation_alpha", "activation_beta"}) {
    if (n.Has(name)) numbers.push_back(n.Float(name));
  }
  return Activated(n, gemm.values.front().expr, numbers);
}

// Returns what the operator of the same name in ONNX does.
auto ConvertAsInOnnx(Node& n) -> Results {
  std::vector<Value> inputs;
  inputs.reserve(n.num_inputs());
  for (size_t i = 0; i < n.num_inputs(); ++i) inputs.push_back(n.value(i));
  return n.importer().ConvertAs(n, n.row().name, std::move(inputs), OwnAttributes(n), 21);
}

// Returns the elements in the order of their first occurrence, with the place of each input among them, and counts.
auto ConvertUniqueInOrder(Node& n) -> Results {
  AttributeProto sorted;
  sorted.name = "sorted";
  sorted.type = AttributeType::kInt;
  const Results unique = n.importer().ConvertAs(n, "Unique", {n.value(0)}, {sorted}, 11);
  constexpr size_t kResults = 4;
  if (unique.values.size() != kResults || n.failed()) return {};
  return std::vector<Value>{unique.values[0], unique.values[2], unique.values[3]};
}

// Returns the sum of the inputs, normalized by its root mean square.
auto ConvertSkipSimplifiedLayerNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = Add(em, n.in(0), n.in(1));
  if (n.has(3)) x = Add(em, x, n.in(3));
  const auto [normal, inverse] = NormalizeByRms(n, x, n.in(2), {-1});
  const ExprId unused = em.Scalar(DataType::Float(32), 0.0);
  return {normal, unused, inverse, x};
}

// Numbers of a few bits, several in each byte and the lowest bits first: [.., bytes] as [.., numbers].
auto Unpacked(Emitter& em, ExprId bytes, int64_t bits) -> ExprId {
  if (bits == 8) return bytes;
  const DataType u8 = DataType::UInt(8);
  const ExprId mask = em.Scalar(u8, (int64_t{1} << bits) - 1);
  Exprs parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    const ExprId shifted = shift == 0 ? bytes : em.Call("right_shift"_op, {bytes, em.Scalar(u8, shift)});
    parts.push_back(em.Call("bitwise_and"_op, {shifted, mask}));
  }
  Ints shape(static_cast<size_t>(em.rank(bytes)), 0);
  shape.back() = -1;
  return Reshape(em, Stack(em, parts, em.rank(bytes)), shape);
}

// B [N, blocks, bytes] is (numbers - zero) * scale by blocks of K; the result is A * B^T.
auto ConvertMatMulNBits(Node& n) -> Results {
  Emitter& em = n.em();
  const int64_t depth = n.Int("K");
  const int64_t columns = n.Int("N");
  const int64_t block = n.Int("block_size");
  const int64_t bits = n.Int("bits");
  if (bits != 2 && bits != 4 && bits != 8) return n.Fail("numbers of {} bits are not supported", bits);
  if (block < 1 || depth < 1 || columns < 1) return n.Fail("K, N and block_size must be positive");
  if (n.has(4)) return n.Fail("an order of groups is not supported");
  const int64_t blocks = (depth + block - 1) / block;
  if (!n.Elements({columns, blocks, block})) return {};
  const DataType dtype = em.dtype(n.in(0));
  const ExprId numbers = Cast(em, Reshape(em, Unpacked(em, n.in(1), bits), {columns, blocks, block}), dtype);
  ExprId zeros = em.Scalar(dtype, int64_t{1} << (bits - 1));
  if (n.has(3)) {
    // Packed zero points fill whole bytes for each column.
    ExprId given = n.in(3);
    if (em.dtype(given) == DataType::UInt(8)) {
      const int64_t bytes = (blocks * bits + 7) / 8;
      given = SliceAxis(em, Unpacked(em, Reshape(em, given, {columns, bytes}), bits), 1, 0, blocks);
    }
    zeros = Reshape(em, CastTo(em, given, dtype), {columns, blocks, 1});
  }
  const ExprId scales = Reshape(em, CastTo(em, n.in(2), dtype), {columns, blocks, 1});
  ExprId weight = Reshape(em, Mul(em, Sub(em, numbers, zeros), scales), {columns, blocks * block});
  if (blocks * block != depth) weight = SliceAxis(em, weight, 1, 0, depth);
  const ExprId product = MatMul(n, n.in(0), Transpose(em, weight, {1, 0}));
  return n.has(5) ? Add(em, product, n.in(5)) : product;
}

constexpr Formula kSwish = "X * sigmoid(X * alpha)"_formula;

constexpr OpRow kFusedRows[] = {
    OpRow("com.microsoft::QuickGelu", "1", "X", "float alpha = 1.702", ConvertFormula).Computing(kSwish).ByTypes(),
    OpRow("Swish", "24", "X", "float alpha = 1", ConvertFormula).Computing(kSwish),
    OpRow("SwiGLU", "28", "A, B", "float alpha = 1", ConvertSwiGLU).Computing("A * sigmoid(A * alpha) * B"_formula),
    OpRow("com.microsoft::FusedMatMul", "1", "A, B",
          "float alpha = 1; int transA = 0; int transB = 0; int transBatchA = 0; int transBatchB = 0",
          ConvertFusedMatMul)
        .ByTypes(),
    {"com.microsoft::TransposeMatMul", "1", "A, B",
     "float alpha = 1; int transA = 0; int transB = 0; int transBatchA = 0; int transBatchB = 0", ConvertFusedMatMul},
    {"com.microsoft::FusedConv", "1", "X, W, B?, Z?",
     "string activation; floats activation_params; string auto_pad = NOTSET; ints dilations; int group = 1; ints "
     "kernel_shape; ints pads; ints strides",
     ConvertFusedConv},
    {"com.microsoft::FusedGemm", "1", "A, B, C?",
     "string activation; float activation_alpha; float activation_beta; float activation_gamma; float alpha = 1; float "
     "beta = 1; int transA = 0; int transB = 0",
     ConvertFusedGemm},
    {"com.microsoft::QuantizeLinear", "1", "x, y_scale, y_zero_point?", "int axis = 1; int block_size = 0",
     ConvertAsInOnnx},
    {"com.microsoft::DequantizeLinear", "1", "x, x_scale, x_zero_point?", "int axis = 1; int block_size = 0",
     ConvertAsInOnnx},
    {"com.microsoft::Unique", "1", "x", "", ConvertUniqueInOrder},
    {"com.microsoft::SkipSimplifiedLayerNormalization", "1", "input, skip, gamma, bias?", "float epsilon = 1e-12",
     ConvertSkipSimplifiedLayerNormalization},
    {"com.microsoft::MatMulNBits", "1", "A, B, scales, zero_points?, g_idx?, bias?",
     "int K; int N; int bits = 4; int block_size; int accuracy_level = 0", ConvertMatMulNBits},
};

}  // namespace

auto FusedRows() -> std::span<const OpRow> { return kFusedRows; }

}  // namespace relayopt::onnx
