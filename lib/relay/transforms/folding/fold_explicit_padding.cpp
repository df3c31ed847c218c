// FoldExplicitPadding: merges nn.pad into the padding of the convolution or pooling that uses it.
#include <algorithm>
#include <optional>
#include <vector>

#include "relayopt/core/same_tensor.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// The families of operators, which determine the pad value that can be absorbed.
enum class Family : uint8_t { kNone, kConv, kAveragePool, kMaxPool, kQnnConv };

auto FamilyOf(const OpDef* op) -> Family {
  if (op == "nn.conv1d"_op || op == "nn.conv2d"_op || op == "nn.conv3d"_op) return Family::kConv;
  if (op == "nn.avg_pool1d"_op || op == "nn.avg_pool2d"_op || op == "nn.avg_pool3d"_op) return Family::kAveragePool;
  if (op == "nn.max_pool1d"_op || op == "nn.max_pool2d"_op || op == "nn.max_pool3d"_op) return Family::kMaxPool;
  return op == "qnn.conv2d"_op ? Family::kQnnConv : Family::kNone;
}

// Returns the smallest finite value of an element type, which pooling pads with.
auto Lowest(DataType dtype) -> std::optional<double> {
  if (dtype.is_float() && dtype != DataType::BFloat(16)) return -LargestFinite(dtype);
  if (dtype.is_uint()) return 0.0;
  if (dtype.is_int() && dtype.bits <= 64) return -static_cast<double>(uint64_t{1} << (dtype.bits - 1));
  return std::nullopt;
}

// Padding in full, before each spatial axis and then after each; returns nothing if its length fits no legal form.
auto FullPadding(const DimList& padding, size_t axes) -> std::optional<std::vector<Dim>> {
  std::vector<Dim> full;
  for (size_t i = 0; i < 2 * axes; ++i) {
    if (padding.size() == 1)
      full.push_back(padding[0]);
    else if (padding.size() == axes)
      full.push_back(padding[i % axes]);
    else if (padding.size() == 2 * axes)
      full.push_back(padding[i]);
    else
      return std::nullopt;
  }
  return full;
}

