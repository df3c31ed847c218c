// Matches expressions against patterns, on an explicit stack.
//
// A pattern is a table of nodes, an expression is a node of a function. A frame asks whether one pattern matches one
// expression; it asks for its parts one by one, and answers when it has heard enough. Every match is recorded in a log,
// with the match of the same pattern before it: a pattern that has matched one expression matches no other in this
// attempt (patterns with two users mean one expression), and when a frame fails, all that was recorded since it began
// is taken back.
//
//   pattern   add(nn.relu(x), b)                  expression   %0 = nn.relu(%p); add(%q, %0)
//
//   add       the callee is add: yes; its operands in the order in which they stand:
//             nn.relu(x) against %q               no, a variable is no call; what was recorded since is taken back
//             add is commutative, so the other order:
//             nn.relu(x) against %0               yes: recorded x = %p, then nn.relu(x) = %0
//             b against %q                        a wildcard: yes, recorded, and so is add
//
// Dominators walk from the expression to the parent along matching paths. Nothing recurses, and a recorded pattern is
// not matched again.
#include "relayopt/relay/pattern/matcher.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "attr_match.h"
#include "relayopt/core/same_tensor.h"
#include "relayopt/relay/ops/runtime.h"

namespace relayopt {

auto DFPatternMatcher::Match(PatternId pattern, ExprId id) -> bool {
  scratch_.clear();
  Rollback(0);
  last_.resize(table_.size());
  memoizes_ = true;
  return MatchNow(pattern, {id});
}

auto MayStandFor(const OpDef* op, const OpDef* wanted) -> bool {
  const auto is_scaling = [](const OpDef* one) { return one == "multiply"_op || one == "divide"_op; };
  return op == wanted || (is_scaling(op) && is_scaling(wanted));
}

auto DFPatternMatcher::MayMatch(PatternId pattern, ExprId id) const -> bool {
  constexpr int kDepth = 3 * kCallDepth;
  return MayMatch(pattern, id, kDepth);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as `depth` says, for which alternatives count, too, but less than calls.
auto DFPatternMatcher::MayMatch(PatternId pattern, ExprId id, int depth) const -> bool {
  if (depth <= 0) return true;
  const DFPatternNode& node = table_[pattern];
  switch (node.kind) {
    case DFPatternKind::kConstant: return function_.kind(id) == ExprKind::kConstant;
    case DFPatternKind::kVar: return function_.kind(id) == ExprKind::kVar;
    case DFPatternKind::kTuple: return function_.kind(id) == ExprKind::kTuple;
    case DFPatternKind::kTupleGetItem: return function_.kind(id) == ExprKind::kTupleGetItem;
    case DFPatternKind::kAlt:
      return std::ranges::any_of(node.children, [&](PatternId child) { return MayMatch(child, id, depth - 1); });
    case DFPatternKind::kType:
    case DFPatternKind::kDType:
    case DFPatternKind::kShape:
    case DFPatternKind::kAttrs: return node.children.empty() || MayMatch(node.children[0], id, depth - 1);
    case DFPatternKind::kCall: break;
    default: return true;
  }
  if (function_.kind(id) != ExprKind::kOpCall) return function_.kind(id) == ExprKind::kCall;
  const OpDef* op = table_[node.children[0]].op;
  if (op == nullptr) return true;
  if (function_.op(id) != op) return MayStandFor(function_.op(id), op);
  if (node.any_children) return true;
  if (node.children.size() - 1 != function_.operands(id).size()) return false;
  const bool commutes = node.children.size() == 3 && (op == "add"_op || op == "multiply"_op);
  return MayMatchArgs(node, id, depth - kCallDepth, false) ||
         (commutes && MayMatchArgs(node, id, depth - kCallDepth, true));
}

// NOLINTNEXTLINE(misc-no-recursion)
auto DFPatternMatcher::MayMatchArgs(const DFPatternNode& node, ExprId call, int depth, bool reversed) const -> bool {
  const auto args = function_.operands(call);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!MayMatch(node.children[1 + (reversed ? args.size() - 1 - i : i)], args[i], depth)) return false;
  }
  return true;
}

