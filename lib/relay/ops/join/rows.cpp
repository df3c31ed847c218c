// Type rules and rows of the operators that join tensors, and that split one.
#include "relayopt/relay/ops/join.h"

#include <utility>

#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

KernelFunction ConcatenateKernel, SplitKernel, StackKernel;
LayoutRuleFunction SplitLayout;

namespace {

// More parts than any model has: keeps an attribute from making tuples of any size.
constexpr int64_t kMaxParts = 1 << 20;

// Opens a rule on a tuple of at least one tensor, all of one rank and element type: sets `fields`, or returns the
// status to return.
auto NeedSimilarTensors(RuleContext& rule, std::vector<const Type*>& fields) -> std::optional<RuleStatus> {
  if (rule.unknown(0)) return rule.Wait();
  const std::string_view op = rule.op().name;
  const Type& tuple = rule.type(0);
  if (!tuple.is_tuple() || tuple.args.empty()) {
    return rule.ErrorAt(0, "{}: data must be a tuple of at least one tensor", op);
  }
  fields.reserve(tuple.args.size());
  for (const TypeId id : tuple.args) {
    const Type& field = rule.context().type(id);
    if (field.is_incomplete()) return rule.Wait();
    if (!field.is_tensor()) return rule.ErrorAt(0, "{}: field {} of data must be a tensor", op, fields.size());
    fields.push_back(&field);
    const Type& first = *fields.front();
    if (field.rank() != first.rank()) {
      return rule.ErrorAt(0, "{}: all tensors must have the rank of the first, {}, found {}", op, first.rank(),
                          field.rank());
    }
    if (field.dtype != first.dtype) {
      return rule.ErrorAt(0, "{}: all tensors must have the element type of the first, {}, found {}", op,
                          ToString(first.dtype), ToString(field.dtype));
    }
  }
  return std::nullopt;
}

auto ExtentConflict(RuleContext& rule, size_t axis, const Dim& a, const Dim& b) -> RuleStatus {
  return rule.ErrorAt(0, "{}: the tensors must have the same extent on axis {}, found {} and {}", rule.op().name, axis,
                      ToString(a), ToString(b));
}

// Returns the extent of the axis along which tensors are concatenated: `?` if one of them is.
auto JoinedExtent(Context& context, const std::vector<const Type*>& fields, size_t axis) -> Dim {
  Dim total = fields.front()->shape[axis];
  for (size_t i = 1; i < fields.size() && !total.is_any(); ++i) {
    const Dim& extent = fields[i]->shape[axis];
    total = extent.is_any() ? extent : Add(context, total, extent);
  }
  return total;
}

// Returns the common extent of another axis, or null, with a diagnostic, if extents conflict. When known and unknown
// extents are joined, the result is known only if the joined axis is not: a result with a static shape would hide that
// the unknown extents are not checked.
auto CommonExtent(RuleContext& rule, const std::vector<const Type*>& fields, size_t axis, bool dynamic) -> Dim {
  const Dim* known = nullptr;
  bool has_unknown = false;
  for (const Type* field : fields) {
    const Dim& extent = field->shape[axis];
    if (extent.is_any()) {
      has_unknown = true;
    } else if (known == nullptr) {
      known = &extent;
    } else if (ProvablyDifferent(*known, extent)) {
      ExtentConflict(rule, axis, *known, extent);
      return Dim::Null();
    }
  }
  return known != nullptr && (dynamic || !has_unknown) ? *known : Dim::Any();
}

// Ends a rule with a tuple of tensors like the data, each with one of `extents` on `axis`.
auto DoneParts(RuleContext& rule, size_t axis, const std::vector<Dim>& extents) -> RuleStatus {
  const Type& data = rule.type(0);
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  std::vector<TypeId> parts;
  parts.reserve(extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    // Equal parts are the common case.
    if (i != 0 && extents[i] == extents[i - 1]) {
      parts.push_back(parts.back());
      continue;
    }
    shape[axis] = extents[i];
    if (const auto status = CheckExtents(rule, shape)) return *status;
    parts.push_back(rule.context().Tensor(shape, data.dtype));
  }
  return rule.DoneTuple(parts);
}

auto SplitIntoSections(RuleContext& rule, size_t axis, int64_t sections) -> RuleStatus {
  const Dim extent = rule.type(0).shape[axis];
  if (sections < 1 || sections > kMaxParts) {
    return rule.Error("split: the number of sections must be in [1, {}], found {}", kMaxParts, sections);
  }
  if (extent.is_int() && extent.value() % sections != 0) {
    return rule.Error("split: {} sections do not divide extent {} of axis {}", sections, ToString(extent), axis);
  }
  // A symbolic part is an expression of its own in each field.
  std::vector<Dim> parts(static_cast<size_t>(sections), Dim::Any());
  if (!extent.is_any()) std::ranges::generate(parts, [&] { return FloorDiv(rule.context(), extent, sections); });
  return DoneParts(rule, axis, parts);
}

auto SplitAtIndices(RuleContext& rule, size_t axis, std::span<const ObjectId> indices) -> RuleStatus {
  Context& context = rule.context();
  const Dim extent = rule.type(0).shape[axis];
  std::vector<Dim> extents;
  extents.reserve(indices.size() + 1);
  Dim begin = 0;
  for (const ObjectId id : indices) {
    if (!id || context.object(id).kind != ObjectKind::kInt) {
      return rule.Error("split: indices_or_sections must be an integer or a list of integers");
    }
    const Object& object = context.object(id);
    // Indices count as int32 whatever their width, so that only the last part has the width of the extent.
    const bool is_narrow = std::in_range<int32_t>(object.integer);
    const Dim index(object.integer, is_narrow ? 32 : object.dtype.bits);
    if (index.value() <= begin.value()) {
      return rule.Error("split: indices must be positive and ascending, found {} after {}", index.value(),
                        begin.value());
    }
    extents.push_back(Sub(context, index, begin));
    begin = index;
  }
  if (extent.is_int() && !indices.empty() && begin.value() >= extent.value()) {
    return rule.Error("split: indices must be less than extent {} of axis {}, found {}", extent.value(), axis,
                      begin.value());
  }
  extents.push_back(extent.is_any() ? Dim::Any() : Sub(context, extent, begin));
  return DoneParts(rule, axis, extents);
}

}  // namespace

