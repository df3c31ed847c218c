// Padding of shared memory against bank conflicts.
//
// Shared memory has 32 banks of 32 bits. For each access of a copy, the values that its indices take within a warp are
// listed, dimension by dimension. From the last dimension to the first, the stride of a dimension then gets the least
// padding with which no bank is accessed more often than with another one. Padding is at most a quarter of the stride.
//
//   S[tx % 4, tx // 4] of 32 threads, S: (4, 128)    ->    strides (128 + p, 1), where p spreads the four rows
#include <algorithm>

#include "lib/tir/transforms/utils/auto_copy.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

namespace {

constexpr int64_t kBanks = 32;
constexpr int64_t kBankBits = 32;
// The maximum number of values of indices that are considered.
constexpr size_t kMaxSpace = 1 << 14;

// A variable from 0 to `extent` - 1, times `scale`.
struct Stretch {
  int64_t extent;
  int64_t scale;
};
using Stretches = std::vector<Stretch>;

// Lists the values of indices that are sums of stretches of variables.
class SpaceFinder {
 public:
  SpaceFinder(Terms& terms, const absl::flat_hash_map<PrimExpr, int64_t>& extents) : terms_(terms), extents_(extents) {}

  // As TVM: after an index of another form all further ones are treated as unknown, too.
  auto Find(std::span<const PrimExpr> indices) -> std::vector<std::vector<int64_t>> {
    std::vector<std::vector<int64_t>> space;
    bool known = true;
    for (const PrimExpr index : indices) {
      const std::optional<Stretches> found = known ? Evaluate(index, known) : std::nullopt;
      space.push_back(found ? Values(*found) : std::vector<int64_t>());
    }
    return space;
  }

 private:
  // Nullopt for a term without variables; `known` becomes false for other forms.
  auto Evaluate(PrimExpr root, bool& known) -> std::optional<Stretches> {
    absl::flat_hash_map<PrimExpr, std::optional<Stretches>> made;
    for (const PrimExpr e : arith::PostOrder(terms_, root)) {
      std::optional<Stretches>& result = made[e];
      if (terms_.is_var(e)) {
        const auto found = extents_.find(e);
        known = known && found != extents_.end();
        if (found != extents_.end()) result = found->second > 1 ? Stretches{{found->second, 1}} : Stretches();
        continue;
      }
      if (terms_.kind(e) == PrimKind::kIntImm) continue;
      const auto operands = terms_.operands(e);
      if (operands.size() != 2) {
        known = false;
        break;
      }
      const std::optional<Stretches> a = made[operands[0]];
      const std::optional<Stretches> b = made[operands[1]];
      const auto literal = terms_.AsInt(operands[1]);
      std::optional<Stretches> value;
      if (terms_.kind(e) == PrimKind::kAdd && a && b) value = Sum(*a, *b);
      if (a && literal && *literal > 0) value = Combine(terms_.kind(e), *a, *literal);
      known = known && value.has_value();
      if (!known) break;
      made[e] = std::move(value);
    }
    return known ? made[root] : std::nullopt;
  }

  // As TVM: stretches that do not continue the one before are left out.
  static auto Sum(Stretches a, const Stretches& b) -> Stretches {
    a.insert(a.end(), b.begin(), b.end());
    if (a.empty()) return a;
    Stretch last = a[0];
    for (const Stretch& next : a) {
      if (next.extent * next.scale == last.scale) last = {last.extent * next.extent, next.scale};
    }
    return {last};
  }

  static auto Combine(PrimKind kind, const Stretches& inner, int64_t literal) -> std::optional<Stretches> {
    Stretches made;
    for (const Stretch& s : inner) {
      const int64_t end = s.scale * s.extent;
      switch (kind) {
        case PrimKind::kMul:
          if (literal > INT32_MAX / std::max<int64_t>(end, 1)) return std::nullopt;
          made.push_back({s.extent, s.scale * literal});
          break;
        case PrimKind::kFloorDiv:
          if (s.scale >= literal) {
            if (s.scale % literal != 0) return std::nullopt;
            made.push_back({s.extent, s.scale / literal});
          } else if (end > literal) {
            if (end % literal != 0) return std::nullopt;
            made.push_back({end / literal, 1});
          }
          break;
        case PrimKind::kFloorMod:
          if (s.scale >= literal) break;
          if (literal % s.scale != 0) return std::nullopt;
          made.push_back({std::min(literal / s.scale, s.extent), s.scale});
          break;
        default: return std::nullopt;
      }
    }
    return made;
  }

