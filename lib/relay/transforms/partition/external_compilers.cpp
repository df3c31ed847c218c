// The external compilers that AnnotateTarget knows, and the operators that each supports.
#include "external_compilers.h"

#include <algorithm>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// oneDNN.
constexpr const OpDef* kDnnlOps[] = {
    "abs"_op,
    "add"_op,
    "clip"_op,
    "exp"_op,
    "log"_op,
    "multiply"_op,
    "nn.avg_pool2d"_op,
    "nn.avg_pool3d"_op,
    "nn.batch_matmul"_op,
    "nn.batch_norm"_op,
    "nn.conv1d"_op,
    "nn.conv2d"_op,
    "nn.conv2d_transpose"_op,
    "nn.conv3d"_op,
    "nn.conv3d_transpose"_op,
    "nn.dense"_op,
    "nn.global_avg_pool2d"_op,
    "nn.layer_norm"_op,
    "nn.leaky_relu"_op,
    "nn.max_pool2d"_op,
    "nn.max_pool3d"_op,
    "nn.relu"_op,
    "nn.softmax"_op,
    "round"_op,
    "sigmoid"_op,
    "sqrt"_op,
    "tanh"_op,
};

auto DnnlSupports(const Function& function, ExprId call) -> bool {
  if (std::ranges::find(kDnnlOps, function.op(call)) == std::end(kDnnlOps)) return false;
  return std::ranges::all_of(function.operands(call), [&function](ExprId arg) {
    if (!function.type(arg)) return false;
    const Type& type = function.context().type(function.type(arg));
    return type.is_tensor() && type.dtype != DataType::Int(64);
  });
}

constexpr ExternalCompiler kExternalCompilers[] = {
    {"dnnl", DnnlSupports},
};

}  // namespace

auto ExternalCompilerNames() -> std::vector<std::string_view> {
  return MapToVector<std::string_view>(kExternalCompilers, &ExternalCompiler::name);
}

auto FindExternalCompiler(std::string_view name) -> const ExternalCompiler* {
  const auto found = std::ranges::find(kExternalCompilers, name, &ExternalCompiler::name);
  return found == std::end(kExternalCompilers) ? nullptr : &*found;
}

}  // namespace relayopt
