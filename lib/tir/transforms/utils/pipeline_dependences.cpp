// Whether the stages and orders of a software pipeline keep the accesses that depend on each other in order.
//
// Step a of iteration i runs at time i + stage(a), and steps of the same time run in their order. For steps a and b of
// the iterations i and i + d, where a ran first, b overtakes a if stage(a) - stage(b) > d, or if both are equal and
// order(a) > order(b). That is a fault if both access the same elements and one of them writes.
//
// As TVM, a step that reads what an earlier step of its iteration writes must not be overtaken whatever the elements
// are. Other accesses are reported only if they certainly overlap.
#include <algorithm>

#include "lib/tir/transforms/utils/software_pipeline.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kPipelineDependence{
    "pipeline-dependence", Severity::kError,
    "tir.InjectSoftwarePipeline: statement {} reads {} from statement {}, and its stage and order run it first"};
constexpr DiagnosticKind kPipelineOvertakes{
    "pipeline-overtakes", Severity::kError,
    "tir.InjectSoftwarePipeline: the stages run statement {} before statement {} of an earlier iteration, and both "
    "access the same elements of {}"};

// The distances in iterations for which overlaps are looked for.
constexpr int64_t kMaxDistance = 4;

class DependenceChecker {
 public:
  DependenceChecker(Tables& tables, const SoftwarePipeline& pipeline)
      : tables_(tables), terms_(tables.terms()), pipeline_(pipeline), analyzer_(terms_) {
    analyzer_.Bind(pipeline.var, Range{pipeline.min, pipeline.extent});
    for (const BufferId buffer : pipeline.allocs) allocated_.insert(tables.buffer(buffer).data);
    for (size_t i = 0; i < pipeline.steps.size(); ++i) {
      for (const BufferRegion& region : pipeline.steps[i].reads) Note(region, i, false);
      for (const BufferRegion& region : pipeline.steps[i].writes) Note(region, i, true);
    }
  }

  auto Run() -> std::optional<Diagnostic> {
    for (const PrimExpr data : order_) {
      const std::vector<Access>& accesses = accesses_[data];
      for (const Access& a : accesses) {
        for (const Access& b : accesses) {
          if (std::optional<Diagnostic> fault = Check(a, b)) return fault;
        }
      }
    }
    return std::nullopt;
  }

 private:
  struct Access {
    const BufferRegion* region;
    size_t step;
    bool is_write;
  };

  void Note(const BufferRegion& region, size_t step, bool is_write) {
    const PrimExpr data = tables_.buffer(region.buffer).data;
    const auto [at, is_new] = accesses_.try_emplace(data);
    if (is_new) order_.push_back(data);
    at->second.push_back({&region, step, is_write});
  }

  // `a` runs first in the program.
  auto Check(const Access& a, const Access& b) -> std::optional<Diagnostic> {
    if (!a.is_write && !b.is_write) return std::nullopt;
    const PipelineStep& first = pipeline_.steps[a.step];
    const PipelineStep& second = pipeline_.steps[b.step];
    const int64_t late = first.stage - second.stage;
    const bool overtakes_equal = first.order > second.order;
    const StringId name = tables_.buffer(a.region->buffer).name;
    const std::string_view text = tables_.terms().context().text(name);
    if (a.step < b.step && (late > 0 || (late == 0 && overtakes_equal))) {
      if (a.is_write && !b.is_write) return MakeDiagnostic(kPipelineDependence, pipeline_.range, b.step, text, a.step);
      if (Overlap(*a.region, *b.region, 0))
        return MakeDiagnostic(kPipelineOvertakes, pipeline_.range, b.step, a.step, text);
    }
    // Each iteration has its own instance of the buffers that it allocates.
    if (allocated_.contains(tables_.buffer(a.region->buffer).data)) return std::nullopt;
    for (int64_t d = 1; d <= std::min(late, kMaxDistance); ++d) {
      if (d == late && !overtakes_equal) break;
      if (Overlap(*a.region, *b.region, d))
        return MakeDiagnostic(kPipelineOvertakes, pipeline_.range, b.step, a.step, text);
    }
    return std::nullopt;
  }

  // Whether `a` in some iteration certainly accesses elements of `b`, `distance` iterations later if there are so many.
  auto Overlap(const BufferRegion& a, const BufferRegion& b, int64_t distance) -> bool {
    if (a.buffer != b.buffer || a.ranges.size() != b.ranges.size()) return false;
    const PrimExpr step = arith::MakeConst(terms_, terms_.dtype(pipeline_.var), distance);
    // Where the number of iterations is unknown, there may be that many.
    if (analyzer_.CanProve(arith::Le(terms_, pipeline_.extent, step))) return false;
    const VarMap later = {{pipeline_.var, arith::Add(terms_, pipeline_.var, step)}};
    for (size_t i = 0; i < a.ranges.size(); ++i) {
      const Range& x = a.ranges[i];
      const Range y = {Substitute(terms_, b.ranges[i].min, later), Substitute(terms_, b.ranges[i].extent, later)};
      const PrimExpr below = arith::Lt(terms_, x.min, arith::Add(terms_, y.min, y.extent));
      const PrimExpr above = arith::Lt(terms_, y.min, arith::Add(terms_, x.min, x.extent));
      if (!analyzer_.CanProve(below) || !analyzer_.CanProve(above)) return false;
    }
    return true;
  }

  Tables& tables_;
  Terms& terms_;
  const SoftwarePipeline& pipeline_;
  arith::Analyzer analyzer_;
  // By data variable, which `order_` has in the order of the first access.
  absl::flat_hash_map<PrimExpr, std::vector<Access>> accesses_;
  std::vector<PrimExpr> order_;
  absl::flat_hash_set<PrimExpr> allocated_;
};

}  // namespace

auto CheckDependences(Tables& tables, const SoftwarePipeline& pipeline) -> std::optional<Diagnostic> {
  return DependenceChecker(tables, pipeline).Run();
}

}  // namespace relayopt::tir
