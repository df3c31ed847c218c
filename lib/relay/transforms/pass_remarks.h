// Makes the remarks of a pass about the function that it rewrites.
#pragma once

#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// Reports what a pass did to expressions of a function. Costs one comparison when remarks are not read; code that has
// to do work for a remark should check `is_wanted` first.
class PassRemarks {
 public:
  // `pass` is the name of the pass's row. The rest must outlive this. Without a function the thread's own is meant.
  PassRemarks(PassContext& context, std::string_view pass, const Module& module, const Function& function,
              GlobalId id = PassContext::CurrentFunction())
      : context_(context), pass_(pass), function_(function) {
    if (is_wanted() && id) name_ = module.name(id);
  }

  auto is_wanted() const -> bool { return context_.wants_remarks(); }

  // `name` is one word for what happened; the sentence is about the expression.
  void Analysis(std::string_view name, ExprId at, std::string_view sentence) {
    if (is_wanted()) {
      context_.Report(Remark(RemarkKind::kAnalysis, pass_, name, name_, FindRange(function_, at)).Text(sentence));
    }
  }
  // Remarks about a call of an operator; the sentence begins with the operator's name.
  void PassedOp(std::string_view name, ExprId call, std::string_view predicate) {
    SayOp(RemarkKind::kPassed, name, call, predicate);
  }
  void MissedOp(std::string_view name, ExprId call, std::string_view predicate) {
    SayOp(RemarkKind::kMissed, name, call, predicate);
  }

 private:
  void SayOp(RemarkKind kind, std::string_view name, ExprId call, std::string_view predicate) {
    if (!is_wanted()) return;
    context_.Report(Remark(kind, pass_, name, name_, FindRange(function_, call))
                        .Arg("Operator", function_.op(call)->name)
                        .Text(" ")
                        .Text(predicate));
  }

  PassContext& context_;
  std::string_view pass_;
  const Function& function_;
  std::string_view name_;
};

}  // namespace relayopt
