// DenseToSparse: replaces dense layers with certain weights by products with sparse matrices.
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "sparse_weights.h"

namespace relayopt {

namespace {

struct DenseToSparse {
  struct Options {
    std::vector<std::string> weight_name;
    std::vector<std::string> weight_shape;
    static constexpr auto Fields() {
      return std::array{
          Option<&Options::weight_name>("parameters of the function that are sparse weights"),
          Option<&Options::weight_shape>("for each the extents of blocks, indices and row starts, as 64x16x1x64x5"),
      };
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const auto fits = [&](ExprId id) {
      return function.kind(id) == ExprKind::kOpCall && function.op(id) == "nn.dense"_op;
    };
    return ReplaceWeights(
        function, options.weight_name, options.weight_shape, fits,
        [](FunctionBuilder& to, ExprId data, const BlockSparse<ExprId>& weight) {
          return EmitCall(to, "nn.sparse_dense"_op, {data, weight.data, weight.indices, weight.starts});
        });
  }
};

}  // namespace

constinit const PassDef kDenseToSparsePass = DescribePass<DenseToSparse>({
    .name = "DenseToSparse",
    .required = "InferType",
    .summary = "replaces dense layers with the given weights by products with sparse matrices",
    .details = R"(The caller has weights that are sparse and passes them in block-sparse rows:

  nn.dense(%x, %w)   =>   nn.sparse_dense(%x, %w.data, %w.indices, %w.indptr)

for every parameter %w in weight_name. weight_shape gives for each the extents of the three new parameters, which are
float32, int32 and int32. The function keeps the parameters that it still uses, in the order of their first use, and gets
the new ones behind them; a weight that several layers use is one triple.

Left alone: weights that are not listed, are computed, or belong to a closure.)",
    .exactness = Exactness::kChanges,
    .idempotent = true,
});

}  // namespace relayopt
