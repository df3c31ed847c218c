// The gate that observes the rewrites of this thread.
#include "relayopt/pass/rewrite_gate.h"

#include "relayopt/pass/remarks.h"

namespace relayopt {

auto RewriteGate::Innermost() -> RewriteGate*& {
  static thread_local RewriteGate* innermost = nullptr;
  return innermost;
}

auto RewriteGate::Allows() -> bool {
  was_asked_ = true;
  return context_.Allows({pass_, kCounter, {}, true});
}

void RewriteGate::ReportRewrite(std::string_view before, std::string_view after, SourceRange range) {
  context_.Report(Remark(RemarkKind::kPassed, pass_, "Rewritten", function_, range)
                      .Arg("Before", before)
                      .Text(" became ")
                      .Arg("After", after));
}

}  // namespace relayopt