auto DFPatternMatcher::matched(PatternId pattern) const -> std::vector<Subject> {
  std::vector<Subject> subjects;
  if (pattern.value() >= last_.size()) return subjects;
  for (size_t at = last_[pattern.value()]; at != 0; at = log_[at - 1].previous)
    subjects.push_back(log_[at - 1].subject);
  std::ranges::reverse(subjects);
  return subjects;
}

auto DFPatternMatcher::Get(DFPattern pattern) const -> ExprId {
  const std::vector<Subject> subjects = matched(pattern.id());
  return subjects.empty() || subjects[0].is_callee() ? ExprId() : subjects[0].id;
}

auto DFPatternMatcher::MatchNow(PatternId pattern, Subject subject) -> bool {
  const size_t base = stack_.size();
  if (const Answer answer = Push(pattern, subject); answer != Answer::kPushed) return answer == Answer::kYes;
  bool result = false;
  while (true) {
    const Answer answer = Continue(stack_.back(), result);
    if (answer == Answer::kPushed) continue;
    const Frame frame = std::move(stack_.back());
    stack_.pop_back();
    result = answer == Answer::kYes;
    if (result) {
      Record(frame.pattern, frame.subject);
    } else {
      Rollback(frame.mark);
    }
    if (stack_.size() == base) return result;
  }
}

auto DFPatternMatcher::Push(PatternId pattern, Subject subject) -> Answer {
  if (memoizes_ && pattern.value() < last_.size() && last_[pattern.value()] != 0) {
    return Same(log_[last_[pattern.value()] - 1].subject, subject) ? Answer::kYes : Answer::kNo;
  }
  const DFPatternNode& node = Node(pattern);
  if (node.children.empty() && node.kind != DFPatternKind::kTuple) {
    if (!MatchLeaf(node, subject)) return Answer::kNo;
    Record(pattern, subject);
    return Answer::kYes;
  }
  stack_.push_back({.pattern = pattern, .subject = subject, .mark = log_.size(), .others = {}});
  return Answer::kPushed;
}

void DFPatternMatcher::Record(PatternId pattern, Subject subject) {
  if (pattern.value() >= last_.size()) return;
  log_.push_back({pattern, subject, last_[pattern.value()]});
  last_[pattern.value()] = log_.size();
}

void DFPatternMatcher::Rollback(size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) last_[log_.back().pattern.value()] = log_.back().previous;
}

auto DFPatternMatcher::Continue(Frame& frame, bool result) -> Answer {
  const DFPatternNode& node = Node(frame.pattern);
  const auto answer = [](bool yes) { return yes ? Answer::kYes : Answer::kNo; };
  // Most of many alternatives have another root. Alternatives inside of one are looked at one by one.
  const auto is_ruled_out = [this](PatternId alternative, Subject subject) {
    if (alternative.value() >= kScratch || table_[alternative].kind == DFPatternKind::kAlt) return false;
    return !subject.is_callee() && !MayMatch(alternative, subject.id);
  };
  switch (node.kind) {
    case DFPatternKind::kCall: return ContinueCall(frame, result);
    case DFPatternKind::kAlt:
      while (frame.next < 2) {
        if (frame.next == 1 && result) return Answer::kYes;
        const PatternId child = node.children[frame.next++];
        result = false;
        if (is_ruled_out(child, frame.subject)) continue;
        const Answer pushed = Push(child, Subject(frame.subject));
        if (pushed == Answer::kPushed) return pushed;
        result = pushed == Answer::kYes;
      }
      return answer(result);
    case DFPatternKind::kDominator: return answer(MatchDominator(node, Subject(frame.subject)));
    case DFPatternKind::kWildcard:
    case DFPatternKind::kType:
    case DFPatternKind::kDType:
    case DFPatternKind::kShape:
    case DFPatternKind::kAttrs:
      if (frame.next++ == 0) {
        if (!MatchLeaf(node, frame.subject)) return Answer::kNo;
        const Subject subject = frame.subject;
        const Answer pushed = Push(node.children[0], subject);
        if (pushed == Answer::kPushed) return pushed;
        result = pushed == Answer::kYes;
        return answer(result && (node.kind != DFPatternKind::kAttrs || MatchAttrs(node, subject)));
      }
      return answer(result && (node.kind != DFPatternKind::kAttrs || MatchAttrs(node, frame.subject)));
    default: return ContinueChildren(frame, result);
  }
}

