// Small functions made by hand, for tests of the IR.
#pragma once

#include <initializer_list>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

// Builds one function of a module with few words.
class TestFunction {
 public:
  explicit TestFunction(Module& module) : module_(module), builder_(module.context()) {}

  auto builder() -> FunctionBuilder& { return builder_; }
  auto Type(std::initializer_list<Dim> shape) -> TypeId {
    return builder_.context().Tensor(shape, DataType::Float(32));
  }

  auto Var(std::string_view name, TypeId annotation = {}) -> ExprId {
    return builder_.Var({builder_.context().Intern(name), annotation, {}});
  }
  auto Call(std::string_view op, std::initializer_list<ExprId> args) -> ExprId {
    return builder_.OpCall(InternOpInstance(builder_.context(), {FindOp(op), {}}), {args.begin(), args.size()});
  }
  auto Scalar(float value) -> ExprId {
    return builder_.Constant(builder_.context().ScalarConstant(DataType::Float(32), std::bit_cast<uint32_t>(value)));
  }
  auto Lambda(std::initializer_list<ExprId> params, ExprId body) -> ExprId {
    return builder_.Lambda({}, {params.begin(), params.size()}, body);
  }
  auto Let(std::initializer_list<ExprId> steps, ExprId result) -> ExprId {
    return builder_.Let({steps.begin(), steps.size()}, result);
  }
  // Finishes the table as it is, without laying it out.
  auto Finish(std::initializer_list<ExprId> params, ExprId body) -> Function {
    return builder_.Finish(Lambda(params, body));
  }

 private:
  Module& module_;
  FunctionBuilder builder_;
};

}  // namespace relayopt
