// Type rules of reductions, creation, reshape, joining, splitting and the other operators on shapes.
#include <catch2/catch.hpp>

#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "rule_harness.h"

namespace relayopt {
namespace {

TEST_CASE("reshape follows its special values") {
  RuleHarness h;
  const auto reshape = [&](std::initializer_list<Dim> data, DimList newshape, bool allowzero = false) {
    return h.Run("reshape"_op, {h.T(data)}, ReshapeAttrs{std::move(newshape), allowzero});
  };
  CHECK(reshape({2, 3, 4}, {6, 4}) == "(6, 4) float32");
  CHECK(reshape({2, 3, 4}, {0, -1}) == "(2, 12) float32");
  CHECK(reshape({2, 3, 4}, {-2}) == "(2, 3, 4) float32");
  CHECK(reshape({2, 3, 4}, {2, -2, 1, 1}) == "(2, 3, 4, 1, 1) float32");
  CHECK(reshape({2, 3, 4, 5}, {-3, -3}) == "(6, 20) float32");
  CHECK(reshape({2, 3, 4}, {-4, 1, -1, -2}) == "(1, 2, 3, 4) float32");
  CHECK(reshape({2, 3, 4}, {0, -4, -1, 3, 0}) == "(2, 1, 3, 4) float32");
  CHECK(reshape({1}, {}) == "() float32");
  CHECK(reshape({0, 4}, {-1, 4}) == "(0, 4) float32");
  CHECK(reshape({0, 4}, {4, 0}, true) == "(4, 0) float32");
  // Unknown extents: nothing is checked, and an unused one makes the inferred one unknown.
  CHECK(reshape({2, kAny, 4}, {2, -1}) == "(2, ?) float32");
  CHECK(reshape({kAny, 3, 4}, {0, -1}) == "(?, 12) float32");
  CHECK(reshape({kAny, 3}, {-3}) == "(?) float32");
  CHECK(reshape({kAny, 3}, {-4, 2, -1, 0}) == "(2, ?, 3) float32");
  // The inferred extent replaces -1, also after values that produce several extents.
  CHECK(reshape({2, 3}, {-2, -1}) == "(2, 3, 1) float32");
  CHECK(reshape({6, 4}, {-4, 2, 3, -1}) == "(2, 3, 4) float32");
}

TEST_CASE("reshape rejects what does not fit") {
  RuleHarness h;
  const auto reshape = [&](std::initializer_list<Dim> data, DimList newshape) {
    return h.Run("reshape"_op, {h.T(data)}, ReshapeAttrs{std::move(newshape)});
  };
  CHECK(reshape({2, 3}, {4, 2}) == "error: reshape: 6 elements of data of shape (2, 3) cannot become shape (4, 2)");
  CHECK(IsError(reshape({2, 3}, {-1, -1})));
  CHECK(IsError(reshape({2, 3}, {-1, 4})));
  CHECK(IsError(reshape({2, 3}, {0, 0, 0})));
  CHECK(IsError(reshape({2, 3}, {2, -3})));
  CHECK(IsError(reshape({2, 3}, {-4, -1, -1, 3})));
  CHECK(IsError(reshape({2, 3}, {-4, 2})));
  CHECK(IsError(reshape({2, 3}, {-4, 0, -1, 3})));
  CHECK(IsError(reshape({2, 3}, {-5})));
  CHECK(IsError(reshape({2, 3}, DimList::Null())));
  CHECK(IsError(reshape({2, 3}, {kAny})));
  CHECK(IsError(reshape({kHuge, 4}, {-1})));
  CHECK(IsError(reshape({kHuge, kAny, 4}, {-3, -3})));
  CHECK(IsError(reshape({kHuge, 4}, {-3})));
  CHECK(IsError(reshape({kAny}, {kHuge, 4})));
}

TEST_CASE("reverse reshape takes special values from the right") {
  RuleHarness h;
  const auto reshape = [&](std::initializer_list<Dim> data, DimList newshape) {
    return h.Run("contrib_reverse_reshape"_op, {h.T(data)}, ReshapeAttrs{std::move(newshape)});
  };
  CHECK(reshape({2, 3, 4}, {-1, 0}) == "(6, 4) float32");
  CHECK(reshape({2, 3, 4}, {0, -3}) == "(2, 12) float32");
  CHECK(reshape({2, 3, 4}, {-2, 2, 2, -4}) == "(2, 3, 2, 2) float32");
}

TEST_CASE("reshape_like replaces a range of axes") {
  RuleHarness h;
  const auto like = [&](std::initializer_list<Dim> a, std::initializer_list<Dim> b,
                        const ReshapeLikeAttrs& attrs = {}) {
    return h.Run("reshape_like"_op, {h.T(a), h.T(b)}, attrs);
  };
  CHECK(like({6, 4}, {2, 12}) == "(2, 12) float32");
  CHECK(like({30, 7}, {15, 2, 4}, {0, 1, 0, 2}) == "(15, 2, 7) float32");
  CHECK(like({30, 7}, {15, 2, 4}, {0, -1, 0, -1}) == "(15, 2, 7) float32");
  CHECK(like({6, kAny}, {2, 5}) == "(2, 5) float32");
  CHECK(IsError(like({6, 4}, {2, 11})));
  CHECK(IsError(like({6, 4}, {2, 12}, {0, 3, 0, Dim::Null()})));
  CHECK(IsError(like({6, 4}, {2, 12}, {0, 1, -3, Dim::Null()})));
}

TEST_CASE("reductions") {
  RuleHarness h;
  const auto sum = [&](std::initializer_list<Dim> data, DimList axis, bool keepdims = false, bool exclude = false) {
    return h.Run("sum"_op, {h.T(data)}, ReduceAttrs{std::move(axis), keepdims, exclude});
  };
  CHECK(sum({2, 3, 4}, DimList::Null()) == "() float32");
  CHECK(sum({2, 3, 4}, {}, true, true) == "(1, 1, 1) float32");
  CHECK(sum({2, 3, 4}, {-1, 0}) == "(3) float32");
  CHECK(sum({2, 3, 4}, {1}, true) == "(2, 1, 4) float32");
  CHECK(sum({2, 3, 4}, {1}, false, true) == "(3) float32");
  CHECK(sum({2, 3}, {0, 1}, true, true) == "(2, 3) float32");
  CHECK(sum({2, kAny, 4}, {1}, true) == "(2, 1, 4) float32");
  CHECK(sum({2, kAny, 4}, {0}) == "(?, 4) float32");
  CHECK(sum({}, DimList::Null()) == "() float32");
  CHECK(IsError(sum({}, {0})));
  CHECK(IsError(sum({2, 3}, {2})));
  CHECK(IsError(sum({2, 3}, {1, -1})));
  CHECK(IsError(sum({2147483647, kAny}, {0, 1})));
  CHECK(sum({kAny, 2147483647}, {0, 1}) == "() float32");
}

TEST_CASE("positions have the integer type of the first extent") {
  RuleHarness h;
  const ArgReduceAttrs first{{0}};
  CHECK(h.Run("argmax"_op, {h.T({3, 4})}, first) == "(4) int32");
  CHECK(h.Run("argmax"_op, {h.T({Dim(3, 64), 4})}, first) == "(4) int64");
  CHECK(h.Run("argmin"_op, {h.T({3, Dim(4, 64)})}, first) == "(4) int32");
  CHECK(h.Run("argmin"_op, {h.T({kAny, 4})}, first) == "(4) int32");
  CHECK(IsError(h.Run("argmax"_op, {h.T({})}, ArgReduceAttrs{})));
}

TEST_CASE("variance needs a mean of the same rank") {
  RuleHarness h;
  const VarianceAttrs attrs{{1}, true};
  CHECK(h.Run("variance"_op, {h.T({2, 3}), h.T({2, 1})}, attrs) == "(2, 1) float32");
  CHECK(IsError(h.Run("variance"_op, {h.T({2, 3}), h.T({2})}, attrs)));
}

TEST_CASE("creation and sizes") {
  RuleHarness h;
  const DataType int64 = DataType::Int(64);
  CHECK(h.Run("full"_op, {h.T({})}, InitOpAttrs{{2, 3}, {}}) == "(2, 3) float32");
  CHECK(h.Run("full"_op, {h.T({})}, InitOpAttrs{{2147483648}, int64}) == "(2147483648) int64");
  CHECK(IsError(h.Run("full"_op, {h.T({1})}, InitOpAttrs{{2}, {}})));
  CHECK(IsError(h.Run("zeros"_op, {}, InitOpAttrs{{-4}, int64})));
  CHECK(IsError(h.Run("zeros"_op, {}, InitOpAttrs{{kHuge, 3}, int64})));
  CHECK(h.Run("zeros"_op, {}, InitOpAttrs{{kHuge, 0, 3}, int64}) == "(9223372036854775807, 0, 3) int64");
  CHECK(IsError(h.Run("ones"_op, {}, InitOpAttrs{DimList::Null(), int64})));
  CHECK(h.Run("full_like"_op, {h.T({2, kAny}), h.T({}, int64)}) == "(2, ?) float32");
  CHECK(h.Run("one_hot"_op, {h.T({2, 3}), h.T({}), h.T({})}, OneHotAttrs{5, -1, int64}) == "(2, 3, 5) int64");
  CHECK(h.Run("one_hot"_op, {h.T({2, 3}), h.T({}), h.T({})}, OneHotAttrs{5, 0, int64}) == "(5, 2, 3) int64");
  CHECK(IsError(h.Run("one_hot"_op, {h.T({2, 3}), h.T({}), h.T({})}, OneHotAttrs{5, -2, int64})));
  CHECK(IsError(h.Run("one_hot"_op, {h.T({2, 3}), h.T({}), h.T({})}, OneHotAttrs{0, -1, int64})));
  CHECK(h.Run("shape_of"_op, {h.T({2, kAny})}, ShapeOfAttrs{int64}) == "(2) int64");
  CHECK(h.Run("shape_of"_op, {h.T({})}, ShapeOfAttrs{int64}) == "() int64");
  CHECK(h.Run("ndarray_size"_op, {h.T({2, 3})}, NdarraySizeAttrs{int64}) == "() int64");
}

TEST_CASE("arange counts what its constant attributes say") {
  RuleHarness h;
  const TypeId scalar = h.T({});
  const auto arange = [&](ObjectId start, ObjectId stop, ObjectId step) {
    return h.Run("arange"_op, {scalar, scalar, scalar}, ArangeAttrs{start, stop, step, DataType::Float(32)});
  };
  CHECK(arange(h.Scalar(1), h.Scalar(10), h.Scalar(2.5)) == "(4) float32");
  CHECK(arange(h.Scalar(1), h.AddVar(), h.Scalar(2.5)) == "(?) float32");
  CHECK(IsError(arange(h.Scalar(1), h.Scalar(1), h.Scalar(1))));
  CHECK(IsError(arange(h.Scalar(1), h.Scalar(2), h.Scalar(0))));
  CHECK(IsError(arange(h.Scalar(0), h.Scalar(1e300), h.Scalar(1))));
}

TEST_CASE("axes come and go") {
  RuleHarness h;
  CHECK(h.Run("expand_dims"_op, {h.T({2, 3})}, ExpandDimsAttrs{-1, 2}) == "(2, 3, 1, 1) float32");
  CHECK(h.Run("expand_dims"_op, {h.T({2, 3})}, ExpandDimsAttrs{-3, 1}) == "(1, 2, 3) float32");
  CHECK(IsError(h.Run("expand_dims"_op, {h.T({2, 3})}, ExpandDimsAttrs{3, 1})));
  CHECK(IsError(h.Run("expand_dims"_op, {h.T({2, 3})}, ExpandDimsAttrs{0, kHuge})));
  CHECK(IsError(h.Run("expand_dims"_op, {h.T({2, 3})}, ExpandDimsAttrs{0, -1})));
  CHECK(h.Run("squeeze"_op, {h.T({1, 4, 1})}, SqueezeAttrs{}) == "(4) float32");
  CHECK(h.Run("squeeze"_op, {h.T({1, 4})}, SqueezeAttrs{{}}) == "(1, 4) float32");
  CHECK(h.Run("squeeze"_op, {h.T({1, kAny, 1})}, SqueezeAttrs{{-1, 1, 2}}) == "(1) float32");
  CHECK(IsError(h.Run("squeeze"_op, {h.T({1, 4})}, SqueezeAttrs{{1}})));
  CHECK(IsError(h.Run("squeeze"_op, {h.T({1, kAny})}, SqueezeAttrs{})));
  CHECK(h.Run("transpose"_op, {h.T({2, 3, kAny})}, TransposeAttrs{}) == "(?, 3, 2) float32");
  CHECK(h.Run("transpose"_op, {h.T({2, 3, 4})}, TransposeAttrs{{0, -1, 1}}) == "(2, 4, 3) float32");
  CHECK(IsError(h.Run("transpose"_op, {h.T({2, 3})}, TransposeAttrs{{}})));
  CHECK(IsError(h.Run("transpose"_op, {h.T({2, 3})}, TransposeAttrs{{1, -1}})));
  CHECK(IsError(h.Run("transpose"_op, {h.T({2, 3})}, TransposeAttrs{{0, 2}})));
}

TEST_CASE("elements are repeated and reversed") {
  RuleHarness h;
  CHECK(h.Run("repeat"_op, {h.T({2, 3})}, RepeatAttrs{4, -1}) == "(2, 12) float32");
  CHECK(h.Run("repeat"_op, {h.T({2, kAny})}, RepeatAttrs{4, 1}) == "(2, ?) float32");
  CHECK(IsError(h.Run("repeat"_op, {h.T({2, 3})}, RepeatAttrs{4, 2})));
  CHECK(IsError(h.Run("repeat"_op, {h.T({2, 3})}, RepeatAttrs{0, 0})));
  CHECK(IsError(h.Run("repeat"_op, {h.T({2, 3})}, RepeatAttrs{2, Dim::Null()})));
  CHECK(IsError(h.Run("repeat"_op, {h.T({kHuge})}, RepeatAttrs{2, 0})));
  CHECK(h.Run("tile"_op, {h.T({2, 3})}, TileAttrs{{2}}) == "(2, 6) float32");
  CHECK(h.Run("tile"_op, {h.T({kAny})}, TileAttrs{{3, 2}}) == "(3, ?) float32");
  CHECK(IsError(h.Run("tile"_op, {h.T({2})}, TileAttrs{{0}})));
  CHECK(IsError(h.Run("tile"_op, {h.T({kHuge}, DataType::Int(8))}, TileAttrs{{4}})));
  CHECK(h.Run("reverse"_op, {h.T({2, 3})}, ReverseAttrs{-2}) == "(2, 3) float32");
  CHECK(IsError(h.Run("reverse"_op, {h.T({2, 3})}, ReverseAttrs{})));
  const TypeId lengths = h.T({3}, DataType::Int(64));
  CHECK(h.Run("reverse_sequence"_op, {h.T({2, 3}), lengths}, ReverseSequenceAttrs{0, 1}) == "(2, 3) float32");
  CHECK(IsError(h.Run("reverse_sequence"_op, {h.T({2, 3}), lengths}, ReverseSequenceAttrs{})));
  CHECK(IsError(h.Run("reverse_sequence"_op, {h.T({2, 3}), h.T({3})}, ReverseSequenceAttrs{0, 1})));
  CHECK(h.Run("sliding_window"_op, {h.T({2, 3, 32, 32})}, SlidingWindowAttrs{1, {3, 4, 5}, {1, 2, 3}}) ==
        "(2, 1, 15, 10, 3, 4, 5) float32");
  CHECK(IsError(h.Run("sliding_window"_op, {h.T({2, 3})}, SlidingWindowAttrs{1, {3}, {0}})));
  CHECK(IsError(h.Run("sliding_window"_op, {h.T({2, 3})}, SlidingWindowAttrs{1, {9}, {1}})));
}

TEST_CASE("element types are converted") {
  RuleHarness h;
  CHECK(h.Run("cast"_op, {h.T({2, kAny})}, CastAttrs{DataType::Int(8)}) == "(2, ?) int8");
  CHECK(h.Run("cast_like"_op, {h.T({2}), h.T({}, DataType::Bool())}) == "(2) bool");
  CHECK(IsError(h.Run("cast"_op, {h.Tuple({})}, CastAttrs{DataType::Int(8)})));
  CHECK(h.Run("cast"_op, {h.context.FreshIncomplete()}, CastAttrs{DataType::Int(8)}) == "wait");
}

TEST_CASE("concatenate") {
  RuleHarness h;
  const auto join = [&](TypeId data, int64_t axis) { return h.Run("concatenate"_op, {data}, ConcatenateAttrs{axis}); };
  CHECK(join(h.Tuple({h.T({2, 3}), h.T({4, 3})}), 0) == "(6, 3) float32");
  CHECK(join(h.Tuple({h.T({2, 3}), h.T({2, 4})}), -1) == "(2, 7) float32");
  CHECK(join(h.Tuple({h.T({kAny, 3}), h.T({kAny, kAny})}), 0) == "(?, 3) float32");
  CHECK(join(h.Tuple({h.T({1, 3}), h.T({1, kAny})}), 0) == "(2, ?) float32");
  CHECK(join(h.Tuple({h.T({1}), h.context.FreshIncomplete()}), 0) == "wait");
  CHECK(IsError(join(h.Tuple({h.T({2, 3}), h.T({2, 4})}), 0)));
  CHECK(IsError(join(h.Tuple({h.T({2, 3}), h.T({2})}), 0)));
  CHECK(IsError(join(h.Tuple({h.T({2}), h.T({2}, DataType::Int(8))}), 0)));
  CHECK(IsError(join(h.Tuple({h.T({kHuge}), h.T({2})}), 0)));
  CHECK(IsError(join(h.Tuple({h.T({2})}), 1)));
  CHECK(IsError(join(h.Tuple({}), 0)));
  CHECK(IsError(join(h.T({2}), 0)));
}

TEST_CASE("stack") {
  RuleHarness h;
  const auto stack = [&](TypeId data, Dim axis) { return h.Run("stack"_op, {data}, StackAttrs{axis}); };
  CHECK(stack(h.Tuple({h.T({2, 3}), h.T({2, 3})}), -1) == "(2, 3, 2) float32");
  CHECK(stack(h.Tuple({h.T({2, kAny}), h.T({2, 3})}), 0) == "(2, 2, ?) float32");
  CHECK(IsError(stack(h.Tuple({h.T({2, 3}), h.T({2, 4})}), 0)));
  CHECK(IsError(stack(h.Tuple({h.T({2, 3})}), 3)));
  CHECK(IsError(stack(h.Tuple({h.T({2, 3})}), Dim::Null())));
}

TEST_CASE("split") {
  RuleHarness h;
  const auto split = [&](std::initializer_list<Dim> data, ObjectId how, int64_t axis = 0) {
    return h.Run("split"_op, {h.T(data)}, SplitAttrs{how, axis});
  };
  CHECK(split({6, 2}, h.context.AddInt(3)) == "[(2, 2) float32; (2, 2) float32; (2, 2) float32]");
  CHECK(split({2, kAny}, h.context.AddInt(2), -1) == "[(2, ?) float32; (2, ?) float32]");
  CHECK(split({6}, h.context.AddInt(1)) == "[(6) float32]");
  CHECK(split({6}, h.Integers({1, 4})) == "[(1) float32; (3) float32; (2) float32]");
  CHECK(split({kAny}, h.Integers({1, 4})) == "[(1) float32; (3) float32; (?) float32]");
  CHECK(split({6}, h.Integers({})) == "[(6) float32]");
  CHECK(IsError(split({6}, h.context.AddInt(4))));
  CHECK(IsError(split({6}, h.context.AddInt(0))));
  CHECK(IsError(split({kHuge}, h.context.AddInt(kHuge))));
  CHECK(IsError(split({6}, h.Integers({4, 4}))));
  CHECK(IsError(split({6}, h.Integers({-1, 4}))));
  CHECK(IsError(split({6}, h.Integers({6}))));
  CHECK(IsError(split({6}, {})));
  CHECK(IsError(split({}, h.context.AddInt(1))));
}

TEST_CASE("layouts are transformed") {
  RuleHarness h;
  const auto transform = [&](std::initializer_list<Dim> data, std::string from, std::string to) {
    return h.Run("layout_transform"_op, {h.T(data)}, LayoutTransformAttrs{std::move(from), std::move(to)});
  };
  CHECK(transform({1, 32, 7, 9}, "NCHW", "NHWC") == "(1, 7, 9, 32) float32");
  CHECK(transform({1, 33, 7, 9}, "NCHW", "NCHW16c") == "(1, 3, 7, 9, 16) float32");
  CHECK(transform({kAny, 2, 7, 9, 16}, "NCHW16c", "NCHW8c") == "(?, 4, 7, 9, 8) float32");
  CHECK(IsError(transform({1, 2, 7, 9, 15}, "NCHW16c", "NCHW")));
  CHECK(IsError(transform({1, 2, 7}, "NCHW", "NHWC")));
  CHECK(IsError(transform({1, 2, 7, 8}, "NCHW", "NHW")));
  CHECK(IsError(transform({1, 2, 7, 8}, "NCHW", "__undef__")));
  CHECK(h.Run("auto_scheduler_layout_transform"_op, {h.T({1, 32})},
              AutoSchedulerLayoutTransformAttrs{"1N32C", "1N2C16c"}) == "(1, 2, 16) float32");
}

TEST_CASE("an index map gives the extents of its results") {
  RuleHarness h;
  Context& context = h.context;
  const ObjectId n = h.AddVar();
  const ObjectId c = h.AddVar();
  const ObjectId four = context.AddInt(4);
  const DataType int32 = DataType::Int(32);
  const ObjectId vars[] = {n, c};
  const ObjectId results[] = {n, context.AddBinary("tir.FloorDiv", int32, c, four),
                              context.AddBinary("tir.FloorMod", int32, c, four)};
  const ObjectField fields[] = {
      {context.Intern("initial_indices"), {}, context.AddArray(vars)},
      {context.Intern("final_indices"), {}, context.AddArray(results)},
  };
  Object map;
  map.type_key = context.Intern("tir.IndexMap");
  map.fields = fields;
  const MetaScheduleLayoutTransformAttrs attrs{context.Add(map)};
  CHECK(h.Run("meta_schedule_layout_transform"_op, {h.T({2, 10})}, attrs) == "(2, 3, 4) float32");
  CHECK(IsError(h.Run("meta_schedule_layout_transform"_op, {h.T({2, kAny})}, attrs)));
  CHECK(IsError(h.Run("meta_schedule_layout_transform"_op, {h.T({2})}, attrs)));
}

}  // namespace
}  // namespace relayopt