// First the callee, then the arguments from left to right, then, for add and multiply, the same with the patterns of
// the arguments swapped.
auto DFPatternMatcher::ContinueCall(Frame& frame, bool result) -> Answer {
  const DFPatternNode& node = Node(frame.pattern);
  const ExprId call = frame.subject.id;
  const bool is_op_call = !frame.subject.is_callee() && function_.kind(call) == ExprKind::kOpCall;
  if (frame.step == 0) {
    if (frame.subject.is_callee() || (!is_op_call && function_.kind(call) != ExprKind::kCall)) return Answer::kNo;
    frame.step = 1;
    const Subject callee = is_op_call ? Subject{call, Subject::kCallee} : Subject{function_.operand(call, 0)};
    const Answer pushed = Push(node.children[0], callee);
    if (pushed == Answer::kPushed) return pushed;
    result = pushed == Answer::kYes;
  }
  const auto args = function_.operands(call).subspan(is_op_call ? 0 : 1);
  const size_t count = node.children.size() - 1;
  if (frame.step == 1) {
    if (!result) {
      frame.others = Reassociated(frame);
      frame.step = 3;
      return ContinueOthers(frame);
    }
    if (node.any_children) return Answer::kYes;
    if (count != args.size()) return Answer::kNo;
    frame.callee_mark = log_.size();
    frame.step = 2;
    result = true;
  } else if (frame.step == 3) {
    return result ? Answer::kYes : ContinueOthers(frame);
  }
  while (true) {
    if (!result) {
      Rollback(frame.callee_mark);
      const OpDef* op = Node(node.children[0]).op;
      if (frame.reversed || count != 2 || (op != "add"_op && op != "multiply"_op)) return Answer::kNo;
      frame.reversed = true;
      frame.next = 0;
    }
    if (frame.next == count) return Answer::kYes;
    const uint32_t i = frame.next++;
    const Answer pushed = Push(node.children[1 + (frame.reversed ? count - 1 - i : i)], {args[i]});
    if (pushed == Answer::kPushed) return pushed;
    result = pushed == Answer::kYes;
  }
}

auto DFPatternMatcher::ContinueOthers(Frame& frame) -> Answer {
  while (frame.next < frame.others.size()) {
    const PatternId other = frame.others[frame.next++];
    const Answer pushed = Push(other, Subject(frame.subject));
    if (pushed != Answer::kNo) return pushed;
  }
  return Answer::kNo;
}

auto DFPatternMatcher::ContinueChildren(Frame& frame, bool result) -> Answer {
  const DFPatternNode& node = Node(frame.pattern);
  if (frame.next != 0 && !result) return Answer::kNo;
  std::vector<Subject> children;
  if (!ChildrenOf(node, frame.subject, children)) return Answer::kNo;
  while (frame.next < children.size()) {
    const uint32_t i = frame.next++;
    const Answer pushed = Push(node.children[i], children[i]);
    if (pushed != Answer::kYes) return pushed;
  }
  return Answer::kYes;
}

