// Copies between shared memory and the matrix fragments of a warp: tiles of 16 by 16 elements become instructions.
//
//   for i, j in T.grid(128, 128):                        for i_0, j_0 in T.grid(8, 8):
//       F[i, j] = S[i, j]                           ->       with T.block("wmma_load"):
//                                                                src = T.match_buffer(S[i_0 * 16:..., j_0 * 16:...],
//                                                                ...) tgt = T.match_buffer(F[i_0 * 16:..., j_0 *
//                                                                16:...], ...) T.tvm_load_matrix_sync(tgt.data, 16, 16,
//                                                                16, ...)
#include "lib/tir/transforms/utils/auto_copy.h"
#include "lib/tir/transforms/utils/block_regions.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/int_set.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kCopyFragment{
    "auto-copy-fragment", Severity::kError,
    "tir.LowerAutoCopy: a copy of a matrix fragment must be a plain copy (to global memory: with one load of the "
    "fragment) with two innermost loops over its last two dimensions whose extents are multiples of 16, and fragments "
    "that are loaded must be float16"};

constexpr int64_t kTile = 16;

// Tiles the two innermost loops; false if that is not possible.
auto TileCopy(Terms& terms, CopyNest& nest) -> bool {
  const size_t n = nest.loops.size();
  if (n < 2 || nest.guard) return false;
  VarMap map;
  std::vector<CopyLoop> outer;
  std::vector<CopyLoop> inner;
  for (size_t i = n - 2; i < n; ++i) {
    const CopyLoop& loop = nest.loops[i];
    const auto extent = terms.AsInt(loop.extent);
    if (!extent || *extent <= 0 || *extent % kTile != 0 || !terms.IsInt(loop.min, 0)) return false;
    const std::string_view name = terms.context().text(terms.var(loop.var).name);
    const PrimExpr tile = terms.CopyVar(loop.var, fmt::format("{}_0", name));
    const PrimExpr element = terms.CopyVar(loop.var, fmt::format("{}_1", name));
    const DataType type = terms.dtype(loop.var);
    const PrimExpr size = terms.IntImm(type, kTile);
    map[loop.var] = arith::Add(terms, arith::Mul(terms, tile, size), element);
    outer.push_back({tile, loop.min, terms.IntImm(type, *extent / kTile), ForKind::kSerial, {}});
    inner.push_back({element, loop.min, size, ForKind::kSerial, {}});
  }
  nest.loops.resize(n - 2);
  nest.loops.insert(nest.loops.end(), outer.begin(), outer.end());
  nest.loops.insert(nest.loops.end(), inner.begin(), inner.end());
  nest.value = Substitute(terms, nest.value, map);
  for (PrimExpr& index : nest.indices) index = Substitute(terms, index, map);
  return true;
}

// The range of the indices while the two innermost loops run.
auto TileRegion(Tables& tables, BufferId buffer, std::span<const PrimExpr> indices, const CopyNest& nest)
    -> BufferRegion {
  Terms& terms = tables.terms();
  arith::Analyzer analyzer(terms);
  std::vector<arith::Analyzer::VarSet> vars;
  for (size_t i = nest.loops.size(); i-- > nest.loops.size() - 2;) {
    vars.push_back({nest.loops[i].var, arith::SetFromRange(terms, {nest.loops[i].min, nest.loops[i].extent})});
  }
  BufferRegion region{buffer, {}};
  for (size_t i = 0; i < indices.size(); ++i) {
    const PrimExpr extent = tables.buffer(buffer).shape[i];
    const Range whole = {terms.IntImm(terms.dtype(extent), 0), extent};
    region.ranges.push_back(arith::CoverRange(analyzer, arith::EvalSet(terms, indices[i], vars), whole));
  }
  return region;
}

// Returns a view of a tile.
auto TileBuffer(Tables& tables, std::string_view name, BufferId of, bool has_strides) -> BufferId {
  Terms& terms = tables.terms();
  Context& context = terms.context();
  const Buffer& source = tables.buffer(of);
  Buffer buffer;
  buffer.dtype = source.dtype;
  buffer.data = terms.Var(name, VarType::Pointer(source.dtype, context.Intern(tables.Scope(of))));
  buffer.name = context.Intern(name);
  buffer.shape = {terms.Int32(kTile), terms.Int32(kTile)};
  if (has_strides) buffer.strides = {terms.Var("s1", DataType::Int(32)), terms.Var("s0", DataType::Int(32))};
  buffer.elem_offset = terms.Var(fmt::format("{}_elem_offset", name), DataType::Int(32));
  buffer.data_alignment = 64;
  buffer.offset_factor = static_cast<int32_t>(kTile);
  return tables.Add(std::move(buffer));
}

