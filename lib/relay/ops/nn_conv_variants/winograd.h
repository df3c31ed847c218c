// Winograd's minimal filtering: convolutions by fewer products, on tiles of the result.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// A row-major matrix of a transform, which maps each line of `rows` elements to one of `columns` elements.
struct TransformMatrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> elements;
};

// The matrices that compute `tile` neighbouring outputs of a filter with `taps` elements from tile + taps - 1 inputs:
// the transformed data and the transformed filter are multiplied element by element, and the products are transformed
// back.
struct WinogradTransforms {
  TransformMatrix data;
  TransformMatrix filter;
  TransformMatrix result;
};

// Nothing, with the error reported, unless the tile has 2 to 8 elements and the filter 3 to 7.
auto WinogradTransformsFor(KernelContext& kernel, int64_t tile, int64_t taps) -> std::optional<WinogradTransforms>;

}  // namespace relayopt
