#include "lib/tir/transforms/utils/block_reduction.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kReductionForm{"block-reduction-form", Severity::kError,
                                        "the reduction of block {} over threads cannot be lowered: {}"};

using Values = std::vector<PrimExpr>;

// A pattern of combiners: the combination of x and y, and its neutral elements.
struct ReducerRow {
  size_t count;
  // The neutral elements for values of these types; empty if a type has none.
  Values (*identity)(Terms& terms, std::span<const DataType> types);
  Values (*combine)(Terms& terms, const Values& x, const Values& y);
};

template <int kValue>
auto Constant(Terms& terms, std::span<const DataType> types) -> Values {
  Values made;
  for (const DataType type : types) made.push_back(arith::MakeConst(terms, type, kValue));
  return made;
}

auto Limit(std::optional<PrimExpr> limit) -> Values { return limit ? Values{*limit} : Values(); }

// Position -1, and the limit of the values.
auto WithPosition(Terms& terms, DataType position, std::optional<PrimExpr> limit) -> Values {
  return limit ? Values{arith::MakeConst(terms, position, -1), *limit} : Values();
}

auto Least(Terms& terms, std::span<const DataType> types) -> Values { return Limit(arith::MinValue(terms, types[0])); }
auto Greatest(Terms& terms, std::span<const DataType> types) -> Values {
  return Limit(arith::MaxValue(terms, types[0]));
}
auto BeforeLeast(Terms& terms, std::span<const DataType> types) -> Values {
  return WithPosition(terms, types[0], arith::MinValue(terms, types[1]));
}
auto BeforeGreatest(Terms& terms, std::span<const DataType> types) -> Values {
  return WithPosition(terms, types[0], arith::MaxValue(terms, types[1]));
}

template <PrimKind kKind>
auto Combine(Terms& terms, const Values& x, const Values& y) -> Values {
  Values made;
  for (size_t i = 0; i < x.size(); ++i) made.push_back(arith::Operate(terms, kKind, x[i], y[i]));
  return made;
}

// Returns the position and value of the first pair, if its value compares so, else of the second one.
template <PrimKind kKind>
auto Choose(Terms& terms, const Values& x, const Values& y) -> Values {
  const PrimExpr first = arith::Operate(terms, kKind, x[1], y[1]);
  return {terms.Select(first, x[0], y[0]), terms.Select(first, x[1], y[1])};
}

// The same; of equal values the one with the smaller position.
template <PrimKind kKind>
auto ChooseFirst(Terms& terms, const Values& x, const Values& y) -> Values {
  const PrimExpr better = arith::Operate(terms, kKind, x[1], y[1]);
  const PrimExpr earlier = terms.Binary(PrimKind::kAnd, arith::Eq(terms, x[1], y[1]), arith::Lt(terms, x[0], y[0]));
  return {terms.Select(terms.Binary(PrimKind::kOr, better, earlier), x[0], y[0]), terms.Select(better, x[1], y[1])};
}

// In TVM's order, because the first matching row is used.
constexpr ReducerRow kReducers[] = {
    {1, Constant<0>, Combine<PrimKind::kAdd>},       {1, Constant<1>, Combine<PrimKind::kMul>},
    {1, Greatest, Combine<PrimKind::kMin>},          {1, Least, Combine<PrimKind::kMax>},
    {2, Constant<0>, Combine<PrimKind::kAdd>},       {2, BeforeLeast, Choose<PrimKind::kGE>},
    {2, BeforeLeast, ChooseFirst<PrimKind::kGT>},    {2, BeforeGreatest, Choose<PrimKind::kLE>},
    {2, BeforeGreatest, ChooseFirst<PrimKind::kLT>},
};

using Binding = absl::flat_hash_map<PrimExpr, PrimExpr>;

// Whether the term is the pattern with the variables in `holes` replaced, each by one term.
auto Match(const Terms& terms, PrimExpr pattern, PrimExpr term, const absl::flat_hash_set<PrimExpr>& holes,
           Binding& binding) -> bool {
  std::vector<std::pair<PrimExpr, PrimExpr>> pending = {{pattern, term}};
  while (!pending.empty()) {
    const auto [want, have] = pending.back();
    pending.pop_back();
    if (holes.contains(want)) {
      if (binding.try_emplace(want, have).first->second != have) return false;
      continue;
    }
    if (want == have) continue;
    const auto parts = terms.operands(want), found = terms.operands(have);
    if (terms.kind(want) != terms.kind(have) || parts.empty() || parts.size() != found.size()) return false;
    for (size_t i = 0; i < parts.size(); ++i) pending.emplace_back(parts[i], found[i]);
  }
  return true;
}

// One buffer of a reduction: its initial value, and the value that an iteration stores.
struct Update {
  BufferId buffer;
  PrimExpr value;
  std::span<const PrimExpr> indices;
  // The store of the initialization.
  PrimExpr initial;
};

class ReductionFinder {
 public:
  ReductionFinder(Tables& tables, Block block) : tables_(tables), terms_(tables.terms()), block_(block) {}

  auto Find() -> Result<BlockReduction> {
    std::string_view fault = FindUpdates();
    if (fault.empty()) fault = FindInitialValues();
    if (!fault.empty()) return Fail(fault);
    for (const ReducerRow& row : kReducers) {
      if (std::optional<BlockReduction> found = Matches(row)) return *std::move(found);
    }
    return Fail(
        "no combiner is known that has this initial value and this update; the update has to be `buffer = buffer + "
        "value`, with the buffer on the left, or the same with *, T.min, T.max, or a choice by T.Select");
  }