// Whether the region is a tile in the last two dimensions.
auto IsTile(const Terms& terms, const BufferRegion& region) -> bool {
  const size_t n = region.ranges.size();
  for (size_t i = 0; i < n; ++i) {
    if (!terms.IsInt(region.ranges[i].extent, i + 2 < n ? 1 : kTile)) return false;
  }
  return n >= 2;
}

// Returns a nest whose two innermost loops are those of a tile, as an instruction in the loops around it. Returns an
// error if the nest accesses anything but tiles.
auto TileInstruction(StmtBuilder& builder, const CopyNest& nest, bool is_load, const CopyBlock& block, CopyNeeds& needs)
    -> Result<StmtId> {
  Terms& terms = builder.terms();
  Tables& tables = builder.tables();
  const BufferId source = terms.buffer(nest.value);
  // As TVM: rows of shared memory stay aligned to what the instruction accesses.
  needs.padding[is_load ? source : nest.target] = 8;
  const BufferRegion read = TileRegion(tables, source, terms.operands(nest.value), nest);
  const BufferRegion write = TileRegion(tables, nest.target, nest.indices, nest);
  if (!IsTile(terms, read) || !IsTile(terms, write)) return MakeDiagnostic(kCopyFragment, block.range);
  const BufferId src = TileBuffer(tables, "src", source, is_load);
  const BufferId tgt = TileBuffer(tables, "tgt", nest.target, !is_load);
  const Buffer& fragment = tables.buffer(is_load ? tgt : src);
  const Buffer& shared = tables.buffer(is_load ? src : tgt);
  const PrimExpr row = shared.strides[0];
  const PrimExpr tile = terms.Int32(kTile);
  const PrimExpr elements = terms.Int32(kTile * kTile);
  const PrimExpr offset = fragment.elem_offset;
  const PrimExpr index = arith::Add(terms, arith::FloorDiv(terms, offset, elements),
                                    arith::FloorDiv(terms, arith::FloorMod(terms, offset, elements), tile));
  const PrimExpr annotation = terms.Call(shared.dtype, terms.Intrinsic("tir.type_annotation"_intrin), {});
  const DataType handle = arith::kHandleType;
  const PrimExpr pointer = terms.Call(
      handle, terms.Intrinsic("tir.tvm_access_ptr"_intrin),
      {annotation, shared.data, shared.elem_offset, arith::Mul(terms, row, tile), terms.Int32(is_load ? 1 : 2)});
  const bool by_columns = is_load && tables.Scope(nest.target) != "wmma.matrix_a";
  const PrimExpr call = terms.Call(
      handle, terms.Intrinsic(is_load ? "tir.tvm_load_matrix_sync"_intrin : "tir.tvm_store_matrix_sync"_intrin),
      {fragment.data, tile, tile, tile, index, pointer, row, terms.StringImm(by_columns ? "col_major" : "row_major")});

  BlockInfo info;
  info.name = builder.context().Intern(is_load ? "wmma_load" : "wmma_store");
  std::vector<PrimExpr> exprs;
  AppendRegions({&read, 1}, info.reads, exprs);
  AppendRegions({&write, 1}, info.writes, exprs);
  std::vector<BlockRegion> sources;
  AppendRegions({&read, 1}, sources, exprs);
  AppendRegions({&write, 1}, sources, exprs);
  info.match_buffers = {{src, sources[0]}, {tgt, sources[1]}};
  const StmtId made = RealizeBlock(builder, builder.Block(std::move(info), exprs, builder.Evaluate(call)));
  return WrapInLoops(builder, std::span(nest.loops).first(nest.loops.size() - 2), made);
}

// Returns the one load of a fragment in a value, or invalid if there are several or none.
auto FindFragmentLoad(Tables& tables, PrimExpr value) -> PrimExpr {
  Terms& terms = tables.terms();
  PrimExpr found;
  for (const PrimExpr e : arith::PostOrder(terms, value)) {
    if (terms.kind(e) != PrimKind::kBufferLoad || tables.Scope(terms.buffer(e)) != "wmma.accumulator") continue;
    if (found) return {};
    found = e;
  }
  return found;
}

