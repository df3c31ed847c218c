// Nodes as calls of foreign operators and back.
#include "lib/convert/onnx/foreign.h"

#include <array>
#include <catch2/catch.hpp>

#include "relayopt/core/tensor.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/fold_constant.h"

namespace relayopt::onnx {

namespace {

auto LstmNode() -> NodeProto {
  NodeProto node;
  node.op_type = "LSTM";
  AttributeProto& size = node.attributes.emplace_back();
  size.name = "hidden_size";
  size.type = AttributeType::kInt;
  size.i = 4;
  AttributeProto& alpha = node.attributes.emplace_back();
  alpha.name = "activation_alpha";
  alpha.type = AttributeType::kFloats;
  alpha.floats = {0.1F, 2.0F};
  return node;
}

}  // namespace

TEST_CASE("attributes of a node are those of the call", "[onnx]") {
  Context context;
  const OpRow* row = FindOpRow("", "LSTM");
  const OpInstance call = MakeForeign(context, LstmNode(), {.row = row, .version = 7, .results = "101"});
  const ForeignNode read = ReadForeign(context, call);
  CHECK(read.error.empty());
  CHECK(read.row == row);
  CHECK(read.version == 7);
  CHECK(read.results == "101");
  REQUIRE(read.attributes.size() == 2);
  CHECK(read.attributes[0].floats == std::vector<float>{0.1F, 2.0F});
  CHECK(read.attributes[1].i == 4);
}

TEST_CASE("a node without a row keeps domain, name and attributes", "[onnx]") {
  Context context;
  NodeProto node = LstmNode();
  node.op_type = "Twist";
  node.domain = "my.ops";
  const OpInstance call = MakeForeign(context, node, {.version = 3});
  CHECK(call.op == OpaqueOp());
  const ForeignNode read = ReadForeign(context, call);
  CHECK(read.row == nullptr);
  CHECK(read.domain == "my.ops");
  CHECK(read.op_type == "Twist");
  CHECK(read.version == 3);
  CHECK(read.attributes.size() == 2);
}

TEST_CASE("foreign operators are found by name and are in no list", "[onnx]") {
  RegisterForeignOps();
  const OpDef* op = FindOp("onnx.LSTM");
  REQUIRE(op != nullptr);
  CHECK(RowOfOp(op) == FindOpRow("", "LSTM"));
  CHECK(FindOp("com.microsoft.Gelu") != nullptr);
  CHECK(FindOp("onnx.Twist") == nullptr);
  for (const OpDef* known : AllOps()) CHECK(known != op);
}

TEST_CASE("declared types are read as they are written", "[onnx]") {
  Context context;
  const TypeId type = context.Tensor({Dim(3), Dim::Any()}, DataType::Float(16));
  CHECK(DeclaredTypeText(context, type) == "float16(3, ?)");
  CHECK(ParseDeclaredType(context, "float16(3, ?)") == type);
  CHECK(ParseDeclaredType(context, "handle()") == context.Scalar(kHandle));
  CHECK_FALSE(ParseDeclaredType(context, "float16(3").has_value());
  CHECK_FALSE(ParseDeclaredType(context, "text(3)").has_value());
}

TEST_CASE("tensors of attributes outlive the expansion of their node", "[onnx]") {
  constexpr std::string_view kValue("\x0a\x05value\x2a\x0e\x08\x01\x10\x07\x4a\x08\x01\0\0\0\0\0\0\0\xa0\x01\x04", 26);
  Context context;
  const auto attribute = ReadAttributeProto(kValue);
  REQUIRE(attribute);
  NodeProto node;
  node.op_type = "ConstantOfShape";
  node.attributes.push_back(attribute->attribute);
  const OpRow* row = FindOpRow("", "ConstantOfShape");
  const OpInstance call = MakeForeign(context, node, {.row = row, .version = 9});
  FunctionBuilder to(context);
  Tensor shape(DataType::Int(64), {1});
  shape.mutable_data<int64_t>()[0] = 3;
  const std::array operands = {EmitConstant(to, shape)};
  const Expansion expansion = ExpandForeign(to, context, nullptr, call, operands, "");
  CHECK(expansion.error.empty());
  for (const ExprId id : to.function().ids()) {
    if (to.function().kind(id) == ExprKind::kConstant) CHECK_FALSE(to.function().constant(id).Elements().is_view());
  }
}

}  // namespace relayopt::onnx
