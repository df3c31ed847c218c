// CombineParallelConv2D: merges convolutions of the same input into one with more channels.
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "parallel_branches.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

class Conv2DRules final : public ParallelRules {
 public:
  auto op() const -> const OpDef* override { return "nn.conv2d"_op; }

  auto Key(const Function& function, ExprId call) const -> std::optional<ParallelKey> override {
    const Context& context = function.context();
    const auto* attrs = context.As<Conv2DAttrs>(function.attrs(call));
    // Each group of a grouped convolution sees only a part of the input.
    if (attrs == nullptr || attrs->groups != 1 || !OutputChannels(function, call)) return std::nullopt;
    const TypeId weight = function.type(function.operand(call, 1));
    const auto [entry, is_new] = keys_.try_emplace({function.attrs(call), weight});
    if (is_new) entry->second = MakeKey(function.context(), *attrs, context.type(weight));
    return entry->second;
  }

  auto JoinFirst(const JoinSite& site) const -> ExprId override {
    const ExprId first = site.group.branches[0][0];
    Conv2DAttrs attrs = AttrsOf(site.from, first);
    const std::vector<int64_t> channels = Channels(site);
    // The attribute counts channels, the weight blocks of them.
    const int64_t block = Layout::Parse(attrs.kernel_layout)->FactorOf('O').value_or(1);
    attrs.channels = std::reduce(channels.begin(), channels.end()) * block;
    const auto weights = MapToVector<ExprId>(
        site.group.branches, [&](const auto& branch) { return site.made(site.from.operand(branch[0], 1)); });
    const ExprId weight = site.Concatenate(weights, static_cast<int64_t>(attrs.kernel_layout.find('O')));
    return EmitCallWith(site.to, op(), attrs, {site.made(site.from.operand(first, 0)), weight});
  }

  auto JoinArgument(const JoinSite& site, size_t level, size_t i, size_t) const -> ExprId override {
    const auto& branches = site.group.branches;
    const Type* first = TensorType(site.from, site.from.operand(branches[0][level], i));
    const size_t channel = ChannelAxis(site);
    std::vector<ExprId> args;
    int64_t axis = 0;
    for (const auto& branch : branches) {
      const ExprId arg = site.from.operand(branch[level], i);
      const Type* type = TensorType(site.from, arg);
      const Type* result = TensorType(site.from, branch[level]);
      if (first == nullptr || type == nullptr || result == nullptr || result->rank() <= channel) return {};
      if (type->dtype != first->dtype || type->rank() != first->rank()) return {};
      // Every channel must have an element of its own.
      if (type->rank() + channel < result->rank() || type->rank() > result->rank()) return {};
      const size_t position = channel + type->rank() - result->rank();
      axis = static_cast<int64_t>(position);
      for (size_t k = 0; k < type->rank(); ++k) {
        const Dim& wanted = k == position ? result->shape[channel] : first->shape[k];
        if (type->shape[k] != wanted) return {};
      }
      args.push_back(site.made(arg));
    }
    return site.Concatenate(args, axis);
  }

  auto Split(const JoinSite& site, ExprId joined, size_t) const -> std::vector<ExprId> override {
    const size_t channel = ChannelAxis(site);
    return site.Slices(joined, channel, channel + 1, Channels(site));
  }

 private:
  static auto MakeKey(Context& context, const Conv2DAttrs& attrs, const Type& weight) -> std::optional<ParallelKey> {
    const std::string_view plain = "OIHW";
    std::vector<Dim> shape(weight.shape.begin(), weight.shape.end());
    if (attrs.kernel_layout != plain || weight.rank() != plain.size()) {
      const auto from = Layout::Parse(attrs.kernel_layout);
      const auto to = Layout::Parse(plain);
      if (!from || !from->ConvertibleTo(*to) || from->rank() != weight.rank()) return std::nullopt;
      shape = from->ForwardShape(context, *to, weight.shape);
    }
    Conv2DAttrs shared = attrs;
    shared.channels = Dim();
    shared.kernel_size = {shape[2], shape[3]};
    return ParallelKey{context.InternAttrs(shared), context.Scalar(weight.dtype)};
  }

  static auto AttrsOf(const Function& function, ExprId call) -> const Conv2DAttrs& {
    return *function.context().As<Conv2DAttrs>(function.attrs(call));
  }

  // The number of output channels, or blocks of them, of the weight.
  static auto OutputChannels(const Function& function, ExprId call) -> std::optional<int64_t> {
    const TypeId id = function.operands(call).size() == 2 ? function.type(function.operand(call, 1)) : TypeId();
    if (!id || !function.context().type(id).is_tensor()) return std::nullopt;
    const Type& weight = function.context().type(id);
    const size_t axis = AttrsOf(function, call).kernel_layout.find('O');
    if (axis >= weight.rank() || !weight.shape[axis].is_int()) return std::nullopt;
    return weight.shape[axis].value();
  }

  static auto Channels(const JoinSite& site) -> std::vector<int64_t> {
    return MapToVector<int64_t>(site.group.branches,
                                [&](const auto& branch) { return *OutputChannels(site.from, branch[0]); });
  }

  // Returns the axis of channels in the result.
  static auto ChannelAxis(const JoinSite& site) -> size_t {
    const Conv2DAttrs& attrs = AttrsOf(site.from, site.group.branches[0][0]);
    return (attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout).find('C');
  }

  // Cached by attributes and type of the weight, because networks repeat their layers.
  mutable absl::flat_hash_map<std::pair<AttrsId, TypeId>, std::optional<ParallelKey>> keys_;
};

struct CombineParallelConv2D {
  struct Options {
    int64_t min_num_branches = 3;
    static constexpr auto Fields() {
      return std::array{Option<&Options::min_num_branches>("fewer convolutions stay apart", {.min = 0})};
    }
  } options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return JoinParallelBranches(function, Conv2DRules(), static_cast<uint64_t>(options.min_num_branches));
  }
};

}  // namespace

constinit const PassDef kCombineParallelConv2DPass = DescribePass<CombineParallelConv2D>({
    .name = "CombineParallelConv2D",
    .info_name = "CombineParallelConv2d",
    .opt_level = 4,
    .required = "InferType",
    .summary = "merges convolutions of the same input into one with more channels",
    .details =
        R"(Convolutions (nn.conv2d) of one input that differ in their weights only become one, with the weights
one after the other along the output channels; the results are slices of its result:

  %0 = nn.conv2d(%x, %w1);          %0 = (%w1, %w2);
  %1 = nn.conv2d(%x, %w2);   =>     %1 = concatenate(%0);
                                    %2 = nn.conv2d(%x, %1);
                                    %3 = strided_slice(%2, begin=[0, 0], end=[-1, 8], slice_mode="size");
                                    %4 = strided_slice(%2, begin=[0, 8], end=[-1, 8], slice_mode="size");

Elementwise and broadcasting operators behind them are joined as well as long as all branches have the same ones
and their other arguments have an element for each channel. Every channel is computed from the same numbers as
before. A value inside a branch that is also in a tuple or a result is computed twice.

Left alone: fewer than min_num_branches convolutions, grouped convolutions, kernels of different size, strides,
padding or layout, branches that depend on each other, and weights that are not known where the first result is
needed.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
