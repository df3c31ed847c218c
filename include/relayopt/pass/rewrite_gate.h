// The gate that rewrites go through, so that they can be counted, left out one by one and told without a line in the
// pass.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/pass/pass_context.h"

namespace relayopt {

// While it lives, the rewrites of this thread are those of one pass on one function. There is one only where somebody
// watches: a debug counter or a reader of remarks. `Rebuild::Rewrite` asks it; a pass that rewrites in another way is
// asked once for each function that it changed.
class RewriteGate {
 public:
  // The name that every pass has a counter of, besides those that it declares.
  static constexpr std::string_view kCounter = "rewrites";

  // `pass` is the name of a pass info; all must outlive the gate.
  RewriteGate(PassContext& context, std::string_view pass, std::string_view function)
      : context_(context), pass_(pass), function_(function), outer_(Innermost()) {
    Innermost() = this;
  }
  RewriteGate(const RewriteGate&) = delete;
  auto operator=(const RewriteGate&) -> RewriteGate& = delete;
  ~RewriteGate() { Innermost() = outer_; }

  // That of the calling thread; null where nobody watches.
  static auto Current() -> RewriteGate* { return Innermost(); }

  // Whether the next rewrite may be made. Asking counts.
  auto Allows() -> bool;
  auto was_asked() const -> bool { return was_asked_; }
  auto wants_remarks() const -> bool { return context_.wants_remarks(); }
  // A rewrite was made: what `before` stood for is `after` now.
  void ReportRewrite(std::string_view before, std::string_view after, SourceRange range);

 private:
  static auto Innermost() -> RewriteGate*&;

  PassContext& context_;
  std::string_view pass_;
  std::string_view function_;
  RewriteGate* outer_;
  bool was_asked_ = false;
};

}  // namespace relayopt
