// The rewrites of copies between global and shared memory.
#include <algorithm>

#include "lib/tir/transforms/utils/auto_copy.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kCopyInverse{
    "auto-copy-inverse", Severity::kError,
    "tir.LowerAutoCopy: a copy from shared memory must load by its loop variables in order, and store to a permutation "
    "of them"};
constexpr DiagnosticKind kCopyExtent{"auto-copy-extent", Severity::kError,
                                     "tir.LowerAutoCopy: the loops of a copy must begin at 0 and have literal extents"};

// The maximum number of elements of a copy.
constexpr int64_t kMaxElements = INT32_MAX / 4;

auto NameOf(const Terms& terms, PrimExpr var) -> std::string_view { return terms.context().text(terms.var(var).name); }

void SubstituteCopy(Terms& terms, CopyNest& nest, const VarMap& map) {
  nest.value = Substitute(terms, nest.value, map);
  for (PrimExpr& index : nest.indices) index = Substitute(terms, index, map);
  if (nest.guard) nest.guard = Substitute(terms, nest.guard, map);
}

// Returns the loop that does what the nest does; nullopt if an extent is not a literal.
auto FuseLoops(Terms& terms, CopyNest& nest) -> std::optional<int64_t> {
  int64_t elements = 1;
  std::string name;
  for (const CopyLoop& loop : nest.loops) {
    const auto extent = terms.AsInt(loop.extent);
    if (!extent || *extent < 1 || *extent > kMaxElements / elements || !terms.IsInt(loop.min, 0)) return std::nullopt;
    elements *= *extent;
    name += fmt::format("{}{}", name.empty() ? "" : "_", NameOf(terms, loop.var));
  }
  const PrimExpr fused = terms.CopyVar(nest.loops[0].var, name + "_fused");
  VarMap map;
  PrimExpr rest = fused;
  for (size_t i = nest.loops.size(); i-- > 0;) {
    map[nest.loops[i].var] = arith::FloorMod(terms, rest, nest.loops[i].extent);
    rest = arith::FloorDiv(terms, rest, nest.loops[i].extent);
  }
  SubstituteCopy(terms, nest, map);
  const DataType type = terms.dtype(fused);
  nest.loops = {{fused, terms.IntImm(type, 0), terms.IntImm(type, elements), ForKind::kSerial, {}}};
  return elements;
}

// The pieces of its iterators of which an index consists, for buffers with a dimension for each of them.
class PieceFinder {
 public:
  PieceFinder(Terms& terms, const absl::flat_hash_map<PrimExpr, int64_t>& extents) : terms_(terms), extents_(extents) {}

  struct Piece {
    PrimExpr index;
    int64_t extent;
  };

  // Returns the pieces of the index, outermost first; nullopt if it has another form.
  auto Find(PrimExpr root) -> std::optional<std::vector<Piece>> {
    struct Task {
      PrimExpr expr;
      bool is_end = false;
    };
    std::vector<Piece> pieces;
    std::vector<Task> tasks = {{root}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      if (task.is_end) {
        steps_.pop_back();
        continue;
      }
      if (terms_.is_var(task.expr)) {
        if (!AddPiece(task.expr, pieces)) return std::nullopt;
        continue;
      }
      const PrimKind kind = terms_.kind(task.expr);
      const auto operands = terms_.operands(task.expr);
      if (kind == PrimKind::kFloorDiv || kind == PrimKind::kFloorMod || kind == PrimKind::kMul) {
        const auto operand = terms_.AsInt(operands[1]);
        if (!operand || *operand < 1) return std::nullopt;
        steps_.push_back({kind, *operand});
        tasks.push_back({{}, true});
        tasks.push_back({operands[0]});
        continue;
      }
      for (size_t i = operands.size(); i-- > 0;) tasks.push_back({operands[i]});
    }
    return pieces;
  }

 private:
  struct Step {
    PrimKind kind;
    int64_t operand;
  };

  static auto Divides(int64_t a, int64_t b) -> bool { return a % b == 0 || b % a == 0; }

