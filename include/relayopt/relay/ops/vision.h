// Operators of object detection: boxes, suppression and regions of interest.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// Defaults of attributes in this file that are lists of floats.
inline constexpr double kMultiBoxSizes[] = {1.0};

inline constexpr double kMultiBoxRatios[] = {1.0};

inline constexpr double kMultiBoxSteps[] = {-1.0, -1.0};

inline constexpr double kMultiBoxOffsets[] = {0.5, 0.5};

inline constexpr double kMultiBoxVariances[] = {0.1F, 0.1F, 0.2F, 0.2F};

inline constexpr double kProposalScales[] = {4.0, 8.0, 16.0, 32.0};

inline constexpr double kProposalRatios[] = {0.5, 1.0, 2.0};

// The attributes of `vision.all_class_non_max_suppression`.
struct AllClassNonMaximumSuppressionAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AllClassNonMaximumSuppressionAttrs";
  std::string output_format = "onnx";
  static constexpr auto Fields() {
    return std::array{
        Field<&AllClassNonMaximumSuppressionAttrs::output_format>(
            "onnx: rows (batch, class, box); tensorflow: rows by batch with scores"),
    };
  }
};

// The attributes of `vision.get_valid_counts`.
struct GetValidCountsAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GetValidCountsAttrs";
  ObjectId score_threshold;
  int64_t id_index = 0;
  int64_t score_index = 1;
  static constexpr auto Fields() {
    return std::array{
        Required<&GetValidCountsAttrs::score_threshold>("unused: the threshold is an input"),
        Field<&GetValidCountsAttrs::id_index>("where a row holds the class; negative for none"),
        Field<&GetValidCountsAttrs::score_index>("where a row holds the score"),
    };
  }
};

// The attributes of `vision.multibox_prior`.
struct MultiBoxPriorAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MultiBoxPriorAttrs";
  ObjectId sizes;
  ObjectId ratios;
  ObjectId steps;
  ObjectId offsets;
  bool clip = false;
  static constexpr auto Fields() {
    return std::array{
        FloatsField<&MultiBoxPriorAttrs::sizes>("box sizes", kMultiBoxSizes),
        FloatsField<&MultiBoxPriorAttrs::ratios>("box aspect ratios", kMultiBoxRatios),
        FloatsField<&MultiBoxPriorAttrs::steps>("distance of centres along y and x; -1: one cell", kMultiBoxSteps),
        FloatsField<&MultiBoxPriorAttrs::offsets>("centre inside a cell along y and x", kMultiBoxOffsets),
        Field<&MultiBoxPriorAttrs::clip>("limit boxes to [0, 1]"),
    };
  }
};

// The attributes of `vision.multibox_transform_loc`.
struct MultiBoxTransformLocAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MultiBoxTransformLocAttrs";
  bool clip = true;
  double threshold = 0.01;
  ObjectId variances;
  bool keep_background = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&MultiBoxTransformLocAttrs::clip>("limit boxes to [0, 1]"),
        Field<&MultiBoxTransformLocAttrs::threshold>("least score of a box that is kept"),
        FloatsField<&MultiBoxTransformLocAttrs::variances>("factors of the encoded centre and size",
                                                           kMultiBoxVariances),
        Field<&MultiBoxTransformLocAttrs::keep_background>("class 0 is a class like any other"),
    };
  }
};

// The attributes of `vision.non_max_suppression`.
struct NonMaximumSuppressionAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NonMaximumSuppressionAttrs";
  bool force_suppress = false;
  int64_t top_k = -1;
  int64_t coord_start = 2;
  int64_t score_index = 1;
  int64_t id_index = 0;
  bool return_indices = true;
  bool invalid_to_bottom = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&NonMaximumSuppressionAttrs::force_suppress>("suppress across classes too"),
        Field<&NonMaximumSuppressionAttrs::top_k>("boxes to look at, best first; -1: all"),
        Field<&NonMaximumSuppressionAttrs::coord_start>("where a row's coordinates start"),
        Field<&NonMaximumSuppressionAttrs::score_index>("where a row holds the score"),
        Field<&NonMaximumSuppressionAttrs::id_index>("where a row holds the class; negative for none"),
        Field<&NonMaximumSuppressionAttrs::return_indices>("return box indices and their number"),
        Field<&NonMaximumSuppressionAttrs::invalid_to_bottom>("move kept boxes to the front"),
    };
  }
};

