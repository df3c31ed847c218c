// Kernels of object detection that propose regions and keep the best detections of all classes.
#include <algorithm>
#include <array>
#include <cmath>

#include "boxes.h"
#include "lib/relay/ops/image/resize.h"
#include "lib/relay/ops/kernels/arrange.h"
#include "relayopt/relay/ops/vision.h"

namespace relayopt {

namespace {

// Corners x, y, x, y; both belong to the box, which is a range of pixels.
using Corners = std::array<float, 4>;

// Returns the anchors of the cell at the origin, or nothing, with the error reported, if the attributes make none.
auto AnchorsOf(KernelContext& kernel, const ProposalAttrs& attrs) -> std::optional<std::vector<Corners>> {
  const auto numbers = [&](ObjectId array, std::span<const double> otherwise) {
    return array ? RealsOf(kernel.context(), array).value_or(std::vector<double>())
                 : std::vector<double>(otherwise.begin(), otherwise.end());
  };
  const std::vector<double> scales = numbers(attrs.scales, kProposalScales);
  const std::vector<double> ratios = numbers(attrs.ratios, kProposalRatios);
  const auto is_positive = [](double x) { return x > 0 && std::isfinite(x); };
  const bool fits = attrs.feature_stride > 0 && attrs.feature_stride <= 1'000'000 && !scales.empty() &&
                    !ratios.empty() && std::all_of(scales.begin(), scales.end(), is_positive) &&
                    std::all_of(ratios.begin(), ratios.end(), is_positive);
  if (!fits) {
    kernel.Error("scales, ratios and feature_stride must be positive");
    return std::nullopt;
  }
  const auto side = static_cast<double>(attrs.feature_stride);
  const double center = 0.5 * (side - 1);
  std::vector<Corners> anchors;
  for (const double ratio : ratios) {
    for (const double scale : scales) {
      // Whole numbers of pixels before the scale.
      const double width = std::floor(std::sqrt(std::floor(side * side / ratio)) + 0.5) * scale;
      const double height = std::floor(width / scale * ratio + 0.5) * scale;
      anchors.push_back(
          {static_cast<float>(center - 0.5 * (width - 1)), static_cast<float>(center - 0.5 * (height - 1)),
           static_cast<float>(center + 0.5 * (width - 1)), static_cast<float>(center + 0.5 * (height - 1))});
    }
  }
  return anchors;
}

// Decodes `deltas` relative to an anchor into a box: the shift of its center and the logarithm of its size, both
// relative to the size of the anchor.
auto Regressed(const Corners& anchor, const Corners& deltas) -> Corners {
  const float width = anchor[2] - anchor[0] + 1;
  const float height = anchor[3] - anchor[1] + 1;
  const float x = deltas[0] * width + (anchor[0] + 0.5F * (width - 1));
  const float y = deltas[1] * height + (anchor[1] + 0.5F * (height - 1));
  const float half_width = 0.5F * (std::exp(deltas[2]) * width - 1);
  const float half_height = 0.5F * (std::exp(deltas[3]) * height - 1);
  return {x - half_width, y - half_height, x + half_width, y + half_height};
}

struct Proposal {
  Corners box;
  float score;
};

// Operands of vision.proposal in float32.
struct ProposalInputs {
  Tensor scores;
  Tensor deltas;
  Tensor images;
};

// Returns the network's proposals for image `batch`: cells by rows, and the anchors of a cell one after the other.
auto ProposalsOf(KernelContext& kernel, const ProposalAttrs& attrs, const ProposalInputs& inputs,
                 const std::vector<Corners>& anchors, int64_t batch) -> std::vector<Proposal> {
  const auto count = static_cast<int64_t>(anchors.size());
  const int64_t height = inputs.scores.extent(2);
  const int64_t width = inputs.scores.extent(3);
  const float* image = inputs.images.data<float>() + batch * 3;
  const auto stride = static_cast<float>(attrs.feature_stride);
  bool undefined = false;
  const auto rows = CastElement<int32_t>(image[0] / stride, undefined);
  const auto columns = CastElement<int32_t>(image[1] / stride, undefined);
  if (undefined) kernel.MarkUndefined("a float out of the range of the integer type");
  const float least = image[2] * static_cast<float>(attrs.rpn_min_size);
  const std::array limits = {image[1] - 1, image[0] - 1};
  std::vector<Proposal> proposals;
  for (int64_t i = 0; i < height * width * count; ++i) {
    const int64_t k = i % count;
    const int64_t x = i / count % width;
    const int64_t y = i / count / width;
    const auto element = [&](const Tensor& tensor, int64_t channel) {
      return tensor.data<float>()[(channel * height + y) * width + x];
    };
    Corners anchor = anchors[static_cast<size_t>(k)];
    Corners deltas{};
    for (size_t corner = 0; corner < 4; ++corner) {
      anchor[corner] += static_cast<float>((corner % 2 == 0 ? x : y) * attrs.feature_stride);
      deltas[corner] = element(inputs.deltas, (batch * count + k) * 4 + static_cast<int64_t>(corner));
    }
    Corners box = Regressed(anchor, deltas);
    for (size_t corner = 0; corner < 4; ++corner) {
      if (attrs.iou_loss) box[corner] = anchor[corner] + deltas[corner];
      // As TVM: NaN becomes the limit.
      box[corner] = box[corner] < limits[corner % 2] ? box[corner] : limits[corner % 2];
      box[corner] = box[corner] > 0 ? box[corner] : 0;
    }
    float score = element(inputs.scores, (batch * 2 + 1) * count + k);
    if (y >= rows || x >= columns) score = -1;
    if (box[2] - box[0] + 1 < least || box[3] - box[1] + 1 < least) {
      for (size_t corner = 0; corner < 4; ++corner) box[corner] += (corner < 2 ? -least : least) / 2;
      score = -1;
    }
    proposals.push_back({box, score});
  }
  return proposals;
}

// Returns the intersection divided by the union, of boxes to which both corners belong.
auto PixelOverlap(const Corners& a, const Corners& b) -> float {
  const float width = std::max(0.0F, std::min(a[2], b[2]) - std::max(a[0], b[0]) + 1);
  const float height = std::max(0.0F, std::min(a[3], b[3]) - std::max(a[1], b[1]) + 1);
  const auto area = [](const Corners& box) { return (box[2] - box[0] + 1) * (box[3] - box[1] + 1); };
  const float both = width * height;
  return both / (area(a) + area(b) - both);
}

}  // namespace

auto ProposalKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ProposalAttrs>(kernel);
  const auto anchors = attrs == nullptr ? std::nullopt : AnchorsOf(kernel, *attrs);
  const auto scores = anchors ? Converted(kernel, kernel.input(0), kFloat) : std::nullopt;
  const auto deltas = scores ? Converted(kernel, kernel.input(1), kFloat) : std::nullopt;
  const auto images = deltas ? Converted(kernel, kernel.input(2), kFloat) : std::nullopt;
  if (!images) return kernel.Failed();
  const int64_t batches = scores->extent(0);
  const auto count = static_cast<int64_t>(anchors->size());
  if (scores->extent(1) != 2 * count || deltas->extent(1) != 4 * count || deltas->extent(0) != batches ||
      deltas->extent(2) != scores->extent(2) || deltas->extent(3) != scores->extent(3) ||
      images->extent(0) != batches) {
    return kernel.Error("scores, shifts and images do not match {} anchors for each cell", count);
  }
  Tensor rows(kFloat, KernelContext::Extents(kernel.result_type()));
  const int64_t wanted = attrs->rpn_post_nms_top_n;
  auto* to = rows.mutable_data<float>();
  for (int64_t batch = 0; batch < batches && wanted > 0; ++batch) {
    const auto proposals = ProposalsOf(kernel, *attrs, {*scores, *deltas, *images}, *anchors, batch);
    const auto proposal = [&](int64_t i) -> const Proposal& { return proposals[static_cast<size_t>(i)]; };
    std::vector<int64_t> order =
        ByScore(static_cast<int64_t>(proposals.size()), [&](int64_t i) { return proposal(i).score; });
    if (attrs->rpn_pre_nms_top_n > 0 && attrs->rpn_pre_nms_top_n < static_cast<int64_t>(order.size()))
      order.resize(static_cast<size_t>(attrs->rpn_pre_nms_top_n));
    const auto kept = Survivors(order, wanted, [&](int64_t better, int64_t candidate) {
      return PixelOverlap(proposal(better).box, proposal(candidate).box) > static_cast<float>(attrs->threshold);
    });
    if (kept.empty()) return kernel.Error("there are no cells");
    // When fewer boxes remain than are required, they are repeated from the first on.
    for (int64_t i = 0; i < wanted; ++i) {
      *to++ = static_cast<float>(batch);
      const Corners& box = proposal(kept[static_cast<size_t>(i) % kept.size()]).box;
      to = std::copy(box.begin(), box.end(), to);
    }
  }
  auto result = Converted(kernel, rows, kernel.result_type().dtype);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

namespace {

// Corners y, x, y, x, the smaller ones first; otherwise the box has no area and overlaps nothing.
auto OrderedOverlap(const float* a, const float* b) -> float {
  const auto area = [](const float* box) { return (box[2] - box[0]) * (box[3] - box[1]); };
  if (!(area(a) > 0) || !(area(b) > 0)) return 0;
  const float height = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]), 0.0F);
  const float width = std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]), 0.0F);
  const float both = height * width;
  return both / (area(a) + area(b) - both);
}

