// Kernels of object detection that select boxes.
#include <algorithm>
#include <array>
#include <cmath>

#include "boxes.h"
#include "lib/relay/ops/image/resize.h"
#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/vision.h"

namespace relayopt {

namespace {

auto Filled(DataType dtype, std::vector<int64_t> shape, double value) -> Tensor {
  Tensor tensor(dtype, std::move(shape));
  if (dtype == DataType::Float(32))
    std::fill_n(tensor.mutable_data<float>(), tensor.size(), static_cast<float>(value));
  else
    std::fill_n(tensor.mutable_data<int32_t>(), tensor.size(), static_cast<int32_t>(value));
  return tensor;
}

}  // namespace

auto Overlap(const Box& a, const Box& b) -> float {
  const auto area = [](const Box& box) { return (box.right - box.left) * (box.bottom - box.top); };
  const float width = std::max(0.0F, std::min(a.right, b.right) - std::max(a.left, b.left));
  const float height = std::max(0.0F, std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  const float both = width * height;
  const float either = area(a) + area(b) - both;
  return either <= 0 ? 0 : both / either;
}

auto ByScore(int64_t count, const std::function<float(int64_t)>& score) -> std::vector<int64_t> {
  std::vector<int64_t> order = Iota(count);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const float x = score(a);
    const float y = score(b);
    if (std::isnan(x)) return false;
    return std::isnan(y) || x > y;
  });
  return order;
}

auto ScalarOf(KernelContext& kernel, size_t i) -> std::optional<double> {
  const auto wide = Converted(kernel, kernel.input(i), DataType::Float(64));
  if (wide && wide->size() == 1) return wide->data<double>()[0];
  kernel.Error("operand {} must be a number", i);
  return std::nullopt;
}

auto GetValidCountsKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<GetValidCountsAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto data = Converted(kernel, kernel.input(0), kFloat);
  const auto threshold = data ? ScalarOf(kernel, 1) : std::nullopt;
  if (!threshold) return kernel.Failed();
  const int64_t boxes = data->extent(1);
  const int64_t width = data->extent(2);
  if (attrs->score_index < 0 || attrs->score_index >= width || attrs->id_index >= width) {
    return kernel.Error("a row has no element {} or {}", attrs->score_index, attrs->id_index);
  }
  Tensor counts(kInt32, {data->extent(0)});
  Tensor rows = Filled(kFloat, ShapeOf(*data), -1);
  Tensor indices = Filled(kInt32, {data->extent(0), boxes}, -1);
  for (int64_t batch = 0; batch < data->extent(0); ++batch) {
    int64_t count = 0;
    for (int64_t i = 0; i < boxes; ++i) {
      const float* row = data->data<float>() + (batch * boxes + i) * width;
      const bool valid = row[attrs->score_index] > static_cast<float>(*threshold) &&
                         (attrs->id_index < 0 || row[attrs->id_index] >= 0);
      if (!valid) continue;
      std::copy_n(row, width, rows.mutable_data<float>() + (batch * boxes + count) * width);
      indices.mutable_data<int32_t>()[batch * boxes + count] = static_cast<int32_t>(i);
      ++count;
    }
    counts.mutable_data<int32_t>()[batch] = static_cast<int32_t>(count);
  }
  auto result = Converted(kernel, rows, kernel.input(0).dtype());
  if (!result) return kernel.Failed();
  return kernel.ReturnTuple({std::move(counts), std::move(*result), std::move(indices)});
}

