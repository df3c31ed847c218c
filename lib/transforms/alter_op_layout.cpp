// AlterOpLayout: operators run in the forms and layouts that suit the target.
#include <optional>

#include "layout_rewriter.h"
#include "relayopt/pass/target.h"
#include "relayopt/pass/target_table.h"
#include "relayopt/transforms/all_passes.h"

namespace relayopt {

namespace {

struct AlterOpLayout {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    std::optional<Target> target;
    if (!context.target().empty()) {
      RELAYOPT_TRY(target, Target::Parse(context.target()));
    }
    std::optional<TargetTable> own_table;
    if (context.IsConfigured("relay.AlterOpLayout.target_table")) {
      RELAYOPT_TRY(own_table, TargetTable::Parse(context.ConfigString("relay.AlterOpLayout.target_table")));
    }
    const TargetTable* table = own_table ? &*own_table : target ? TargetTable::BuiltIn(*target) : nullptr;
    if (table == nullptr) return std::nullopt;
    return RewriteLayouts(function, [&](ExprId id, AttrsId attrs) -> Result<LayoutChoice> {
      AlterRequest request{.op = function.op(id), .attrs = attrs, .operands = {}, .result = function.type(id)};
      for (const ExprId operand : function.operands(id)) request.operands.push_back(function.type(operand));
      const auto answer = table->Find(function.context(), target ? &*target : nullptr, request);
      return answer ? LayoutChoice{answer->op, answer->attrs} : LayoutChoice{request.op, attrs};
    });
  }
};

}  // namespace

constinit const PassDef kAlterOpLayoutPass = DescribePass<AlterOpLayout>({
    .name = "AlterOpLayout",
    .opt_level = 3,
    .required = "InferType",
    .summary = "makes operators run in the forms and layouts that suit the target",
    .details = R"(A table says for each operator what runs fastest on the target. For x86 it is built in and makes the
reference's choices without tuning records; --target-table=FILE gives another. With --target='llvm -mcpu=core-avx2',
whose vectors have 8 lanes:

  nn.conv2d(%x, %w, ...)       %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NCHW8c");
                               %1 = layout_transform(%w, src_layout="OIHW", dst_layout="OIHW8i8o");
                         =>    %2 = nn.contrib_conv2d_NCHWc(%0, %1, data_layout="NCHW8c", kernel_layout="OIHW8i8o",
                                                            out_layout="NCHW8c", ...);
                               layout_transform(%2, src_layout="NCHW8c", dst_layout="NCHW")

Layouts are carried forward as ConvertLayout does it, so that operators behind run in the packed layout too.
FoldConstant then packs constant weights, and SimplifyExprPostAlterOp removes conversions that cancel.

x86: nn.conv2d in NCHW with one group or depthwise becomes nn.contrib_conv2d_NCHWc or nn.contrib_depthwise_conv2d_NCHWc;
nn.dense becomes nn.contrib_dense_pack. Channels are packed by the largest number that divides them, up to the width
of a vector, columns of nn.dense up to two; so no padding is ever needed, and values stay the same up to the order of
sums.

Left alone: everything without a target, with a target that no table is known for, what is already in another layout, and
operators whose channels are not known. As in the reference, a vector that broadcasts to data of known layout is
expanded to its rank, and projections of literal tuples become the field, even where nothing else
changes.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
