// Kernels of operators that make tensors, move their elements or convert them, each named for its operator.
#pragma once

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// creation.h
KernelFunction ArangeKernel, FullKernel, FullLikeKernel, NdarraySizeKernel, OneHotKernel, OnesKernel, ShapeOfKernel,
    ZerosKernel;
// broadcast_to.h
KernelFunction BroadcastToKernel, CollapseSumLikeKernel, CollapseSumToKernel;
// join.h
KernelFunction ConcatenateKernel, SplitKernel, StackKernel;
// reshape.h, and other operators whose result has the elements of the first operand in their order.
KernelFunction SameElementsKernel;
// transform.h
KernelFunction CastKernel, ReinterpretKernel, RepeatKernel, ReverseKernel, ReverseSequenceKernel, SlidingWindowKernel,
    TileKernel, TransposeKernel;
// slicing.h
KernelFunction SliceLikeKernel, StridedSetKernel, StridedSliceKernel;
// layout_transform.h
KernelFunction AutoSchedulerLayoutTransformKernel, LayoutTransformKernel, MetaScheduleLayoutTransformKernel;
// reduce.h
KernelFunction AllKernel, AnyKernel, ArgmaxKernel, ArgminKernel, MaxKernel, MeanKernel, MinKernel, ProdKernel,
    SumKernel, VarianceKernel;
// indexing.h
KernelFunction AdvIndexKernel, ArgWhereKernel, GatherKernel, GatherNDKernel, ScatterElementsKernel, ScatterNDKernel,
    SequenceMaskKernel, TakeKernel, UnravelIndexKernel, WhereKernel;
// sort.h
KernelFunction ArgsortKernel, SearchSortedKernel, SortKernel, TopkKernel;
// misc_tensor.h
KernelFunction CumprodKernel, CumsumKernel, DFTKernel, EinsumKernel, FixedPointMultiplyPerAxisKernel,
    InvertPermutationKernel, MatrixSetDiagKernel, MeshgridKernel, StftKernel, TriluKernel, UniqueKernel;
// sparse_tensor.h
KernelFunction SparseFillEmptyRowsKernel, SparseReshapeKernel, SparseToDenseKernel;
// random.h
KernelFunction MultinomialKernel, NormalKernel, ThreefryGenerateKernel, ThreefrySplitKernel, UniformKernel;

}  // namespace relayopt
