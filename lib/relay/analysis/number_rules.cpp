// The values of integer tensors of rank 0 and 1: shapes, and what is computed from them.
#include <algorithm>
#include <array>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/type_rules.h"
#include "shape_rules.h"

namespace relayopt {

namespace {

using Numbers = ShapeCall::Numbers;
using Result = ShapeCall::Result;

// A list as long as the shape of a tensor may be.
constexpr size_t kMaxNumbers = 64;

auto SameNumbers(const ShapeCall& call) -> Result {
  const Numbers* numbers = call.numbers(0);
  return numbers == nullptr ? std::nullopt : Result(*numbers);
}

auto ShapeOfNumbers(const ShapeCall& call) -> Result {
  const Numbers* extents = call.extents(0);
  return extents == nullptr ? std::nullopt : Result(*extents);
}

auto SizeNumbers(const ShapeCall& call) -> Result {
  const Numbers* extents = call.extents(0);
  if (extents == nullptr) return std::nullopt;
  ExtentId product = call.table().Number(1);
  for (const ExtentId extent : *extents) product = call.table().Product(product, extent);
  return Numbers{product};
}

auto ProdNumbers(const ShapeCall& call) -> Result {
  const Numbers* numbers = call.numbers(0);
  const Type* type = call.result();
  const bool is_all = type != nullptr && (type->rank() == 0 || (type->rank() == 1 && type->shape[0].is(1)));
  if (numbers == nullptr || !is_all) return std::nullopt;
  ExtentId product = call.table().Number(1);
  for (const ExtentId number : *numbers) product = call.table().Product(product, number);
  return Numbers{product};
}

// Element by element; one of the operands may be a single number.
template <typename Combine>
auto Zip(const ShapeCall& call, size_t first, Combine&& combine) -> Result {
  const Numbers* a = call.numbers(first);
  const Numbers* b = call.numbers(first + 1);
  if (a == nullptr || b == nullptr || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return std::nullopt;
  if (a->empty() || b->empty()) return std::nullopt;
  Numbers result;
  for (size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
    const auto made = combine((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    if (!made) return std::nullopt;
    result.push_back(*made);
  }
  return result;
}

enum class Arithmetic { kAdd, kSubtract, kMultiply };

template <Arithmetic kOp>
auto ArithmeticNumbers(const ShapeCall& call) -> Result {
  ExtentTable& table = call.table();
  return Zip(call, 0, [&](ExtentId a, ExtentId b) -> std::optional<ExtentId> {
    if (kOp == Arithmetic::kAdd) return table.Sum(a, b);
    return kOp == Arithmetic::kSubtract ? table.Difference(a, b) : table.Product(a, b);
  });
}

// Rounding does not matter where neither is negative.
auto DivideNumbers(const ShapeCall& call) -> Result {
  ExtentTable& table = call.table();
  return Zip(call, 0, [&](ExtentId a, ExtentId b) -> std::optional<ExtentId> {
    const auto by = table.NumberOf(b);
    if (!by || *by <= 0 || !table.IsNeverNegative(a)) return std::nullopt;
    const auto whole = table.NumberOf(a);
    return whole ? table.Number(*whole / *by) : table.Quotient(a, b);
  });
}

template <bool kIsMaximum>
auto ExtremeNumbers(const ShapeCall& call) -> Result {
  ExtentTable& table = call.table();
  return Zip(call, 0, [&](ExtentId a, ExtentId b) -> std::optional<ExtentId> {
    return kIsMaximum ? table.Maximum(a, b) : table.Minimum(a, b);
  });
}

enum class Relation { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

// 1 where it holds and 0 where it does not, whatever the unknowns are.
template <Relation kRelation>
auto CompareNumbers(const ShapeCall& call) -> Result {
  ExtentTable& table = call.table();
  constexpr bool kHoldsAbove = kRelation == Relation::kGreater || kRelation == Relation::kGreaterEqual;
  constexpr bool kHoldsBelow = kRelation == Relation::kLess || kRelation == Relation::kLessEqual;
  constexpr bool kHoldsEqual = kRelation != Relation::kGreater && kRelation != Relation::kLess;
  return Zip(call, 0, [&](ExtentId a, ExtentId b) -> std::optional<ExtentId> {
    const auto is_positive = [&](ExtentId id) { return table.IsNeverNegative(table.Difference(id, table.Number(1))); };
    if (a == b) return table.Number(kHoldsEqual ? 1 : 0);
    if (is_positive(table.Difference(a, b))) return table.Number(kHoldsAbove ? 1 : 0);
    if (is_positive(table.Difference(b, a))) return table.Number(kHoldsBelow ? 1 : 0);
    // If a >= b always holds, a < b never does.
    if (kRelation == Relation::kLess && table.IsNeverNegative(table.Difference(a, b))) return table.Number(0);
    if (kRelation == Relation::kGreater && table.IsNeverNegative(table.Difference(b, a))) return table.Number(0);
    return table.ResultOf(call.op()->name, std::array{a, b});
  });
}

auto WhereNumbers(const ShapeCall& call) -> Result {
  const Numbers* condition = call.numbers(0);
  const Numbers* a = call.numbers(1);
  const Numbers* b = call.numbers(2);
  if (condition == nullptr || a == nullptr || b == nullptr || condition->empty()) return std::nullopt;
  const size_t size = std::max({condition->size(), a->size(), b->size()});
  const auto fits = [&](const Numbers& numbers) { return numbers.size() == size || numbers.size() == 1; };
  if (!fits(*condition) || !fits(*a) || !fits(*b)) return std::nullopt;
  const auto at = [](const Numbers& numbers, size_t i) { return numbers[numbers.size() == 1 ? 0 : i]; };
  Numbers result;
  for (size_t i = 0; i < size; ++i) {
    ExtentTable& table = call.table();
    const ExtentId first = at(*a, i);
    const ExtentId second = at(*b, i);
    const auto holds = table.NumberOf(at(*condition, i));
    const bool may_be_negative = !table.IsNeverNegative(first) || !table.IsNeverNegative(second);
    result.push_back(holds ? (*holds != 0 ? first : second)
                           : table.ResultOf("where", std::array{at(*condition, i), first, second}, may_be_negative));
  }
  return result;
}

// -- concatenation and slicing of lists --

auto ConcatenateNumbers(const ShapeCall& call) -> Result {
  Numbers result;
  for (const ExprId field : call.fields(0)) {
    const Numbers* part = call.numbers_of(field);
    if (part == nullptr || result.size() + part->size() > kMaxNumbers) return std::nullopt;
    result.insert(result.end(), part->begin(), part->end());
  }
  return result.empty() ? std::nullopt : Result(std::move(result));
}

auto TakeNumbers(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<TakeAttrs>();
  const Numbers* data = call.numbers(0);
  const auto places = call.integers(1);
  const Numbers* extents = call.extents(0);
  if (attrs == nullptr || data == nullptr || !places || extents == nullptr || extents->size() != 1) return std::nullopt;
  if (!attrs->batch_dims.is(0)) return std::nullopt;
  Numbers result;
  for (const int64_t place : *places) {
    if (place < 0 || place >= static_cast<int64_t>(data->size())) return std::nullopt;
    result.push_back((*data)[static_cast<size_t>(place)]);
  }
  return result;
}

// Numbers put into a list.
auto ScatterNumbers(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<ScatterElementsAttrs>();
  const Numbers* data = call.numbers(0);
  const auto places = call.integers(1);
  const Numbers* updates = call.numbers(2);
  if (attrs == nullptr || attrs->reduction != "update" || data == nullptr || !places || updates == nullptr) return {};
  if (places->size() != updates->size()) return std::nullopt;
  Numbers result = *data;
  for (size_t i = 0; i < places->size(); ++i) {
    const auto place = NormalizeAxis((*places)[i], result.size());
    if (!place) return std::nullopt;
    result[*place] = (*updates)[i];
  }
  return result;
}

auto StridedSliceNumbers(const ShapeCall& call) -> Result {
  const auto* attrs = call.attrs<StridedSliceAttrs>();
  const Numbers* data = call.numbers(0);
  const Numbers* extents = call.extents(0);
  if (attrs == nullptr || data == nullptr || extents == nullptr || extents->size() != 1) return std::nullopt;
  const auto begin = KnownExtents(attrs->begin);
  const auto end = KnownExtents(attrs->end);
  const auto strides = KnownExtents(attrs->strides);
  if (attrs->slice_mode != "end" || !begin || !end || begin->size() != 1 || end->size() != 1) return std::nullopt;
  if (strides && !strides->empty() && (*strides)[0] != 1) return std::nullopt;
  const auto size = static_cast<int64_t>(data->size());
  const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
  const int64_t first = place((*begin)[0]);
  const int64_t last = std::max(first, place((*end)[0]));
  return Numbers(data->begin() + first, data->begin() + last);
}

auto SliceLikeNumbers(const ShapeCall& call) -> Result {
  const Numbers* data = call.numbers(0);
  const Numbers* extents = call.extents_of(call.id());
  const auto length = extents == nullptr || extents->size() != 1 ? std::nullopt : call.table().NumberOf((*extents)[0]);
  if (data == nullptr || !length || *length < 0 || *length > static_cast<int64_t>(data->size())) return std::nullopt;
  return Numbers(data->begin(), data->begin() + *length);
}

auto ArangeNumbers(const ShapeCall& call) -> Result {
  const auto begin = call.integers(0);
  const auto end = call.integers(1);
  const auto step = call.integers(2);
  if (!begin || !end || !step || begin->size() != 1 || end->size() != 1 || step->size() != 1) return std::nullopt;
  Numbers result;
  for (int64_t number = (*begin)[0]; (*step)[0] > 0 && number < (*end)[0]; number += (*step)[0]) {
    if (result.size() == kMaxNumbers) return std::nullopt;
    result.push_back(call.table().Number(number));
  }
  return result.empty() ? std::nullopt : Result(std::move(result));
}

// The same number as often as there are elements.
auto FullNumbers(const ShapeCall& call) -> Result {
  const Numbers* value = call.numbers(0);
  const Numbers* extents = call.extents_of(call.id());
  if (value == nullptr || value->size() != 1 || extents == nullptr || extents->size() != 1) return std::nullopt;
  const auto size = call.table().NumberOf((*extents)[0]);
  if (!size || *size < 0 || *size > static_cast<int64_t>(kMaxNumbers)) return std::nullopt;
  return Numbers(static_cast<size_t>(*size), (*value)[0]);
}

template <int64_t kNumber>
auto NewNumbers(const ShapeCall& call) -> Result {
  const Numbers* extents = call.extents_of(call.id());
  const auto size = extents == nullptr || extents->size() != 1 ? std::nullopt : call.table().NumberOf((*extents)[0]);
  if (!size || *size < 0 || *size > static_cast<int64_t>(kMaxNumbers)) return std::nullopt;
  return Numbers(static_cast<size_t>(*size), call.table().Number(kNumber));
}

constexpr OpRule<ShapeRule> kNumberRules[] = {
    {"add"_op, ArithmeticNumbers<Arithmetic::kAdd>},
    {"arange"_op, ArangeNumbers},
    {"broadcast_to"_op, FullNumbers},
    {"cast"_op, SameNumbers},
    {"cast_like"_op, SameNumbers},
    {"concatenate"_op, ConcatenateNumbers},
    {"copy"_op, SameNumbers},
    {"divide"_op, DivideNumbers},
    {"dyn.broadcast_to"_op, FullNumbers},
    {"dyn.full"_op, FullNumbers},
    {"dyn.reshape"_op, SameNumbers},
    {"equal"_op, CompareNumbers<Relation::kEqual>},
    {"expand_dims"_op, SameNumbers},
    {"floor_divide"_op, DivideNumbers},
    {"full"_op, FullNumbers},
    {"greater"_op, CompareNumbers<Relation::kGreater>},
    {"greater_equal"_op, CompareNumbers<Relation::kGreaterEqual>},
    {"less"_op, CompareNumbers<Relation::kLess>},
    {"less_equal"_op, CompareNumbers<Relation::kLessEqual>},
    {"maximum"_op, ExtremeNumbers<true>},
    {"minimum"_op, ExtremeNumbers<false>},
    {"multiply"_op, ArithmeticNumbers<Arithmetic::kMultiply>},
    {"ndarray_size"_op, SizeNumbers},
    {"ones"_op, NewNumbers<1>},
    {"prod"_op, ProdNumbers},
    {"reshape"_op, SameNumbers},
    {"scatter_elements"_op, ScatterNumbers},
    {"shape_of"_op, ShapeOfNumbers},
    {"slice_like"_op, SliceLikeNumbers},
    {"squeeze"_op, SameNumbers},
    {"stack"_op, ConcatenateNumbers},
    {"strided_slice"_op, StridedSliceNumbers},
    {"subtract"_op, ArithmeticNumbers<Arithmetic::kSubtract>},
    {"take"_op, TakeNumbers},
    {"vm.shape_of"_op, ShapeOfNumbers},
    {"where"_op, WhereNumbers},
    {"zeros"_op, NewNumbers<0>},
};

}  // namespace

auto NumberRules() -> const OpRules<ShapeRule>& {
  static const OpRules<ShapeRule> rules = {std::span<const OpRule<ShapeRule>>(kNumberRules)};
  return rules;
}

}  // namespace relayopt
