// One walk upwards: of each expression first its extents, then the numbers in it. What no rule determines is taken from
// the type, with an unknown of its own for each `?`.
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/call_view.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/prim_expr.h"
#include "relayopt/relay/ops/foreign_ops.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"
#include "shape_rules.h"

namespace relayopt {

// Fills the tables of a SymbolicShapes.
class ShapeRules {
 public:
  using Numbers = SymbolicShapes::Numbers;

  ShapeRules(const Function& function, SymbolicShapes& shapes) : function_(function), shapes_(shapes) {
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kLet) continue;
      for (size_t i = 0; i < function.let_size(id); ++i) values_[function.let_var(id, i)] = function.let_value(id, i);
    }
  }

  void NoteParameters(const ExtentNames::Names& names) {
    for (const ExprId param : function_.params()) {
      const auto found = names.find(std::string(function_.context().text(function_.var(param).name)));
      if (found != names.end()) named_[param] = &found->second;
    }
  }

  void Visit(ExprId id) {
    VisitKind(id);
    SettleVariables(id);
  }

  void Learn(ExprId id, const Type& type) {
    auto& extents = shapes_.extents_[id];
    if (!extents || extents->size() != type.rank()) return;
    TakeNumbers(type, *extents);
    SettleVariables(id);
  }

 private:
  void SettleVariables(ExprId id) {
    // Variables of let chains come before their values, and uses of the variables after the values.
    const auto waiting = later_.find(id);
    if (waiting == later_.end()) return;
    for (const ExprId var : waiting->second) Same(var, id);
  }

  void VisitKind(ExprId id) {
    switch (function_.kind(id)) {
      case ExprKind::kConstant: Set(id, {}, ConstantNumbers(id)); return;
      case ExprKind::kVar: VisitVar(id); return;
      case ExprKind::kOpCall: VisitCall(id); return;
      case ExprKind::kTupleGetItem: Set(id, FieldExtents(id), FieldNumbers(id)); return;
      case ExprKind::kLet: Same(id, function_.let_result(id)); return;
      case ExprKind::kIf: VisitIf(id); return;
      default: Set(id, {}, {});
    }
  }

  // The results of rules, completed with the numbers in the type.
  void Set(ExprId id, std::optional<Numbers> extents, std::optional<Numbers> numbers) {
    const Type* type = TensorType(function_, id);
    if (type == nullptr) return;
    if (!extents || extents->size() != type->rank()) {
      extents.emplace();
      for (size_t i = 0; i < type->rank(); ++i) {
        extents->push_back(type->shape[i].is_int() ? ExtentId() : shapes_.table_.Unknown());
      }
    }
    TakeNumbers(*type, *extents);
    shapes_.extents_[id] = std::move(extents);
    shapes_.numbers_[id] = std::move(numbers);
  }

  void TakeNumbers(const Type& type, Numbers& extents) {
    for (size_t i = 0; i < type.rank(); ++i) {
      if (type.shape[i].is_int()) extents[i] = shapes_.table_.Number(type.shape[i].value());
    }
  }

  void Same(ExprId id, ExprId source) { Set(id, shapes_.extents_[source], shapes_.numbers_[source]); }

  auto ConstantNumbers(ExprId id) -> std::optional<Numbers> {
    constexpr size_t kMaxElements = 64;
    const Constant& constant = function_.constant(id);
    const DataType dtype = constant.dtype();
    const bool is_integer = (dtype.is_int() || dtype.is_uint() || dtype.is_bool()) && dtype.lanes == 1;
    if (!is_integer || constant.shape().size() > 1 || constant.num_elements() > kMaxElements) return std::nullopt;
    const ElementBytes elements = constant.Elements();
    Numbers numbers;
    for (size_t at = 0; at < elements.size(); at += dtype.bytes()) {
      uint64_t bits = 0;
      std::memcpy(&bits, elements.data() + at, dtype.bytes());
      const auto number = Constant::Scalar(dtype, bits).ScalarAsInt();
      if (!number) return std::nullopt;
      numbers.push_back(shapes_.table_.Number(*number));
    }
    return numbers;
  }

  void VisitVar(ExprId id) {
    if (const auto value = values_.find(id); value != values_.end()) {
      later_[value->second].push_back(id);
      Set(id, {}, {});
      return;
    }
    const auto found = named_.find(id);
    const Type* type = TensorType(function_, id);
    if (found == named_.end() || type == nullptr || found->second->size() != type->rank()) return Set(id, {}, {});
    Numbers extents;
    for (const std::string& name : *found->second) {
      extents.push_back(name.empty() ? shapes_.table_.Unknown() : shapes_.table_.Named(name));
    }
    Set(id, std::move(extents), {});
  }

  void VisitCall(ExprId id) {
    const ShapeCall call(function_, id, shapes_);
    const auto ask = [&](const OpRules<ShapeRule>& rules) -> ShapeCall::Result {
      const ShapeRule* rule = rules.Find(function_.op(id));
      return rule == nullptr ? std::nullopt : (*rule)(call);
    };
    const Type* type = TensorType(function_, id);
    if (type == nullptr) return;
    const ShapeRule foreign = IsForeignOp(*function_.op(id)) ? ForeignExtents() : nullptr;
    Set(id, foreign != nullptr ? foreign(call) : ask(ExtentRules()), {});
    const bool holds_integers = !type->dtype.is_float() && type->rank() <= 1;
    if (!holds_integers) return;
    ShapeCall::Result numbers = ask(NumberRules());
    if (numbers && type->dtype.is_bool()) MakeConditions(*call.op(), *numbers);
    if (numbers && Fit(type->dtype, *numbers)) shapes_.numbers_[id] = *std::move(numbers);
  }

  // In a tensor of truth values a number is 1, or 0 if it is zero.
  void MakeConditions(const OpDef& op, Numbers& numbers) {
    constexpr std::array kComparisons = {"equal"_op, "less"_op, "less_equal"_op, "greater"_op, "greater_equal"_op};
    const bool compares = std::ranges::find(kComparisons, &op) != kComparisons.end();
    for (ExtentId& each : numbers) {
      if (const auto number = shapes_.table_.NumberOf(each)) {
        each = shapes_.table_.Number(*number != 0 ? 1 : 0);
        continue;
      }
      if (!compares && !conditions_.contains(each)) each = shapes_.table_.ResultOf("condition", std::array{each});
      conditions_.insert(each);
    }
  }

  // Whether an element type has all these numbers; of others only the last bits remain, as where the extent 3000000000
  // is cast to int32. Extents that are not known are assumed to fit into 32 bits.
  auto Fit(DataType dtype, const Numbers& numbers) const -> bool {
    return dtype.is_bool() || std::ranges::all_of(numbers, [&](ExtentId each) {
             const auto number = shapes_.table_.NumberOf(each);
             if (dtype.is_uint() && (number ? *number < 0 : !shapes_.table_.IsNeverNegative(each))) return false;
             if (!number) return dtype.bits >= 32 || conditions_.contains(each);
             return arith::WrapToType(dtype, *number) == *number;
           });
  }

  auto FieldExtents(ExprId id) -> std::optional<Numbers> {
    const ExprId tuple = function_.operand(id, 0);
    const uint32_t index = function_.index(id);
    if (function_.kind(tuple) == ExprKind::kTuple) return shapes_.extents_[function_.operand(tuple, index)];
    if (function_.kind(tuple) != ExprKind::kOpCall || function_.operands(tuple).empty()) return std::nullopt;
    const OpDef* op = function_.op(tuple);
    const auto& data = shapes_.extents_[function_.operand(tuple, 0)];
    const bool is_first_like_data = op == "nn.batch_norm"_op || op == "nn.dropout"_op;
    if (is_first_like_data && index == 0) return data;
    if (const ShapeRule foreign = ForeignExtents(); index == 0 && foreign != nullptr && IsForeignOp(*op))
      return foreign(ShapeCall(function_, tuple, shapes_));
    const auto& along = PartsOf(tuple).axis;
    const auto axis = data && along ? NormalizeAxis(*along, data->size()) : std::nullopt;
    return axis ? std::optional(PartExtents(tuple, *axis, *data)) : std::nullopt;
  }

  // The results of a call that are parts of its first operand.
  struct Parts {
    // None if they are something else.
    std::optional<int64_t> axis;
    // Where each part of a list begins, and where the last one ends, as far as the types tell.
    std::vector<int64_t> places = {0};
  };

  // A call is read once, however many parts it has. The result is valid until another call is asked for.
  auto PartsOf(ExprId call) -> const Parts& {
    const auto [known, is_new] = parts_.try_emplace(call);
    if (is_new) known->second = ReadParts(call);
    return known->second;
  }

  auto ReadParts(ExprId call) const -> Parts {
    Parts parts;
    const Context& context = function_.context();
    if (const PartsRule foreign = ForeignParts(); foreign != nullptr && IsForeignOp(*function_.op(call))) {
      parts.axis = foreign(function_, call);
    } else if (const auto* attrs = context.As<SplitAttrs>(function_.attrs(call)); attrs != nullptr) {
      parts.axis = attrs->axis;
    }
    if (!parts.axis || !function_.type(call)) return parts;
    for (const TypeId arg : context.type(function_.type(call)).args) {
      const Type* part = TensorType(context, arg);
      if (part == nullptr || part->rank() != 1 || !part->shape[0].is_int()) break;
      const int64_t length = part->shape[0].value();
      if (length < 0 || length > INT32_MAX) break;
      parts.places.push_back(parts.places.back() + length);
    }
    return parts;
  }

  // All parts have the extents of the data but along one axis, where the types of most tell them.
  auto PartExtents(ExprId split, size_t axis, Numbers data) -> Numbers {
    const Context& context = function_.context();
    const auto* attrs = context.As<SplitAttrs>(function_.attrs(split));
    const bool is_even = attrs != nullptr && attrs->indices_or_sections &&
                         context.object(attrs->indices_or_sections).kind != ObjectKind::kArray;
    const auto sections = static_cast<int64_t>(context.type(function_.type(split)).args.size());
    data[axis] =
        is_even ? shapes_.table_.Quotient(data[axis], shapes_.table_.Number(sections)) : shapes_.table_.Unknown();
    return data;
  }

  // The numbers in a part of a list, whose length and those of the parts before it are in the types.
  auto FieldNumbers(ExprId id) -> std::optional<Numbers> {
    const ExprId tuple = function_.operand(id, 0);
    const uint32_t index = function_.index(id);
    if (function_.kind(tuple) == ExprKind::kTuple) return shapes_.numbers_[function_.operand(tuple, index)];
    if (function_.kind(tuple) != ExprKind::kOpCall || function_.operands(tuple).empty()) return std::nullopt;
    const auto& list = shapes_.numbers_[function_.operand(tuple, 0)];
    const Parts& parts = PartsOf(tuple);
    if (!list || !parts.axis || !NormalizeAxis(*parts.axis, 1) || index + 1 >= parts.places.size()) return std::nullopt;
    const int64_t end = parts.places[index + 1];
    if (end > static_cast<int64_t>(list->size())) return std::nullopt;
    return Numbers(list->begin() + parts.places[index], list->begin() + end);
  }

  void VisitIf(ExprId id) {
    const ExprId first = function_.operand(id, 1);
    const ExprId second = function_.operand(id, 2);
    const bool is_same = shapes_.extents_[first] && shapes_.extents_[first] == shapes_.extents_[second];
    Set(id, is_same ? shapes_.extents_[first] : std::nullopt, {});
  }

  const Function& function_;
  SymbolicShapes& shapes_;
  // Of variables of let chains.
  absl::flat_hash_map<ExprId, ExprId> values_;
  absl::flat_hash_map<ExprId, Parts> parts_;
  absl::flat_hash_map<ExprId, std::vector<ExprId>> later_;
  absl::flat_hash_map<ExprId, const std::vector<std::string>*> named_;
  // Numbers that are 0 or 1.
  absl::flat_hash_set<ExtentId> conditions_;
};

SymbolicShapes::SymbolicShapes(const Function& function, const ExtentNames::Names& names)
    : SymbolicShapes(function, NothingYet()) {
  ShapeRules rules(function, *this);
  if (!names.empty()) rules.NoteParameters(names);
  for (const ExprId id : function.ids()) rules.Visit(id);
}

ShapeWalk::ShapeWalk(const Function& function, const ExtentNames::Names& names)
    : shapes_(function, SymbolicShapes::NothingYet()), rules_(std::make_unique<ShapeRules>(function, shapes_)) {
  rules_->NoteParameters(names);
}

ShapeWalk::~ShapeWalk() = default;

void ShapeWalk::Add(ExprId id) { rules_->Visit(id); }

void ShapeWalk::Learn(ExprId id, const Type& type) { rules_->Learn(id, type); }

auto SymbolicShapes::IntegersOf(ExprId id) const -> std::optional<std::vector<int64_t>> {
  const Numbers* numbers = NumbersOf(id);
  if (numbers == nullptr) return std::nullopt;
  std::vector<int64_t> integers;
  for (const ExtentId number : *numbers) {
    const auto integer = table_.NumberOf(number);
    if (!integer) return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

}  // namespace relayopt
