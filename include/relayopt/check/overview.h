// The overview of a model: before and after the passes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/check/agreement.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Records how each pass changes the operators.
class OverviewInstrument final : public PassInstrument {
 public:
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

  // What a pass did in all of its runs.
  struct Effect {
    std::string pass;
    size_t runs = 0;
    // For each operator, how many were added.
    std::map<std::string, int64_t> operators;
    // The numbers of kernels before its first run and after its last.
    uint64_t kernels_before = 0;
    uint64_t kernels_after = 0;
    // The number of changes that do not affect any count.
    size_t other_changes = 0;
  };
  // In the order in which passes changed something first.
  auto effects() const -> const std::vector<Effect>& { return effects_; }
  // A line for each pass.
  auto Lines() const -> std::string;

 private:
  auto EffectOf(const std::string& pass) -> Effect&;

  // The modules that running passes were given, outermost first.
  std::vector<Module> open_;
  std::vector<Effect> effects_;
};

// The totals of the model before and after the passes, how far the results of both agree, and a line for each pass.
auto OverviewText(const Module& before, const Module& after, const OverviewInstrument& passes,
                  const Agreement& agreement) -> std::string;
// The same as JSON, with a line feed at the end.
auto OverviewJson(const Module& before, const Module& after, const OverviewInstrument& passes,
                  const Agreement& agreement) -> std::string;

}  // namespace relayopt
