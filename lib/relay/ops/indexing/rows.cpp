// Type rules and rows of the indexing operators.
#include "relayopt/relay/ops/indexing.h"

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction AdvIndexKernel, ArgWhereKernel, GatherKernel, GatherNDKernel, ScatterElementsKernel, ScatterNDKernel,
    SequenceMaskKernel, TakeKernel, UnravelIndexKernel, WhereKernel;

namespace {

// Returns a count of leading axes, or nothing, with a diagnostic, unless it is between 0 and `most`.
auto AxisCount(RuleContext& rule, std::string_view field, const Dim& value, size_t most) -> std::optional<size_t> {
  const auto count = IntegerOf(rule, field, value);
  if (!count) return std::nullopt;
  if (*count < 0 || *count > static_cast<int64_t>(most)) {
    rule.Error("{}: {} must be between 0 and {}, found {}", rule.op().name, field, most, *count);
    return std::nullopt;
  }
  return static_cast<size_t>(*count);
}

void Append(std::vector<Dim>& shape, Shape tail) { shape.insert(shape.end(), tail.begin(), tail.end()); }

auto Take(RuleContext& rule, const TakeAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedInteger(rule, 1)) return *status;
  const Type& data = rule.type(0);
  const Shape indices = rule.type(1).shape;
  if (attrs.axis.is_null()) return DoneShape(rule, indices, data.dtype);
  const auto value = IntegerOf(rule, "axis", attrs.axis);
  const auto axis = value ? AxisOf(rule, "axis", *value, data.rank()) : std::nullopt;
  if (!axis) return RuleStatus::kFailed;
  const auto batch = AxisCount(rule, "batch_dims", attrs.batch_dims, std::min(*axis, indices.size()));
  if (!batch) return RuleStatus::kFailed;
  std::vector<Dim> shape(data.shape.begin(), data.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  Append(shape, indices.subspan(*batch));
  Append(shape, data.shape.subspan(*axis + 1));
  return DoneShape(rule, shape, data.dtype);
}

auto Gather(RuleContext& rule, const GatherAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedInteger(rule, 1)) return *status;
  const Type& data = rule.type(0);
  const Shape indices = rule.type(1).shape;
  if (const auto status = NeedRank(rule, 1, data.rank())) return *status;
  const auto value = IntegerOf(rule, "axis", attrs.axis);
  const auto axis = value ? AxisOf(rule, "axis", *value, data.rank()) : std::nullopt;
  if (!axis) return RuleStatus::kFailed;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i != *axis && ProvablyDifferent(indices[i], data.shape[i])) {
      return rule.ErrorAt(1, "gather: indices of shape {} do not match data of shape {} along axis {}",
                          ToString(indices), ToString(data.shape), *axis);
    }
  }
  return rule.Done(indices, data.dtype);
}

auto GatherND(RuleContext& rule, const GatherNDAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const Shape indices = rule.type(1).shape;
  const auto length = StaticLength(rule, 1);
  if (!length) return RuleStatus::kFailed;
  const auto batch = AxisCount(rule, "batch_dims", attrs.batch_dims, std::min(data.rank(), indices.size() - 1));
  if (!batch) return RuleStatus::kFailed;
  if (*length + *batch > data.rank()) {
    return rule.ErrorAt(1, "gather_nd: indices name {} after {} shared, data has shape {}", Counted(*length, "axis"),
                        Counted(*batch, "axis"), ToString(data.shape));
  }
  for (size_t i = 0; i < *batch; ++i) {
    if (!ProvablyDifferent(data.shape[i], indices[i + 1])) continue;
    return rule.ErrorAt(1, "gather_nd: shapes {} and {} differ in the shared axis {}", ToString(data.shape),
                        ToString(indices), i);
  }
  std::vector<Dim> shape(indices.begin() + 1, indices.end());
  Append(shape, data.shape.subspan(*length + *batch));
  return DoneShape(rule, shape, data.dtype);
}

auto ScatterElements(RuleContext& rule, const ScatterElementsAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  if (const auto status = NeedInteger(rule, 1)) return *status;
  return rule.Done(rule.input(0));
}

auto ScatterND(RuleContext& rule, const ScatterNDAttrs&) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  if (const auto status = NeedInteger(rule, 1)) return *status;
  const auto length = StaticLength(rule, 1);
  if (!length) return RuleStatus::kFailed;
  if (*length > rule.type(0).rank()) {
    return rule.ErrorAt(1, "scatter_nd: indices name {}, data has shape {}", Counted(*length, "axis"),
                        ToString(rule.type(0).shape));
  }
  return rule.Done(rule.input(0));
}

auto SequenceMask(RuleContext& rule, const SequenceMaskAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (attrs.axis != 0 && attrs.axis != 1) return rule.Error("sequence_mask: axis must be 0 or 1, found {}", attrs.axis);
  const Shape data = rule.type(0).shape;
  if (data.size() < 2) {
    return rule.ErrorAt(0, "sequence_mask: data must have 2 axes or more, found shape {}", ToString(data));
  }
  const Dim batch[] = {data[attrs.axis == 0 ? 1 : 0]};
  if (!rule.AssignInput(1, batch, rule.type(1).dtype)) return RuleStatus::kFailed;
  return rule.DoneSameAs(0);
}