 private:
  auto Fail(std::string_view why) const -> Diagnostic {
    return MakeDiagnostic(kReductionForm, block_.range(), block_.context().text(block_.name()), why);
  }

  static auto StoresIn(Stmt stmt, std::vector<BufferStore>& stores) -> bool {
    if (const auto store = stmt.As<BufferStore>()) {
      stores.push_back(*store);
      return true;
    }
    if (!stmt.is(StmtKind::kSeq)) return false;
    for (size_t i = 0; i < stmt.num_parts(); ++i) {
      const auto store = stmt.part(i).As<BufferStore>();
      if (!store) return false;
      stores.push_back(*store);
    }
    return true;
  }

  // Returns the reason for a failure.
  auto FindUpdates() -> std::string_view {
    constexpr std::string_view kForm =
        "its body has to be one store, or a let for each buffer that is initialized with stores of their variables "
        "inside";
    if (const auto store = block_.body().As<BufferStore>()) {
      updates_.push_back({store->buffer(), store->value(), store->indices(), {}});
      return {};
    }
    Values vars;
    Stmt inner = block_.body();
    for (auto let = inner.As<LetStmt>(); let; let = inner.As<LetStmt>()) {
      for (const PrimExpr var : vars) {
        if (arith::UsesVar(terms_, let->value(), var)) return "the value of a let uses the variable of another let";
      }
      vars.push_back(let->var());
      updates_.push_back({{}, let->value(), {}, {}});
      inner = let->body();
    }
    std::vector<BufferStore> stores;
    if (!StoresIn(inner, stores) || stores.size() != vars.size()) return kForm;
    for (const BufferStore store : stores) {
      const auto var = std::ranges::find(vars, store.value());
      if (var == vars.end()) return kForm;
      Update& update = updates_[static_cast<size_t>(var - vars.begin())];
      if (update.buffer) return "a variable is stored twice";
      update.buffer = store.buffer();
      update.indices = store.indices();
    }
    return {};
  }

  auto FindInitialValues() -> std::string_view {
    std::vector<BufferStore> inits;
    if (!StoresIn(block_.init(), inits)) return "its initialization has to consist of stores";
    if (inits.size() != updates_.size()) return "its body has to update each buffer that it initializes, once";
    const Update& first = updates_[0];
    for (const BufferStore init : inits) {
      const auto update = std::ranges::find(updates_, init.buffer(), &Update::buffer);
      if (update == updates_.end() || update->initial) {
        return "its body has to update each buffer that it initializes, once";
      }
      update->initial = init.value();
      if (!AreEqual(tables_.buffer(init.buffer()).shape, tables_.buffer(first.buffer).shape)) {
        return "the buffers have different shapes";
      }
      if (!AreEqual(init.indices(), first.indices) || !AreEqual(update->indices, first.indices)) {
        return "all its stores have to be to the same indices";
      }
    }
    return {};
  }

  auto AreEqual(std::span<const PrimExpr> a, std::span<const PrimExpr> b) -> bool {
    return std::ranges::equal(a, b, [&](PrimExpr x, PrimExpr y) { return analyzer_.CanProveEqual(x, y); });
  }

  auto Matches(const ReducerRow& row) -> std::optional<BlockReduction> {
    if (row.count != updates_.size()) return std::nullopt;
    const auto types =
        MapToVector<DataType>(updates_, [&](const Update& update) { return terms_.dtype(update.initial); });
    CommReducer reducer{.identity = row.identity(terms_, types)};
    if (!std::ranges::equal(reducer.identity, updates_, {}, {}, &Update::initial)) return std::nullopt;
    absl::flat_hash_set<PrimExpr> holes;
    for (size_t i = 0; i < row.count; ++i) {
      reducer.lhs.push_back(terms_.Var(fmt::format("x{}", i), types[i]));
      reducer.rhs.push_back(terms_.Var(fmt::format("y{}", i), types[i]));
      holes.insert({reducer.lhs[i], reducer.rhs[i]});
    }
    reducer.result = row.combine(terms_, reducer.lhs, reducer.rhs);
    BlockReduction found;
    found.indices.assign(updates_[0].indices.begin(), updates_[0].indices.end());
    Binding binding;
    for (size_t i = 0; i < row.count; ++i) {
      if (!Match(terms_, reducer.result[i], updates_[i].value, holes, binding)) return std::nullopt;
    }
    for (size_t i = 0; i < row.count; ++i) {
      const BufferId buffer = updates_[i].buffer;
      const DataType type = tables_.buffer(buffer).dtype;
      if (binding[reducer.lhs[i]] != terms_.BufferLoad(buffer, updates_[i].indices, type)) return std::nullopt;
      found.buffers.push_back(buffer);
      found.values.push_back(binding[reducer.rhs[i]]);
    }
    found.reducer = tables_.Add(std::move(reducer));
    return found;
  }

  Tables& tables_;
  Terms& terms_;
  Block block_;
  arith::Analyzer analyzer_{terms_};
  std::vector<Update> updates_;
};

}  // namespace

auto FindBlockReduction(Tables& tables, Block block) -> Result<BlockReduction> {
  return ReductionFinder(tables, block).Find();
}

}  // namespace relayopt::tir
