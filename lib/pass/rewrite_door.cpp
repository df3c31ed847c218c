// Who watches the rewrites of this thread.
#include "relayopt/pass/rewrite_door.h"

#include "relayopt/pass/remarks.h"

namespace relayopt {

auto RewriteDoor::Innermost() -> RewriteDoor*& {
  static thread_local RewriteDoor* innermost = nullptr;
  return innermost;
}

auto RewriteDoor::Allows() -> bool {
  was_asked_ = true;
  return context_.Allows({pass_, kCounter, {}, true});
}

void RewriteDoor::Made(std::string_view before, std::string_view after, SourceRange range) {
  context_.Report(Remark(RemarkKind::kPassed, pass_, "Rewritten", function_, range)
                      .Arg("Before", before)
                      .Text(" became ")
                      .Arg("After", after));
}

}  // namespace relayopt
