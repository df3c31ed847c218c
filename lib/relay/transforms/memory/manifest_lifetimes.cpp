// ManifestLifetimes: marks the end of every variable's lifetime, after its last use.
//
// A function consists of blocks: its body, the branches of conditionals and the right-hand sides of matches. A block is
// a chain of steps with a result; a position is one of these. A variable belongs to the block that binds it. Its last
// position there is where it dies:
//
//   the value of a step            killed after the step
//   the result                     never: it may be the result
//   a conditional or a match       in each of its branches for itself, by the same rules; a branch that does not use it
//                                  kills it at its beginning (As TVM: if it has steps). Where only the condition uses
//                                  it: after the step
//
//   let %y = cast(%x, dtype="bool");       %x: last position is the conditional. Then-branch: its last position is the
//   let %z = if (%y) {                     first step, so it dies after that. Else-branch: it is the result, and
//   stays.
//     let %v = %x + %x;                    %y: only the condition uses it, so it dies after the step of %z.
//     %v * 2
//   } else { %x };
//   %z
//
// Before that, variables that are other names of variables are replaced by these: a value has one name.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr Statistic kKilled = {"ManifestLifetimes", "killed", "variables that are killed, each time"};
constexpr Statistic kAliases = {"ManifestLifetimes", "aliases", "variables that were other names of variables"};
constexpr Statistic kLifetimeStatistics[] = {kKilled, kAliases};

// Replaces variables bound to another variable, to `on_device` of one, or to a field of a tuple that has one there.
class AliasElimination {
 public:
  explicit AliasElimination(const Function& function)
      : function_(function), alias_(function.size()), value_(function.size()) {}

  auto Run(uint64_t& count) -> std::optional<Function> {
    for (const ExprId let : function_.ids()) {
      if (function_.kind(let) != ExprKind::kLet) continue;
      for (size_t i = 0; i < function_.let_size(let); ++i)
        value_[function_.let_var(let, i)] = function_.let_value(let, i);
    }
    // A variable and its value precede all uses of the variable, so chains of aliases are resolved in ascending order.
    for (const ExprId id : function_.ids()) {
      if (!value_[id]) continue;
      alias_[id] = NameOf(value_[id], id);
      count += alias_[id].has_value() ? 1 : 0;
    }
    if (count == 0) return std::nullopt;
    Rebuild rebuild(function_);
    rebuild.ForEach([&](ExprId id) { return Visit(rebuild, id); });
    return rebuild.Finish();
  }

 private:
  // Returns the variable that `value` is an alias of, or invalid if it is not an alias, or is `self`.
  auto NameOf(ExprId value, ExprId self) const -> ExprId {
    while (function_.kind(value) == ExprKind::kOpCall && function_.op(value) == "on_device"_op) {
      value = function_.operand(value, 0);
    }
    if (function_.kind(value) == ExprKind::kTupleGetItem) {
      ExprId tuple = function_.operand(value, 0);
      if (function_.kind(tuple) == ExprKind::kVar && value_[tuple]) tuple = value_[tuple];
      if (function_.kind(tuple) != ExprKind::kTuple || function_.index(value) >= function_.operands(tuple).size())
        return {};
      value = function_.operand(tuple, function_.index(value));
    }
    if (function_.kind(value) != ExprKind::kVar || value == self) return {};
    // As far as names are known already: a chain of names is resolved where each is used.
    for (size_t steps = 0; alias_[value].has_value() && steps < kMostNames; ++steps) value = alias_[value];
    return value == self ? ExprId() : value;
  }