auto TakeRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Take); }
auto GatherRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Gather); }
auto GatherNDRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, GatherND); }
auto ScatterElementsRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ScatterElements); }
auto ScatterNDRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ScatterND); }
auto SequenceMaskRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, SequenceMask); }

auto AdvIndexRule(RuleContext& rule) -> RuleStatus {
  if (rule.unknown(0)) return rule.Wait();
  const Type& inputs = rule.type(0);
  if (!inputs.is_tuple() || inputs.args.size() < 2) {
    return rule.ErrorAt(0, "adv_index: inputs must be a tuple of the data and at least one tensor of indices");
  }
  for (const TypeId field : inputs.args) {
    const Type& type = rule.context().type(field);
    if (type.is_incomplete()) return rule.Wait();
    if (!type.is_tensor()) return rule.ErrorAt(0, "adv_index: each field of inputs must be a tensor");
  }
  const Type& data = rule.context().type(inputs.args[0]);
  const auto indices = inputs.args.subspan(1);
  if (indices.size() > data.rank()) {
    return rule.ErrorAt(0, "adv_index: {} tensors of indices for data of shape {}", indices.size(),
                        ToString(data.shape));
  }
  const Shape first = rule.context().type(indices[0]).shape;
  std::vector<Dim> shape(first.begin(), first.end());
  for (const TypeId index : indices.subspan(1)) {
    auto wider = BroadcastOf(rule, shape, rule.context().type(index).shape);
    if (!wider) return RuleStatus::kFailed;
    shape = std::move(*wider);
  }
  Append(shape, data.shape.subspan(indices.size()));
  return DoneShape(rule, shape, data.dtype);
}

auto ArgWhereRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return rule.Done(std::array{Dim::Any(), Dim(static_cast<int64_t>(rule.type(0).rank()))}, DataType::Int(32));
}

auto UnravelIndexRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  for (const size_t i : {0, 1}) {
    if (const auto status = NeedInteger(rule, i)) return *status;
  }
  const Type& data = rule.type(0);
  const Shape shape = rule.type(1).shape;
  if (shape.empty()) return rule.ErrorAt(1, "unravel_index: shape must have an axis, found a scalar");
  std::vector<Dim> out = {shape[0]};
  if (!data.shape.empty()) out.push_back(data.shape[0]);
  return DoneShape(rule, out, data.dtype);
}

auto WhereRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  const Type& x = rule.type(1);
  const Type& y = rule.type(2);
  if (x.dtype != y.dtype) {
    return rule.ErrorAt(2, "where: x is {} but y is {}", ToString(x.dtype), ToString(y.dtype));
  }
  const auto values = BroadcastOf(rule, x.shape, y.shape);
  const auto shape = values ? BroadcastOf(rule, rule.type(0).shape, *values) : std::nullopt;
  if (!shape) return RuleStatus::kFailed;
  return DoneShape(rule, *shape, x.dtype);
}

}  // namespace

constinit const OpRows<OpFamily::kIndexing> kIndexingOps = NumberedRows<OpFamily::kIndexing>({
    {.name = "adv_index",
     .inputs = "inputs",
     .type = AdvIndexRule,
     .kernel = AdvIndexKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "the slices of the first field at the positions that the other fields give"},
    {.name = "argwhere",
     .inputs = "condition",
     .type = ArgWhereRule,
     .kernel = ArgWhereKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "d",
     .precision = Precision::kFollow,
     .doc = "the positions of all elements that are not zero"},
    {.name = "gather",
     .inputs = "data, indices",
     .attrs = &kSchema<GatherAttrs>,
     .type = GatherRule,
     .kernel = GatherKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "for each index the element there along an axis"},
    {.name = "gather_nd",
     .inputs = "data, indices",
     .attrs = &kSchema<GatherNDAttrs>,
     .type = GatherNDRule,
     .kernel = GatherNDKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "the slices at the positions that the first axis of indices gives"},
    {.name = "scatter_elements",
     .inputs = "data, indices, updates",
     .attrs = &kSchema<ScatterElementsAttrs>,
     .type = ScatterElementsRule,
     .kernel = ScatterElementsKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "the data with the element at each index along an axis updated"},
    {.name = "scatter_nd",
     .inputs = "data, indices, updates",
     .attrs = &kSchema<ScatterNDAttrs>,
     .type = ScatterNDRule,
     .kernel = ScatterNDKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "the data with the slices at positions updated"},
    {.name = "sequence_mask",
     .inputs = "data, valid_length",
     .attrs = &kSchema<SequenceMaskAttrs>,
     .type = SequenceMaskRule,
     .kernel = SequenceMaskKernel,
     .fusion = Fusion::kInjective,
     .doc = "sets what lies behind the valid length of each sequence"},
    {.name = "take",
     .inputs = "data, indices",
     .attrs = &kSchema<TakeAttrs>,
     .type = TakeRule,
     .kernel = TakeKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .element_types = "*x",
     .precision = Precision::kFollow,
     .doc = "the slices at indices along an axis"},
    {.name = "unravel_index",
     .inputs = "data, shape",
     .type = UnravelIndexRule,
     .kernel = UnravelIndexKernel,
     .fusion = Fusion::kInjective,
     .element_types = "x",
     .doc = "the coordinates of flat indices"},
    {.name = "where",
     .inputs = "condition, x, y",
     .type = WhereRule,
     .kernel = WhereKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "x where the condition is not zero, else y"},
});

}  // namespace relayopt
