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
          Option<&Options::weight_name>("weight_name", "parameters of the function that are sparse weights"),
          Option<&Options::weight_shape>("weight_shape",
                                         "for each the extents of blocks, indices and row starts, as 64x16x1x64x5"),
      };
    }
  };
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    RELAYOPT_TRY(const SparseShapes shapes, ParseSparseShapes(options.weight_name, options.weight_shape));
    Rebuild rebuild(function);
    SparseParams params(rebuild, shapes);
    bool changed = false;
    rebuild.ForEach([&](ExprId id) {
      if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "nn.dense"_op) return rebuild.Copy(id);
      const auto weight = params.Find(function.operand(id, 1));
      if (!weight) return rebuild.Copy(id);
      changed = true;
      return EmitCall(rebuild.to(), "nn.sparse_dense"_op,
                      {rebuild.New(function.operand(id, 0)), weight->data, weight->indices, weight->starts});
    });
    if (!changed) return std::nullopt;
    return params.Finish();
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
