// Kernels that reduce, move, choose, sort and count elements.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernel_harness.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/dyn.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/runtime.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/sparse_tensor.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("the operators without a kernel are known") {
  std::vector<std::string_view> names;
  for (const OpDef* op : AllOps()) {
    if (op->kernel == nullptr && !op->name.starts_with("contrib.ethosu.")) names.push_back(op->name);
  }
  CHECK(names == std::vector<std::string_view>{"call_lowered", "memory.alloc_storage", "memory.alloc_tensor",
                                               "nn.contrib_conv2d_winograd_nnpack_weight_transform",
                                               "vm.invoke_tvm_op"});
}

TEST_CASE("axes larger than a tile are exchanged") {
  KernelHarness h;
  const std::vector<int64_t> shape = {19, 33, 17};
  std::vector<int32_t> numbers(static_cast<size_t>(19 * 33 * 17));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor data = h.Make<int32_t>(DataType::Int(32), shape, numbers);
  std::vector<int64_t> axes = {0, 1, 2};
  do {
    const auto step = [&](int64_t axis) { return axis == 0 ? 33 * 17 : axis == 1 ? 17 : 1; };
    std::string expected = fmt::format("({}, {}, {})", shape[axes[0]], shape[axes[1]], shape[axes[2]]);
    for (int64_t i = 0; i < shape[axes[0]]; ++i) {
      for (int64_t j = 0; j < shape[axes[1]]; ++j) {
        for (int64_t k = 0; k < shape[axes[2]]; ++k)
          expected += fmt::format(" {}", i * step(axes[0]) + j * step(axes[1]) + k * step(axes[2]));
      }
    }
    CHECK(h.Run("transpose"_op, {data}, TransposeAttrs{{axes[0], axes[1], axes[2]}}) == expected);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST_CASE("reductions along axes, in the type of the data") {
  KernelHarness h;
  ReduceAttrs rows;
  rows.axis = {1};
  CHECK(h.Run("sum"_op, {h.F({2, 2}, {1, 2, 3, 4})}, rows) == "(2) 3 7");
  rows.exclude = true;
  rows.keepdims = true;
  CHECK(h.Run("sum"_op, {h.F({2, 2}, {1, 2, 3, 4})}, rows) == "(1, 2) 4 6");
  CHECK(h.Run("sum"_op, {h.I8({2}, {100, 100})}, ReduceAttrs()) == "() -56");
  CHECK(h.Run("mean"_op, {h.I({2}, {-3, -4})}, ReduceAttrs()) == "() -3");
  CHECK(h.Run("max"_op, {h.F({2}, {-kInf, -kInf})}, ReduceAttrs()) == "() -3.4028235e+38");
  CHECK(h.Run("max"_op, {h.F({3}, {5, kNaN, 1})}, ReduceAttrs()) == "() 1");
  CHECK(h.Run("prod"_op, {h.F({0}, {})}, ReduceAttrs()) == "() 1");
  VarianceAttrs unbiased;
  unbiased.unbiased = true;
  CHECK(h.Run("variance"_op, {h.F({2}, {1, 3}), h.F({1}, {2})}, unbiased) == "() 2");
}

TEST_CASE("positions of the largest element, with ties and without a largest") {
  KernelHarness h;
  ArgReduceAttrs first;
  ArgReduceAttrs last;
  last.select_last_index = true;
  CHECK(h.Run("argmax"_op, {h.F({3}, {3, 1, 3})}, first) == "() 0");
  CHECK(h.Run("argmax"_op, {h.F({3}, {3, 1, 3})}, last) == "() 2");
  CHECK(h.Run("argmin"_op, {h.F({4}, {3, 1, 1, 3})}, first) == "() 1");
  CHECK(h.Run("argmax"_op, {h.F({2}, {-kInf, -kInf})}, last) == "() -1");
  CHECK(h.Run("argmax"_op, {h.F({4}, {5, kNaN, 1, 3})}, first) == "() 3");
}

TEST_CASE("layouts with parts of an axis") {
  KernelHarness h;
  LayoutTransformAttrs attrs{"NCHW", "NCHW2c"};
  CHECK(h.Run("layout_transform"_op, {h.F({1, 3, 1, 2}, {1, 2, 3, 4, 5, 6})}, attrs) ==
        "(1, 2, 1, 2, 2) 1 3 2 4 5 0 6 0");
  attrs = {"NCHW2c", "NHWC"};
  CHECK(h.Run("layout_transform"_op, {h.F({1, 1, 1, 2, 2}, {1, 2, 3, 4})}, attrs) == "(1, 1, 2, 2) 1 2 3 4");
  attrs = {"OIHW", "OIHW4i2o2i"};
  std::vector<float> numbers(16);
  for (size_t i = 0; i < 16; ++i) numbers[i] = static_cast<float>(i);
  CHECK(h.Run("layout_transform"_op, {h.F({2, 8, 1, 1}, numbers)}, attrs) ==
        "(1, 1, 1, 1, 4, 2, 2) 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15");
}

TEST_CASE("tuned layouts") {
  KernelHarness h;
  const auto move = [&](std::string_view from, std::string_view to) {
    return h.Run("auto_scheduler_layout_transform"_op, {h.I({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                 AutoSchedulerLayoutTransformAttrs{std::string(from), std::string(to)});
  };
  CHECK(move("2N4C", "2C2N2C") == "(2, 2, 2) 1 2 5 6 3 4 7 8");
  CHECK(move("2N4C", "4C2N") == "(4, 2) 1 5 2 6 3 7 4 8");
  // Names of several letters, and parts of one name in the data.
  CHECK(move("2ci4ci", "2ci2ci2ci") == "(2, 2, 2) 1 2 3 4 5 6 7 8");
  CHECK(move("2ci4c", "4c2ci") == "(4, 2) 1 5 2 6 3 7 4 8");
  for (const std::string_view other : {"2N3C", "4N2C", "8N", "2N4D", "2N4", "4C2N1X"}) {
    CHECK(move("2N4C", other).find("rror: ") == 1);
  }
  CHECK(move("4N2C", "4N2C").find("rror: ") == 1);
}

// The index map (n, c) -> (n, c / factor, c % divisor).
auto AddIndexMap(Context& context, int64_t factor, int64_t divisor) -> ObjectId {
  const auto add_var = [&] {
    Object var;
    var.type_key = context.Intern("tir.Var");
    return context.Add(var);
  };
  const ObjectId vars[] = {add_var(), add_var()};
  const DataType int32 = DataType::Int(32);
  const ObjectId results[] = {vars[0], context.AddBinary("tir.FloorDiv", int32, vars[1], context.AddInt(factor)),
                              context.AddBinary("tir.FloorMod", int32, vars[1], context.AddInt(divisor))};
  const ObjectField fields[] = {
      {context.Intern("initial_indices"), {}, context.AddArray(vars)},
      {context.Intern("final_indices"), {}, context.AddArray(results)},
  };
  Object map;
  map.type_key = context.Intern("tir.IndexMap");
  map.fields = fields;
  return context.Add(map);
}

TEST_CASE("index maps move elements where there is one place for each") {
  KernelHarness h;
  const Tensor data = h.I({1, 4}, {1, 2, 3, 4});
  const auto move = [&](const Tensor& tensor, int64_t factor, int64_t divisor) {
    return h.Run("meta_schedule_layout_transform"_op, {tensor},
                 MetaScheduleLayoutTransformAttrs{AddIndexMap(h.context, factor, divisor)});
  };
  CHECK(move(data, 2, 2) == "(1, 2, 2) 1 2 3 4");
  CHECK(move(data, 4, 4) == "(1, 1, 4) 1 2 3 4");
  // Two elements in one place; a place without element.
  CHECK(move(data, 4, 2).starts_with("error: "));
  CHECK(move(h.I({1, 3}, {1, 2, 3}), 2, 2).starts_with("error: "));
}

TEST_CASE("parts, stacks, repetition and reversal") {
  KernelHarness h;
  const Tensor data = h.F({2, 2}, {1, 2, 3, 4});
  SplitAttrs split;
  split.indices_or_sections = h.context.AddInt(2);
  split.axis = 1;
  CHECK(h.Run("split"_op, {data}, split) == "(2, 1) 1 3 | (2, 1) 2 4");
  StackAttrs stack;
  stack.axis = -1;
  CHECK(h.RunTuple("stack"_op, {h.F({2}, {1, 2}), h.F({2}, {3, 4})}, stack) == "(2, 2) 1 3 2 4");
  TileAttrs tile;
  tile.reps = {2, 1, 2};
  CHECK(h.Run("tile"_op, {h.F({2, 1}, {1, 2})}, tile) == "(2, 2, 2) 1 1 2 2 1 1 2 2");
  RepeatAttrs repeat;
  repeat.repeats = 2;
  repeat.axis = -1;
  CHECK(h.Run("repeat"_op, {h.F({2}, {1, 2})}, repeat) == "(4) 1 1 2 2");
  ReverseSequenceAttrs sequence;
  CHECK(h.Run("reverse_sequence"_op, {h.F({2, 3}, {1, 2, 3, 4, 5, 6}), h.I({2}, {2, 9})}, sequence) ==
        "(2, 3) 2 1 3 6 5 4");
  SlidingWindowAttrs window;
  window.axis = 0;
  window.window_shape = {2};
  window.strides = {1};
  CHECK(h.Run("sliding_window"_op, {h.F({3}, {1, 2, 3})}, window) == "(2, 2) 1 2 2 3");
}

TEST_CASE("reading and writing at positions") {
  KernelHarness h;
  const Tensor data = h.F({2, 2}, {1, 2, 3, 4});
  GatherAttrs columns;
  columns.axis = 1;
  CHECK(h.Run("gather"_op, {data, h.I({2, 1}, {1, 0})}, columns) == "(2, 1) 2 3");
  CHECK(h.Run("gather"_op, {data, h.I({2, 1}, {2, 0})}, columns) ==
        "error: index 2 is out of range for an axis of 2 elements");
  CHECK(h.Run("gather_nd"_op, {data, h.I({2, 2}, {1, 0, 0, 1})}, GatherNDAttrs()) == "(2) 3 2");
  GatherNDAttrs batched;
  batched.batch_dims = 1;
  CHECK(h.Run("gather_nd"_op, {data, h.I({1, 2}, {1, 0})}, batched) == "(2) 2 3");
  ScatterElementsAttrs add;
  add.reduction = "add";
  CHECK(h.Run("scatter_elements"_op, {h.F({3}, {1, 2, 3}), h.I({3}, {0, -1, 0}), h.F({3}, {10, 20, 30})}, add) ==
        "(3) 41 2 23");
  CHECK(h.Run("scatter_nd"_op, {data, h.I({1, 2}, {1, 1}), h.F({2, 2}, {5, 6, 7, 8})}, ScatterNDAttrs()) ==
        "(2, 2) 1 2 7 8");
  CHECK(h.Run("argwhere"_op, {h.F({2, 2}, {0, 1, kNaN, 2})}) == "(2, 2) 0 1 1 1");
  SequenceMaskAttrs mask;
  mask.axis = 1;
  mask.mask_value = -1;
  CHECK(h.Run("sequence_mask"_op, {data, h.I({2}, {1, 2})}, mask) == "(2, 2) 1 -1 3 4");
  CHECK(h.Run("unravel_index"_op, {h.I({2}, {5, 2}), h.I({2}, {2, 3})}) == "(2, 2) 1 0 2 2");
}

TEST_CASE("equal elements keep their order when sorted") {
  KernelHarness h;
  TopkAttrs two;
  two.k = 2;
  two.dtype = DataType::Int(32);
  CHECK(h.Run("topk"_op, {h.F({4}, {1, 3, 3, 2})}, two) == "(2) 3 3 | (2) 1 2");
  ArgsortAttrs descend;
  descend.is_ascend = false;
  descend.dtype = DataType::Int(32);
  CHECK(h.Run("argsort"_op, {h.F({3}, {1, 2, 1})}, descend) == "(3) 1 0 2");
  CHECK(h.Run("sort"_op, {h.F({4}, {kNaN, 2, kNaN, 1})}, ArgsortAttrs()) == "(4) 1 2 nan nan");
  SearchSortedAttrs right;
  right.right = true;
  CHECK(h.Run("searchsorted"_op, {h.F({3}, {1, 2, 2}), h.F({2}, {2, 0})}, right) == "(2) 3 0");
  CHECK(h.Run("searchsorted"_op, {h.F({3}, {1, 2, 2}), h.F({2}, {2, 0})}, SearchSortedAttrs()) == "(2) 1 0");
}

TEST_CASE("scans and distinct elements") {
  KernelHarness h;
  ScanopAttrs exclusive;
  exclusive.exclusive = Dim(1, 1);
  CHECK(h.Run("cumsum"_op, {h.F({3}, {1, 2, 3})}, exclusive) == "(3) 0 1 3");
  ScanopAttrs down;
  down.axis = 0;
  CHECK(h.Run("cumprod"_op, {h.F({2, 2}, {1, 2, 3, 4})}, down) == "(2, 2) 1 2 3 8");
  UniqueAttrs counted;
  counted.return_counts = true;
  CHECK(h.Run("unique"_op, {h.I({4}, {5, 3, 5, 4})}, counted) ==
        "(4) 3 4 5 0 | (4) 1 3 0 4 | (4) 2 0 2 1 | (1) 3 | (4) 1 1 2 0");
  UniqueAttrs unsorted;
  unsorted.sorted = false;
  CHECK(h.Run("unique"_op, {h.I({3}, {5, 3, 5})}, unsorted) == "(3) 5 3 0 | (3) 0 1 3 | (3) 0 1 0 | (1) 2");
  CHECK(h.Run("invert_permutation"_op, {h.I({3}, {2, 0, 1})}) == "(3) 1 2 0");
  CHECK(h.Run("invert_permutation"_op, {h.I({2}, {0, 0})}).starts_with("error: "));
  CHECK(h.Run("trilu"_op, {h.F({2, 2}, {1, 2, 3, 4}), h.I({}, {0})}, TriluAttrs()) == "(2, 2) 1 2 0 4");
}

TEST_CASE("products over named axes and Fourier transforms") {
  KernelHarness h;
  EinsumAttrs product{"ij,jk->ki"};
  CHECK(h.RunTuple("einsum"_op, {h.F({1, 2}, {1, 2}), h.F({2, 2}, {1, 2, 3, 4})}, product) == "(2, 1) 7 10");
  EinsumAttrs trace{"ii"};
  CHECK(h.RunTuple("einsum"_op, {h.F({2, 2}, {1, 2, 3, 4})}, trace) == "() 5");
  EinsumAttrs batch{"...i,...i"};
  CHECK(h.RunTuple("einsum"_op, {h.F({2, 2}, {1, 2, 3, 4}), h.F({2}, {1, 10})}, batch) == "(2) 21 43");
  CHECK(h.Run("dft"_op, {h.F({2}, {1, 3}), h.F({2}, {0, 0})}, DFTAttrs()).starts_with("(2) 4 -2 | "));
}

TEST_CASE("shapes that are operands") {
  KernelHarness h;
  const Tensor data = h.F({2, 2}, {1, 2, 3, 4});
  CHECK(h.Run("dyn.reshape"_op, {data, h.I({2}, {-1, 1})}, ReshapeAttrs()) == "(4, 1) 1 2 3 4");
  CHECK(h.Run("dyn.reshape"_op, {data, h.I({2}, {3, 1})}, ReshapeAttrs()) == "(3, 1) 1 2 3");
  CHECK(h.Run("dyn.reshape"_op, {data, h.I({2}, {5, 1})}, ReshapeAttrs()).starts_with("error: "));
  ReshapeTensorAttrs reshaped;
  reshaped.newshape = {4};
  CHECK(h.Run("vm.reshape_tensor"_op, {data, h.I({1}, {4})}, reshaped) == "(4) 1 2 3 4");
  CHECK(h.Run("vm.reshape_tensor"_op, {data, h.I({1}, {5})}, reshaped).starts_with("error: "));
  CHECK(h.Run("dyn.broadcast_to"_op, {h.F({2}, {1, 2}), h.I({2}, {2, 2})}, InitOpAttrs()) == "(2, 2) 1 2 1 2");
  CHECK(h.Run("dyn.strided_slice"_op, {h.F({4}, {1, 2, 3, 4}), h.I({1}, {-1}), h.I({1}, {0}), h.I({1}, {-2})},
              StridedSliceAttrs()) == "(2) 4 2");
  CHECK(h.Run("strided_set"_op, {h.F({4}, {1, 2, 3, 4}), h.F({2}, {8, 9}), h.I({1}, {0}), h.I({1}, {4}),
                                 h.I({1}, {2})}) == "(4) 8 2 9 4");
  SparseToDenseAttrs dense;
  dense.output_shape = {2, 2};
  CHECK(h.Run("sparse_to_dense"_op, {h.I({2, 2}, {0, 1, 1, 0}), h.F({2}, {5, 6}), h.F({}, {1})}, dense) ==
        "(2, 2) 1 5 6 1");
}

}  // namespace
}  // namespace relayopt
