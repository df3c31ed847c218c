// Adapts attributes that name the element type of the result.
#include "reduced_attrs.h"

#include <string_view>

#include "relayopt/relay/transforms/lost_constants.h"

#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

// Returns the field in which attributes of this class give the element type of the result, if that is to be reduced.
auto ResultTypeField(const AttrsSchema* schema) -> const FieldInfo* {
  constexpr const AttrsSchema* kAccumulating[] = {
      &kSchema<Conv1DAttrs>,
      &kSchema<Conv1DTransposeAttrs>,
      &kSchema<Conv2DAttrs>,
      &kSchema<Conv2DTransposeAttrs>,
      &kSchema<Conv2DWinogradAttrs>,
      &kSchema<Conv2DWinogradNNPACKWeightTransformAttrs>,
      &kSchema<DeformableConv2DAttrs>,
      &kSchema<Conv3DAttrs>,
      &kSchema<Conv3DTransposeAttrs>,
      &kSchema<Conv3DWinogradAttrs>,
      &kSchema<DenseAttrs>,
      &kSchema<BatchMatmulAttrs>,
  };
  for (const AttrsSchema* accumulating : kAccumulating) {
    if (schema == accumulating) return schema->Find("out_dtype");
  }
  return schema == &kSchema<InitOpAttrs> ? schema->Find("dtype") : nullptr;
}

}  // namespace

auto ReducedAttrs(Context& context, AttrsId attrs, DataType reduced) -> AttrsId {
  if (!attrs) return attrs;
  const AttrsRecord& record = context.attrs(attrs);
  const FieldInfo* field = record.schema == nullptr ? nullptr : ResultTypeField(record.schema);
  if (field == nullptr) return attrs;
  const auto& dtype = field->Get<DataType>(record.data);
  if (!dtype.is_float() && !dtype.is_void()) return attrs;
  AttrsBuilder builder(*record.schema, record.data);
  field->Mutable<DataType>(builder.data()) = reduced;
  return context.InternAttrs(std::move(builder));
}

auto CanReduceAttrs(const Context& context, AttrsId attrs, DataType reduced) -> bool {
  if (!attrs) return true;
  const AttrsRecord& record = context.attrs(attrs);
  for (const std::string_view name : {"epsilon", "eps"}) {
    const FieldInfo* field = record.schema == nullptr ? nullptr : record.schema->Find(name);
    if (field != nullptr && field->kind == FieldKind::kDouble && BecomesZero(field->Get<double>(record.data), reduced))
      return false;
  }
  const auto* clip = context.As<ClipAttrs>(attrs);
  const double largest = LargestFinite(reduced);
  return clip == nullptr || (clip->a_min >= -largest && clip->a_max <= largest);
}

}  // namespace relayopt
