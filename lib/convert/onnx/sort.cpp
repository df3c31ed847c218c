// Sorting, accumulating, and finding unique elements.
#include <limits>
#include <map>

#include "builders.h"
#include "families.h"
#include "relayopt/core/extents.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// CumSum and CumProd.
auto ConvertCumulation(Node& n) -> Results {
  Emitter& em = n.em();
  const auto axis = n.NeedInt(1);
  if (!axis) return {};
  const auto sum = [&](ExprId x) {
    return em.Call(n.row().relay, {x}, {{"axis", *axis}, {"exclusive", n.Flag("exclusive")}});
  };
  if (!n.Flag("reverse")) return sum(n.in(0));
  const auto reverse = [&](ExprId x) { return em.Call("reverse"_op, {x}, {{"axis", *axis}}); };
  return reverse(sum(reverse(n.in(0))));
}

// Returns the first k of sorted values and of their places; k is the second input.
auto FirstOf(Node& n, ExprId sorted, ExprId places, int64_t axis) -> Results {
  Emitter& em = n.em();
  if (const auto k = em.IntsOf(n.in(1)); k && k->size() == 1) {
    return {SliceAxis(em, sorted, axis, 0, k->front()), SliceAxis(em, places, axis, 0, k->front())};
  }
  const int64_t rank = em.rank(n.in(0));
  const auto whole = [&](int64_t count) {
    return em.Vector(Ints(static_cast<size_t>(count), std::numeric_limits<int64_t>::max()));
  };
  const ExprId end = Concat(em, {whole(axis), n.in(1), whole(rank - axis - 1)}, 0);
  const auto cut = [&](ExprId tensor) {
    const auto fill = [&](int64_t value) {
      return em.Vector(Ints(static_cast<size_t>(rank), value), DataType::Int(32));
    };
    return SliceBy(em, tensor, fill(0), end, fill(1));
  };
  return {cut(sorted), cut(places)};
}

// Returns the smallest elements: sorted altogether and cut.
auto SmallestK(Node& n, int64_t axis) -> Results {
  Emitter& em = n.em();
  if (n.failed()) return {};
  const ExprId x = n.in(0);
  const ExprId sorted = em.Call("sort"_op, {x}, {{"axis", axis}, {"is_ascend", true}});
  const ExprId places = em.Call("argsort"_op, {x}, {{"axis", axis}, {"is_ascend", true}, {"dtype", DataType::Int(64)}});
  return FirstOf(n, sorted, places, axis);
}

auto ConvertTopK(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t axis = n.Int("axis");
  const DataType i64 = DataType::Int(64);
  if (n.opset() >= 11 && !n.Flag("largest")) return SmallestK(n, n.Axis(axis, em.rank(x)));
  std::optional<Ints> k = n.opset() < 10 ? std::optional(Ints{n.Int("k")}) : em.IntsOf(n.in(1));
  if (k && k->size() != 1) return n.Fail("k must be one number");
  if (k && k->front() == 0) {
    // Relay's topk of nothing gives everything.
    const int64_t at = n.Axis(axis, em.rank(x));
    if (n.failed()) return {};
    const auto shape = em.StaticShape(x);
    if (!shape) {
      const ExprId none = SliceAxis(em, x, at, 0, 0);
      return {none, Cast(em, none, i64)};
    }
    Ints none = *shape;
    none[static_cast<size_t>(at)] = 0;
    return {EmptyOf(em, none, em.dtype(x)), EmptyOf(em, none, i64)};
  }
  const auto settings = [&](Dim count) {
    return std::vector<AttrSetting>{
        {"k", count}, {"axis", axis}, {"ret_type", "both"}, {"is_ascend", false}, {"dtype", i64}};
  };
  if (!k && !n.has(1)) return n.Fail("k is missing");
  if (!k && n.exact()) {
    // k may be 0: sort all elements and slice.
    const int64_t at = n.Axis(axis, em.rank(x));
    if (n.failed()) return {};
    const ExprId all = em.Call("topk"_op, {x}, settings(Dim(0)));
    return FirstOf(n, em.Get(all, 0), em.Get(all, 1), at);
  }
  const ExprId top = k ? em.Call("topk"_op, {x}, settings(Dim(k->front())))
                       : em.Call("dyn.topk"_op, {x, n.in(1)}, settings(Dim::Null()));
  return {em.Get(top, 0), em.Get(top, 1)};
}