  auto Visit(Rebuild& rebuild, ExprId id) -> ExprId {
    if (alias_[id].has_value()) return rebuild.New(alias_[id]);
    if (function_.kind(id) != ExprKind::kLet) return rebuild.Copy(id);
    std::vector<ExprId> operands;
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      if (alias_[function_.let_var(id, i)].has_value()) continue;
      operands.push_back(rebuild.New(function_.let_var(id, i)));
      operands.push_back(rebuild.New(function_.let_value(id, i)));
    }
    operands.push_back(rebuild.New(function_.let_result(id)));
    return operands.size() == 1 ? operands.front() : rebuild.to().Copy(function_, id, operands);
  }

  // Names resolve in order of the table, so that chains are short.
  static constexpr size_t kMostNames = 64;

  const Function& function_;
  SideTable<ExprId, ExprId> alias_;
  SideTable<ExprId, ExprId> value_;
};

// A position in a block: the value of the step of this number, or the result after all of them.
struct Position {
  uint32_t block = 0;
  uint32_t index = 0;
};

struct Block {
  ExprId expr;
  // When the block is a branch: the position of its conditional or match.
  Position parent;
  // For each position with branches the first of their consecutive blocks; else 0.
  std::vector<uint32_t> branches;
  // A variable whose lifetime ends in the block.
  struct Kill {
    // Before the step with this number.
    uint32_t index;
    ExprId var;
  };
  std::vector<Kill> kills;
};