auto NonMaxSuppressionKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<NonMaximumSuppressionAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto data = Converted(kernel, kernel.input(0), kFloat);
  const auto limit = data ? ScalarOf(kernel, 3) : std::nullopt;
  const auto threshold = limit ? ScalarOf(kernel, 4) : std::nullopt;
  if (!threshold) return kernel.Failed();
  const std::vector<int64_t> counts = Integers(kernel.input(1));
  const std::vector<int64_t> indices = Integers(kernel.input(2));
  const int64_t batches = data->extent(0);
  const int64_t boxes = data->extent(1);
  const int64_t width = data->extent(2);
  if (attrs->coord_start < 0 || attrs->coord_start + 4 > width || attrs->score_index < 0 ||
      attrs->score_index >= width || attrs->id_index >= width || static_cast<int64_t>(counts.size()) != batches) {
    return kernel.Error("a row does not hold what the attributes say");
  }
  if (attrs->return_indices && static_cast<int64_t>(indices.size()) != batches * boxes) {
    return kernel.Error("the indices do not match the data");
  }
  Tensor rows = Filled(kFloat, ShapeOf(*data), -1);
  Tensor chosen = Filled(kInt32, {batches, boxes}, -1);
  Tensor numbers(kInt32, {batches, 1});
  for (int64_t batch = 0; batch < batches; ++batch) {
    const float* first = data->data<float>() + batch * boxes * width;
    const auto row = [&](int64_t i) { return first + i * width; };
    std::vector<int64_t> order = ByScore(std::clamp<int64_t>(counts[static_cast<size_t>(batch)], 0, boxes),
                                         [&](int64_t i) { return row(i)[attrs->score_index]; });
    if (attrs->top_k > 0 && static_cast<int64_t>(order.size()) > attrs->top_k)
      order.resize(static_cast<size_t>(attrs->top_k));
    const size_t looked_at = order.size();
    // The rank of every box by score; ranks of suppressed boxes stay unused.
    const std::vector<int64_t> places = order;
    std::erase_if(order, [&](int64_t i) { return !(row(i)[attrs->score_index] > 0); });
    const std::vector<int64_t> kept = Survivors(
        order, *limit >= 0 ? static_cast<int64_t>(std::min(*limit, 1e12)) : -1, [&](int64_t better, int64_t candidate) {
          const bool same = attrs->force_suppress || attrs->id_index < 0 ||
                            row(better)[attrs->id_index] == row(candidate)[attrs->id_index];
          return same && Overlap(BoxAt(row(better) + attrs->coord_start), BoxAt(row(candidate) + attrs->coord_start)) >=
                             static_cast<float>(*threshold);
        });
    numbers.mutable_data<int32_t>()[batch] = static_cast<int32_t>(kept.size());
    size_t place = 0;
    for (size_t k = 0; k < kept.size(); ++k) {
      while (!attrs->invalid_to_bottom && place < looked_at && places[place] != kept[k]) ++place;
      const auto at = static_cast<int64_t>(attrs->invalid_to_bottom ? k : place);
      std::copy_n(row(kept[k]), width, rows.mutable_data<float>() + (batch * boxes + at) * width);
      if (attrs->return_indices) {
        chosen.mutable_data<int32_t>()[batch * boxes + static_cast<int64_t>(k)] =
            static_cast<int32_t>(indices[static_cast<size_t>(batch * boxes + kept[k])]);
      }
    }
  }
  if (attrs->return_indices) return kernel.ReturnTuple({std::move(chosen), std::move(numbers)});
  auto result = Converted(kernel, rows, kernel.input(0).dtype());
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

