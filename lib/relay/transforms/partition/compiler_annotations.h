// The annotations at the borders of external regions, and the regions between them.
#pragma once

#include <list>
#include <string_view>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/result.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// The name of the compiler for what is not offloaded.
inline constexpr std::string_view kDefaultCompiler = "default";

inline auto IsCompilerBegin(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kOpCall && function.op(id) == "annotation.compiler_begin"_op;
}
inline auto IsCompilerEnd(const Function& function, ExprId id) -> bool {
  return function.kind(id) == ExprKind::kOpCall && function.op(id) == "annotation.compiler_end"_op;
}
// Returns the compiler that an annotation names.
auto CompilerOf(const Function& function, ExprId annotation) -> std::string_view;
// Emits a begin or an end around `value`.
auto EmitAnnotation(FunctionBuilder& to, const OpDef* op, ExprId value, std::string_view compiler) -> ExprId;

using RegionId = Index<struct RegionTag>;

// The regions between begin and end annotations. A region belongs to one compiler. A begin is part of the region that
// it opens, an end part of the one that it closes.
class AnnotatedRegions {
 public:
  // Returns an error where annotations contradict each other. The function must be laid out.
  static auto Find(const Function& function) -> Result<AnnotatedRegions>;

  auto size() const -> size_t { return regions_.size(); }
  // Returns the region of an expression; none outside of all.
  auto RegionOf(ExprId id) const -> RegionId { return region_of_[id] ? Root(region_of_[id]) : RegionId(); }
  auto compiler(RegionId id) const -> std::string_view { return regions_[id.value()].compiler; }
  // Returns the begins through which values enter, and the ends through which they leave, those of merged regions
  // appended. Those between two parts of one region are among them.
  auto inputs(RegionId id) const -> const std::list<ExprId>& { return regions_[id.value()].inputs; }
  auto outputs(RegionId id) const -> const std::list<ExprId>& { return regions_[id.value()].outputs; }
  // Returns the representative of a region after merging.
  auto Root(RegionId id) const -> RegionId;
  // `from` becomes part of `to`. Both must be roots.
  void Merge(RegionId from, RegionId to);

 private:
  struct Region {
    std::string_view compiler;
    std::list<ExprId> inputs;
    std::list<ExprId> outputs;
    // The parent in the union-find forest of merged regions.
    mutable RegionId parent;
  };

  explicit AnnotatedRegions(size_t size) : region_of_(size) {}
  auto Join(const Function& function, ExprId id) -> std::optional<Diagnostic>;

  std::vector<Region> regions_;
  SideTable<ExprId, RegionId> region_of_;
};

}  // namespace relayopt