// Finds and places the ends of lifetimes, one function literal after the other, inner ones first.
class Lifetimes {
 public:
  explicit Lifetimes(const Function& function)
      : function_(function), users_(function.size()), owner_(function.size()), kept_(function.size()) {
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id)) ++users_[operand];
    }
    blocks_.emplace_back();
  }

  auto Run() -> std::optional<Function> {
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) == ExprKind::kFunction && !IsKernel(id)) VisitLiteral(id);
    }
    SideTable<ExprId, uint32_t> block_of(function_.size());
    for (uint32_t block = 1; block < blocks_.size(); ++block) {
      if (blocks_[block].kills.empty()) continue;
      block_of[blocks_[block].expr] = block;
      count_ += blocks_[block].kills.size();
    }
    if (count_ == 0) return std::nullopt;
    Rebuild rebuild(function_);
    rebuild.ForEach([&](ExprId id) {
      const uint32_t block = block_of[id];
      return block == 0 ? rebuild.Copy(id) : WithKills(rebuild, blocks_[block]);
    });
    return rebuild.Finish();
  }

  auto count() const -> uint64_t { return count_; }

 private:
  // For memory planning, a kernel is a single operation.
  auto IsKernel(ExprId literal) const -> bool {
    return IsPrimitive(function_, literal) || function_.IntAttr(literal, attr::kExtern) != 0;
  }

  void VisitLiteral(ExprId literal) {
    uses_.clear();
    const uint32_t first = AddBlock(function_.body(literal), {});
    for (const ExprId param : function_.params(literal)) owner_[param] = first;
    for (uint32_t block = first; block < blocks_.size(); ++block) VisitBlock(block);
    std::ranges::stable_sort(uses_, {}, [](const auto& use) { return use.first.value(); });
    std::vector<ExprId>& captured = captured_[literal];
    for (size_t begin = 0; begin < uses_.size();) {
      const ExprId var = uses_[begin].first;
      size_t end = begin;
      while (end < uses_.size() && uses_[end].first == var) ++end;
      if (owner_[var] < first) {
        captured.push_back(var);
      } else if (!kept_[var]) {
        PlaceKills(var, std::span(uses_).subspan(begin, end - begin));
      }
      begin = end;
    }
  }

  auto AddBlock(ExprId expr, Position parent) -> uint32_t {
    blocks_.push_back({expr, parent, {}, {}});
    return static_cast<uint32_t>(blocks_.size() - 1);
  }
  auto Steps(const Block& block) const -> uint32_t {
    return function_.kind(block.expr) == ExprKind::kLet ? static_cast<uint32_t>(function_.let_size(block.expr)) : 0;
  }

  // Records what every position of a block uses and binds, and the blocks below it.
  void VisitBlock(uint32_t block) {
    const ExprId chain = blocks_[block].expr;
    const uint32_t steps = Steps(blocks_[block]);
    blocks_[block].branches.assign(steps + 1, 0);
    if (users_[chain] > 1 && !function_.operands(chain).empty()) return Keep(chain);
    for (uint32_t i = 0; i <= steps; ++i) {
      if (i < steps) owner_[function_.let_var(chain, i)] = block;
      const ExprId expr = i < steps ? function_.let_value(chain, i) : steps != 0 ? function_.let_result(chain) : chain;
      const ExprKind kind = function_.kind(expr);
      // Branches with several users do not belong to this position.
      if ((kind == ExprKind::kIf || kind == ExprKind::kMatch) && users_[expr] == 1) {
        AddBranches(expr, {block, i});
        VisitUses(function_.operand(expr, 0), {block, i});
      } else {
        VisitUses(expr, {block, i});
      }
    }
  }

  void AddBranches(ExprId expr, Position at) {
    blocks_[at.block].branches[at.index] = static_cast<uint32_t>(blocks_.size());
    if (function_.kind(expr) == ExprKind::kIf) {
      AddBlock(function_.operand(expr, 1), at);
      AddBlock(function_.operand(expr, 2), at);
      return;
    }
    for (const MatchClause& clause : function_.match(expr).clauses) {
      const uint32_t block = AddBlock(function_.operand(expr, clause.rhs), at);
      for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) owner_[function_.operand(expr, i)] = block;
    }
  }

  // Records the variables below an expression as used at a position.
  void VisitUses(ExprId expr, Position at) {
    work_.assign(1, expr);
    while (!work_.empty()) {
      const ExprId id = work_.back();
      work_.pop_back();
      if (function_.kind(id) == ExprKind::kVar) {
        uses_.emplace_back(id, at);
      } else if (const auto found = captured_.find(id); found != captured_.end()) {
        for (const ExprId var : found->second) uses_.emplace_back(var, at);
      } else if (users_[id] > 1 && !function_.operands(id).empty()) {
        Keep(id);
      } else {
        work_.insert(work_.end(), function_.operands(id).begin(), function_.operands(id).end());
      }
    }
  }

  // Expressions with several users are evaluated with the first of them, wherever that is, so the variables they use
  // are never killed. There are none in A-normal form.
  void Keep(ExprId shared) {
    std::vector<ExprId> below = {shared};
    while (!below.empty()) {
      const ExprId id = below.back();
      below.pop_back();
      if (kept_[id]) continue;
      kept_[id] = true;
      below.insert(below.end(), function_.operands(id).begin(), function_.operands(id).end());
    }
  }

  void PlaceKills(ExprId var, std::span<const std::pair<ExprId, Position>> uses) {
    // The last position in every block that the variable is used in, itself or in blocks below.
    last_.clear();
    for (const auto& [_, use] : uses) {
      for (Position at = use; at.block != 0; at = blocks_[at.block].parent) {
        const auto [entry, is_new] = last_.try_emplace(at.block, at.index);
        entry->second = std::max(entry->second, at.index);
        if (!is_new || at.block == owner_[var]) break;
      }
    }
    std::vector<uint32_t> blocks = {owner_[var]};
    while (!blocks.empty()) {
      Block& block = blocks_[blocks.back()];
      const uint32_t index = last_.at(blocks.back());
      blocks.pop_back();
      const uint32_t first = block.branches[index];
      const uint32_t end = first == 0 ? 0 : first + NumBranches(block, index);
      const auto uses_it = [&](uint32_t branch) { return last_.contains(branch); };
      bool branches_use_it = false;
      for (uint32_t branch = first; branch < end; ++branch) branches_use_it |= uses_it(branch);
      if (!branches_use_it) {
        if (index < Steps(block)) block.kills.push_back({index + 1, var});
        continue;
      }
      for (uint32_t branch = first; branch < end; ++branch) {
        if (uses_it(branch)) {
          blocks.push_back(branch);
        } else if (Steps(blocks_[branch]) != 0 && users_[blocks_[branch].expr] == 1) {
          blocks_[branch].kills.push_back({0, var});
        }
      }
    }
  }
  auto NumBranches(const Block& block, uint32_t index) const -> uint32_t {
    const bool is_step = index < Steps(block);
    const ExprId expr = is_step             ? function_.let_value(block.expr, index)
                        : Steps(block) != 0 ? function_.let_result(block.expr)
                                            : block.expr;
    return function_.kind(expr) == ExprKind::kIf ? 2 : static_cast<uint32_t>(function_.match(expr).clauses.size());
  }

  // Returns the chain of a block with its kills, those at one position in the order of the table.
  auto WithKills(Rebuild& rebuild, Block& block) -> ExprId {
    std::ranges::sort(block.kills, {}, [](const Block::Kill& kill) { return std::pair(kill.index, kill.var.value()); });
    const uint32_t steps = Steps(block);
    std::vector<ExprId> operands;
    auto next = block.kills.begin();
    for (uint32_t i = 0; i <= steps; ++i) {
      for (; next != block.kills.end() && next->index == i; ++next) AddKill(rebuild, next->var, operands);
      if (i == steps) break;
      operands.push_back(rebuild.New(function_.let_var(block.expr, i)));
      operands.push_back(rebuild.New(function_.let_value(block.expr, i)));
    }
    return rebuild.to().Let(operands, rebuild.New(function_.let_result(block.expr)));
  }
  void AddKill(Rebuild& rebuild, ExprId var, std::vector<ExprId>& operands) {
    Context& context = function_.context();
    FunctionBuilder& to = rebuild.to();
    const ExprId args[] = {rebuild.New(var)};
    operands.push_back(
        to.Var({.name = context.Intern(fmt::format("_{}", names_++)), .annotation = {}, .virtual_device = {}}));
    operands.push_back(to.OpCall(InternOpInstance(context, {"memory.kill"_op, {}}), args));
  }

  const Function& function_;
  SideTable<ExprId, uint32_t> users_;
  // The block that binds a variable.
  SideTable<ExprId, uint32_t> owner_;
  SideTable<ExprId, bool> kept_;
  std::vector<Block> blocks_;
  // For the current literal.
  std::vector<std::pair<ExprId, Position>> uses_;
  // For each literal that was analyzed: the variables of enclosing functions that it uses.
  absl::flat_hash_map<ExprId, std::vector<ExprId>> captured_;
  std::vector<ExprId> work_;
  absl::flat_hash_map<uint32_t, uint32_t> last_;
  uint64_t count_ = 0;
  uint64_t names_ = 0;
};

