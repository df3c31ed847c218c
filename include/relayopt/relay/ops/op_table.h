// All operators: the families' rows in one table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "relayopt/relay/ops/annotation.h"
#include "relayopt/relay/ops/broadcast_to.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/dyn.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/ethosu.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_packed.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/qnn.h"
#include "relayopt/relay/ops/random.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/runtime.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/sparse_tensor.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/vision.h"

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
  throw "no operator of this name: see the tables in relayopt/relay/ops/";
}
}  // namespace op_internal

// `"nn.relu"_op` is the row of nn.relu, looked up at compile time.
consteval auto operator""_op(const char* name, size_t size) -> const OpDef* {
  return op_internal::Lookup({name, size});
}

}  // namespace relayopt