namespace {

// The boxes that are selected, by batch, then by class, then by descending score.
struct SelectedBox {
  int64_t batch;
  int64_t id;
  int64_t box;
  float score;
};

// Nothing, with the error reported, when the operands do not fit each other.
auto SelectedOfAllClasses(KernelContext& kernel) -> std::optional<std::vector<SelectedBox>> {
  const auto boxes = Converted(kernel, kernel.input(0), kFloat);
  const auto scores = boxes ? Converted(kernel, kernel.input(1), kFloat) : std::nullopt;
  const auto limit = scores ? ScalarOf(kernel, 2) : std::nullopt;
  const auto threshold = limit ? ScalarOf(kernel, 3) : std::nullopt;
  const auto least = threshold ? ScalarOf(kernel, 4) : std::nullopt;
  if (!least) return std::nullopt;
  const int64_t count = boxes->extent(1);
  const int64_t classes = scores->extent(1);
  if (boxes->extent(2) != 4 || scores->extent(0) != boxes->extent(0) || scores->extent(2) != count) {
    kernel.Error("the scores do not match the boxes");
    return std::nullopt;
  }
  std::vector<SelectedBox> selected;
  for (int64_t i = 0; i < boxes->extent(0) * classes; ++i) {
    const float* score = scores->data<float>() + i * count;
    const float* corners = boxes->data<float>() + i / classes * count * 4;
    std::vector<int64_t> order = ByScore(count, [&](int64_t k) { return score[k]; });
    std::erase_if(order, [&](int64_t k) { return !(score[k] > static_cast<float>(*least)); });
    const auto kept = Survivors(
        order, static_cast<int64_t>(std::fmin(std::fmax(*limit, 0.0), 1e12)), [&](int64_t better, int64_t candidate) {
          return Overlap(BoxAt(corners + 4 * better), BoxAt(corners + 4 * candidate)) >= static_cast<float>(*threshold);
        });
    for (const int64_t k : kept) selected.push_back({i / classes, i % classes, k, score[k]});
  }
  return selected;
}

// Rows of batch, class and box, and their number.
auto AsOneList(KernelContext& kernel, const std::vector<SelectedBox>& selected) -> KernelStatus {
  const Tensor& scores = kernel.input(1);
  Tensor rows(kInt64, {scores.size(), 3});
  auto* to = rows.mutable_data<int64_t>();
  for (const SelectedBox& one : selected) to = std::copy_n(std::array{one.batch, one.id, one.box}.begin(), 3, to);
  Tensor number(kInt64, {1});
  number.mutable_data<int64_t>()[0] = static_cast<int64_t>(selected.size());
  return kernel.ReturnTuple({std::move(rows), std::move(number)});
}

// For every batch rows of class and box, the scores, and their number.
auto AsListsByBatch(KernelContext& kernel, const std::vector<SelectedBox>& selected) -> KernelStatus {
  const int64_t batches = kernel.input(1).extent(0);
  const int64_t rows = kernel.input(1).extent(1) * kernel.input(1).extent(2);
  Tensor places(kInt64, {batches, rows, 2});
  Tensor scores(kFloat, {batches, rows});
  Tensor numbers(kInt64, {batches});
  for (const SelectedBox& one : selected) {
    const int64_t row = one.batch * rows + numbers.mutable_data<int64_t>()[one.batch]++;
    places.mutable_data<int64_t>()[2 * row] = one.id;
    places.mutable_data<int64_t>()[2 * row + 1] = one.box;
    scores.mutable_data<float>()[row] = one.score;
  }
  return kernel.ReturnTuple({std::move(places), std::move(scores), std::move(numbers)});
}

}  // namespace

// Rows after the last selected box are undefined in TVM; they are 0 here.
auto AllClassNonMaxSuppressionKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<AllClassNonMaximumSuppressionAttrs>(kernel);
  const auto selected = attrs == nullptr ? std::nullopt : SelectedOfAllClasses(kernel);
  if (!selected) return kernel.Failed();
  return attrs->output_format == "onnx" ? AsOneList(kernel, *selected) : AsListsByBatch(kernel, *selected);
}

