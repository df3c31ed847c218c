// The code that a partial evaluator emits.
#pragma once

#include <deque>
#include <vector>

#include "lib/relay/transforms/let_list.h"
#include "partial_values.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::partial {

// Writes functions; the innermost is last, because a global function is created when it is first referred to. Each has
// nested lists of let steps, and new code is added to the innermost list.
class CodeWriter {
 public:
  CodeWriter(Context& context, PassContext& pass) : context_(context), pass_(pass) {}

  void StartFunction() { outputs_.emplace_back(context_, ++num_outputs_); }
  void FinishFunction() { outputs_.pop_back(); }
  auto to() -> FunctionBuilder& { return outputs_.back().to; }
  // Another one for each function.
  auto number() const -> size_t { return outputs_.back().number; }

  void OpenList() { outputs_.back().lists.emplace_back(to(), pass_); }
  // Returns the code of the list, with its result.
  auto CloseList(const Atom& result) -> ExprId {
    const ExprId code = outputs_.back().lists.back().Close(Code(result));
    outputs_.back().lists.pop_back();
    return code;
  }
  // Returns a further step: the variable that it is bound to, or the one that is given.
  auto Push(ExprId code) -> Atom { return VarAtom(outputs_.back().lists.back().Push(code)); }
  void Push(ExprId var, ExprId code) { outputs_.back().lists.back().Push(var, code); }

  auto Code(const Atom& atom) -> ExprId {
    switch (atom.kind) {
      case ExprKind::kGlobal: return to().Global(GlobalId(atom.id));
      case ExprKind::kConstructor: return to().Constructor(CtorId(atom.id));
      case ExprKind::kOp: return to().Op(OpInstanceId(atom.id));
      default: return ExprId(atom.id);
    }
  }
  static auto VarAtom(ExprId var) -> Atom { return {ExprKind::kVar, var.value()}; }

 private:
  struct Output {
    Output(Context& context, size_t n) : to(context), number(n) {}
    FunctionBuilder to;
    size_t number;
    std::vector<LetList> lists;
  };

  Context& context_;
  PassContext& pass_;
  std::deque<Output> outputs_;
  size_t num_outputs_ = 0;
};

}  // namespace relayopt::partial
