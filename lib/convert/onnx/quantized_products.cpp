// Convolutions and matrix products of quantized tensors.
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "relayopt/core/extents.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

constexpr DataType kI32 = DataType::Int(32);

struct QuantizedOperand {
  ExprId x;
  ExprId scale;
  ExprId zero;
};

// Converts one number to the form that a product requires.
auto NumberOfProduct(Node& n, ExprId x, std::optional<DataType> dtype) -> ExprId {
  Emitter& em = n.em();
  if (em.rank(x) > 0) x = em.Call("squeeze"_op, {x});
  if (em.rank(x) != 0) return n.Fail("scales and zero points for each row or column are not supported");
  return dtype ? CastTo(em, x, *dtype) : x;
}

// Returns the int32 product of two quantized tensors, as MatMul forms it.
auto IntegerProduct(Node& n, const QuantizedOperand& a, const QuantizedOperand& b) -> ExprId {
  Emitter& em = n.em();
  const int64_t ra = em.rank(a.x);
  const int64_t rb = em.rank(b.x);
  const auto dense = [&](ExprId x, ExprId weight, const Dim& units) {
    return em.Call("qnn.dense"_op, {x, weight, a.zero, b.zero, a.scale, b.scale},
                   {{"units", units}, {"out_dtype", kI32}});
  };
  if (ra == 1 && rb == 2) {
    return Squeeze(em, dense(ExpandDims(em, a.x, 0), em.Call("transpose"_op, {b.x}), em.dims(b.x)[1]), {0});
  }
  if (ra == 2 && rb == 2) return dense(a.x, em.Call("transpose"_op, {b.x}), em.dims(b.x)[1]);
  if (ra < 2 || rb < 2) return n.Fail("products of rank {} by {} do not exist in quantized form", ra, rb);
  const auto sa = n.NeedShape(a.x, "A");
  const auto sb = n.NeedShape(b.x, "B");
  if (!sa || !sb) return {};
  const auto batch_rank = static_cast<size_t>(std::max(ra, rb) - 2);
  Ints batch(batch_rank, 1);
  for (const Ints* shape : {&*sa, &*sb}) {
    for (size_t i = 0; i + 2 < shape->size(); ++i) {
      int64_t& extent = batch[batch_rank - shape->size() + 2 + i];
      extent = std::max(extent, (*shape)[i]);
    }
  }
  const int64_t rows = (*sa)[sa->size() - 2];
  const int64_t columns = sb->back();
  Ints out = batch;
  out.push_back(rows);
  out.push_back(columns);
  if (rb == 2) {
    const ExprId flat = Reshape(em, a.x, {-1, sa->back()});
    return Reshape(em, dense(flat, em.Call("transpose"_op, {b.x}), em.dims(b.x)[1]), out);
  }
  const auto broadcast = [&](ExprId x, const Ints& shape) {
    Ints wanted = batch;
    wanted.insert(wanted.end(), shape.end() - 2, shape.end());
    if (wanted != shape) x = BroadcastToInts(em, x, wanted);
    return wanted.size() == 3 ? x : Reshape(em, x, {-1, wanted[wanted.size() - 2], wanted.back()});
  };
  const ExprId left = broadcast(a.x, *sa);
  const ExprId right = Transpose(em, broadcast(b.x, *sb), {0, 2, 1});
  const ExprId product = em.Call("qnn.batch_matmul"_op, {left, right, a.zero, b.zero, a.scale, b.scale},
                                 {{"out_dtype", kI32}, {"transpose_b", true}});
  return Reshape(em, product, out);
}

