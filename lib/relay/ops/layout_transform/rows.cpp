// Type rules and rows of the operators that move data between layouts.
#include "relayopt/relay/ops/layout_transform.h"

#include <algorithm>
#include <array>

#include "lib/relay/ops/index_map.h"
#include "relayopt/arith/fold.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction AutoSchedulerLayoutTransformKernel, LayoutTransformKernel, MetaScheduleLayoutTransformKernel;

namespace {

// The range of an index: from `min` to `max`, inclusive.
struct Interval {
  int64_t min = 0;
  int64_t max = 0;
};

auto Sum(const Interval& a, const Interval& b) -> std::optional<Interval> {
  Interval out;
  if (__builtin_add_overflow(a.min, b.min, &out.min)) return std::nullopt;
  if (__builtin_add_overflow(a.max, b.max, &out.max)) return std::nullopt;
  return out;
}

auto Difference(const Interval& a, const Interval& b) -> std::optional<Interval> {
  Interval out;
  if (__builtin_sub_overflow(a.min, b.max, &out.min)) return std::nullopt;
  if (__builtin_sub_overflow(a.max, b.min, &out.max)) return std::nullopt;
  return out;
}

auto Product(const Interval& a, const Interval& b) -> std::optional<Interval> {
  std::array<int64_t, 4> corners{};
  if (__builtin_mul_overflow(a.min, b.min, &corners[0])) return std::nullopt;
  if (__builtin_mul_overflow(a.min, b.max, &corners[1])) return std::nullopt;
  if (__builtin_mul_overflow(a.max, b.min, &corners[2])) return std::nullopt;
  if (__builtin_mul_overflow(a.max, b.max, &corners[3])) return std::nullopt;
  return Interval{*std::min_element(corners.begin(), corners.end()), *std::max_element(corners.begin(), corners.end())};
}

// Quotient and remainder, rounded down, by a positive constant.
auto Quotient(const Interval& a, const Interval& b) -> std::optional<Interval> {
  if (b.min != b.max || b.min < 1) return std::nullopt;
  return Interval{arith::FloorDivInt(a.min, b.min), arith::FloorDivInt(a.max, b.min)};
}
auto Remainder(const Interval& a, const Interval& b) -> std::optional<Interval> {
  if (b.min != b.max || b.min < 1) return std::nullopt;
  const int64_t first = arith::FloorDivInt(a.min, b.min);
  if (first != arith::FloorDivInt(a.max, b.min)) return Interval{0, b.min - 1};
  return Interval{a.min - first * b.min, a.max - first * b.min};
}

// Returns the interval of a step, or nothing if it overflows or cannot be determined. Rounding toward zero is rounding
// down as long as nothing is negative.
auto Combine(const IndexStep& step, const Interval& a, const Interval& b) -> std::optional<Interval> {
  switch (step.op) {
    case IndexOp::kConstant: return Interval{step.constant, step.constant};
    case IndexOp::kAdd: return Sum(a, b);
    case IndexOp::kSub: return Difference(a, b);
    case IndexOp::kMul: return Product(a, b);
    case IndexOp::kFloorDiv: return Quotient(a, b);
    case IndexOp::kFloorMod: return Remainder(a, b);
    case IndexOp::kDiv: return a.min >= 0 ? Quotient(a, b) : std::nullopt;
    case IndexOp::kMod: return a.min >= 0 ? Remainder(a, b) : std::nullopt;
    case IndexOp::kMin: return Interval{std::min(a.min, b.min), std::min(a.max, b.max)};
    case IndexOp::kMax: return Interval{std::max(a.min, b.min), std::max(a.max, b.max)};
    case IndexOp::kUnknown: break;
  }
  return std::nullopt;
}

// Returns the intervals of all indices of an index map whose coordinates have these extents.
auto IntervalsOf(const IndexMap& map, Shape extents) -> std::vector<std::optional<Interval>> {
  auto places = MapToVector<std::optional<Interval>>(extents, [&](const Dim& extent) {
    return std::optional<Interval>(Interval{0, extent.value() - 1});
  });
  for (const IndexStep& step : map.steps) {
    std::optional<Interval> a = Interval();
    std::optional<Interval> b = Interval();
    if (HasOperands(step.op)) {
      a = places[step.a];
      b = places[step.b];
    }
    places.push_back(a && b ? Combine(step, *a, *b) : std::nullopt);
  }
  return places;
}

// Appends the number of values that an index takes, which must start at 0.
auto AppendExtent(RuleContext& rule, const std::optional<Interval>& range, std::vector<Dim>& shape) -> bool {
  if (range && range->min == 0 && range->max < INT64_MAX) {
    shape.emplace_back(range->max + 1);
    return true;
  }
  if (range) {
    rule.Error("meta_schedule_layout_transform: index {} must start at 0, found {}", shape.size(), range->min);
  } else {
    rule.Error("meta_schedule_layout_transform: the range of index {} cannot be found", shape.size());
  }
  return false;
}

auto AutoSchedulerLayoutTransformRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const std::string& layout = rule.attrs<AutoSchedulerLayoutTransformAttrs>().dst_layout;
  std::vector<Dim> shape;
  int64_t extent = 0;
  for (const char c : layout) {
    if (IsDigit(c)) {
      if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, c - '0', &extent)) {
        return rule.Error("auto_scheduler_layout_transform: an extent in layout {} overflows", layout);
      }
    } else if (IsNameStart(c)) {
      if (extent != 0) shape.emplace_back(extent);
      extent = 0;
    } else {
      return rule.Error("auto_scheduler_layout_transform: {} is not a layout", layout);
    }
  }
  return DoneShape(rule, shape, rule.type(0).dtype);
}