auto NameOfVar(const Terms& terms, PrimExpr var) -> std::string_view {
  return terms.context().text(terms.var(var).name);
}

// Shared memory with one element for each iteration of the loops.
auto TileMemory(Tables& tables, BufferId fragment, std::span<const CopyLoop> loops) -> BufferId {
  Terms& terms = tables.terms();
  Context& context = terms.context();
  Buffer buffer = tables.buffer(fragment);
  buffer.data = terms.Var(fmt::format("{}_shared.dyn", NameOfVar(terms, buffer.data)),
                          VarType::Pointer(terms.var(buffer.data).type.dtype, context.Intern("shared.dyn")));
  buffer.name = context.Intern(fmt::format("{}_shared.dyn", context.text(buffer.name)));
  buffer.shape.clear();
  for (const CopyLoop& loop : loops) buffer.shape.push_back(loop.extent);
  buffer.strides.clear();
  buffer.axis_separators.clear();
  return tables.Add(std::move(buffer));
}

}  // namespace

auto CopyFragments(StmtBuilder& builder, CopyNest nest, const CopyBlock& block, bool is_load, CopyNeeds& needs)
    -> Result<StmtId> {
  Terms& terms = builder.terms();
  Tables& tables = builder.tables();
  const BufferId source = terms.kind(nest.value) == PrimKind::kBufferLoad ? terms.buffer(nest.value) : BufferId();
  const DataType half{TypeCode::kFloat, 16, 1};
  const bool fits =
      source && (!is_load || (tables.buffer(source).dtype == half && tables.buffer(nest.target).dtype == half));
  if (!fits || !TileCopy(terms, nest)) return MakeDiagnostic(kCopyFragment, block.range);
  return TileInstruction(builder, nest, is_load, block, needs);
}

auto CopyFragmentsOut(StmtBuilder& builder, CopyNest nest, const CopyBlock& block, const ThreadExtents& threads,
                      std::span<const CopyLoop> around, CopyNeeds& needs) -> Result<StmtId> {
  Terms& terms = builder.terms();
  Tables& tables = builder.tables();
  if (!FindFragmentLoad(tables, nest.value) || !TileCopy(terms, nest))
    return MakeDiagnostic(kCopyFragment, block.range);
  const PrimExpr load = FindFragmentLoad(tables, nest.value);
  // A row of tiles at a time, of all threads.
  const size_t outer = nest.loops.size() - 3;
  std::vector<CopyLoop> all(around.begin(), around.end());
  const auto row = std::span(nest.loops).subspan(outer);
  all.insert(all.end(), row.begin(), row.end());
  const BufferId memory = TileMemory(tables, terms.buffer(load), all);
  needs.allocs.push_back(memory);
  const auto indices = MapToVector<PrimExpr>(all, &CopyLoop::var);

  const CopyNest fill{{row.begin(), row.end()}, {}, memory, load, indices};
  RELAYOPT_TRY(const StmtId filled, TileInstruction(builder, fill, false, block, needs));
  CopyNest drain{all, {}, nest.target, nest.value, nest.indices};
  VarMap map;
  for (CopyLoop& loop : drain.loops) {
    const PrimExpr var = terms.CopyVar(loop.var, fmt::format("{}_cache", NameOfVar(terms, loop.var)));
    map[loop.var] = var;
    loop = {var, loop.min, loop.extent, ForKind::kSerial, {}};
  }
  ExprRewriter replace(terms, [&](PrimExpr old, PrimExpr made) {
    return old == load ? terms.BufferLoad(memory, indices, terms.dtype(load)) : made;
  });
  drain.value = Substitute(terms, replace(drain.value), map);
  for (PrimExpr& index : drain.indices) index = Substitute(terms, index, map);
  if (std::optional<Diagnostic> fault = CoalesceCopy(tables, drain, block, threads)) return *std::move(fault);
  const StmtId both = builder.Seq({filled, WriteCopyNest(builder, drain)});
  return WrapInLoops(builder, std::span(nest.loops).first(outer), both);
}

}  // namespace relayopt::tir