  static auto Values(const Stretches& stretches) -> std::vector<int64_t> {
    size_t count = 1;
    for (const Stretch& s : stretches) count *= static_cast<size_t>(std::min<int64_t>(s.extent, kMaxSpace + 1));
    if (count > kMaxSpace) return {};
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i) {
      int64_t value = 0;
      auto rest = static_cast<int64_t>(i);
      for (size_t j = stretches.size(); j-- > 0;) {
        value += rest % stretches[j].extent * stretches[j].scale;
        rest /= stretches[j].extent;
      }
      values.push_back(value);
    }
    return values;
  }

  Terms& terms_;
  const absl::flat_hash_map<PrimExpr, int64_t>& extents_;
};

auto IsSharedScope(std::string_view scope) -> bool { return scope.starts_with("shared"); }

}  // namespace

// A walk over the copy of one block.
struct SharedMemoryPadder::Visit {
  SharedMemoryPadder& padder;
  // Variables of loops with the values they have in a typical warp.
  VarMap values;
  // Variables of threads, and their values within a warp.
  absl::flat_hash_map<PrimExpr, int64_t> extents;
  PrimExpr vector_var;
  int64_t lanes = -1;

  auto terms() -> Terms& { return padder.tables_.terms(); }

  void Note(BufferId buffer, std::span<const PrimExpr> indices, bool is_store) {
    if (!IsSharedScope(padder.tables_.Scope(buffer)) || indices.empty()) return;
    arith::Analyzer analyzer(terms());
    const auto fixed = MapToVector<PrimExpr>(
        indices, [&](PrimExpr index) { return analyzer.Simplify(Substitute(terms(), index, values)); });
    padder.accesses_[buffer].push_back(SpaceFinder(terms(), extents).Find(fixed));
    if (is_store && lanes != -1 && IsContiguous(indices.back())) {
      int64_t& multiple = padder.multiples_.try_emplace(buffer, 1).first->second;
      multiple = std::max(multiple, lanes);
    }
  }

  // Whether lanes of a vector may follow each other.
  auto IsContiguous(PrimExpr index) -> bool {
    const DataType type = terms().dtype(vector_var);
    const PrimExpr first = Substitute(terms(), index, {{vector_var, terms().IntImm(type, 0)}});
    const PrimExpr second = Substitute(terms(), index, {{vector_var, terms().IntImm(type, 1)}});
    const PrimExpr step = Substitute(terms(), arith::Sub(terms(), second, first), values);
    arith::Analyzer analyzer(terms());
    return !analyzer.CanProve(arith::Ne(terms(), step, arith::MakeConst(terms(), terms().dtype(step), 1)));
  }

  void Loads(PrimExpr root) {
    for (const PrimExpr e : arith::PostOrder(terms(), root)) {
      if (terms().kind(e) == PrimKind::kBufferLoad) Note(terms().buffer(e), terms().operands(e), false);
    }
  }

  void Enter(const For& loop) {
    const PrimExpr var = loop.loop_var();
    if (loop.for_kind() != ForKind::kThreadBinding) {
      values[var] = loop.min();
    } else {
      const std::string_view tag = terms().context().text(padder.tables_.iter_var(loop.thread_binding()).thread_tag);
      const auto* const at = std::ranges::find(kThreadTags, tag);
      const size_t i = static_cast<size_t>(at - std::begin(kThreadTags));
      extents[var] = i < padder.warp_.size() ? padder.warp_[i].value_or(1) : 1;
    }
    if (loop.for_kind() == ForKind::kVectorized) {
      vector_var = var;
      lanes = terms().AsInt(loop.extent()).value_or(-1);
    }
  }

  // The tiles that instructions for matrices access.
  void Tiles(const Block& block) {
    const auto eval = block.body().As<Evaluate>();
    if (!eval || terms().kind(eval->value()) != PrimKind::kCall) return;
    const arith::CallOpId op = terms().call_op(eval->value());
    if (op != terms().Intrinsic("tir.tvm_load_matrix_sync"_intrin) &&
        op != terms().Intrinsic("tir.tvm_store_matrix_sync"_intrin))
      return;
    for (const BlockMatch& match : block.match_buffers()) {
      const Bounds bounds = block.bounds(match.source);
      std::vector<PrimExpr> indices;
      for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
        const PrimExpr var = terms().Var("region", terms().dtype(bounds[i]));
        extents[var] = terms().AsInt(bounds[i + 1]).value_or(1);
        indices.push_back(arith::Add(terms(), bounds[i], var));
      }
      Note(match.source.buffer, indices, false);
    }
  }
};

