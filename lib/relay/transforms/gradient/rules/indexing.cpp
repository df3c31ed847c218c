// Gradients of operators that select elements: zeros, except for the gradient at the selected positions.
#include "relayopt/relay/ops/indexing.h"
#include "gradient_rules.h"
#include "relayopt/relay/ops/slicing.h"
#include "take_gradient.h"

namespace relayopt {

namespace {

auto GatherNDGradient(GradientContext& r) -> Gradients {
  ScatterNDAttrs attrs;
  attrs.mode = "add";
  const ExprId data = r.EmitWith("scatter_nd"_op, attrs, {r.ZerosLike(r.arg(0)), r.arg(1), r.gradient()});
  return std::vector<ExprId>{data, r.ZerosLike(r.arg(1))};
}

auto Numbers(const DimList& list) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> numbers;
  for (const Dim& dim : list) {
    if (!dim.is_int()) return std::nullopt;
    numbers.push_back(dim.value());
  }
  return numbers;
}

auto StridedSliceGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<StridedSliceAttrs>();
  const ExprId x = r.arg(0);
  const auto begin = Numbers(attrs.begin);
  auto end = Numbers(attrs.end);
  auto strides = Numbers(attrs.strides);
  if (!attrs.axes.null || !begin || !end || !strides) {
    return r.Error("begin, end and strides must be known for all axes");
  }
  if (attrs.slice_mode == "size") {
    // Sizes are converted to end positions; strides are ignored.
    const Type* type = r.TensorType(x);
    for (size_t i = 0; i < end->size() && i < begin->size(); ++i) {
      if ((*end)[i] != -1) {
        (*end)[i] += (*begin)[i];
      } else if (type != nullptr && i < type->rank() && type->shape[i].is_int()) {
        (*end)[i] = type->shape[i].value();
      } else {
        return r.Error("the shape must be known");
      }
    }
    strides = std::vector<int64_t>{1};
  }
  if (strides->empty()) strides = std::vector<int64_t>{1};
  FunctionBuilder& to = r.to();
  const ExprId zeros = r.ZerosLike(x);
  const ExprId places[] = {EmitInts(to, *begin), EmitInts(to, *end), EmitInts(to, *strides)};
  return std::vector<ExprId>{r.Emit("strided_set"_op, {zeros, r.gradient(), places[0], places[1], places[2]})};
}

constexpr GradientRow kIndexingRows[] = {
    {"gather_nd"_op, GatherNDGradient},
    {"strided_slice"_op, StridedSliceGradient},
    {"take"_op, TakeGradient},
};

}  // namespace

auto IndexingGradients() -> std::span<const GradientRow> { return kIndexingRows; }

}  // namespace relayopt