// Collects the subjects for the children of a pattern; false when the subject has another kind or number of children.
auto DFPatternMatcher::ChildrenOf(const DFPatternNode& node, Subject subject, std::vector<Subject>& children) const
    -> bool {
  if (subject.is_callee()) return false;
  const ExprKind kind = function_.kind(subject.id);
  auto operands = function_.operands(subject.id);
  switch (node.kind) {
    case DFPatternKind::kTuple:
      if (kind != ExprKind::kTuple) return false;
      if (node.any_children) return true;
      break;
    case DFPatternKind::kTupleGetItem:
      if (kind != ExprKind::kTupleGetItem) return false;
      if (node.index >= 0 && node.index != function_.index(subject.id)) return false;
      break;
    case DFPatternKind::kIf:
      if (kind != ExprKind::kIf) return false;
      break;
    case DFPatternKind::kFunction:
      if (kind != ExprKind::kFunction) return false;
      if (node.any_children) operands = operands.last(1);
      break;
    case DFPatternKind::kLet: {
      if (kind != ExprKind::kLet) return false;
      const size_t i = subject.part;
      const bool is_last = i + 1 == function_.let_size(subject.id);
      children = {{function_.let_var(subject.id, i)},
                  {function_.let_value(subject.id, i)},
                  is_last ? Subject{function_.let_result(subject.id)} : Subject{subject.id, subject.part + 1}};
      return true;
    }
    default: return false;
  }
  if (operands.size() != node.children.size()) return false;
  for (const ExprId operand : operands) children.push_back({operand});
  return true;
}

auto DFPatternMatcher::Same(Subject a, Subject b) const -> bool {
  if (a == b) return true;
  const OpDef* op = OpOf(a);
  return op != nullptr && op == OpOf(b);
}

auto DFPatternMatcher::OpOf(Subject subject) const -> const OpDef* {
  return subject.is_callee() || function_.kind(subject.id) == ExprKind::kOp ? function_.op(subject.id) : nullptr;
}

auto DFPatternMatcher::IsBinary(PatternId id, const OpDef* op) const -> bool {
  const DFPatternNode& node = Node(id);
  return node.kind == DFPatternKind::kCall && node.children.size() == 3 && Node(node.children[0]).op == op;
}

auto DFPatternMatcher::Scratch(const OpDef* op, PatternId a, PatternId b) -> PatternId {
  const auto callee = PatternId(kScratch + static_cast<uint32_t>(scratch_.size()));
  scratch_.push_back({.kind = DFPatternKind::kOp, .op = op});
  scratch_.push_back({.kind = DFPatternKind::kCall, .children = {callee, a, b}});
  return PatternId(callee.value() + 1);
}

// (a * b) / c as a * (b / c), and the other way round.
auto DFPatternMatcher::Reassociated(const Frame& frame) -> std::vector<PatternId> {
  const ExprId call = frame.subject.id;
  if (!IsCallOf(call, "multiply"_op) && !IsCallOf(call, "divide"_op)) return {};
  const auto has_arg = [&](const OpDef* op) {
    return std::ranges::any_of(function_.operands(call), [&](ExprId arg) { return IsCallOf(arg, op); });
  };
  std::vector<PatternId> others;
  const std::vector<PatternId> children = Node(frame.pattern).children;
  if (IsBinary(frame.pattern, "divide"_op) && IsBinary(children[1], "multiply"_op) && IsCallOf(call, "multiply"_op) &&
      has_arg("divide"_op)) {
    const std::vector<PatternId> factors = Node(children[1]).children;
    for (const size_t k : {size_t{1}, size_t{2}}) {
      others.push_back(Scratch("multiply"_op, factors[3 - k], Scratch("divide"_op, factors[k], children[2])));
    }
  } else if (IsBinary(frame.pattern, "multiply"_op) && IsCallOf(call, "divide"_op) && has_arg("multiply"_op)) {
    for (const size_t k : {size_t{1}, size_t{2}}) {
      if (!IsBinary(children[k], "divide"_op)) continue;
      const std::vector<PatternId> quotient = Node(children[k]).children;
      others.push_back(Scratch("divide"_op, Scratch("multiply"_op, quotient[1], children[3 - k]), quotient[2]));
      break;
    }
  }
  return others;
}

