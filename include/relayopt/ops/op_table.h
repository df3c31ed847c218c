// All operators: the families' rows in one table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "relayopt/ops/annotation.h"
#include "relayopt/ops/broadcast_to.h"
#include "relayopt/ops/creation.h"
#include "relayopt/ops/dyn.h"
#include "relayopt/ops/elementwise.h"
#include "relayopt/ops/ethosu.h"
#include "relayopt/ops/image.h"
#include "relayopt/ops/indexing.h"
#include "relayopt/ops/join.h"
#include "relayopt/ops/layout_transform.h"
#include "relayopt/ops/misc_tensor.h"
#include "relayopt/ops/nn_activation.h"
#include "relayopt/ops/nn_conv.h"
#include "relayopt/ops/nn_conv_variants.h"
#include "relayopt/ops/nn_dense.h"
#include "relayopt/ops/nn_norm.h"
#include "relayopt/ops/nn_packed.h"
#include "relayopt/ops/nn_pool.h"
#include "relayopt/ops/nn_spatial.h"
#include "relayopt/ops/qnn.h"
#include "relayopt/ops/random.h"
#include "relayopt/ops/reduce.h"
#include "relayopt/ops/reshape.h"
#include "relayopt/ops/runtime.h"
#include "relayopt/ops/slicing.h"
#include "relayopt/ops/sort.h"
#include "relayopt/ops/sparse_tensor.h"
#include "relayopt/ops/transform.h"
#include "relayopt/ops/vision.h"

namespace relayopt {

// The families. Adding an operator touches its family's header only.
inline constexpr std::span<const OpDef> kOpFamilies[] = {
    kAnnotationOps, kBroadcastToOps,  kCreationOps,  kDynOps,           kElementwiseOps,
    kEthosuOps,     kImageOps,        kIndexingOps,  kJoinOps,          kLayoutTransformOps,
    kMiscTensorOps, kNnActivationOps, kNnConvOps,    kNnConvVariantOps, kNnDenseOps,
    kNnNormOps,     kNnPackedOps,     kNnPoolOps,    kNnSpatialOps,     kQnnOps,
    kRandomOps,     kReduceOps,       kReshapeOps,   kRuntimeOps,       kSlicingOps,
    kSortOps,       kSparseTensorOps, kTransformOps, kVisionOps,
};

// The operator of this name, or null.
auto FindOp(std::string_view name) -> const OpDef*;

// Every operator, sorted by name.
auto AllOps() -> std::span<const OpDef* const>;

namespace op_internal {
consteval auto Lookup(std::string_view name) -> const OpDef* {
  for (const auto& family : kOpFamilies) {
    for (const OpDef& op : family) {
      if (op.name == name) return &op;
    }
  }
  // Not a constant expression, so that a misspelt operator does not compile.
  throw "no operator of this name: see the tables in relayopt/ops/";
}
}  // namespace op_internal

// `"nn.relu"_op` is the row of nn.relu, looked up at compile time.
consteval auto operator""_op(const char* name, size_t size) -> const OpDef* {
  return op_internal::Lookup({name, size});
}

}  // namespace relayopt