  auto AddPiece(PrimExpr var, std::vector<Piece>& pieces) -> bool {
    const auto found = extents_.find(var);
    if (found == extents_.end()) return true;
    int64_t max = found->second;
    int64_t extent = max;
    PrimExpr index = var;
    for (size_t i = steps_.size(); i-- > 0;) {
      const auto [kind, operand] = steps_[i];
      const PrimExpr literal = terms_.Int32(operand);
      if (kind == PrimKind::kMul) {
        if (max > kMaxElements / operand) return false;
        max *= operand;
        index = arith::Mul(terms_, index, literal);
      } else if (kind == PrimKind::kFloorDiv) {
        if (max == 0 || !Divides(max, operand)) return max == 0;
        max /= operand;
        if (extent > max) extent = std::max<int64_t>(1, max);
        if (max % extent != 0) return false;
        index = arith::FloorDiv(terms_, index, literal);
      } else {
        const int64_t step = max / extent;
        if (step != 0 && !Divides(step, operand)) return false;
        if (step % operand == 0) {
          extent = 1;
          max = 0;
        } else {
          extent = std::max<int64_t>(1, std::min(extent, operand / step));
          max = extent * step;
        }
        index = arith::FloorMod(terms_, index, literal);
      }
    }
    if (extent > 1) pieces.push_back({arith::FloorDiv(terms_, index, terms_.Int32(max / extent)), extent});
    return true;
  }

  Terms& terms_;
  const absl::flat_hash_map<PrimExpr, int64_t>& extents_;
  // The operations around the term that is visited.
  std::vector<Step> steps_;
};

// The shape of memory for all that a thread loads, and the indices of an element.
struct StageShape {
  std::vector<PrimExpr> shape;
  std::vector<PrimExpr> indices;
};

// As TVM: with a dimension for each one of the source, if the indices have a form for this.
auto ShapeOfSource(Terms& terms, PrimExpr load, std::span<const CopyLoop> loops) -> std::optional<StageShape> {
  if (terms.kind(load) != PrimKind::kBufferLoad) return std::nullopt;
  absl::flat_hash_map<PrimExpr, int64_t> extents;
  for (const CopyLoop& loop : loops) {
    const auto extent = terms.AsInt(loop.extent);
    if (!extent || *extent < 1) return std::nullopt;
    extents[loop.var] = *extent;
  }
  StageShape made;
  for (const PrimExpr index : terms.operands(load)) {
    const auto pieces = PieceFinder(terms, extents).Find(index);
    if (!pieces) return std::nullopt;
    int64_t product = 1;
    PrimExpr flat = terms.Int32(0);
    for (const auto& piece : *pieces) {
      product *= piece.extent;
      flat = arith::Add(terms, arith::Mul(terms, flat, terms.Int32(piece.extent)), piece.index);
    }
    made.shape.push_back(terms.Int32(product));
    made.indices.push_back(flat);
  }
  if (made.shape.empty()) return std::nullopt;
  return made;
}

}  // namespace

auto InvertCopy(Tables& tables, CopyNest& nest, const CopyBlock& block) -> std::optional<Diagnostic> {
  Terms& terms = tables.terms();
  arith::Analyzer analyzer(terms);
  const auto fail = [&] { return MakeDiagnostic(kCopyInverse, block.range); };
  if (terms.kind(nest.value) != PrimKind::kBufferLoad || terms.buffer(nest.value) != block.read.buffer ||
      nest.target != block.write.buffer)
    return fail();
  // The loop variables that the dimensions of a region run over, in their order.
  const auto distances = [&](std::span<const PrimExpr> indices, const std::vector<Range>& region) {
    std::vector<PrimExpr> vars;
    for (size_t i = 0; i < indices.size(); ++i) {
      const PrimExpr distance = analyzer.Simplify(arith::Sub(terms, indices[i], region[i].min));
      if (!terms.IsInt(distance, 0)) vars.push_back(distance);
    }
    return vars;
  };
  const std::vector<PrimExpr> stored = distances(nest.indices, block.write.ranges);
  const std::vector<PrimExpr> loaded = distances(terms.operands(nest.value), block.read.ranges);
  const size_t n = nest.loops.size();
  if (stored.size() != n || loaded.size() != n) return fail();
  std::vector<size_t> position(n);
  std::vector<bool> taken(n);
  for (size_t j = 0; j < n; ++j) {
    if (loaded[j] != nest.loops[j].var) return fail();
    const auto found = std::ranges::find(nest.loops, stored[j], &CopyLoop::var);
    if (found == nest.loops.end() || taken[static_cast<size_t>(found - nest.loops.begin())]) return fail();
    position[j] = static_cast<size_t>(found - nest.loops.begin());
    taken[position[j]] = true;
  }
  // Loop j now runs over dimension j of the target.
  std::vector<CopyLoop> loops;
  VarMap map;
  for (size_t j = 0; j < n; ++j) {
    const CopyLoop& source = nest.loops[position[j]];
    if (!terms.IsInt(source.min, 0)) return MakeDiagnostic(kCopyExtent, block.range);
    const PrimExpr var = terms.CopyVar(nest.loops[j].var, fmt::format("{}_inverse", NameOf(terms, nest.loops[j].var)));
    map[source.var] = var;
    loops.push_back({var, source.min, source.extent, ForKind::kSerial, {}});
  }
  SubstituteCopy(terms, nest, map);
  nest.loops = std::move(loops);
  return std::nullopt;
}

