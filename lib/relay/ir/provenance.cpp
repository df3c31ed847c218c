// Origins of expressions.
#include "relayopt/relay/ir/provenance.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/rebuild.h"

namespace relayopt {

OriginTable::OriginTable(Context& /*context*/) { records_.Append({}); }

auto OriginTable::AddSource(OriginSource source) -> OriginId {
  const std::lock_guard lock(mutex_);
  sources_.push_back(std::move(source));
  return records_.Append({Kind::kSource, static_cast<uint32_t>(sources_.size() - 1), 0});
}

auto OriginTable::Join(OriginId a, OriginId b) -> OriginId {
  const auto is_nothing = [](OriginId id) { return !id || id == OriginId(0); };
  if (is_nothing(b) || a == b) return a;
  if (is_nothing(a)) return b;
  // The order of the arguments is kept, so that what a limit cuts off does not depend on ids.
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = joins_.try_emplace(std::pair(a.value(), b.value()));
  if (is_new) entry->second = records_.Append({Kind::kJoin, a.value(), b.value()});
  return entry->second;
}

auto OriginTable::Made(OriginId base) -> OriginId {
  const std::lock_guard lock(mutex_);
  if (run_ == kNoRun) return base;
  const auto [entry, is_new] = made_.try_emplace(std::pair(base.value(), run_));
  if (is_new) entry->second = records_.Append({Kind::kMade, base.value(), run_});
  return entry->second;
}

auto OriginTable::BeginRun(OriginRun run) -> uint32_t {
  runs_.push_back(std::move(run));
  ContinueRun(static_cast<uint32_t>(runs_.size() - 1));
  return run_;
}

void OriginTable::ContinueRun(uint32_t run) {
  run_ = run;
  made_.clear();
}

auto OriginTable::Resolve(std::vector<OriginId> ids, size_t limit) const -> Origin {
  Origin out;
  absl::flat_hash_set<OriginId> seen;
  std::ranges::reverse(ids);
  const auto visit = [&](uint32_t id) { ids.emplace_back(id); };
  while (!ids.empty()) {
    const OriginId id = ids.back();
    ids.pop_back();
    if (!id || !seen.insert(id).second) continue;
    const Record& record = records_[id];
    switch (record.kind) {
      case Kind::kNothing: break;
      case Kind::kSource:
        if (out.sources.size() == limit)
          out.has_more = true;
        else
          out.sources.push_back(record.a);
        break;
      case Kind::kJoin:
        visit(record.b);
        visit(record.a);
        break;
      case Kind::kMade:
        out.runs.push_back(record.b);
        visit(record.a);
        break;
    }
    if (out.has_more) break;
  }
  std::ranges::sort(out.sources);
  std::ranges::sort(out.runs);
  out.runs.erase(std::ranges::unique(out.runs).begin(), out.runs.end());
  return out;
}

namespace {

auto IsSource(ExprKind kind) -> bool {
  switch (kind) {
    case ExprKind::kOpCall:
    case ExprKind::kCall:
    case ExprKind::kIf:
    case ExprKind::kMatch:
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite: return true;
    default: return false;
  }
}

// The contents of a let or a function are not operands.
auto UsesOperands(ExprKind kind) -> bool { return kind != ExprKind::kLet && kind != ExprKind::kFunction; }

// Returns which expressions the root of a table reaches.
auto ReachedFrom(const Function& function, ExprId root) -> std::vector<bool> {
  std::vector<bool> reached(function.size());
  reached[root.value()] = true;
  for (uint32_t i = root.value() + 1; i-- > 0;) {
    if (!reached[i]) continue;
    for (const ExprId operand : function.operands(ExprId(i))) reached[operand.value()] = true;
  }
  return reached;
}

}  // namespace

void Rebuild::SettleOrigins() {
  const Function& to = builder_.function();
  auto& table = from_->context().Part<OriginTable>();
  const std::vector<bool> reached = ReachedFrom(to, New(from_->root()));
  const LetIndex lets(*from_);
  // For each new expression, the old one in whose visit it was emitted.
  SideTable<ExprId, ExprId> visited_for(to.size());
  for (size_t i = 0; i < visits_.size(); ++i) {
    const uint32_t end = i + 1 < visits_.size() ? visits_[i + 1].first : static_cast<uint32_t>(to.size());
    for (uint32_t n = visits_[i].first; n < end; ++n) visited_for[ExprId(n)] = visits_[i].second;
  }
  // The origins that each old expression gets from its operands, and those that a removed expression passes on to its
  // users.
  SideTable<ExprId, OriginId> left(from_->size());
  SideTable<ExprId, OriginId> passed_on(from_->size());
  for (const ExprId id : from_->ids()) {
    OriginId incoming;
    if (UsesOperands(from_->kind(id))) {
      for (const ExprId operand : from_->operands(id)) {
        const ExprId value = lets.ValueOf(operand);
        incoming = table.Join(incoming, passed_on[value ? value : operand]);
      }
    }
    const ExprId made = New(id);
    if (!made || !reached[made.value()]) {
      passed_on[id] = table.Join(from_->origin(id), incoming);
    } else if (visited_for[made] != id) {
      // An expression that was there before stands for this one, too.
      incoming = table.Join(incoming, from_->origin(id));
      if (incoming && (IsSource(to.kind(made)) || builder_.IsMade(made))) builder_.AddOrigin(made, incoming);
    } else if (builder_.IsMade(made)) {
      left[id] = incoming;
    } else if (incoming && IsSource(to.kind(made))) {
      builder_.AddOrigin(made, incoming);
    }
  }
  for (const ExprId n : to.ids()) {
    const ExprId id = visited_for[n];
    if (id && left[id] && reached[n.value()] && builder_.IsMade(n)) builder_.AddOrigin(n, left[id]);
  }
}

void TrackOrigins(Module& module) {
  auto& table = module.context().Part<OriginTable>();
  const bool is_up_to_date = module.IsUpToDate(kRelayFunctions);
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const std::shared_ptr<const Function> function = module.function_ref<Function>(id);
    std::vector<OriginId> origins(function->size());
    for (const ExprId expr : function->ids()) {
      origins[expr.value()] = IsSource(function->kind(expr)) ? table.AddSource({id, function, expr}) : OriginId(0);
    }
    Function tracked = *function;
    tracked.set_origins(std::move(origins));
    module.SetFunction(id, std::make_shared<const Function>(std::move(tracked)));
  }
  if (is_up_to_date) module.MarkUpToDate(kRelayFunctions);
}

