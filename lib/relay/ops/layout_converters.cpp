// Layout converters: how ConvertLayout changes the attributes of operators.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

constexpr std::string_view kDefault = "default";

// The kernel layout that "default" means for a data layout.
struct KernelDefault {
  std::string_view data;
  std::string_view kernel;
};

// Padding as builders write it: before each spatial axis, then after each.
void SpellOutPadding(LayoutConversion& conversion, size_t spatial) {
  auto* padding = conversion.Get<DimList>("padding");
  if (padding == nullptr || padding->null || padding->size() == 2 * spatial) return;
  if (padding->size() == 1) padding->values.assign(2 * spatial, (*padding)[0]);
  if (padding->size() != spatial) return;
  const std::vector<Dim> before = padding->values;
  padding->values.insert(padding->values.end(), before.begin(), before.end());
}

auto NeedLayouts(LayoutConversion& conversion, size_t count) -> bool {
  if (conversion.size() == count) return true;
  return conversion.Fail(fmt::format("{}: {} layout{} wanted, {} given", conversion.op()->name, count,
                                     count == 1 ? " is" : "s are", conversion.size()));
}

// Checks that `text` is a layout with the known letters in any order, possibly packed.
auto NeedLayout(LayoutConversion& conversion, const std::string& text) -> bool {
  if (Layout::Parse(text)) return true;
  return conversion.Fail(fmt::format("{}: '{}' is not a layout", conversion.op()->name, text));
}

// Sets data_layout and kernel_layout.
auto ConvertKernel(LayoutConversion& conversion, std::span<const KernelDefault> defaults) -> bool {
  if (!NeedLayouts(conversion, 2)) return false;
  const std::string& data = conversion.wanted(0);
  std::string kernel = conversion.wanted(1);
  if (data == kDefault) {
    return conversion.Fail(fmt::format("{}: the data layout has no default", conversion.op()->name));
  }
  if (kernel == kDefault) {
    const auto row = std::find_if(defaults.begin(), defaults.end(), [&](const auto& d) { return d.data == data; });
    if (row == defaults.end()) {
      return conversion.Fail(
          fmt::format("{}: there is no default kernel layout for data in {}", conversion.op()->name, data));
    }
    kernel = row->kernel;
  }
  if (!NeedLayout(conversion, data) || !NeedLayout(conversion, kernel)) return false;
  *conversion.Get<std::string>("data_layout") = data;
  *conversion.Get<std::string>("kernel_layout") = std::move(kernel);
  return true;
}

// The extent along the primal axis `name` of operand `i`, whose layout is `text`; returns nothing if it is not known.
auto ExtentAlong(LayoutConversion& conversion, size_t i, const std::string& text, char name) -> std::optional<int64_t> {
  const auto layout = Layout::Parse(text);
  const auto shape = conversion.shape(i);
  if (!layout || !shape || layout->rank() != shape->size()) return std::nullopt;
  const auto position = layout->Find(name);
  if (!position || !(*shape)[*position].is_int()) return std::nullopt;
  return (*shape)[*position].value() * layout->FactorOf(name).value_or(1);
}

// Whether this is a convolution with one group for each channel of data and result.
auto IsDepthwise(LayoutConversion& conversion) -> bool {
  const int64_t groups = *conversion.Get<int64_t>("groups");
  const auto channels = ExtentAlong(conversion, 0, *conversion.Get<std::string>("data_layout"), 'C');
  const auto outputs = ExtentAlong(conversion, 1, *conversion.Get<std::string>("kernel_layout"), 'O');
  return channels == groups && outputs == groups;
}

// Returns the size of packs of channels in `NCHW<digits>c...`, or nothing for other layouts.
auto ChannelPack(std::string_view layout) -> std::optional<int64_t> {
  constexpr std::string_view kPrefix = "NCHW";
  if (!layout.starts_with(kPrefix)) return std::nullopt;
  layout.remove_prefix(kPrefix.size());
  int64_t size = 0;
  const auto [end, error] = std::from_chars(layout.data(), layout.data() + layout.size(), size);
  const auto length = static_cast<size_t>(end - layout.data());
  if (error != std::errc() || length >= layout.size() || layout[length] != 'c' || size <= 0) return std::nullopt;
  return size;
}

