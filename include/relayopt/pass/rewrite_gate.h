// RewriteGate: rewrites ask it for permission, so that they can be counted, suppressed one by one and reported without
// any code in the pass.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/pass/pass_context.h"

namespace relayopt {

// While a gate exists, the rewrites of the current thread belong to one pass on one function. A gate exists only when
// debug counters or remarks are in use. `Rebuild::Rewrite` asks it for every rewrite; a pass that rewrites in another
// way is asked once for each function that it changed.
class RewriteGate {
 public:
  // The name of the debug counter that every pass has in addition to those that it declares.
  static constexpr std::string_view kCounter = "rewrites";

  // `pass` is the name of the pass (PassInfo::name). All arguments must outlive the gate.
  RewriteGate(PassContext& context, std::string_view pass, std::string_view function)
      : context_(context), pass_(pass), function_(function), outer_(Innermost()) {
    Innermost() = this;
  }
  RewriteGate(const RewriteGate&) = delete;
  auto operator=(const RewriteGate&) -> RewriteGate& = delete;
  ~RewriteGate() { Innermost() = outer_; }

  // Returns the innermost gate of the calling thread, or null if there is none.
  static auto Current() -> RewriteGate* { return Innermost(); }

  // Whether the next rewrite may be made. Each call counts as one rewrite.
  auto Allows() -> bool;
  auto was_asked() const -> bool { return was_asked_; }
  auto wants_remarks() const -> bool { return context_.wants_remarks(); }
  // Reports that a rewrite was applied: `before` and `after` name the expressions in the old and the new function.
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