auto ConcatenateRule(RuleContext& rule) -> RuleStatus {
  std::vector<const Type*> fields;
  if (const auto status = NeedSimilarTensors(rule, fields)) return *status;
  const Type& first = *fields.front();
  const auto axis = AxisOf(rule, "axis", rule.attrs<ConcatenateAttrs>().axis, first.rank());
  if (!axis) return RuleStatus::kFailed;
  std::vector<Dim> shape(first.rank());
  shape[*axis] = JoinedExtent(rule.context(), fields, *axis);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i == *axis) continue;
    shape[i] = CommonExtent(rule, fields, i, shape[*axis].is_any());
    if (shape[i].is_null()) return RuleStatus::kFailed;
  }
  return DoneShape(rule, shape, first.dtype);
}

namespace {

auto SplitRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<SplitAttrs>();
  const auto axis = AxisOf(rule, "axis", attrs.axis, rule.type(0).rank());
  if (!axis) return RuleStatus::kFailed;
  if (attrs.indices_or_sections) {
    const Object& object = rule.context().object(attrs.indices_or_sections);
    if (object.kind == ObjectKind::kInt) return SplitIntoSections(rule, *axis, object.integer);
    if (object.kind == ObjectKind::kArray) return SplitAtIndices(rule, *axis, object.items);
  }
  return rule.Error("split: indices_or_sections must be an integer or a list of integers");
}

auto StackRule(RuleContext& rule) -> RuleStatus {
  std::vector<const Type*> fields;
  if (const auto status = NeedSimilarTensors(rule, fields)) return *status;
  const Type& first = *fields.front();
  const auto value = IntegerOf(rule, "axis", rule.attrs<StackAttrs>().axis);
  if (!value) return RuleStatus::kFailed;
  // The new axis may also come after the last one, so there is one position more than axes.
  const auto axis = NormalizeAxis(*value, first.rank() + 1);
  if (!axis) {
    return rule.Error("stack: axis must be in [-{0}, {0}) for tensors with {1} axes, found {2}", first.rank() + 1,
                      first.rank(), *value);
  }
  for (const Type* field : fields) {
    for (size_t i = 0; i < first.rank(); ++i) {
      if (ProvablyDifferent(first.shape[i], field->shape[i])) {
        return ExtentConflict(rule, i, first.shape[i], field->shape[i]);
      }
    }
  }
  std::vector<Dim> shape(first.shape.begin(), first.shape.end());
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Dim(static_cast<int64_t>(fields.size())));
  return DoneShape(rule, shape, first.dtype);
}

}  // namespace

constinit const OpRows<OpFamily::kJoin> kJoinOps = NumberedRows<OpFamily::kJoin>({
    {.name = "concatenate",
     .inputs = "data",
     .attrs = &kSchema<ConcatenateAttrs>,
     .type = ConcatenateRule,
     .kernel = ConcatenateKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ConcatenateLayout,
     .doc = "joins a tuple of tensors along an axis"},
    {.name = "split",
     .inputs = "data",
     .attrs = &kSchema<SplitAttrs>,
     .type = SplitRule,
     .kernel = SplitKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = SplitLayout,
     .doc = "cuts a tensor along an axis into a tuple"},
    {.name = "stack",
     .inputs = "data",
     .attrs = &kSchema<StackAttrs>,
     .type = StackRule,
     .kernel = StackKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "joins a tuple of tensors along a new axis"},
});

}  // namespace relayopt