auto ConvertPackedConv2D(LayoutConversion& conversion, int64_t pack) -> bool {
  if (!NeedLayouts(conversion, 2)) return false;
  if (conversion.wanted(1) == kDefault) {
    return conversion.Fail(
        fmt::format("{}: data in {} needs an explicit kernel layout", conversion.op()->name, conversion.wanted(0)));
  }
  // Channels that do not fill the packs stay as they are.
  const auto channels = ExtentAlong(conversion, 0, *conversion.Get<std::string>("data_layout"), 'C');
  if (!channels || *channels % pack != 0) return true;
  if (!ConvertKernel(conversion, {})) return false;
  conversion.set_op("nn.contrib_conv2d_NCHWc"_op);
  return true;
}

}  // namespace

auto ConvertConv2D(LayoutConversion& conversion) -> bool {
  SpellOutPadding(conversion, 2);
  if (conversion.size() != 0) {
    if (const auto pack = ChannelPack(conversion.wanted(0))) return ConvertPackedConv2D(conversion, *pack);
  }
  const KernelDefault defaults[] = {
      {"NCHW", "OIHW"}, {"NHWC", IsDepthwise(conversion) ? "HWOI" : "HWIO"}, {"HWNC", "HWOI"}};
  return ConvertKernel(conversion, defaults);
}

auto ConvertQnnConv2D(LayoutConversion& conversion) -> bool {
  SpellOutPadding(conversion, 2);
  const KernelDefault defaults[] = {{"NCHW", "OIHW"}, {"NHWC", IsDepthwise(conversion) ? "HWOI" : "HWIO"}};
  return ConvertKernel(conversion, defaults);
}

auto ConvertConv2DTranspose(LayoutConversion& conversion) -> bool {
  SpellOutPadding(conversion, 2);
  return ConvertKernel(conversion, std::array<KernelDefault, 2>{{{"NCHW", "IOHW"}, {"NHWC", "HWIO"}}});
}

auto ConvertConv3D(LayoutConversion& conversion) -> bool {
  SpellOutPadding(conversion, 3);
  return ConvertKernel(conversion, std::array<KernelDefault, 2>{{{"NCDHW", "OIDHW"}, {"NDHWC", "DHWIO"}}});
}

auto ConvertConv3DTranspose(LayoutConversion& conversion) -> bool {
  SpellOutPadding(conversion, 3);
  return ConvertKernel(conversion, std::array<KernelDefault, 2>{{{"NCDHW", "IODHW"}, {"NDHWC", "DHWOI"}}});
}

auto ConvertDeformableConv2D(LayoutConversion& conversion) -> bool {
  return ConvertKernel(conversion, std::array<KernelDefault, 2>{{{"NCHW", "OIHW"}, {"NHWC", "HWIO"}}});
}

auto ConvertConv2DBackwardWeight(LayoutConversion& conversion) -> bool {
  if (!NeedLayouts(conversion, 2)) return false;
  // The fields hold the layouts of gradient, data and weight, in this order.
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!NeedLayout(conversion, conversion.wanted(i))) return false;
  }
  *conversion.Get<std::string>("data_layout") = conversion.wanted(0);
  *conversion.Get<std::string>("kernel_layout") = conversion.wanted(0);
  *conversion.Get<std::string>("out_layout") = conversion.wanted(1);
  return true;
}

auto ConvertPooling(LayoutConversion& conversion) -> bool {
  if (conversion.size() == 0) return NeedLayouts(conversion, 1);
  if (!NeedLayout(conversion, conversion.wanted(0))) return false;
  SpellOutPadding(conversion, 2);
  *conversion.Get<std::string>("layout") = conversion.wanted(0);
  *conversion.Get<std::string>("out_layout") = conversion.wanted(0);
  return true;
}

auto ConvertRegion(LayoutConversion& conversion) -> bool {
  if (!NeedLayouts(conversion, 2)) return false;
  if ((conversion.wanted(0) != "NCHW" && conversion.wanted(0) != "NHWC") || conversion.wanted(1) != kDefault) {
    return conversion.Fail(fmt::format("{}: layouts must be NCHW or NHWC, and default", conversion.op()->name));
  }
  *conversion.Get<std::string>("layout") = conversion.wanted(0);
  return true;
}

auto ConvertResize(LayoutConversion& conversion) -> bool {
  if (!NeedLayouts(conversion, 1)) return false;
  if (conversion.wanted(0) == kDefault) {
    return conversion.Fail(fmt::format("{}: the data layout has no default", conversion.op()->name));
  }
  if (!NeedLayout(conversion, conversion.wanted(0))) return false;
  *conversion.Get<std::string>("layout") = conversion.wanted(0);
  return true;
}

}  // namespace relayopt