// Unique slices along an axis of a constant: the positions are found here, the slices are taken from the tensor.
auto UniqueSlices(Node& n, int64_t axis) -> Results {
  Emitter& em = n.em();
  const auto numbers = n.NeedDoubles(0);
  if (!numbers) return {};
  const Ints shape = *em.StaticShape(n.in(0));
  const int64_t extent = shape[static_cast<size_t>(axis)];
  const int64_t inner = Product(std::span(shape).subspan(static_cast<size_t>(axis) + 1));
  const int64_t outer = Product(std::span(shape).first(static_cast<size_t>(axis)));
  std::vector<std::vector<double>> slices(static_cast<size_t>(extent));
  for (int64_t i = 0; i < extent; ++i) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < inner; ++k)
        slices[static_cast<size_t>(i)].push_back((*numbers)[static_cast<size_t>((o * extent + i) * inner + k)]);
    }
  }
  std::map<std::vector<double>, int64_t> number_of;
  Ints first;
  Ints counts;
  Ints inverse;
  for (int64_t i = 0; i < extent; ++i) {
    const auto [entry, is_new] =
        number_of.try_emplace(slices[static_cast<size_t>(i)], static_cast<int64_t>(first.size()));
    if (is_new) {
      first.push_back(i);
      counts.push_back(0);
    }
    ++counts[static_cast<size_t>(entry->second)];
    inverse.push_back(entry->second);
  }
  if (n.Flag("sorted")) {
    Ints order;
    for (const auto& [slice, index] : number_of) order.push_back(index);
    Ints rank_of(order.size());
    for (size_t i = 0; i < order.size(); ++i) rank_of[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    const auto permuted = [&](const Ints& values) {
      Ints result;
      for (const int64_t i : order) result.push_back(values[static_cast<size_t>(i)]);
      return result;
    };
    first = permuted(first);
    counts = permuted(counts);
    for (int64_t& i : inverse) i = rank_of[static_cast<size_t>(i)];
  }
  return {Take(em, n.in(0), em.Vector(first), axis), em.Vector(first), em.Vector(inverse), em.Vector(counts)};
}

auto ConvertUnique(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const DataType i64 = DataType::Int(64);
  if (n.Has("axis") && em.rank(x) != 1) return UniqueSlices(n, n.Axis(n.Int("axis"), em.rank(x)));
  if (!n.Has("axis")) x = Reshape(em, x, {-1});
  const ExprId u = em.Call("unique"_op, {x}, {{"sorted", n.Flag("sorted")}, {"return_counts", true}});
  const ExprId count = em.Get(u, 3);
  const auto trim = [&](ExprId e) {
    return SliceBy(em, e, em.Vector({0}, DataType::Int(32)), count, em.Vector({1}, DataType::Int(32)));
  };
  return {trim(em.Get(u, 0)), Cast(em, trim(em.Get(u, 1)), i64), Cast(em, em.Get(u, 2), i64),
          Cast(em, trim(em.Get(u, 4)), i64)};
}

constexpr OpRow kSortRows[] = {
    OpRow("CumSum", "11 14", "x, axis", "int exclusive = 0; int reverse = 0", ConvertCumulation).Of("cumsum"_op),
    OpRow("CumProd", "26", "x, axis", "int exclusive = 0; int reverse = 0", ConvertCumulation).Of("cumprod"_op),
    {"TopK", "1 10 11", "X, K?", "int axis = -1; int largest = 1; int sorted = 1; int k", ConvertTopK},
    {"Unique", "11", "X", "int axis; int sorted = 1", ConvertUnique},
};

}  // namespace

auto SortRows() -> std::span<const OpRow> { return kSortRows; }

}  // namespace relayopt::onnx
