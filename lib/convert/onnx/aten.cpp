// The operator ATen of org.pytorch.aten, as PyTorch's exporter falls back to it: its attribute says which one.
#include <algorithm>
#include <array>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto AtenSize(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId shape = em.ShapeOf(n.in(0));
  return n.has(1) ? Take(em, shape, NormalizedIndices(em, shape, n.in(1), 0), 0) : shape;
}

auto AtenReshape(Node& n) -> Results { return ReshapeBy(n.em(), n.in(0), n.in(1)); }

// To an end, from a begin to it, or with a step.
auto AtenArange(Node& n) -> Results {
  Emitter& em = n.em();
  const size_t count = n.num_inputs();
  if (count > 3) return n.Fail("a range has three numbers at most, not {}", count);
  const DataType dtype = em.dtype(n.in(0));
  const ExprId start = count > 1 ? n.in(0) : em.Scalar(dtype, 0);
  const ExprId stop = count > 1 ? n.in(1) : n.in(0);
  const ExprId step = count > 2 ? n.in(2) : em.Scalar(dtype, 1);
  if (n.failed() || !start || !stop || !step) return n.Fail("a number of the range is missing");
  return em.Call("arange"_op, {start, stop, step}, ArangeAttributes(em, start, stop, step, dtype));
}

// Returns `values` in the shape of what the indices select, to which PyTorch broadcasts them, if that shape is known.
auto BroadcastValues(Emitter& em, ExprId data, const Exprs& indices, ExprId values) -> ExprId {
  const auto rest = em.StaticShape(data);
  const auto given = em.StaticShape(values);
  auto shape = em.StaticShape(indices.front());
  if (!rest || !given || !shape || rest->size() < indices.size()) return values;
  shape->insert(shape->end(), rest->begin() + static_cast<std::ptrdiff_t>(indices.size()), rest->end());
  return *given == *shape ? values : BroadcastToInts(em, values, *shape);
}

// The inputs are the data, an index for each of the first axes, the values, and whether they are added.
auto AtenIndexPut(Node& n) -> Results {
  Emitter& em = n.em();
  const size_t count = n.num_inputs();
  if (count < 4) return n.Fail("data, indices, values and mode are required");
  const auto accumulates = n.NeedInt(count - 1);
  if (!accumulates) return {};
  Exprs indices;
  for (size_t i = 1; i + 2 < count; ++i) {
    const ExprId index = CastTo(em, n.in(i), DataType::Int(64));
    // As TVM: negative ones that are not known stay, unless results have to be exact.
    const bool is_normalized = em.is_constant(index) || n.exact();
    indices.push_back(is_normalized ? NormalizedIndices(em, n.in(0), index, static_cast<int64_t>(i) - 1) : index);
  }
  const ExprId values = BroadcastValues(em, n.in(0), indices, n.in(count - 2));
  return em.Call("scatter_nd"_op, {n.in(0), Stack(em, indices, 0), values},
                 {{"mode", *accumulates != 0 ? "add" : "update"}});
}

// Sums, means or maxima of rows of a table: of each row of a matrix of indices, or of the bags that begin at offsets.
auto AtenEmbeddingBag(Node& n) -> Results {
  Emitter& em = n.em();
  constexpr std::array<const OpDef*, 3> kModes = {"sum"_op, "mean"_op, "max"_op};
  const int64_t mode = n.Int("mode");
  if (n.failed()) return {};
  if (mode < 0 || mode > 2) return n.Fail("mode {} is not sum, mean or max", mode);
  const OpDef* reduce = kModes[static_cast<size_t>(mode)];
  const ExprId indices = n.in(1);
  const ExprId rows = Take(em, n.in(0), indices, 0);
  const ExprId unused = em.Scalar(DataType::Float(32), 0.0);
  if (em.rank(indices) == 2) return {Reduce(em, reduce, rows, {1}, false), unused, unused, unused};
  auto offsets = n.NeedInts(2);
  const int64_t count = n.NeedExtent(indices, 0, "the indices");
  if (!offsets || n.failed()) return {};
  if (n.Flag("include_last_offset")) {
    if (offsets->empty() || offsets->back() != count)
      return n.Fail("the last offset must be {}, where the indices end", count);
    offsets->pop_back();
  }
  Ints lengths;
  for (size_t i = 0; i < offsets->size(); ++i) {
    lengths.push_back((i + 1 < offsets->size() ? (*offsets)[i + 1] : count) - (*offsets)[i]);
  }
  const bool fits = !offsets->empty() && offsets->front() == 0 &&
                    std::ranges::all_of(lengths, [](int64_t length) { return length > 0; });
  if (!fits) return n.Fail("offsets must start at 0, and no bag may be empty");
  Exprs bags;
  for (const ExprId bag : lengths.size() == 1 ? Exprs{rows} : SplitBy(n, rows, lengths, 0, 32))
    bags.push_back(Reduce(em, reduce, bag, {0}, false));
  return {Stack(em, bags, 0), unused, unused, unused};
}

auto ConvertAten(Node& n) -> Results {
  const std::string op = n.Choice("operator", "size,arange,index_put,reshape,embedding_bag");
  if (n.failed()) return {};
  if (op == "size") return AtenSize(n);
  if (op == "arange") return AtenArange(n);
  if (op == "index_put") return AtenIndexPut(n);
  if (op == "reshape") return AtenReshape(n);
  return AtenEmbeddingBag(n);
}

constexpr OpRow kAtenRows[] = {
    {"org.pytorch.aten::ATen", "1", "input, inputs...",
     "string operator; string overload_name; int mode = 1; int scale_grad_by_freq; int sparse; int include_last_offset "
     "= 0",
     ConvertAten},
};

}  // namespace

auto AtenRows() -> std::span<const OpRow> { return kAtenRows; }

}  // namespace relayopt::onnx
