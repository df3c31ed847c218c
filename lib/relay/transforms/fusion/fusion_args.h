// How many arguments the kernels of groups have, for targets that limit them.
//
// As TVM: variables and fields of tuples that a group reads count, constants and the results of other kernels do not;
// an extent that is not known is an argument, and so are then the strides. A group that has not been counted yet, such
// as a constant's, or one whose operands are still to join, leaves the answer open (Room::kLater): it is asked again
// when the walk reaches the user.
//
//   %0 = exp(%x)        exp joins add? add reads the group of exp (1: %x) and that of tanh, which has no arguments
//   %1 = tanh(exp(%y))  before its exp joins: later. Asked at add: 1 + 1 arguments and one result.
//   add(%0, %1)
#pragma once

#include <algorithm>
#include <vector>

#include "fusion_graph.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

class FusionArgs {
 public:
  enum class Room : uint8_t { kYes, kNo, kLater };
  struct Answer {
    Room room = Room::kYes;
    // With kLater the user at which to ask again.
    ExprId user;
  };

  // `limit`: the most arguments of a kernel, with those for results; 0: any number.
  FusionArgs(const Function& function, const FusionGraph& graph, size_t limit)
      : function_(function),
        graph_(graph),
        limit_(limit),
        args_(limit == 0 ? 0 : function.size()),
        seen_(args_.size()) {
    if (limit == 0) return;
    for (const ExprId id : function.ids()) {
      if (function.kind(id) == ExprKind::kVar) args_[id] = CountOf(id);
      for (const ExprId operand : OperandsOf(id)) {
        const ExprKind kind = function.kind(operand);
        if (kind == ExprKind::kVar || kind == ExprKind::kTupleGetItem) args_[id] += CountOf(operand);
      }
    }
  }

  auto is_limited() const -> bool { return limit_ != 0; }

  // Adds the arguments of a group to those of the group that it joins.
  void Merge(ExprId child, ExprId target) {
    if (limit_ != 0) args_[target] += args_[child];
  }

  // Whether the groups that the users of a value read have room for its group. `find` gives the group of a value.
  template <typename Find>
  auto Ask(ExprId id, Find&& find) -> Answer {
    Answer answer;
    size_t count = 0;
    for (const FusionGraph::Edge& edge : graph_.users(id)) count = std::max(count, Count(edge.user, find, &answer));
    if (count > RoomBeside(id)) return {Room::kNo, {}};
    return answer;
  }
  // The same for the user at which a question was left open, when its operands have their groups.
  template <typename Find>
  auto HasRoom(ExprId user, Find&& find) -> bool {
    return Count(user, find, nullptr) <= RoomBeside(user);
  }

 private:
  // The operands that count: those of computations, without callees.
  auto OperandsOf(ExprId id) const -> std::span<const ExprId> {
    switch (function_.kind(id)) {
      case ExprKind::kOpCall:
      case ExprKind::kTuple: return function_.operands(id);
      case ExprKind::kCall: return function_.operands(id).subspan(1);
      default: return {};
    }
  }

  auto UnknownExtents(ExprId id) const -> size_t {
    if (!function_.type(id)) return 0;
    const Type& type = function_.context().type(function_.type(id));
    return type.is_tensor() ? static_cast<size_t>(std::ranges::count_if(type.shape, &Dim::is_any)) : 0;
  }

  auto CountOf(ExprId value) const -> size_t {
    const size_t unknown = UnknownExtents(value);
    return unknown == 0 ? 1 : 1 + unknown + function_.context().type(function_.type(value)).shape.size();
  }

  // Returns what the limit leaves after the results of the users of a value.
  auto RoomBeside(ExprId id) const -> size_t {
    size_t results = 0;
    for (const FusionGraph::Edge& edge : graph_.users(id)) {
      const ExprKind kind = function_.kind(edge.user);
      const bool is_call = kind == ExprKind::kOpCall || kind == ExprKind::kCall;
      results += 1 + (is_call ? UnknownExtents(edge.user) : 0);
    }
    return limit_ > results ? limit_ - results : 0;
  }

  // Returns the arguments of a user and of the groups that it reads. With `answer`, the first of these without any
  // leaves the question open; without, the groups that it reads in turn are counted.
  template <typename Find>
  auto Count(ExprId user, Find&& find, Answer* answer) -> size_t {
    ++stamp_;
    seen_[find(user)] = stamp_;
    size_t total = args_[user];
    pending_.assign({user});
    for (size_t i = 0; i < pending_.size(); ++i) {
      for (const ExprId operand : OperandsOf(pending_[i])) {
        if (function_.kind(operand) == ExprKind::kVar) continue;
        const ExprId group = find(operand);
        if (seen_[group] == stamp_) continue;
        seen_[group] = stamp_;
        total += args_[group];
        if (args_[group] != 0) continue;
        if (answer != nullptr) {
          *answer = {Room::kLater, user};
        } else {
          pending_.push_back(operand);
        }
      }
    }
    return total;
  }

  const Function& function_;
  const FusionGraph& graph_;
  const size_t limit_;
  // By the last expression of a group.
  SideTable<ExprId, size_t> args_;
  SideTable<ExprId, uint32_t> seen_;
  std::vector<ExprId> pending_;
  uint32_t stamp_ = 0;
};

}  // namespace relayopt