// The attributes of `vision.proposal`.
struct ProposalAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ProposalAttrs";
  ObjectId scales;
  ObjectId ratios;
  int64_t feature_stride = 16;
  double threshold = 0.7;
  int64_t rpn_pre_nms_top_n = 6000;
  int64_t rpn_post_nms_top_n = 300;
  int64_t rpn_min_size = 16;
  bool iou_loss = false;
  static constexpr auto Fields() {
    return std::array{
        FloatsField<&ProposalAttrs::scales>("anchor scales", kProposalScales),
        FloatsField<&ProposalAttrs::ratios>("anchor aspect ratios", kProposalRatios),
        Field<&ProposalAttrs::feature_stride>("pixels of the image to a cell"),
        Field<&ProposalAttrs::threshold>("overlap from which a box is suppressed"),
        Field<&ProposalAttrs::rpn_pre_nms_top_n>("boxes before suppression"),
        Field<&ProposalAttrs::rpn_post_nms_top_n>("boxes after suppression"),
        Field<&ProposalAttrs::rpn_min_size>("least height and width of a box"),
        Field<&ProposalAttrs::iou_loss>("boxes are encoded as corner offsets"),
    };
  }
};

// The attributes of `vision.regular_non_max_suppression`.
struct RegularNonMaximumSuppressionAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.RegularNonMaximumSuppressionAttrs";
  int64_t max_detections_per_class = 0;
  int64_t max_detections = 0;
  int64_t num_classes = 0;
  double iou_threshold = 0;
  double score_threshold = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&RegularNonMaximumSuppressionAttrs::max_detections_per_class>("boxes kept of one class"),
        Required<&RegularNonMaximumSuppressionAttrs::max_detections>("boxes kept in all"),
        Required<&RegularNonMaximumSuppressionAttrs::num_classes>("number of classes"),
        Required<&RegularNonMaximumSuppressionAttrs::iou_threshold>("overlap above which a box is suppressed"),
        Required<&RegularNonMaximumSuppressionAttrs::score_threshold>("least score of a box that is kept"),
    };
  }
};

// What the mode of `vision.roi_align` says: TVM's avg and max, and what else ONNX means, which its importer asks for
// where a model is evaluated or written for somebody who knows it: "max_corner" takes the greatest weighted element
// instead of the greatest sample, and "aligned_" before a mode lets regions be smaller than an element of the data.
struct RegionMode {
  bool is_max = false;
  bool of_corners = false;
  bool is_aligned = false;

  // What has another name is an average; its text differs from that of the result then.
  static auto Of(std::string_view text) -> RegionMode;
  auto text() const -> std::string;
};

// The attributes of `vision.roi_align`.
struct ROIAlignAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ROIAlignAttrs";
  DimList pooled_size;
  double spatial_scale = 0;
  int64_t sample_ratio = -1;
  std::string layout = "NCHW";
  std::string mode = "avg";
  static constexpr auto Fields() {
    return std::array{
        Required<&ROIAlignAttrs::pooled_size>("height and width of the result"),
        Required<&ROIAlignAttrs::spatial_scale>("from the coordinates of regions to those of data"),
        Field<&ROIAlignAttrs::sample_ratio>("samples to a bin along an axis; <= 0: as many as cells"),
        Field<&ROIAlignAttrs::layout>("NCHW or NHWC"),
        Field<&ROIAlignAttrs::mode>("avg or max"),
    };
  }
};

// The attributes of `vision.roi_pool`.
struct ROIPoolAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ROIPoolAttrs";
  DimList pooled_size;
  double spatial_scale = 0;
  std::string layout = "NCHW";
  static constexpr auto Fields() {
    return std::array{
        Required<&ROIPoolAttrs::pooled_size>("height and width of the result"),
        Required<&ROIPoolAttrs::spatial_scale>("from the coordinates of regions to those of data"),
        Field<&ROIPoolAttrs::layout>("NCHW or NHWC"),
    };
  }
};

// The attributes of `vision.yolo_reorg`.
struct YoloReorgAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.YoloReorgAttrs";
  Dim stride = 1;
  static constexpr auto Fields() {
    return std::array{Field<&YoloReorgAttrs::stride>("by how much height and width shrink")};
  }
};

}  // namespace relayopt
