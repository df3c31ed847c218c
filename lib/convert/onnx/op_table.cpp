// All ONNX operators, found by name.
#include <algorithm>
#include <array>
#include <vector>

#include "families.h"

namespace relayopt::onnx {

auto AllOpFamilies() -> std::span<const std::span<const OpRow>> {
  static const std::array families = {
      ElementwiseRows(),
      BinaryRows(),
      CastRows(),
      ShapeRows(),
      CreationRows(),
      SliceRows(),
      IndexingRows(),
      SortRows(),
      MatrixRows(),
      ConvolutionRows(),
      PoolingRows(),
      NormalizationRows(),
      ReductionRows(),
      ImageRows(),
      ResizeRows(),
      QuantizationRows(),
      QuantizedProductRows(),
      RecurrentRows(),
      ControlRows(),
      ScanRows(),
      SequenceRows(),
      LossRows(),
      RandomRows(),
      SignalRows(),
      TrainingRows(),
      MachineLearningRows(),
      TreeRows(),
      MicrosoftRows(),
      ContribRows(),
      AttentionRows(),
      HeadRows(),
      FusedRows(),
      AtenRows(),
  };
  return families;
}

namespace {

struct Key {
  std::string_view domain;
  std::string_view name;
  auto operator<=>(const Key&) const = default;
};

auto KeyOf(const OpRow* row) -> Key { return {row->domain, row->name}; }

auto SortedRows() -> const std::vector<const OpRow*>& {
  static const std::vector<const OpRow*> sorted = [] {
    std::vector<const OpRow*> rows;
    for (const auto& family : AllOpFamilies()) {
      for (const OpRow& row : family) rows.push_back(&row);
    }
    std::ranges::sort(rows, {}, KeyOf);
    return rows;
  }();
  return sorted;
}

}  // namespace

auto FindOpRow(std::string_view domain, std::string_view name) -> const OpRow* {
  if (domain == "ai.onnx") domain = "";
  const std::vector<const OpRow*>& rows = SortedRows();
  const auto row = std::ranges::lower_bound(rows, Key{domain, name}, {}, KeyOf);
  return row != rows.end() && KeyOf(*row) == Key{domain, name} ? *row : nullptr;
}

}  // namespace relayopt::onnx
