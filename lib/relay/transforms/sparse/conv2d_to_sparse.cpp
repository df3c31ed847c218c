// Conv2dToSparse: replaces convolutions with certain weights by convolutions with sparse matrices.
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_packed.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "sparse_weights.h"

namespace relayopt {

namespace {

struct Conv2dToSparse {
  struct Options {
    std::vector<std::string> weight_name;
    std::vector<std::string> weight_shape;
    std::string layout = "NHWC";
    int64_t kernel_size = 1;
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::weight_name>("parameters of the function that are sparse weights"),
          Option<&Options::weight_shape>("for each the extents of blocks, indices and row starts, as 64x16x1x64x5"),
          Option<&Options::layout>("layout of the data, NHWC or NCHW", {.words = "NHWC NCHW"}),
          Option<&Options::kernel_size>("extent of the kernels, both ways", {.min = 1}),
      };
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const auto fits = [&](ExprId id) { return Fits(function, id); };
    return ReplaceWeights(
        function, options.weight_name, options.weight_shape, fits,
        [&](FunctionBuilder& to, ExprId data, const BlockSparse<ExprId>& weight) {
          const SparseConv2DAttrs attrs{.layout = options.layout,
                                        .kernel_size = {options.kernel_size, options.kernel_size}};
          return EmitCallWith(to, "nn.sparse_conv2d"_op, attrs, {data, weight.data, weight.indices, weight.starts});
        });
  }

 private:
  // Whether it is a convolution of this layout and kernel whose result has the extents of the data, which is what the
  // sparse operator computes.
  auto Fits(const Function& function, ExprId id) const -> bool {
    if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "nn.conv2d"_op) return false;
    const auto* attrs = function.context().As<Conv2DAttrs>(function.attrs(id));
    if (attrs == nullptr || attrs->data_layout != options.layout || attrs->groups != 1) return false;
    if (!attrs->out_layout.empty() && attrs->out_layout != options.layout) return false;
    const auto all = [](const DimList& list, int64_t value) {
      for (const Dim& dim : list) {
        if (!dim.is(value)) return false;
      }
      return true;
    };
    return all(attrs->strides, 1) && all(attrs->dilation, 1) && all(attrs->padding, options.kernel_size / 2) &&
           options.kernel_size % 2 == 1 && all(attrs->kernel_size, options.kernel_size);
  }
};

}  // namespace

constinit const PassDef kConv2dToSparsePass = DescribePass<Conv2dToSparse>({
    .name = "Conv2dToSparse",
    .required = "InferType",
    .summary = "replaces convolutions with the given weights by convolutions with sparse matrices",
    .details = R"(The caller has kernels that are sparse and passes them in block-sparse rows:

  nn.conv2d(%x, %w)   =>   nn.sparse_conv2d(%x, %w.data, %w.indices, %w.indptr, layout=..., kernel_size=...)

for every parameter %w in weight_name; see DenseToSparse for shapes and parameters.

Left alone: convolutions of another layout or kernel, with strides, dilation or groups, or with padding that changes the
extents: the sparse operator has none of these.)",
    .exactness = Exactness::kChanges,
    .idempotent = true,
});

}  // namespace relayopt
