// Type rules of the operators that move data between layouts.
#include "relayopt/ops/layout_transform.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "relayopt/ops/layout_shapes.h"
#include "relayopt/support/counted.h"

namespace relayopt {

namespace {

// The values that an index takes: from `min` to `max`, both included.
struct Interval {
  int64_t min = 0;
  int64_t max = 0;
};

auto FieldOf(const Context& context, const Object& object, std::string_view name) -> ObjectId {
  for (const ObjectField& field : object.fields) {
    if (context.text(field.name) == name) return field.object;
  }
  return {};
}

auto FloorQuotient(int64_t a, int64_t b) -> int64_t { return a / b - (a % b < 0 ? 1 : 0); }

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
  return Interval{FloorQuotient(a.min, b.min), FloorQuotient(a.max, b.min)};
}
auto Remainder(const Interval& a, const Interval& b) -> std::optional<Interval> {
  if (b.min != b.max || b.min < 1) return std::nullopt;
  const int64_t first = FloorQuotient(a.min, b.min);
  if (first != FloorQuotient(a.max, b.min)) return Interval{0, b.min - 1};
  return Interval{a.min - first * b.min, a.max - first * b.min};
}

// The interval of a binary node; nothing when it overflows or the node is of another kind. Rounding toward zero is
// rounding down as long as nothing is negative.
auto Combine(std::string_view type_key, const Interval& a, const Interval& b) -> std::optional<Interval> {
  if (type_key == "tir.Add") return Sum(a, b);
  if (type_key == "tir.Sub") return Difference(a, b);
  if (type_key == "tir.Mul") return Product(a, b);
  if (type_key == "tir.FloorDiv" || (type_key == "tir.Div" && a.min >= 0)) return Quotient(a, b);
  if (type_key == "tir.FloorMod" || (type_key == "tir.Mod" && a.min >= 0)) return Remainder(a, b);
  if (type_key == "tir.Min") return Interval{std::min(a.min, b.min), std::min(a.max, b.max)};
  if (type_key == "tir.Max") return Interval{std::max(a.min, b.min), std::max(a.max, b.max)};
  return std::nullopt;
}

// Finds the intervals of index expressions over variables of known intervals.
class IndexRanges {
 public:
  explicit IndexRanges(const Context& context) : context_(context) {}

  void Bind(ObjectId variable, const Interval& interval) { known_.insert_or_assign(variable, interval); }

  auto Of(ObjectId expression) -> std::optional<Interval> {
    std::vector<ObjectId> pending = {expression};
    while (!pending.empty()) {
      const ObjectId id = pending.back();
      if (!id) return std::nullopt;
      if (known_.contains(id)) {
        pending.pop_back();
        continue;
      }
      const Object& object = context_.object(id);
      if (object.kind == ObjectKind::kInt) {
        Bind(id, {object.integer, object.integer});
        continue;
      }
      if (object.kind != ObjectKind::kNode) return std::nullopt;
      const ObjectId a = FieldOf(context_, object, "a");
      const ObjectId b = FieldOf(context_, object, "b");
      const auto left = known_.find(a);
      const auto right = known_.find(b);
      if (left == known_.end() || right == known_.end()) {
        pending.push_back(a);
        pending.push_back(b);
        continue;
      }
      const auto interval = Combine(context_.text(object.type_key), left->second, right->second);
      if (!interval) return std::nullopt;
      Bind(id, *interval);
    }
    return known_.at(expression);
  }

 private:
  const Context& context_;
  absl::flat_hash_map<ObjectId, Interval> known_;
};

// The objects in an array-valued field.
auto ArrayField(const Context& context, const Object& object, std::string_view name) -> std::span<const ObjectId> {
  const ObjectId id = FieldOf(context, object, name);
  return id && context.object(id).kind == ObjectKind::kArray ? context.object(id).items : std::span<const ObjectId>();
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

}  // namespace

auto AutoSchedulerLayoutTransformRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const std::string& layout = rule.attrs<AutoSchedulerLayoutTransformAttrs>().dst_layout;
  std::vector<Dim> shape;
  int64_t extent = 0;
  for (const char c : layout) {
    if (c >= '0' && c <= '9') {
      if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, c - '0', &extent)) {
        return rule.Error("auto_scheduler_layout_transform: an extent in layout {} overflows", layout);
      }
    } else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_') {
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
  const auto variables = ArrayField(context, context.object(map), "initial_indices");
  const auto results = ArrayField(context, context.object(map), "final_indices");
  const Type& data = rule.type(0);
  if (variables.size() != data.rank()) {
    return rule.Error("meta_schedule_layout_transform: index_map is for {}, data has {}",
                      Counted(variables.size(), "axis"), data.rank());
  }
  IndexRanges ranges(context);
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!data.shape[i].is_int() || data.shape[i].value() < 1) {
      return rule.ErrorAt(0, "meta_schedule_layout_transform: data must have a constant shape, found {}",
                          ToString(data.shape));
    }
    ranges.Bind(variables[i], {0, data.shape[i].value() - 1});
  }
  std::vector<Dim> shape;
  for (const ObjectId result : results) {
    if (!AppendExtent(rule, ranges.Of(result), shape)) return RuleStatus::kFailed;
  }
  return DoneShape(rule, shape, data.dtype);
}

}  // namespace relayopt
