// The switch that makes arithmetic preserve floats bit by bit.
#pragma once

namespace relayopt::arith {

// Whether folding and simplification in this thread leave out rewrites that hold for real numbers only: `x - x` is not
// 0 for infinities and NaN, `x + 0` turns -0 into 0, and `not x < y` differs from `y <= x` for NaN.
auto FloatsAreStrict() -> bool;

// Sets it for as long as the scope lives. A pass enters one with the strictness of its PassContext in each thread that
// works for it, so that the result depends on the context alone: not on the thread, and not on other runs.
class StrictFloatsScope {
 public:
  explicit StrictFloatsScope(bool on);
  StrictFloatsScope(const StrictFloatsScope&) = delete;
  auto operator=(const StrictFloatsScope&) -> StrictFloatsScope& = delete;
  ~StrictFloatsScope();

 private:
  bool before_;
};

}  // namespace relayopt::arith