auto DFPatternMatcher::MatchLeaf(const DFPatternNode& node, Subject subject) const -> bool {
  const bool is_expr = !subject.is_callee();
  const TypeId type = is_expr ? function_.type(subject.id) : TypeId();
  const Type* term = type ? &function_.context().type(type) : nullptr;
  switch (node.kind) {
    case DFPatternKind::kWildcard:
    case DFPatternKind::kAttrs: return true;
    case DFPatternKind::kOp: return OpOf(subject) == node.op;
    case DFPatternKind::kOneOf: return subject.part == 0 && std::ranges::binary_search(node.exprs, subject.id);
    case DFPatternKind::kVar:
      return is_expr && function_.kind(subject.id) == ExprKind::kVar &&
             (node.name.empty() || function_.context().text(function_.var(subject.id).name) == node.name);
    case DFPatternKind::kGlobal:
      return is_expr && function_.kind(subject.id) == ExprKind::kGlobal && function_.global(subject.id) == node.global;
    case DFPatternKind::kConstant: {
      if (!is_expr || function_.kind(subject.id) != ExprKind::kConstant) return false;
      return !node.constant || SameTensor(function_.constant(subject.id), function_.context().constant(node.constant));
    }
    case DFPatternKind::kType: return type && type == node.type;
    case DFPatternKind::kDType: return term != nullptr && term->is_tensor() && term->dtype == node.dtype;
    case DFPatternKind::kShape:
      return term != nullptr && term->is_tensor() && std::ranges::equal(term->shape, node.shape);
    default: return false;
  }
}

auto DFPatternMatcher::MatchAttrs(const DFPatternNode& node, Subject subject) const -> bool {
  const Context& context = function_.context();
  if (const OpDef* op = OpOf(subject)) {
    return std::ranges::all_of(node.attrs, [&](const RequiredAttr& value) { return MatchesOp(value, *op); });
  }
  switch (function_.kind(subject.id)) {
    case ExprKind::kFunction:
      return std::ranges::all_of(node.attrs, [&](const RequiredAttr& value) {
        return MatchesObject(context, value, function_.FindAttr(subject.id, value.name));
      });
    case ExprKind::kOpCall:
    case ExprKind::kCall: {
      if (node.attrs.empty()) return true;
      const AttrsId attrs = function_.attrs(subject.id);
      if (!attrs || context.attrs(attrs).schema == nullptr) return false;
      const AttrsRecord& record = context.attrs(attrs);
      if (const auto* dict = context.As<DictAttrs>(attrs)) {
        return std::ranges::all_of(node.attrs,
                                   [&](const RequiredAttr& value) { return MatchesEntry(context, value, dict->dict); });
      }
      return std::ranges::all_of(node.attrs, [&](const RequiredAttr& value) {
        const FieldInfo* field = record.schema->Find(value.name);
        return field != nullptr && MatchesField(context, value, *field, record.data);
      });
    }
    default: return false;
  }
}

// The child must match the subject, and every path from its operands must go through expressions that match the path to
// one that matches the parent.
auto DFPatternMatcher::MatchDominator(const DFPatternNode& node, Subject subject) -> bool {
  const PatternId parent = node.children[0];
  const PatternId path = node.children[1];
  if (subject.is_callee() || !MatchNow(node.children[2], subject)) return false;
  const bool memoizes = memoizes_;
  absl::flat_hash_set<ExprId> checked = {subject.id};
  std::vector<ExprId> pending = {subject.id};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    auto inputs = function_.operands(id);
    if (function_.kind(id) == ExprKind::kCall) inputs = inputs.subspan(1);
    if (function_.kind(id) == ExprKind::kFunction) inputs = inputs.last(1);
    if (inputs.empty()) return false;
    for (const ExprId input : inputs) {
      if (checked.contains(input)) continue;
      memoizes_ = true;
      const bool is_parent = MatchNow(parent, {input});
      memoizes_ = false;
      const bool is_on_path = is_parent || MatchNow(path, {input});
      memoizes_ = memoizes;
      if (!is_on_path) return false;
      if (is_parent) continue;
      checked.insert(input);
      pending.push_back(input);
    }
  }
  if (dominators_ == nullptr) dominators_ = std::make_unique<PostDominators>(function_);
  return std::ranges::any_of(matched(parent), [&](Subject found) {
    return !found.is_callee() && found.id != subject.id && dominators_->Dominates(subject.id, found.id);
  });
}

auto MatchPattern(DFPattern pattern, const Function& function, ExprId id) -> bool {
  return DFPatternMatcher(function, pattern.table()).Match(pattern.id(), id);
}

}  // namespace relayopt
