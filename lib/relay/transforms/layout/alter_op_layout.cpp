// AlterOpLayout: replaces operators by variants and layouts that suit the target.
#include <optional>

#include "layout_rewriter.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/pass_callbacks.h"
#include "relayopt/relay/transforms/target_table.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

struct AlterOpLayout {
  auto Run(const Module& module, GlobalId, const Function& function, PassContext& context) const
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
    const PassCallbacks* callbacks = CallbacksOf(context);
    const bool asks = callbacks != nullptr && callbacks->choose_layout;
    if (table == nullptr && !asks) return std::nullopt;
    return RewriteLayouts(
        module, function, context, "AlterOpLayout", [&](ExprId id, AttrsId attrs) -> Result<LayoutChoice> {
          if (asks) {
            if (const auto answer = callbacks->choose_layout(function, id, attrs)) {
              return LayoutChoice{answer->op, answer->attrs};
            }
            if (table == nullptr) return LayoutChoice{function.op(id), attrs};
          }
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
    .summary = "replaces operators by forms and layouts that suit the target",
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

Left alone: everything without a target, with a target that no table is known for, what is already in another layout,
and operators whose channels are not known. As in TVM, a vector that broadcasts to data of known layout is
expanded to its rank, and projections of literal tuples become the field, even where nothing else
changes.

A target table is a JSON object {"alter": [ROW, ...]}.
The first row that fits a call says what becomes of it. A row has

  op         the operator it is about
  features   x86 extensions that the target must have, as in -mattr: ["avx2"]
  dtypes     element types of the operands: ["uint8", "int8"]
  ranks      their ranks: [4, 4]
  dynamic    true: an extent of an operand must be unknown
  extents    names for extents, as [operand, axis]: {"O": [1, 0], "C": [0, 1]}; they must be known
  when       what extents and attributes must be: {"groups": 1, "data_layout": "NCHW"}; # stands for a number
  tiles      names for packs: {"oc": {"divides": "O", "at_most": "2*lanes", "at_least": 1, "step": 1}} is the largest
             multiple of step up to at_most that divides O; `lanes` is the number of 32-bit lanes of the target
  becomes    the new operator; without it the call stays as it is
  attrs      attributes that change: {"data_layout": "NCHW{oc}c", "units": "None"}; {oc} and {oc/4} are replaced by
             numbers, {result_dtype} by the element type of the result

Operands stay, and are moved to the layouts that the new attributes ask for.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