auto ConvertQLinearMatMul(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const QuantizedOperand a = {n.in(0), NumberOfProduct(n, n.in(1), f32), NumberOfProduct(n, n.in(2), kI32)};
  const QuantizedOperand b = {n.in(3), NumberOfProduct(n, n.in(4), f32), NumberOfProduct(n, n.in(5), kI32)};
  const ExprId y_scale = NumberOfProduct(n, n.in(6), f32);
  const ExprId y_zero = NumberOfProduct(n, n.in(7), kI32);
  const DataType out = em.dtype(n.in(7));
  const ExprId product = IntegerProduct(n, a, b);
  const ExprId scale = Mul(em, a.scale, b.scale);
  const ExprId zero = em.Scalar(kI32, 0);
  if (em.is_constant(y_scale) && !n.exact()) {
    return em.Call("qnn.requantize"_op, {product, scale, zero, y_scale, y_zero},
                   {{"axis", -1}, {"rounding", "TONEAREST"}, {"out_dtype", out}});
  }
  return Requantize(n, product, scale, y_scale, y_zero, out, 0);
}

auto ConvertMatMulInteger(Node& n) -> Results {
  Emitter& em = n.em();
  const auto zero = [&](size_t i) { return n.has(i) ? NumberOfProduct(n, n.in(i), kI32) : em.Scalar(kI32, 0); };
  const ExprId one = em.Scalar(DataType::Float(32), 1.0);
  const bool plain = (!n.has(2) || Product(em.StaticShape(n.in(2)).value_or(Ints{2})) == 1) &&
                     (!n.has(3) || Product(em.StaticShape(n.in(3)).value_or(Ints{2})) == 1) &&
                     em.dtype(n.in(0)) == em.dtype(n.in(1));
  const bool has_shapes =
      (em.rank(n.in(0)) <= 2 && em.rank(n.in(1)) <= 2) || (em.StaticShape(n.in(0)) && em.StaticShape(n.in(1)));
  if (plain && has_shapes) return IntegerProduct(n, {n.in(0), one, zero(2)}, {n.in(1), one, zero(3)});
  // Zero points for rows and columns, mixed types, and unknown extents, by subtracting first.
  const auto shifted = [&](size_t data, size_t point) {
    const ExprId x = Cast(em, n.in(data), kI32);
    if (!n.has(point)) return x;
    ExprId p = Cast(em, n.in(point), kI32);
    if (data == 0 && em.rank(p) == 1 && em.rank(x) > 1) p = ExpandDims(em, p, 1);
    return Sub(em, x, p);
  };
  return MatMul(n, shifted(0, 2), shifted(1, 3));
}

// A convolution of one or three spatial axes, which qnn lacks: of the differences from the zero points. What is padded
// is zero then.
auto ShiftedConvolution(Node& n, const QuantizedOperand& x, const QuantizedOperand& w, const Window& window) -> ExprId {
  Emitter& em = n.em();
  const OpDef* op = ByRank(window.rank(), "nn.conv1d"_op, nullptr, "nn.conv3d"_op);
  if (op == nullptr) return n.Fail("convolutions over {} spatial axes are not supported", window.rank());
  ExprId data = Sub(em, Cast(em, x.x, kI32), x.zero);
  ExprId w_zero = w.zero;
  if (em.rank(w_zero) == 1) w_zero = ExpandDims(em, w_zero, 1, window.rank() + 1);
  const ExprId weight = Sub(em, Cast(em, w.x, kI32), w_zero);
  Ints pads = window.pads.value_or(Ints(2 * window.kernel.size(), 0));
  if (window.auto_pad != "NOTSET") pads.assign(pads.size(), 0);
  if (window.auto_pad.starts_with("SAME")) data = AutoPad(n, data, window, em.Scalar(kI32, 0));
  return em.Call(op, {data, weight},
                 {{"strides", window.strides},
                  {"padding", pads},
                  {"dilation", window.dilations},
                  {"groups", n.Int("group")},
                  {"channels", FirstExtent(em, w.x)},
                  {"kernel_size", window.kernel},
                  {"out_dtype", kI32}});
}

