// The annotations at the borders of external regions, and the regions between them.
#include "compiler_annotations.h"

#include "relayopt/relay/ops/annotation.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kOtherCompiler = {"region-other-compiler", Severity::kError,
                                           "this compiler_end is for '{}', but the region that it closes "
                                           "was begun for '{}'"};
constexpr DiagnosticKind kOutside = {"region-argument-outside", Severity::kError,
                                     "one argument of this expression is inside an external region, another is neither "
                                     "inside nor after a compiler_begin"};

// Values that need no begin: they are the same everywhere.
auto IsClosed(ExprKind kind) -> bool {
  return kind == ExprKind::kConstant || kind == ExprKind::kOp || kind == ExprKind::kGlobal ||
         kind == ExprKind::kConstructor || kind == ExprKind::kFunction;
}

}  // namespace

auto CompilerOf(const Function& function, ExprId annotation) -> std::string_view {
  const auto* attrs = function.context().As<CompilerAttrs>(function.attrs(annotation));
  return attrs == nullptr ? kDefaultCompiler : std::string_view(attrs->compiler);
}

auto EmitAnnotation(FunctionBuilder& to, const OpDef* op, ExprId value, std::string_view compiler) -> ExprId {
  const ExprId made = EmitCallWith(to, op, CompilerAttrs{.compiler = std::string(compiler)}, {value});
  to.SetType(made, to.function().type(value));
  return made;
}

auto AnnotatedRegions::Root(RegionId id) const -> RegionId {
  while (regions_[id.value()].parent) {
    const Region& region = regions_[id.value()];
    // Path halving, which shortens later searches.
    if (regions_[region.parent.value()].parent) region.parent = regions_[region.parent.value()].parent;
    id = region.parent;
  }
  return id;
}

void AnnotatedRegions::Merge(RegionId from, RegionId to) {
  if (from == to) return;
  Region& source = regions_[from.value()];
  Region& target = regions_[to.value()];
  target.inputs.splice(target.inputs.end(), source.inputs);
  target.outputs.splice(target.outputs.end(), source.outputs);
  source.parent = to;
}

auto AnnotatedRegions::Find(const Function& function) -> Result<AnnotatedRegions> {
  AnnotatedRegions regions(function.size());
  for (const ExprId id : function.ids()) {
    if (IsCompilerBegin(function, id)) {
      regions.region_of_[id] = RegionId(regions.size());
      regions.regions_.push_back({CompilerOf(function, id), {id}, {}, {}});
    } else if (IsCompilerEnd(function, id)) {
      const RegionId region = regions.RegionOf(function.operand(id, 0));
      // This end closes no region.
      if (!region) continue;
      if (regions.compiler(region) != CompilerOf(function, id)) {
        return MakeDiagnostic(kOtherCompiler, function.range(id), CompilerOf(function, id), regions.compiler(region));
      }
      regions.region_of_[id] = region;
      regions.regions_[region.value()].outputs.push_back(id);
    } else if (auto error = regions.Join(function, id)) {
      return *std::move(error);
    }
  }
  return regions;
}

// An expression joins the region of its first operand that is in one; the regions of the others become part of it.
auto AnnotatedRegions::Join(const Function& function, ExprId id) -> std::optional<Diagnostic> {
  auto operands = function.operands(id);
  switch (function.kind(id)) {
    case ExprKind::kCall: operands = operands.subspan(1); break;
    case ExprKind::kOpCall:
    case ExprKind::kTuple:
    case ExprKind::kTupleGetItem:
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite: break;
    default: return std::nullopt;
  }
  RegionId joined;
  bool some_outside = false;
  for (const ExprId operand : operands) {
    const RegionId region = IsCompilerEnd(function, operand) ? RegionId() : RegionOf(operand);
    if (!region) {
      some_outside = some_outside || !IsClosed(function.kind(operand));
    } else if (!joined) {
      joined = region;
    } else if (compiler(region) != compiler(joined)) {
      some_outside = true;
    } else {
      Merge(region, joined);
    }
  }
  if (!joined) return std::nullopt;
  if (some_outside) return MakeDiagnostic(kOutside, function.range(id));
  region_of_[id] = joined;
  return std::nullopt;
}

}  // namespace relayopt