struct ManifestLifetimes {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    uint64_t aliases = 0;
    std::optional<Function> named = AliasElimination(function).Run(aliases);
    Lifetimes lifetimes(named ? *named : function);
    std::optional<Function> made = lifetimes.Run();
    context.Count(kAliases, aliases);
    context.Count(kKilled, lifetimes.count());
    return made ? std::move(made) : std::move(named);
  }
};

}  // namespace

constinit const PassDef kManifestLifetimesPass = DescribePass<ManifestLifetimes>({
    .name = "ManifestLifetimes",
    .opt_level = 0,
    .summary = "marks the end of each variable's lifetime",
    .details = R"(  let %y = add(%x, %x);        let %y = add(%x, %x);
                               let %_0 = memory.kill(%x);
  let %z = add(%y, %y);   ->   let %z = add(%y, %y);
                               let %_1 = memory.kill(%y);
  %z                           %z
Parameters end as well; what is given back does not, nor does what nobody uses. A variable that only one branch of a
conditional or match uses is killed at the beginning of the others, where these bind anything. Variables that are other names of variables (also
through on_device and fields of known tuples) are replaced by them first. Meant for functions in A-normal form: what
is shared without a let is never killed. Functions with Primitive or Extern are not looked into.)",
    .statistics = kLifetimeStatistics,
});

}  // namespace relayopt