auto LayoutTransformRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<LayoutTransformAttrs>();
  const Type& data = rule.type(0);
  const auto shape = ConvertShape(rule, "data", attrs.src_layout, attrs.dst_layout, data.shape);
  return shape ? DoneShape(rule, *shape, data.dtype) : RuleStatus::kFailed;
}

auto MetaScheduleLayoutTransformRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Context& context = rule.context();
  const ObjectId map = rule.attrs<MetaScheduleLayoutTransformAttrs>().index_map;
  if (!map) return rule.Error("meta_schedule_layout_transform: index_map must be given, found None");
  const IndexMap index_map = IndexMapOf(context, map);
  const Type& data = rule.type(0);
  if (index_map.rank != data.rank()) {
    return rule.Error("meta_schedule_layout_transform: index_map is for {}, data has {}",
                      Counted(index_map.rank, "axis"), data.rank());
  }
  for (const Dim& extent : data.shape) {
    if (!extent.is_int() || extent.value() < 1) {
      return rule.ErrorAt(0, "meta_schedule_layout_transform: data must have a constant shape, found {}",
                          ToString(data.shape));
    }
  }
  const auto intervals = IntervalsOf(index_map, data.shape);
  std::vector<Dim> shape;
  for (const size_t place : index_map.results) {
    if (!AppendExtent(rule, intervals[place], shape)) return RuleStatus::kFailed;
  }
  return DoneShape(rule, shape, data.dtype);
}

}  // namespace

constinit const OpRows<OpFamily::kLayoutTransform> kLayoutTransformOps = NumberedRows<OpFamily::kLayoutTransform>({
    {.name = "auto_scheduler_layout_transform",
     .inputs = "data",
     .attrs = &kSchema<AutoSchedulerLayoutTransformAttrs>,
     .type = AutoSchedulerLayoutTransformRule,
     .kernel = AutoSchedulerLayoutTransformKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves data into a layout that the auto scheduler chose"},
    {.name = "layout_transform",
     .inputs = "data",
     .attrs = &kSchema<LayoutTransformAttrs>,
     .type = LayoutTransformRule,
     .kernel = LayoutTransformKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "moves data from one layout to another; padding is 0"},
    {.name = "meta_schedule_layout_transform",
     .inputs = "data",
     .attrs = &kSchema<MetaScheduleLayoutTransformAttrs>,
     .type = MetaScheduleLayoutTransformRule,
     .kernel = MetaScheduleLayoutTransformKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves data as an index map says"},
});

}  // namespace relayopt