auto CoalesceCopy(Tables& tables, CopyNest& nest, const CopyBlock& block, const ThreadExtents& threads)
    -> std::optional<Diagnostic> {
  Terms& terms = tables.terms();
  const auto elements = nest.loops.empty() ? std::nullopt : FuseLoops(terms, nest);
  if (!elements) return MakeDiagnostic(kCopyExtent, block.range);
  const CopyLoop fused = nest.loops[0];
  const int64_t bits = tables.buffer(block.read.buffer).dtype.bits;
  const int64_t lanes = std::max<int64_t>(1, block.vector_bytes * 8 / std::max<int64_t>(bits, 1));
  struct Factor {
    int64_t extent;
    ForKind kind;
    std::string_view tag;
  };
  std::vector<Factor> factors = {{1, ForKind::kSerial, {}}};
  int64_t at_once = lanes;
  for (size_t i = threads.size(); i-- > 0;) {
    if (!threads[i]) continue;
    factors.push_back({*threads[i], ForKind::kThreadBinding, kThreadTags[i]});
    at_once *= *threads[i];
  }
  factors.push_back({lanes, ForKind::kVectorized, {}});
  factors[0].extent = (*elements + at_once - 1) / at_once;
  arith::Analyzer analyzer(terms);
  const DataType type = terms.dtype(fused.var);
  nest.loops.clear();
  PrimExpr position = terms.IntImm(type, 0);
  for (size_t i = 0; i < factors.size(); ++i) {
    const PrimExpr extent = terms.IntImm(type, factors[i].extent);
    const PrimExpr var = terms.CopyVar(fused.var, fmt::format("{}_{}", NameOf(terms, fused.var), i));
    analyzer.Bind(var, Range{terms.IntImm(type, 0), extent});
    position = arith::Add(terms, arith::Mul(terms, position, extent), var);
    IterVarId thread;
    if (factors[i].kind == ForKind::kThreadBinding) {
      const PrimExpr own = terms.Var(factors[i].tag, type);
      thread = tables.Add(IterVar{own, {}, IterType::kThreadIndex, terms.context().Intern(factors[i].tag)});
    }
    nest.loops.push_back({var, terms.IntImm(type, 0), extent, factors[i].kind, thread});
  }
  SubstituteCopy(terms, nest, {{fused.var, position}});
  const PrimExpr inside = arith::Lt(terms, position, fused.extent);
  if (!analyzer.CanProve(inside)) nest.guard = nest.guard ? arith::And(terms, inside, nest.guard) : inside;
  return std::nullopt;
}

auto StageCopy(StmtBuilder& builder, const CopyNest& nest, CopyNeeds& needs) -> StmtId {
  Terms& terms = builder.terms();
  std::vector<CopyLoop> outer;
  std::vector<CopyLoop> inner;
  for (const CopyLoop& loop : nest.loops) (loop.kind == ForKind::kThreadBinding ? outer : inner).push_back(loop);
  std::optional<StageShape> stage = ShapeOfSource(terms, nest.value, inner);
  if (!stage) {
    stage.emplace();
    for (const CopyLoop& loop : inner) {
      stage->shape.push_back(loop.extent);
      stage->indices.push_back(loop.var);
    }
  }
  Buffer buffer = builder.tables().buffer(nest.target);
  buffer.data = terms.Var(fmt::format("{}_local", NameOf(terms, buffer.data)),
                          VarType::Pointer(terms.var(buffer.data).type.dtype, builder.context().Intern("local")));
  buffer.name = builder.context().Intern(fmt::format("{}_local", builder.context().text(buffer.name)));
  buffer.shape = stage->shape;
  buffer.strides.clear();
  buffer.axis_separators.clear();
  const DataType dtype = buffer.dtype;
  const BufferId local = builder.tables().Add(std::move(buffer));
  needs.allocs.push_back(local);

  CopyNest fill = nest;
  fill.loops = inner;
  VarMap map;
  for (CopyLoop& loop : fill.loops) {
    const PrimExpr var = terms.CopyVar(loop.var, fmt::format("{}_cache", NameOf(terms, loop.var)));
    map[loop.var] = var;
    loop.var = var;
  }
  fill.target = local;
  fill.indices = stage->indices;
  SubstituteCopy(terms, fill, map);
  CopyNest drain = nest;
  drain.loops = std::move(inner);
  drain.value = terms.BufferLoad(local, stage->indices, dtype);
  const StmtId both = builder.Seq({WriteCopyNest(builder, fill), WriteCopyNest(builder, drain)});
  return WrapInLoops(builder, outer, both);
}

}  // namespace relayopt::tir