struct Detection {
  int64_t box;
  int64_t id;
  float score;
};

// Returns the best detections of one image: those that survive in their class, by descending score.
auto DetectionsOf(const RegularNonMaximumSuppressionAttrs& attrs, const float* boxes, const float* scores,
                  int64_t count, int64_t columns) -> std::vector<Detection> {
  // The columns before those of the classes are for the background.
  const int64_t background = columns - attrs.num_classes;
  std::vector<Detection> best;
  for (int64_t id = 0; id < attrs.num_classes; ++id) {
    const auto score = [&](int64_t i) { return scores[i * columns + background + id]; };
    std::vector<int64_t> order = ByScore(count, score);
    std::erase_if(order, [&](int64_t i) { return !(score(i) >= static_cast<float>(attrs.score_threshold)); });
    const auto kept =
        Survivors(order, std::max<int64_t>(attrs.max_detections_per_class, 0), [&](int64_t better, int64_t candidate) {
          return OrderedOverlap(boxes + 4 * better, boxes + 4 * candidate) > static_cast<float>(attrs.iou_threshold);
        });
    for (const int64_t i : kept) best.push_back({i, id, score(i)});
  }
  std::stable_sort(best.begin(), best.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
  if (static_cast<int64_t>(best.size()) > attrs.max_detections) best.resize(static_cast<size_t>(attrs.max_detections));
  return best;
}

}  // namespace

auto RegularNonMaxSuppressionKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<RegularNonMaximumSuppressionAttrs>(kernel);
  const auto boxes = attrs == nullptr ? std::nullopt : Converted(kernel, kernel.input(0), kFloat);
  const auto scores = boxes ? Converted(kernel, kernel.input(1), kFloat) : std::nullopt;
  if (!scores) return kernel.Failed();
  const int64_t batches = boxes->extent(0);
  const int64_t count = boxes->extent(1);
  const int64_t columns = scores->extent(2);
  if (boxes->extent(2) != 4 || scores->extent(0) != batches || scores->extent(1) != count || attrs->num_classes < 0 ||
      attrs->num_classes > columns || attrs->max_detections < 0) {
    return kernel.Error("the scores do not match the boxes");
  }
  Tensor places = kernel.NewResult(0);
  Tensor ids = kernel.NewResult(1);
  Tensor best_scores = kernel.NewResult(2);
  Tensor numbers = kernel.NewResult(3);
  for (int64_t batch = 0; batch < batches; ++batch) {
    const float* corners = boxes->data<float>() + batch * count * 4;
    const auto detections =
        DetectionsOf(*attrs, corners, scores->data<float>() + batch * count * columns, count, columns);
    numbers.mutable_data<int32_t>()[batch] = static_cast<int32_t>(detections.size());
    for (size_t i = 0; i < detections.size(); ++i) {
      const int64_t row = batch * attrs->max_detections + static_cast<int64_t>(i);
      std::copy_n(corners + 4 * detections[i].box, 4, places.mutable_data<float>() + 4 * row);
      ids.mutable_data<float>()[row] = static_cast<float>(detections[i].id);
      best_scores.mutable_data<float>()[row] = detections[i].score;
    }
  }
  return kernel.ReturnTuple({std::move(places), std::move(ids), std::move(best_scores), std::move(numbers)});
}

}  // namespace relayopt