SharedMemoryPadder::SharedMemoryPadder(Tables& tables, const ThreadExtents& threads) : tables_(tables) {
  // The first 32 threads.
  int64_t count = 1;
  for (size_t i = 0; i < threads.size(); ++i) {
    const int64_t extent = threads[i].value_or(1);
    if (count * extent >= kBanks) {
      warp_[i] = kBanks / count;
      break;
    }
    warp_[i] = extent;
    count *= extent;
  }
}

void SharedMemoryPadder::Analyze(Stmt copy, absl::flat_hash_map<PrimExpr, PrimExpr> outer) {
  Visit visit{*this, std::move(outer), {}, {}};
  Walk(
      copy,
      [&](Stmt stmt) {
        if (const auto loop = stmt.As<For>()) visit.Enter(*loop);
        if (const auto store = stmt.As<BufferStore>()) visit.Note(store->buffer(), store->indices(), true);
        if (const auto block = stmt.As<Block>()) return visit.Tiles(*block), false;
        for (const PrimExpr expr : stmt.exprs()) visit.Loads(expr);
        return true;
      },
      [&](Stmt stmt) {
        const auto loop = stmt.As<For>();
        if (!loop) return;
        if (loop->for_kind() == ForKind::kVectorized) visit.lanes = -1;
        if (loop->for_kind() != ForKind::kThreadBinding) visit.values.erase(loop->loop_var());
      });
}

void SharedMemoryPadder::Need(const CopyNeeds& needs) {
  for (const auto& [buffer, multiple] : needs.padding) {
    int64_t& known = multiples_.try_emplace(buffer, 1).first->second;
    known = std::max(known, multiple);
  }
}

auto SharedMemoryPadder::Pad(BufferId id) const -> BufferId {
  const auto found = accesses_.find(id);
  if (found == accesses_.end() || !IsSharedScope(tables_.Scope(id))) return id;
  Terms& terms = tables_.terms();
  Buffer buffer = tables_.buffer(id);
  const size_t n = buffer.ndim();
  const int64_t bits = buffer.dtype.bits;
  const int64_t period = kBanks * kBankBits / std::max<int64_t>(bits, 1);
  const auto multiple = multiples_.find(id);
  const int64_t step = multiple == multiples_.end() ? 1 : multiple->second;
  std::vector<std::vector<int64_t>> low;
  for (const AccessSpace& space : found->second) {
    if (space.size() != n) return id;
    low.push_back(space.back());
  }
  int64_t stride = 1;
  std::vector<PrimExpr> strides = {terms.Int32(1)};
  for (size_t k = n - 1; k-- > 0;) {
    const auto extent = terms.AsInt(buffer.shape[k + 1]);
    if (!extent || *extent < 0 || *extent > INT32_MAX / stride / 2) return id;
    const int64_t compact = stride * *extent;
    const int64_t pad = BestPadding(found->second, low, k, {compact, bits, step});
    for (size_t i = 0; i < low.size(); ++i) {
      const std::vector<int64_t>& space = found->second[i][k];
      if (space.empty()) continue;
      if (space.size() * low[i].size() > kMaxSpace) return id;
      std::vector<int64_t> combined;
      for (const int64_t high : space) {
        for (const int64_t value : low[i])
          combined.push_back((high * ((compact + pad) % period) + value) * bits % period);
      }
      low[i] = std::move(combined);
    }
    stride = compact + pad;
    strides.insert(strides.begin(), terms.Int32(stride));
  }
  buffer.strides = std::move(strides);
  return tables_.Add(std::move(buffer));
}

auto SharedMemoryPadder::BestPadding(const std::vector<AccessSpace>& accesses,
                                     const std::vector<std::vector<int64_t>>& low, size_t dim, const Padding& padding)
    -> int64_t {
  const int64_t period = kBanks * kBankBits / padding.bits;
  const int64_t most = std::min(padding.stride / 4, period);
  int64_t best = 0;
  int64_t fewest = INT64_MAX;
  for (int64_t pad = 0; pad <= most; pad += padding.multiple) {
    const int64_t padded = (padding.stride + pad) % period;
    int64_t conflicts = 0;
    for (size_t i = 0; i < accesses.size(); ++i) {
      std::array<int64_t, kBanks> banks{};
      for (const int64_t high : accesses[i][dim]) {
        for (const int64_t value : low[i]) {
          int64_t& bank = banks[static_cast<size_t>((high * padded + value) * padding.bits / kBankBits % kBanks)];
          conflicts = std::max(conflicts, ++bank);
        }
      }
    }
    if (conflicts >= fewest) continue;
    fewest = conflicts;
    best = pad;
  }
  return best;
}

}  // namespace relayopt::tir
