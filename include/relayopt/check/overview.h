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

  // Returns a line for each pass, in the order in which they changed something first.
  auto Lines() const -> std::string;

 private:
  struct Effect {
    std::string pass;
    size_t runs = 0;
    // For each operator, how many were added.
    std::map<std::string, int64_t> operators;
    int64_t kernels = 0;
    int64_t parameters = 0;
    // The number of changes that do not affect any count.
    size_t other_changes = 0;
  };

  auto EffectOf(const std::string& pass) -> Effect&;

  // The modules that running passes were given, outermost first.
  std::vector<Module> open_;
  std::vector<Effect> effects_;
};

// The totals of the model before and after the passes, how far the results of both agree, and a line for each pass.
auto OverviewText(const Module& before, const Module& after, const OverviewInstrument& passes,
                  const Agreement& agreement) -> std::string;

}  // namespace relayopt