auto MultiBoxPriorKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MultiBoxPriorAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto numbers = [&](ObjectId array, std::span<const double> otherwise) {
    return RealsOf(kernel.context(), array).value_or(std::vector<double>(otherwise.begin(), otherwise.end()));
  };
  const std::vector<double> sizes = numbers(attrs->sizes, kMultiBoxSizes);
  const std::vector<double> ratios = numbers(attrs->ratios, kMultiBoxRatios);
  const std::vector<double> steps = numbers(attrs->steps, kMultiBoxSteps);
  const std::vector<double> offsets = numbers(attrs->offsets, kMultiBoxOffsets);
  const int64_t height = data.extent(2);
  const int64_t width = data.extent(3);
  if (steps.size() != 2 || offsets.size() != 2 || sizes.empty() || ratios.empty())
    return kernel.Error("there are no boxes");
  const float step_y = steps[0] > 0 ? static_cast<float>(steps[0]) : 1.0F / static_cast<float>(height);
  const float step_x = steps[1] > 0 ? static_cast<float>(steps[1]) : 1.0F / static_cast<float>(width);
  Tensor real(kFloat, KernelContext::Extents(kernel.result_type()));
  auto* to = real.mutable_data<float>();
  const auto boxes = static_cast<int64_t>(sizes.size() + ratios.size()) - 1;
  for (int64_t i = 0; i < height * width * boxes; ++i) {
    const auto k = static_cast<size_t>(i % boxes);
    const int64_t column = i / boxes % width;
    const int64_t row = i / boxes / width;
    const float x = (static_cast<float>(column) + static_cast<float>(offsets[1])) * step_x;
    const float y = (static_cast<float>(row) + static_cast<float>(offsets[0])) * step_y;
    const auto size = static_cast<float>(k < sizes.size() ? sizes[k] : sizes[0]);
    const float root = k < sizes.size() ? 1.0F : std::sqrt(static_cast<float>(ratios[k - sizes.size() + 1]));
    const float half_width = size * static_cast<float>(height) / static_cast<float>(width) * root / 2;
    const float half_height = size / root / 2;
    for (const float corner : {x - half_width, y - half_height, x + half_width, y + half_height}) {
      *to++ = attrs->clip ? std::clamp(corner, 0.0F, 1.0F) : corner;
    }
  }
  auto result = Converted(kernel, real, data.dtype());
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto MultiBoxTransformLocKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<MultiBoxTransformLocAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto scores = Converted(kernel, kernel.input(0), kFloat);
  const auto moves = scores ? Converted(kernel, kernel.input(1), kFloat) : std::nullopt;
  const auto anchors = moves ? Converted(kernel, kernel.input(2), kFloat) : std::nullopt;
  if (!anchors) return kernel.Failed();
  std::vector<double> variances = RealsOf(kernel.context(), attrs->variances).value_or(std::vector<double>());
  if (!attrs->variances) variances.assign(std::begin(kMultiBoxVariances), std::end(kMultiBoxVariances));
  const int64_t classes = scores->extent(1);
  const int64_t count = scores->extent(2);
  if (variances.size() != 4 || anchors->size() < 4 * count || moves->size() != scores->extent(0) * 4 * count) {
    return kernel.Error("the anchors do not match the scores");
  }
  Tensor rows = Filled(kFloat, {scores->extent(0), count, 6}, -1);
  Tensor counts(kInt32, {scores->extent(0)});
  const auto variance = [&](size_t i) { return static_cast<float>(variances[i]); };
  for (int64_t batch = 0; batch < scores->extent(0); ++batch) {
    int64_t valid = 0;
    for (int64_t i = 0; i < count; ++i) {
      float best = -1;
      int64_t id = 0;
      for (int64_t c = attrs->keep_background ? 0 : 1; c < classes; ++c) {
        const float score = scores->data<float>()[(batch * classes + c) * count + i];
        if (!(score > best)) continue;
        best = score;
        id = c;
      }
      if (!(best >= static_cast<float>(attrs->threshold)) || (!attrs->keep_background && id == 0)) continue;
      const float* anchor = anchors->data<float>() + 4 * i;
      const float* move = moves->data<float>() + (batch * count + i) * 4;
      const float width = anchor[2] - anchor[0];
      const float height = anchor[3] - anchor[1];
      const float x = move[0] * variance(0) * width + (anchor[0] + anchor[2]) / 2;
      const float y = move[1] * variance(1) * height + (anchor[1] + anchor[3]) / 2;
      const float half_width = std::exp(move[2] * variance(2)) * width / 2;
      const float half_height = std::exp(move[3] * variance(3)) * height / 2;
      float* to = rows.mutable_data<float>() + (batch * count + valid) * 6;
      *to++ = static_cast<float>(attrs->keep_background ? id : id - 1);
      *to++ = best;
      for (const float corner : {x - half_width, y - half_height, x + half_width, y + half_height}) {
        *to++ = attrs->clip ? std::clamp(corner, 0.0F, 1.0F) : corner;
      }
      ++valid;
    }
    counts.mutable_data<int32_t>()[batch] = static_cast<int32_t>(valid);
  }
  auto result = Converted(kernel, rows, kernel.input(0).dtype());
  if (!result) return kernel.Failed();
  return kernel.ReturnTuple({std::move(*result), std::move(counts)});
}

}  // namespace relayopt
