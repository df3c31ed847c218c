// Type rules of slicing, indexing, broadcasting to a shape, scans, sparse tensors, sorting, random numbers, lowered
// calls and the dyn.* operators.
#include <catch2/catch.hpp>

#include <cstring>

#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/dyn.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/random.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/runtime.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/sparse_tensor.h"
#include "relayopt/relay/ops/transform.h"
#include "rule_harness.h"

namespace relayopt {
namespace {

const DimList kNone = DimList::Null();
const DataType kInt32 = DataType::Int(32);
const DataType kInt64 = DataType::Int(64);

TEST_CASE("strided_slice counts the elements between its bounds") {
  RuleHarness h;
  const auto slice = [&](std::initializer_list<Dim> data, DimList begin, DimList end, DimList strides, DimList axes,
                         std::string mode = "end") {
    return h.Run(
        "strided_slice"_op, {h.T(data)},
        StridedSliceAttrs{std::move(begin), std::move(end), std::move(strides), std::move(mode), std::move(axes)});
  };
  CHECK(slice({3, 4}, {0, 1}, {2, 4}, {1, 2}, kNone) == "(2, 2) float32");
  CHECK(slice({3, 4}, {1}, {-1}, {1}, kNone) == "(1, 4) float32");
  CHECK(slice({10}, {9}, {-11}, {-3}, kNone) == "(4) float32");
  CHECK(slice({10}, {-1}, {}, {-1}, kNone) == "(9) float32");
  CHECK(slice({10}, {2}, {2}, {1}, kNone) == "(0) float32");
  CHECK(slice({10}, {2}, {kHuge}, {kHuge}, kNone) == "(1) float32");
  CHECK(slice({10}, {9}, {0}, {INT64_MIN}, kNone) == "(1) float32");
  CHECK(slice({4}, {}, {}, {}, {}) == "(4) float32");
  CHECK(slice({4, 5}, {1}, {3}, {1}, {1}) == "(4, 2) float32");
  CHECK(slice({kAny, 5}, {0, 1}, {1, 3}, {1, 1}, kNone) == "(?, 2) float32");
  CHECK(slice({kAny, 5}, {1}, {3}, {1}, {1}) == "(?, 2) float32");
  CHECK(slice({4, 5}, {0, 1}, {1, 3}, {5, 5}, kNone, "size") == "(1, 3) float32");
  CHECK(slice({4, 5}, {1, 2}, {-1, kHuge}, {1, 1}, kNone, "size") == "(3, 3) float32");
  CHECK(IsError(slice({5}, {-2}, {2}, {1}, kNone, "size")));
  CHECK(IsError(slice({5}, {3}, {1}, {1}, kNone)));
  CHECK(IsError(slice({5}, {1}, {3}, {-1}, kNone)));
  CHECK(IsError(slice({5}, {1}, {3}, {0}, kNone)));
  CHECK(IsError(slice({5}, {1}, {3}, {1}, {-1})));
  CHECK(IsError(slice({5}, {1}, {3}, {1}, {1})));
  CHECK(IsError(slice({5}, {1}, {3, 3}, {1}, {0})));
  CHECK(IsError(slice({5}, {1, 1}, {3, 3}, {1, 1}, kNone)));
  CHECK(IsError(slice({5}, kNone, {3}, {1}, kNone)));
  CHECK(IsError(slice({5}, {Dim()}, {3}, {1}, kNone)));
  CHECK(IsError(slice({}, {}, {}, {}, kNone)));
}

TEST_CASE("slice_like takes the extents of the other tensor") {
  RuleHarness h;
  const auto slice = [&](std::initializer_list<Dim> data, std::initializer_list<Dim> like, DimList axes) {
    return h.Run("slice_like"_op, {h.T(data), h.T(like)}, SliceLikeAttrs{std::move(axes)});
  };
  CHECK(slice({3, 4, 5}, {2, kAny}, kNone) == "(2, ?, 5) float32");
  CHECK(slice({3, 4, 5}, {2, 3, 4}, {-1}) == "(3, 4, 4) float32");
  CHECK(IsError(slice({3, 4}, {2, 3}, {})));
  CHECK(IsError(slice({3, 4}, {5, 3}, kNone)));
  CHECK(IsError(slice({3, 4}, {2}, {1})));
  CHECK(IsError(slice({3, 4}, {2, 2, 2}, {2})));
}

TEST_CASE("take, gather and gather_nd compose data and index shapes") {
  RuleHarness h;
  const auto take = [&](std::initializer_list<Dim> data, std::initializer_list<Dim> indices, Dim axis, Dim batch = 0) {
    return h.Run("take"_op, {h.T(data), h.T(indices, kInt32)}, TakeAttrs{batch, axis});
  };
  CHECK(take({3, 4}, {5, 6}, {}) == "(5, 6) float32");
  CHECK(take({3, 4}, {5, 6}, 0) == "(5, 6, 4) float32");
  CHECK(take({3, 4}, {kAny}, -1) == "(3, ?) float32");
  CHECK(take({3, 4, 5}, {3, 6}, 1, 1) == "(3, 6, 5) float32");
  CHECK(IsError(take({3, 4}, {5}, 2)));
  CHECK(IsError(take({3, 4}, {5}, 0, 1)));
  CHECK(IsError(take({3, 4}, {5}, 1, -1)));
  CHECK(IsError(take({kHuge}, {kHuge, 4}, 0)));
  CHECK(IsError(h.Run("take"_op, {h.T({3}), h.T({3})}, TakeAttrs{})));

  const auto gather = [&](std::initializer_list<Dim> data, std::initializer_list<Dim> indices, Dim axis) {
    return h.Run("gather"_op, {h.T(data), h.T(indices, kInt64)}, GatherAttrs{axis});
  };
  CHECK(gather({3, 4}, {3, 9}, 1) == "(3, 9) float32");
  CHECK(gather({kAny, 4}, {3, 9}, -1) == "(3, 9) float32");
  CHECK(IsError(gather({3, 4}, {2, 9}, 1)));
  CHECK(gather({3, 4}, {3, 0}, 1) == "(3, 0) float32");
  CHECK(IsError(gather({3, 4}, {3, 9}, {})));
  CHECK(IsError(gather({3, 4}, {3}, 0)));

  const auto gather_nd = [&](std::initializer_list<Dim> data, std::initializer_list<Dim> indices, Dim batch = 0) {
    return h.Run("gather_nd"_op, {h.T(data), h.T(indices, kInt64)}, GatherNDAttrs{batch});
  };
  CHECK(gather_nd({3, 4, 5}, {2, 7}) == "(7, 5) float32");
  CHECK(gather_nd({3, 4, 5}, {1, 3, 7}, 1) == "(3, 7, 5) float32");
  CHECK(IsError(gather_nd({3, 4, 5}, {kAny, 7})));
  CHECK(IsError(gather_nd({3, 4, 5}, {4, 7})));
  CHECK(IsError(gather_nd({3, 4, 5}, {1, 2, 7}, 1)));
  CHECK(IsError(gather_nd({3, 4, 5}, {1}, kHuge)));
  CHECK(IsError(gather_nd({3, 4, 5}, {})));
}

TEST_CASE("adv_index, where and the other indexing rules") {
  RuleHarness h;
  const TypeId index = h.T({2, 1}, kInt64);
  CHECK(h.Run("adv_index"_op, {h.Tuple({h.T({3, 4, 5}), index, h.T({6}, kInt64)})}) == "(2, 6, 5) float32");
  CHECK(h.Run("adv_index"_op, {h.Tuple({h.T({3}), h.context.FreshIncomplete()})}) == "wait");
  CHECK(IsError(h.Run("adv_index"_op, {h.Tuple({h.T({3}), index, index})})));
  CHECK(IsError(h.Run("adv_index"_op, {h.Tuple({h.T({3})})})));
  CHECK(IsError(h.Run("adv_index"_op, {h.T({3})})));
  CHECK(h.Run("where"_op, {h.T({4, 1}, DataType::Bool()), h.T({3}), h.T({})}) == "(4, 3) float32");
  CHECK(IsError(h.Run("where"_op, {h.T({1}), h.T({3}), h.T({2})})));
  CHECK(IsError(h.Run("where"_op, {h.T({1}), h.T({3}), h.T({3}, kInt32)})));
  CHECK(h.Run("argwhere"_op, {h.T({3, 4})}) == "(?, 2) int32");
  CHECK(h.Run("unravel_index"_op, {h.T({4}, kInt64), h.T({2}, kInt64)}) == "(2, 4) int64");
  CHECK(h.Run("unravel_index"_op, {h.T({}, kInt32), h.T({2}, kInt64)}) == "(2) int32");
  CHECK(IsError(h.Run("unravel_index"_op, {h.T({}), h.T({2}, kInt64)})));
  CHECK(h.Run("sequence_mask"_op, {h.T({5, 3}), h.T({3}, kInt32)}, SequenceMaskAttrs{}) == "(5, 3) float32");
  CHECK(IsError(h.Run("sequence_mask"_op, {h.T({5, 3}), h.T({5}, kInt32)}, SequenceMaskAttrs{})));
  CHECK(IsError(h.Run("sequence_mask"_op, {h.T({5}), h.T({5}, kInt32)}, SequenceMaskAttrs{})));
  CHECK(IsError(h.Run("sequence_mask"_op, {h.T({5, 3}), h.T({5}, kInt32)}, SequenceMaskAttrs{0, 2})));
}

TEST_CASE("scatter keeps the type of its data") {
  RuleHarness h;
  const TypeId data = h.T({1, 1, 10});
  const TypeId indices = h.T({2, 1, 1, 1}, kInt64);
  const TypeId updates = h.T({1, 1, 1, 10});
  CHECK(h.Run("scatter_nd"_op, {data, indices, updates}, ScatterNDAttrs{}) == "(1, 1, 10) float32");
  CHECK(h.Run("scatter_elements"_op, {data, data, data}, ScatterElementsAttrs{}) ==
        "error: scatter_elements: indices must have integer elements, found float32");
  CHECK(h.Run("scatter_nd"_op, {data, indices, updates}) ==
        "error: scatter_nd: needs attributes of class relay.attrs.ScatterNDAttrs");
  CHECK(IsError(h.Run("scatter_nd"_op, {h.T({1}), indices, updates}, ScatterNDAttrs{})));
  CHECK(IsError(h.Run("scatter_nd"_op, {data, h.T({kAny}, kInt64), updates}, ScatterNDAttrs{})));
}

TEST_CASE("broadcast_to and its inverse") {
  RuleHarness h;
  CHECK(h.Run("broadcast_to"_op, {h.T({3})}, InitOpAttrs{{2, 3}, {}}) == "(2, 3) float32");
  CHECK(IsError(h.Run("broadcast_to"_op, {h.T({3})}, InitOpAttrs{{4}, {}})));
  CHECK(IsError(h.Run("broadcast_to"_op, {h.T({3})}, InitOpAttrs{{-1}, {}})));
  CHECK(IsError(h.Run("broadcast_to"_op, {h.T({3})}, InitOpAttrs{})));
  CHECK(h.Run("broadcast_to_like"_op, {h.T({3}), h.T({2, 3})}) == "(2, 3) float32");
  CHECK(IsError(h.Run("broadcast_to_like"_op, {h.T({3}), h.T({2, 4})})));
  CHECK(h.Run("collapse_sum_like"_op, {h.T({2, 3}), h.T({3})}) == "(3) float32");
  CHECK(IsError(h.Run("collapse_sum_like"_op, {h.T({2, 3}), h.T({2, 2, 3})})));
  CHECK(h.Run("collapse_sum_to"_op, {h.T({2, 3}), h.T({1}, kInt32)}, InitOpAttrs{{3}, {}}) == "(3) float32");
  CHECK(h.Run("collapse_sum_to"_op, {h.T({2, 3}), h.T({1}, kInt32)}, InitOpAttrs{}) == "(?) float32");
  CHECK(IsError(h.Run("collapse_sum_to"_op, {h.T({2, 3}), h.T({kHuge}, kInt32)}, InitOpAttrs{})));
  CHECK(IsError(h.Run("collapse_sum_to"_op, {h.T({2, 3}), h.T({1}, kInt32)})));
}

TEST_CASE("einsum gives each label an extent") {
  RuleHarness h;
  const auto einsum = [&](std::string equation, std::initializer_list<TypeId> operands) {
    return h.Run("einsum"_op, {h.Tuple(operands)}, EinsumAttrs{std::move(equation)});
  };
  CHECK(einsum("ij,jk->ik", {h.T({2, 3}), h.T({3, 4})}) == "(2, 4) float32");
  CHECK(einsum("ij , jk", {h.T({2, 3}), h.T({3, 4})}) == "(2, 4) float32");
  CHECK(einsum("ba", {h.T({2, 3})}) == "(3, 2) float32");
  CHECK(einsum("ii->i", {h.T({3, 3})}) == "(3) float32");
  CHECK(einsum("ii", {h.T({3, 3})}) == "() float32");
  CHECK(einsum("i,i->i", {h.T({1}), h.T({3})}) == "(3) float32");
  CHECK(einsum("i,i->i", {h.T({kAny}), h.T({3})}) == "(?) float32");
  CHECK(einsum("...ij,...jk->...ik", {h.T({5, 2, 3}), h.T({7, 1, 3, 4})}) == "(7, 5, 2, 4) float32");
  CHECK(einsum("...,...", {h.T({kAny, kAny}), h.T({5, 1})}) == "(5, ?) float32");
  for (const char* bad :
       {"ij,jk->il", "ij,jk->ii", "ij->ij", "ijk,jk->i", "ij,j1", "ij,jk->i->k", "..ij,jk", "i......,jk"}) {
    INFO(bad);
    CHECK(IsError(einsum(bad, {h.T({2, 3}), h.T({3, 4})})));
  }
  CHECK(IsError(einsum("ij,jk", {h.T({2, 3}), h.T({5, 4})})));
  CHECK(IsError(einsum("ij,jk", {h.T({2, 3}), h.T({3, 4}, kInt32)})));
  CHECK(IsError(einsum("...i,...i", {h.T({2, 3}), h.T({5, 3})})));
}

TEST_CASE("scans, grids and transforms") {
  RuleHarness h;
  CHECK(h.Run("cumsum"_op, {h.T({2, 3})}, ScanopAttrs{1, kInt32}) == "(2, 3) int32");
  CHECK(h.Run("cumprod"_op, {h.T({2, 3})}, ScanopAttrs{}) == "(6) float32");
  CHECK(IsError(h.Run("cumsum"_op, {h.T({kHuge, 2})}, ScanopAttrs{})));
  CHECK(IsError(h.Run("cumsum"_op, {h.T({})}, ScanopAttrs{})));
  CHECK(IsError(h.Run("cumsum"_op, {h.T({2})})));
  CHECK(h.Run("unique"_op, {h.T({kAny})}, UniqueAttrs{true, true}) ==
        "[(?) float32; (?) int32; (?) int32; (1) int32; (?) int32]");
  CHECK(IsError(h.Run("unique"_op, {h.T({2, 2})}, UniqueAttrs{})));
  CHECK(h.Run("meshgrid"_op, {h.Tuple({h.T({2}), h.T({}), h.T({3})})}, MeshgridAttrs{"xy"}) ==
        "[(1, 2, 3) float32; (1, 2, 3) float32; (1, 2, 3) float32]");
  CHECK(IsError(h.Run("meshgrid"_op, {h.Tuple({h.T({2, 2})})}, MeshgridAttrs{})));
  CHECK(IsError(h.Run("meshgrid"_op, {h.Tuple({h.T({2}), h.T({2}, kInt32)})}, MeshgridAttrs{})));
  CHECK(h.Run("stft"_op, {h.T({2, 16}), h.T({4})}, StftAttrs{4, 2, 4}) == "(2, 3, 7, 2) float32");
  CHECK(h.Run("stft"_op, {h.T({kAny}), h.T({4})}, StftAttrs{4, 2, 4, false, false}) == "(4, ?, 2) float32");
  CHECK(IsError(h.Run("stft"_op, {h.T({16}), h.T({4})}, StftAttrs{})));
  CHECK(h.Run("dft"_op, {h.T({4}), h.T({4})}, DFTAttrs{}) == "[(4) float32; (4) float32]");
  CHECK(IsError(h.Run("trilu"_op, {h.T({4, 4}), h.T({1}, kInt32)}, TriluAttrs{})));
  CHECK(IsError(h.Run("matrix_set_diag"_op, {h.T({4, 4}), h.T({4})}, MatrixSetDiagAttrs{1, 0})));
}

TEST_CASE("sparse, sorting and random rules") {
  RuleHarness h;
  const TypeId indices = h.T({5, 2}, kInt64);
  CHECK(h.Run("sparse_to_dense"_op, {indices, h.T({5}), h.T({})}, SparseToDenseAttrs{{3, 4}}) == "(3, 4) float32");
  CHECK(IsError(h.Run("sparse_to_dense"_op, {indices, h.T({5}), h.T({1})}, SparseToDenseAttrs{{3, 4}})));
  CHECK(IsError(h.Run("sparse_to_dense"_op, {indices, h.T({5}), h.T({})}, SparseToDenseAttrs{{3, -4}})));
  CHECK(h.Run("sparse_fill_empty_rows"_op, {indices, h.T({5}), h.T({2}, kInt64), h.T({})}) ==
        "[(?, 2) int64; (?) int64; (?) int64]");
  CHECK(h.Run("sparse_reshape"_op, {indices, h.T({2}, kInt64), h.T({3}, kInt64)}) == "[(5, 3) int64; (3) int64]");
  CHECK(h.Run("topk"_op, {h.T({3, kAny})}, TopkAttrs{.k = 2, .dtype = kInt32}) == "[(3, 2) float32; (3, 2) int32]");
  CHECK(h.Run("topk"_op, {h.T({3, 9})}, TopkAttrs{.k = 0, .ret_type = "values"}) == "(3, 9) float32");
  CHECK(IsError(h.Run("topk"_op, {h.T({3, 9})}, TopkAttrs{})));
  CHECK(IsError(h.Run("topk"_op, {h.T({3, 9})}, TopkAttrs{.k = 1, .ret_type = "none"})));
  CHECK(h.Run("argsort"_op, {h.T({3, 9})}, ArgsortAttrs{.dtype = kInt32}) == "(3, 9) int32");
  CHECK(IsError(h.Run("sort"_op, {h.T({3, 9})}, ArgsortAttrs{.axis = 2})));
  CHECK(h.Run("searchsorted"_op, {h.T({9}), h.T({2, 2})}, SearchSortedAttrs{}) == "(2, 2) int32");
  CHECK(IsError(h.Run("searchsorted"_op, {h.T({3, 9}), h.T({2, 2})}, SearchSortedAttrs{})));

  const TypeId key = h.T({10}, DataType::UInt(64));
  CHECK(h.Run("random.threefry_split"_op, {key}) == "[(10) uint64; (10) uint64]");
  CHECK(h.Run("random.uniform"_op, {key, h.T({}), h.T({})}, UniformAttrs{{12}, DataType::Float(32)}) ==
        "[(10) uint64; (12) float32]");
  CHECK(IsError(h.Run("random.normal"_op, {key, h.T({}), h.T({})}, NormalAttrs{{12}, DataType::Float(16)})));
  CHECK(IsError(h.Run("random.threefry_generate"_op, {h.T({10})}, ThreefryGenerateAttrs{{12}})));
  CHECK(h.Run("random.multinomial"_op, {key, h.T({3, 4})}, MultinomialAttrs{5}) == "[(10) uint64; (3, 5) int32]");
  CHECK(IsError(h.Run("random.multinomial"_op, {key, h.T({})}, MultinomialAttrs{5})));
}

TEST_CASE("lowered calls and memory") {
  RuleHarness h;
  Context& context = h.context;
  const TypeId arguments = h.Tuple({h.T({2})});
  const TypeId function = context.FunctionType(std::array{h.T({2})}, h.T({3}));
  CHECK(h.Run("call_lowered"_op, {function, arguments}, CallLoweredAttrs{}) == "(3) float32");
  CHECK(IsError(h.Run("call_lowered"_op, {arguments, arguments}, CallLoweredAttrs{})));
  CHECK(h.Run("vm.invoke_tvm_op"_op, {function, arguments, h.Tuple({h.T({3})})}, DictAttrs{}) == "[]");
  CHECK(h.Run("memory.kill"_op, {h.T({2})}) == "[]");
  CHECK(h.Run("vm.reshape_tensor"_op, {h.T({4}), h.T({2}, kInt64)}, ReshapeTensorAttrs{{2, 2}}) == "(2, 2) float32");

  const TypeId storage = context.TypeCall(context.Intern("Storage"), {});
  const TypeId size = h.T({}, kInt64);
  const int64_t extents[] = {2, 3};
  std::vector<std::byte> bytes(sizeof(extents));
  std::memcpy(bytes.data(), extents, sizeof(extents));
  Object object;
  object.kind = ObjectKind::kConstant;
  object.constant = context.AddConstant(Constant(kInt64, {2}, bytes));
  const ObjectId shape = context.Add(object);
  const AllocTensorAttrs attrs{.const_shape = shape};
  CHECK(h.Run("memory.alloc_tensor"_op, {storage, size, h.T({2}, kInt64)}, attrs) == "(2, 3) float32");
  CHECK(IsError(h.Run("memory.alloc_tensor"_op, {storage, size, h.T({3}, kInt64)}, attrs)));
  CHECK(IsError(h.Run("memory.alloc_tensor"_op, {storage, size, h.T({3}, kInt64)}, AllocTensorAttrs{})));
  CHECK(h.Run("memory.alloc_tensor"_op, {storage, size, h.T({1}, kInt64)}, AllocTensorAttrs{.assert_shape = {2}}) ==
        "wait");
  CHECK(IsError(h.Run("memory.alloc_storage"_op, {h.T({}), h.T({1}, kInt64), size}, AllocStorageAttrs{})));
}

TEST_CASE("dyn operators have unknown extents") {
  RuleHarness h;
  const TypeId three = h.T({3}, kInt64);
  Resize2DAttrs resize;
  resize.layout = "NHWC";
  CHECK(h.Run("dyn.reshape"_op, {h.T({2}), three}, ReshapeAttrs{}) == "(?, ?, ?) float32");
  CHECK(IsError(h.Run("dyn.reshape"_op, {h.T({2}), h.T({kAny}, kInt64)}, ReshapeAttrs{})));
  CHECK(IsError(h.Run("dyn.reshape"_op, {h.T({2}), h.T({kHuge}, kInt64)}, ReshapeAttrs{})));
  CHECK(h.Run("dyn.tile"_op, {h.T({2}), three}, TileAttrs{}) == "(?, ?, ?) float32");
  CHECK(h.Run("dyn.full"_op, {h.T({}), three}, InitOpAttrs{}) == "(?, ?, ?) float32");
  CHECK(IsError(h.Run("dyn.full"_op, {h.T({1}), three}, InitOpAttrs{})));
  CHECK(h.Run("dyn.zeros"_op, {three}, InitOpAttrs{{}, kInt32}) == "(?, ?, ?) int32");
  CHECK(h.Run("dyn.one_hot"_op, {h.T({2, 3}), h.T({}), h.T({}), h.T({})}, OneHotAttrs{1, 1, kInt32}) ==
        "(2, ?, 3) int32");
  CHECK(IsError(h.Run("dyn.one_hot"_op, {h.T({2}), h.T({}), h.T({}), h.T({})}, OneHotAttrs{1, -2, kInt32})));
  CHECK(h.Run("dyn.expand_dims"_op, {h.T({2}), h.T({}, kInt64)}, DynExpandDimsAttrs{2}) == "(?, ?, ?) float32");
  CHECK(IsError(h.Run("dyn.expand_dims"_op, {h.T({2}), h.T({}, kInt64)}, DynExpandDimsAttrs{kHuge})));
  CHECK(h.Run("dyn.squeeze"_op, {h.T({1, 2, 3, 1}), three}, SqueezeAttrs{}) == "(?) float32");
  CHECK(IsError(h.Run("dyn.squeeze"_op, {h.T({1, 1}), three}, SqueezeAttrs{})));
  CHECK(h.Run("dyn.strided_slice"_op, {h.T({1, 2, 3, 4}), three, three, three}, StridedSliceAttrs{}) ==
        "(?, ?, ?, 4) float32");
  CHECK(h.Run("dyn.topk"_op, {h.T({3, 9}), h.T({1}, kInt64)}, TopkAttrs{.dtype = kInt32}) ==
        "[(3, ?) float32; (3, ?) int32]");
  CHECK(IsError(h.Run("dyn.topk"_op, {h.T({3, 9}), three}, TopkAttrs{})));
  CHECK(h.Run("dyn.sparse_to_dense"_op, {h.T({5, 3}, kInt64), h.T({5}), h.T({}), three}) == "(?, ?, ?) float32");
  CHECK(h.Run("dyn.nn.pad"_op, {h.T({2, 3}), h.T({2, 2}, kInt64), h.T({})}, PadAttrs{}) == "(?, ?) float32");
  CHECK(h.Run("dyn.image.resize2d"_op, {h.T({1, 8, 8, 3}), three, three}, resize) == "(1, ?, ?, 3) float32");
  CHECK(h.Run("dyn.nn.upsampling"_op, {h.T({1, 3, 8, 8}), h.T({}), h.T({})}, UpSamplingAttrs{}) ==
        "(1, 3, ?, ?) float32");
  CHECK(h.Run("dyn.nn.upsampling3d"_op, {h.T({1, 3, 8, 8, 8}), h.T({}), h.T({}), h.T({})}, UpSampling3DAttrs{}) ==
        "(1, 3, ?, ?, ?) float32");
  CHECK(IsError(h.Run("dyn.nn.upsampling"_op, {h.T({1, 3, 8}), h.T({}), h.T({})}, UpSamplingAttrs{})));
}

}  // namespace
}  // namespace relayopt