// Returns the padding of nn.pad at the beginning and then at the end of the axes D, H, W of the layout, or nothing if
// it pads another axis or cuts.
auto SpatialPadding(const DimLists& pad_width, std::string_view layout_text) -> std::optional<std::vector<Dim>> {
  const auto layout = Layout::Parse(layout_text);
  if (!layout || pad_width.null || layout->rank() != pad_width.size()) return std::nullopt;
  std::vector<Dim> before;
  std::vector<Dim> after;
  std::vector<bool> spatial(layout->rank());
  for (const char name : {'D', 'H', 'W'}) {
    const auto position = layout->Find(name);
    if (!position) continue;
    const DimList& pair = pad_width[*position];
    if (layout->FactorOf(name) || pair.size() != 2) return std::nullopt;
    // A negative width cuts elements off, which no operator does by its padding.
    if (std::ranges::any_of(pair.values, [](const Dim& width) { return width.is_int() && width.value() < 0; }))
      return std::nullopt;
    spatial[*position] = true;
    before.push_back(pair[0]);
    after.push_back(pair[1]);
  }
  for (size_t i = 0; i < spatial.size(); ++i) {
    const DimList& pair = pad_width[i];
    if (!spatial[i] && !std::all_of(pair.begin(), pair.end(), [](const Dim& d) { return d.is(0); }))
      return std::nullopt;
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

class PaddingFolder {
 public:
  explicit PaddingFolder(const Function& function) : function_(function), rebuild_(function), users_(function.size()) {
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) {
        users_[operand] = static_cast<uint8_t>(std::min(2, users_[operand] + 1));
      }
    }
  }

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) { return Fold(id); });
  }

 private:
  // Returns the call with the pads of its data folded in, or none if there are none.
  auto Fold(ExprId id) -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall) return {};
    const Family family = FamilyOf(function_.op(id));
    const AttrsId old_attrs = function_.attrs(id);
    if (family == Family::kNone || !old_attrs) return {};
    const AttrsRecord& record = function_.context().attrs(old_attrs);
    if (record.schema == nullptr) return {};
    AttrsBuilder attrs(*record.schema, record.data);
    ExprId data = function_.operand(id, 0);
    while (const auto* pad = FoldablePad(id, data, family)) {
      if (!AddPadding(*pad, family, attrs)) break;
      data = function_.operand(data, 0);
    }
    if (data == function_.operand(id, 0)) return {};
    std::vector<ExprId> args(rebuild_.NewOperands(id).begin(), rebuild_.NewOperands(id).end());
    args[0] = rebuild_.New(data);
    const ExprId call =
        EmitCall(rebuild_.to(), function_.op(id), args, function_.context().InternAttrs(std::move(attrs)));
    rebuild_.to().SetSpan(call, function_.span(id));
    rebuild_.to().SetRange(call, function_.range(id));
    return call;
  }

  // Returns the attributes of `data` if it is a pad by a value that the operator pads with, used here only; else null.
  auto FoldablePad(ExprId user, ExprId data, Family family) const -> const PadAttrs* {
    if (function_.kind(data) != ExprKind::kOpCall || function_.op(data) != "nn.pad"_op || users_[data] != 1)
      return nullptr;
    const auto* pad = function_.context().As<PadAttrs>(function_.attrs(data));
    if (pad == nullptr || pad->pad_mode != "constant") return nullptr;
    return PadsAlike(user, data, family) ? pad : nullptr;
  }

  auto PadsAlike(ExprId user, ExprId pad, Family family) const -> bool {
    const ExprId value = function_.operand(pad, 1);
    if (family == Family::kQnnConv) return SameValue(value, function_.operand(user, 2));
    if (function_.kind(value) != ExprKind::kConstant || !function_.type(pad)) return false;
    const auto number = NumberOf(function_.constant(value));
    if (!number) return false;
    if (family != Family::kMaxPool) return *number == 0;
    const auto lowest = Lowest(function_.context().type(function_.type(pad)).dtype);
    return lowest && *number == *lowest;
  }

  static auto NumberOf(const Constant& constant) -> std::optional<double> {
    if (const auto integer = constant.ScalarAsInt()) return static_cast<double>(*integer);
    return constant.ScalarAsDouble();
  }

  auto SameValue(ExprId a, ExprId b) const -> bool {
    if (a == b) return true;
    if (function_.kind(a) != ExprKind::kConstant || function_.kind(b) != ExprKind::kConstant) return false;
    return SameTensor(function_.constant(a), function_.constant(b));
  }

  // Adds what the pad adds to the `padding` of the operator. Returns false if the operator cannot express it.
  auto AddPadding(const PadAttrs& pad, Family family, AttrsBuilder& attrs) const -> bool {
    const FieldInfo* padding_field = attrs.schema().Find("padding");
    const FieldInfo* layout_field = attrs.schema().Find("data_layout");
    if (layout_field == nullptr) layout_field = attrs.schema().Find("layout");
    if (padding_field == nullptr || layout_field == nullptr) return false;
    DimList& padding = padding_field->Mutable<DimList>(attrs.data());
    const auto added = SpatialPadding(pad.pad_width, layout_field->Get<std::string>(attrs.data()));
    if (!added) return false;
    const auto own = FullPadding(padding, added->size() / 2);
    if (!own) return false;
    if (family == Family::kAveragePool && !CountPadding(*own, attrs)) return false;
    DimList sum;
    for (size_t i = 0; i < own->size(); ++i) {
      const Dim extent = Add(function_.context(), (*own)[i], (*added)[i]);
      if (extent.is_null()) return false;
      sum.values.push_back(extent);
    }
    padding = std::move(sum);
    return true;
  }

  // Explicit padding counts in averages. Makes the operator count its padding, unless it has some that must not count.
  static auto CountPadding(const std::vector<Dim>& own, AttrsBuilder& attrs) -> bool {
    auto& counts = attrs.schema().Find("count_include_pad")->Mutable<bool>(attrs.data());
    if (counts) return true;
    // The last window of ceil_mode may reach beyond the padding: those elements count when padding does.
    if (attrs.schema().Find("ceil_mode")->Get<bool>(attrs.data())) return false;
    if (!std::all_of(own.begin(), own.end(), [](const Dim& dim) { return dim.is(0); })) return false;
    counts = true;
    return true;
  }

  const Function& function_;
  Rebuild rebuild_;
  // The number of uses; 2 means two or more.
  SideTable<ExprId, uint8_t> users_;
};

struct FoldExplicitPadding {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return PaddingFolder(function).Run();
  }
};

}  // namespace

constinit const PassDef kFoldExplicitPaddingPass = DescribePass<FoldExplicitPadding>({
    .name = "FoldExplicitPadding",
    // As TVM: this name starts with a blank.
    .info_name = " FoldExplicitPadding",
    .opt_level = 0,
    .required = "InferType",
    .summary = "merges nn.pad into the convolution or pooling that uses it",
    .details = R"(A pad in front of a convolution or pooling becomes part of its padding attribute:

  %0 = nn.pad(%x, 0f, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]);
  nn.conv2d(%0, %w, padding=[1, 1, 1, 1], ...)           =>    nn.conv2d(%x, %w, padding=[2, 2, 2, 2], ...)

This is right when the pad adds what the operator itself would add: constant mode, on the axes D, H and W of the
layout only, with the value 0 for nn.conv1d, nn.conv2d, nn.conv3d and nn.avg_pool1d, 2d, 3d, the lowest value of the
element type for nn.max_pool1d, 2d, 3d, and the input zero point for qnn.conv2d. Averages must count the padding:
count_include_pad becomes true when the operator had no padding of its own. Several pads in a row are folded
together.

Left alone: a pad that something else uses as well, other pad modes, negative widths, averages that do not count padding
of their own or round the number of windows up.)",
    .idempotent = true,
});

}  // namespace relayopt
