// Builds the function of a fusion group.
#pragma once

#include <vector>

#include "fusion_plan.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

class KernelBuilder {
 public:
  // `made` maps expressions to what they became outside of kernels, so that constants are shared with these.
  KernelBuilder(const FusionPlan& plan, FunctionBuilder& to, SideTable<ExprId, ExprId>& made);

  // Returns the function of the group that `last` ends. Appends the expressions with which to call it to `args`.
  auto Make(ExprId last, std::vector<ExprId>& args) -> ExprId;

 private:
  // A parameter and the group whose kernel it belongs to.
  struct Param {
    ExprId group;
    ExprId param;
  };
  struct Frame {
    ExprId id;
    uint32_t next;
  };
  // The parameters of the current kernel, with their types.
  struct Signature {
    std::vector<ExprId> params;
    std::vector<TypeId> types;
  };
  // The parts of the kernel's attributes.
  struct Attrs {
    explicit Attrs(Context& context);
    StringId primitive;
    StringId reshape_only;
    ObjectId zero;
    ObjectId one;
  };

  void AddParam(ExprId last, ExprId arg, TypeId type, std::vector<ExprId>& args);
  auto ParamName(size_t number) -> StringId;
  void CopyBody(ExprId last);
  void CopyConstant(ExprId constant);

  const FusionPlan& plan_;
  const Function& function_;
  FunctionBuilder& to_;
  SideTable<ExprId, ExprId>& made_;
  const Attrs attrs_;
  SideTable<ExprId, Param> param_of_;
  // The new ids of members inside their kernel.
  SideTable<ExprId, ExprId> inner_;
  // The names p0, p1, ..., as far as they were needed.
  std::vector<StringId> names_;
  // Storage that is reused by one kernel after the other.
  Signature signature_;
  std::vector<Frame> stack_;
  std::vector<ExprId> operands_;
};

}  // namespace relayopt