auto FindOrigin(const Function& function, ExprId expr, size_t limit) -> Origin {
  const auto& table = function.context().Part<OriginTable>();
  const bool is_call = function.kind(expr) == ExprKind::kCall;
  const ExprId kernel = is_call ? function.operand(expr, 0) : expr;
  if (!IsKernel(function, kernel) && !CompositeAttr(function, kernel))
    return table.Resolve(function.origin(expr), limit);
  std::vector<OriginId> inside = {function.origin(expr)};
  absl::flat_hash_set<ExprId> seen;
  std::vector<ExprId> open = {function.body(kernel)};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    inside.push_back(function.origin(id));
    for (const ExprId operand : function.operands(id)) open.push_back(operand);
  }
  return table.Resolve(std::move(inside), limit);
}

auto FindRange(const Function& function, ExprId expr) -> SourceRange {
  const SourceRange range = function.range(expr);
  if (range.valid() || !function.tracks_origins()) return range;
  // One in a few has a range; an expression may come from all of a module.
  constexpr size_t kMostSources = 64;
  const auto& sources = function.context().Part<OriginTable>().sources();
  for (const uint32_t number : FindOrigin(function, expr, kMostSources).sources) {
    const OriginSource& source = sources[number];
    if (const SourceRange found = source.function->range(source.expr); found.valid()) return found;
  }
  return range;
}

auto OriginRecorder::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  if (IsNumbered(info)) open_.push_back(module.context().Part<OriginTable>().BeginRun({info.name, ++number_}));
  return std::nullopt;
}

auto OriginRecorder::RunAfterPass(const Module& module, const PassInfo& info, bool /*changed*/)
    -> std::optional<Diagnostic> {
  End(module, info);
  return std::nullopt;
}

void OriginRecorder::PassFailed(const Module& module, const PassInfo& info, const Diagnostic& /*error*/) {
  End(module, info);
}

void OriginRecorder::End(const Module& module, const PassInfo& info) {
  if (!IsNumbered(info) || open_.empty()) return;
  open_.pop_back();
  module.context().Part<OriginTable>().ContinueRun(open_.empty() ? UINT32_MAX : open_.back());
}

}  // namespace relayopt
