// All ONNX operators, found by name.
#include <array>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "families.h"
#include "relayopt/support/text_hash.h"

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

struct NamePairHash {
  auto operator()(const std::pair<std::string_view, std::string_view>& names) const -> size_t {
    return MixWords(HashText(names.first), HashText(names.second));
  }
};

using RowsByName = absl::flat_hash_map<std::pair<std::string_view, std::string_view>, const OpRow*, NamePairHash>;

// All rows by domain and name.
auto AllRows() -> const RowsByName& {
  static const RowsByName rows = [] {
    RowsByName all;
    for (const auto& family : AllOpFamilies()) {
      for (const OpRow& row : family) all.try_emplace({row.domain, row.name}, &row);
    }
    return all;
  }();
  return rows;
}

}  // namespace

auto FindOpRow(std::string_view domain, std::string_view name) -> const OpRow* {
  const auto row = AllRows().find(std::pair(domain == "ai.onnx" ? std::string_view() : domain, name));
  return row == AllRows().end() ? nullptr : row->second;
}

}  // namespace relayopt::onnx