auto QuantizedConvolution(Node& n, const QuantizedOperand& x, const QuantizedOperand& w) -> ExprId {
  Emitter& em = n.em();
  Ints kernel;
  for (int64_t i = 2; i < em.rank(w.x); ++i) kernel.push_back(n.NeedExtent(w.x, i, "the weight"));
  if (n.failed()) return {};
  const auto window = ReadWindow(n, kernel);
  if (!window) return {};
  if (window->rank() != 2) return ShiftedConvolution(n, x, w, *window);
  ExprId data = x.x;
  Ints pads = window->pads.value_or(Ints(4, 0));
  if (window->auto_pad == "VALID") pads.assign(4, 0);
  if (window->auto_pad.starts_with("SAME")) {
    pads.assign(4, 0);
    data = AutoPad(n, data, *window, CastTo(em, x.zero, em.dtype(data)));
  }
  return em.Call("qnn.conv2d"_op, {data, w.x, x.zero, w.zero, x.scale, w.scale},
                 {{"strides", window->strides},
                  {"padding", pads},
                  {"dilation", window->dilations},
                  {"groups", n.Int("group")},
                  {"channels", FirstExtent(em, w.x)},
                  {"kernel_size", window->kernel},
                  {"out_dtype", kI32}});
}

auto ConvertConvInteger(Node& n) -> Results {
  Emitter& em = n.em();
  const auto zero = [&](size_t i) {
    return n.has(i)
               ? CastTo(em, em.rank(n.in(i)) == 1 && em.Extent(n.in(i), 0) == 1 ? Squeeze(em, n.in(i), {0}) : n.in(i),
                        kI32)
               : em.Scalar(kI32, 0);
  };
  const ExprId one = em.Scalar(DataType::Float(32), 1.0);
  const ExprId other = em.Scalar(DataType::Float(32), 1.0);
  return QuantizedConvolution(n, {n.in(0), one, zero(2)}, {n.in(1), other, zero(3)});
}

auto ConvertQLinearConv(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const QuantizedOperand x = {n.in(0), ScalarOf(n, n.in(1), f32), ScalarOf(n, n.in(2), kI32)};
  const QuantizedOperand w = {n.in(3), Cast(em, n.in(4), f32), Cast(em, n.in(5), kI32)};
  const ExprId y_scale = ScalarOf(n, n.in(6), f32);
  const ExprId y_zero = ScalarOf(n, n.in(7), kI32);
  ExprId product = QuantizedConvolution(n, x, w);
  if (n.has(8)) product = em.Call("nn.bias_add"_op, {product, n.in(8)});
  const ExprId scale = Mul(em, x.scale, w.scale);
  const ExprId zero = em.Scalar(kI32, 0);
  const DataType out = em.dtype(n.in(7));
  if (em.is_constant(y_scale) && !n.exact()) {
    return em.Call("qnn.requantize"_op, {product, scale, zero, y_scale, y_zero}, {{"axis", 1}, {"out_dtype", out}});
  }
  return Requantize(n, product, scale, y_scale, y_zero, out, 1);
}

constexpr OpRow kQuantizedProductRows[] = {
    OpRow("QLinearMatMul", "10 21", "a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point", "",
          ConvertQLinearMatMul)
        .ByTypes(),
    OpRow("MatMulInteger", "10", "A, B, a_zero_point?, b_zero_point?", "", ConvertMatMulInteger).ByTypes(),
    OpRow("ConvInteger", "10", "x, w, x_zero_point?, w_zero_point?",
          "string auto_pad = NOTSET; ints kernel_shape; ints strides; ints dilations; ints pads; int group = 1",
          ConvertConvInteger)
        .ByTypes(),
    OpRow("QLinearConv", "10", "x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B?",
          "string auto_pad = NOTSET; ints kernel_shape; ints strides; ints dilations; ints pads; int group = 1",
          ConvertQLinearConv)
        .ByTypes(),
};

}  // namespace

auto QuantizedProductRows() -> std::span<const OpRow> { return kQuantizedProductRows; }

}  // namespace relayopt::onnx
