// The composite patterns of the external compilers.
#include "pattern_tables.h"

#include <fmt/format.h>

namespace relayopt {

namespace {

// The operators that oneDNN can append to a convolution or dense layer; `{}` stands for the layer.
struct PostOp {
  std::string_view suffix;
  std::string_view pattern;
};
constexpr PostOp kDnnlPostOps[] = {
    {"_relu", "nn.relu({})"},
    {"_tanh", "tanh({})"},
    {"_sigmoid", "sigmoid({})"},
    {"_clip", "clip({})"},
    {"_gelu", "multiply(multiply($layer={}, add(erf(divide($layer, *)), *)), *)"},
    {"_swish", "multiply($layer={}, sigmoid($layer))"},
    {"_mish", "multiply($layer={}, tanh(log(add(exp($layer), *))))"},
    {"", "{}"},
};

struct Layer {
  std::string_view op;
  std::string_view name;
};
constexpr Layer kDnnlLayers[] = {
    {"nn.conv1d", "dnnl.conv1d"},
    {"nn.conv2d", "dnnl.conv2d"},
    {"nn.conv3d", "dnnl.conv3d"},
    {"nn.conv2d_transpose", "dnnl.deconv2d"},
    {"nn.conv3d_transpose", "dnnl.deconv3d"},
    {"nn.dense", "dnnl.dense"},
};

auto ExtentOf(const Function& function, ExprId id) -> std::optional<std::vector<Dim>> {
  if (!function.type(id)) return std::nullopt;
  const Type& type = function.context().type(function.type(id));
  if (!type.is_tensor()) return std::nullopt;
  return std::vector<Dim>(type.shape.begin(), type.shape.end());
}

// Returns the first add on the way from the root to the layer.
auto FindAdd(const Function& function, ExprId id) -> ExprId {
  while (function.kind(id) == ExprKind::kOpCall && !function.operands(id).empty()) {
    if (function.op(id) == "add"_op) return id;
    id = function.operand(id, 0);
  }
  return {};
}

// Whether an add adds one number for each channel.
auto AddsBias(const Function& function, ExprId add) -> bool {
  const auto data = ExtentOf(function, function.operand(add, 0));
  const auto bias = ExtentOf(function, function.operand(add, 1));
  if (!data || !bias || data->empty()) return false;
  int64_t count = 1;
  for (const Dim& extent : *bias) {
    if (!extent.is_int()) return false;
    count *= extent.value();
  }
  // Channels come second, or last in dense layers and channels-last layouts.
  return (data->size() > 1 && (*data)[1].is(count)) || data->back().is(count);
}

auto HasBias(const Function& function, ExprId root) -> bool {
  const ExprId add = FindAdd(function, root);
  return add && AddsBias(function, add);
}

// A sum of two tensors of one shape on top of a bias.
auto HasBiasAndSum(const Function& function, ExprId root) -> bool {
  const ExprId sum = FindAdd(function, root);
  if (!sum) return false;
  const auto a = ExtentOf(function, function.operand(sum, 0));
  const auto b = ExtentOf(function, function.operand(sum, 1));
  if (!a || a != b) return false;
  const ExprId bias = FindAdd(function, function.operand(sum, 0));
  return bias && AddsBias(function, bias);
}

auto DnnlPatterns() -> std::vector<CompositePattern> {
  std::vector<CompositePattern> table = {
      {"dnnl.dense_bias_sum", "add(add(nn.dense(*, *), *), *)", HasBiasAndSum},
      {"dnnl.conv2d_bias_sum_relu", "nn.relu(add(add(nn.conv2d(*, *), *), *))", HasBiasAndSum},
      {"dnnl.conv2d_bias_sum", "add(add(nn.conv2d(*, *), *), *)", HasBiasAndSum},
  };
  for (const bool bias : {true, false}) {
    for (const PostOp& post : kDnnlPostOps) {
      if (!bias && post.suffix.empty()) continue;
      for (const Layer& layer : kDnnlLayers) {
        const std::string call = fmt::format("{}(*, *)", layer.op);
        const std::string inner = bias ? fmt::format("add({}, *)", call) : call;
        table.push_back({fmt::format("{}{}{}", layer.name, bias ? "_bias" : "", post.suffix),
                         fmt::format(fmt::runtime(post.pattern), inner), bias ? HasBias : nullptr});
      }
    }
  }
  return table;
}

}  // namespace

auto PatternsOf(std::string_view compiler) -> std::vector<CompositePattern> {
  return compiler == "dnnl" ? DnnlPatterns() : std::vector<CompositePattern>();
}

}  // namespace relayopt
