// Structural equality and hash, as TVM defines them for each node type, and post-order.
#include "relayopt/graph/structural.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "relayopt/core/same_tensor.h"
#include "relayopt/graph/module_obj.h"

namespace relayopt::graph {
namespace {

using object::MapObj;
using object::StringObj;
using object::TensorObj;

// The parts of a node that are compared.
struct Shape {
  // Two such nodes, once equal, are equal only to each other.
  bool is_graph_node = false;
  // Equal only to itself, unless it is bound.
  bool is_variable = false;
};

auto ShapeOf(const Object& object) -> Shape {
  if (Is(&object, Node::kId) || Is(&object, Node::kTypeVar) || Is(&object, Node::kTirVar) ||
      Is(&object, Node::kGlobalTypeVar) || Is(&object, Node::kIncompleteType)) {
    return {true, true};
  }
  if (Is(&object, Node::kGlobalVar)) return {true, true};
  if (!Is(&object, Node::kRelayExpr) || Is(&object, Node::kConstant) || Is(&object, Node::kTupleGetItem) ||
      Is(&object, Node::kOp) || Is(&object, Node::kConstructor)) {
    return {};
  }
  if (IsExactly(&object, Node::kTuple) && object::Items(SlotsOf(object)[slot::kFields]).empty()) return {};
  return {true, false};
}

// The fields of a node in the order in which they are compared; those that bind come first.
struct Part {
  size_t slot;
  bool binds;
};
auto PartsOf(const Object& object) -> std::vector<Part> {
  if (IsExactly(&object, Node::kFunction)) {
    return {{slot::kParams, true},         {slot::kTypeParams, true},     {slot::kResultType, false},
            {slot::kFunctionAttrs, false}, {slot::kVirtualDevice, false}, {slot::kBody, false}};
  }
  if (IsExactly(&object, Node::kLet)) {
    return {{slot::kLetVar, true}, {slot::kLetValue, false}, {slot::kLetBody, false}, {slot::kVirtualDevice, false}};
  }
  if (IsExactly(&object, Node::kPatternVar)) return {{slot::kPatternVariable, true}};
  if (IsExactly(&object, Node::kFuncType)) {
    return {
        {slot::kFuncTypeParams, true}, {slot::kArgTypes, false}, {slot::kRetType, false}, {slot::kConstraints, false}};
  }
  if (IsExactly(&object, Node::kTypeData)) {
    return {{slot::kHeader, true}, {slot::kTypeVars, true}, {slot::kCtors, false}};
  }
  if (IsExactly(&object, Node::kConstructor)) return {{slot::kCtorName, false}, {slot::kCtorInputs, false}};
  if (Is(&object, Node::kId)) return {};
  if (Is(&object, Node::kTirVar)) return {{slot::kDtype, false}, {slot::kTirName + 1, false}};
  if (Is(&object, Node::kTypeVar)) return {{slot::kTypeKind, false}};
  const bool skip_type_args =
      IsExactly(&object, Node::kCall) && IsExactly(SlotsOf(object)[slot::kCallee].object(), Node::kOp);
  std::vector<Part> parts;
  const auto& fields = object.info().fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].role == object::FieldRole::kIgnore) continue;
    if (skip_type_args && i == slot::kTypeArgs) continue;
    parts.push_back({i, false});
  }
  return parts;
}

auto IsEmptyAttrs(const Value& value) -> bool {
  if (value.is_null()) return true;
  if (!IsExactly(value.object(), Node::kDictAttrs)) return false;
  const auto* map = SlotsOf(*value.object())[slot::kDict].as<MapObj>();
  return map == nullptr || map->size() == 0;
}

auto SameReal(double a, double b) -> bool {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) < 1e-9;
}

class Comparison {
 public:
  explicit Comparison(Mismatch* mismatch) : mismatch_(mismatch) {}

  auto Run(const Value& a, const Value& b, bool map_free_vars) -> bool {
    if (!Compare(a, b, map_free_vars, {}, kNone)) return Fail();
    while (!stack_.empty()) {
      // The children are above their parent, the first one on top.
      if (stack_.back().opened) {
        const Task task = stack_.back();
        stack_.pop_back();
        if (task.graph) {
          left_.emplace(task.a.object(), task.b.object());
          right_.emplace(task.b.object(), task.a.object());
        }
        continue;
      }
      if (stack_.back().missing != 0) {
        missing_ = stack_.back().missing;
        return Fail(stack_.back().path);
      }
      stack_.back().opened = true;
      const Task task = stack_.back();
      // A partner may have been found since this was put off.
      if (const auto known = Known(task.a.object(), task.b.object())) {
        stack_.pop_back();
        if (!*known) return Fail(task.path);
        continue;
      }
      pending_.clear();
      if (!Open(task, stack_.size() - 1)) return Fail(failed_ == kNone ? task.path : failed_);
      for (size_t i = pending_.size(); i-- > 0;) stack_.push_back(std::move(pending_[i]));
    }
    return true;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  struct Task {
    Value a;
    Value b;
    bool map_free = false;
    bool opened = false;
    bool graph = false;
    size_t path = kNone;
    // No comparison: a difference that counts once everything before it is equal. See missing_.
    int missing = 0;
  };
  // A step to a node from the node above it.
  struct Step {
    std::string name;
    size_t above;
  };

  auto AddStep(std::string name, size_t above) -> size_t {
    if (mismatch_ == nullptr) return kNone;
    steps_.push_back({std::move(name), above});
    return steps_.size() - 1;
  }

  auto Fail(size_t path = kNone) -> bool {
    if (mismatch_ != nullptr) {
      for (size_t at = path; at != kNone; at = steps_[at].above) mismatch_->lhs.push_back(steps_[at].name);
      std::ranges::reverse(mismatch_->lhs);
      mismatch_->rhs = mismatch_->lhs;
      // `[k]?`: the element exists on one side only.
      if (!mismatch_->lhs.empty() && missing_ != 0) {
        (missing_ < 0 ? mismatch_->lhs : mismatch_->rhs).back() += '?';
      }
    }
    return false;
  }

  auto Known(const Object* a, const Object* b) const -> std::optional<bool> {
    if (const auto found = left_.find(a); found != left_.end()) return found->second == b;
    if (right_.contains(b)) return false;
    return std::nullopt;
  }

  // Compares what needs no walk, and puts off the rest.
  auto Compare(const Value& a, const Value& b, bool map_free, std::string name, size_t above) -> bool {
    const size_t path = name.empty() ? above : AddStep(std::move(name), above);
    failed_ = path;
    if (IsEmptyAttrs(a) && IsEmptyAttrs(b)) return true;
    if (a.tag() != b.tag()) return false;
    switch (a.tag()) {
      case Value::Tag::kNull: return true;
      case Value::Tag::kInt: return a.integer() == b.integer();
      case Value::Tag::kFloat: return SameReal(a.real(), b.real());
      case Value::Tag::kObject: break;
    }
    if (a.object()->type_index() != b.object()->type_index()) return false;
    if (a.as<StringObj>() != nullptr) return a.text() == b.text();
    if (const auto* tensor = a.as<TensorObj>()) return SameTensor(tensor->tensor, b.as<TensorObj>()->tensor);
    if (IsExactly(a.object(), Node::kOp)) {
      return a.object() == b.object() ||
             SlotsOf(*a.object())[slot::kNameHint].text() == SlotsOf(*b.object())[slot::kNameHint].text();
    }
    if (const auto known = Known(a.object(), b.object())) return *known;
    pending_.push_back({a, b, map_free, false, false, path});
    if (stack_.empty()) {
      stack_.push_back(pending_.back());
      pending_.clear();
    }
    return true;
  }

  auto Open(const Task& task, size_t at) -> bool {
    const Object& a = *task.a.object();
    const Object& b = *task.b.object();
    failed_ = kNone;
    const Shape shape = ShapeOf(a);
    if (shape.is_variable) {
      const bool by_name = Is(&a, Node::kGlobalVar) || Is(&a, Node::kGlobalTypeVar);
      if (by_name) {
        const size_t name = Is(&a, Node::kGlobalVar) ? slot::kNameHint : static_cast<size_t>(slot::kTypeName);
        if (SlotsOf(a)[name].text() != SlotsOf(b)[name].text()) return false;
        stack_[at].graph = true;
        return true;
      }
      if (&a != &b && !task.map_free) return false;
    }
    stack_[at].graph = shape.is_graph_node;
    if (object::IsArray(&a)) return OpenArray(task);
    if (const auto* map = task.a.as<MapObj>()) return OpenMap(*map, *task.b.as<MapObj>(), task);
    if (const auto* module = task.a.as<ModuleObj>()) return OpenModule(*module, *task.b.as<ModuleObj>(), task);
    const auto left = SlotsOf(a);
    const auto right = SlotsOf(b);
    for (const Part& part : PartsOf(a)) {
      if (!Compare(left[part.slot], right[part.slot], task.map_free || part.binds,
                   mismatch_ == nullptr ? std::string() : "." + a.info().fields[part.slot].name, task.path)) {
        return false;
      }
    }
    return true;
  }

  auto OpenArray(const Task& task) -> bool {
    const auto left = object::Items(task.a);
    const auto right = object::Items(task.b);
    const size_t common = std::min(left.size(), right.size());
    for (size_t i = 0; i < common; ++i) {
      if (!Compare(left[i], right[i], task.map_free, Index(i), task.path)) return false;
    }
    if (left.size() == right.size()) return true;
    // A difference inside of the common part is reported first.
    Task difference;
    difference.path = AddStep(Index(common), task.path);
    difference.missing = left.size() < right.size() ? -1 : 1;
    pending_.push_back(std::move(difference));
    return true;
  }
  auto Index(size_t i) const -> std::string {
    return mismatch_ == nullptr ? std::string() : "[" + std::to_string(i) + "]";
  }

  auto OpenMap(const MapObj& left, const MapObj& right, const Task& task) -> bool {
    for (const auto& [key, value] : left.entries()) {
      const Value* other = right.Find(key);
      if (other == nullptr && key.is_object() && key.as<StringObj>() == nullptr) {
        const auto partner = left_.find(key.object());
        if (partner != left_.end()) other = right.Find(Value(Ref<Object>(const_cast<Object*>(partner->second))));
      }
      const std::string step = mismatch_ == nullptr ? std::string() : "[\"" + std::string(key.text()) + "\"]";
      if (other == nullptr) {
        failed_ = AddStep(step, task.path);
        missing_ = 1;
        return false;
      }
      if (!Compare(value, *other, task.map_free, step, task.path)) return false;
    }
    for (const auto& [key, value] : right.entries()) {
      if (left.Find(key) != nullptr || key.as<StringObj>() == nullptr) continue;
      failed_ = AddStep("[\"" + std::string(key.text()) + "\"]", task.path);
      missing_ = -1;
      return false;
    }
    return left.size() == right.size();
  }

  auto OpenModule(const ModuleObj& left, const ModuleObj& right, const Task& task) -> bool {
    const auto same_names = [](const auto& a, const auto& b) {
      return a.size() == b.size() &&
             std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; });
    };
    if (!same_names(left.functions(), right.functions()) || !same_names(left.type_defs(), right.type_defs())) {
      return false;
    }
    if (!Compare(left.attrs(), right.attrs(), task.map_free, ".attrs", task.path)) return false;
    for (const auto& [name, data] : left.type_defs()) {
      if (!Compare(Value(data), Value(right.type_defs().at(name)), task.map_free, "[\"" + name + "\"]", task.path)) {
        return false;
      }
    }
    for (const auto& [name, function] : left.functions()) {
      if (!Compare(Value(function), Value(right.functions().at(name)), task.map_free,
                   ".functions[I.GlobalVar(\"" + name + "\")]", task.path)) {
        return false;
      }
    }
    return true;
  }

  Mismatch* mismatch_;
  int missing_ = 0;
  size_t failed_ = kNone;
  std::vector<Task> stack_;
  std::vector<Task> pending_;
  std::vector<Step> steps_;
  std::unordered_map<const Object*, const Object*> left_;
  std::unordered_map<const Object*, const Object*> right_;
};

class Hashing {
 public:
  auto Run(const Value& value, bool map_free_vars) -> uint64_t {
    std::vector<Task> stack = {{value, map_free_vars}};
    while (!stack.empty()) {
      const Task next = std::move(stack.back());
      stack.pop_back();
      const size_t before = stack.size();
      Add(next, stack);
      std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(before), stack.end());
    }
    return hash_;
  }

 private:
  void Mix(uint64_t value) { hash_ = (std::rotl(hash_, 7) ^ value) * 0x9E3779B97F4A7C15ULL; }
  void Mix(std::string_view text) {
    Mix(text.size());
    for (const char c : text) Mix(static_cast<uint8_t>(c));
  }

  // A value, and whether a variable that occurs in it for the first time may correspond to any other: because it is
  // bound here, or because free variables are mapped.
  struct Task {
    Value value;
    bool any_variable;
  };

  void Add(const Task& task, std::vector<Task>& stack) {
    const Value& value = task.value;
    Mix(static_cast<uint64_t>(value.tag()));
    switch (value.tag()) {
      case Value::Tag::kNull: return;
      case Value::Tag::kInt: return Mix(static_cast<uint64_t>(value.integer()));
      // Reals that differ little are equal.
      case Value::Tag::kFloat: return Mix(std::bit_cast<uint64_t>(std::round(value.real() * 1e6)));
      case Value::Tag::kObject: break;
    }
    if (IsEmptyAttrs(value)) return Mix(uint64_t{0});
    const Object& object = *value.object();
    if (const auto* string = value.as<StringObj>()) return Mix(string->text);
    if (const auto* tensor = value.as<TensorObj>()) {
      Mix(ToString(tensor->tensor.dtype()));
      for (const int64_t extent : tensor->tensor.shape()) Mix(static_cast<uint64_t>(extent));
      for (const std::byte byte : tensor->tensor.Elements()) Mix(static_cast<uint64_t>(byte));
      return;
    }
    Mix(object.type_key());
    const Shape shape = ShapeOf(object);
    if (Is(&object, Node::kGlobalVar)) return Mix(SlotsOf(object)[slot::kNameHint].text());
    if (Is(&object, Node::kGlobalTypeVar)) return Mix(SlotsOf(object)[slot::kTypeName].text());
    if (IsExactly(&object, Node::kOp)) return Mix(SlotsOf(object)[slot::kNameHint].text());
    if (shape.is_graph_node) {
      const auto [found, is_new] = seen_.try_emplace(&object, seen_.size());
      Mix(found->second);
      if (!is_new) return;
    }
    // A free variable is equal to itself only.
    if (shape.is_variable && !task.any_variable) return Mix(std::bit_cast<uintptr_t>(&object));
    if (object::IsArray(&object)) {
      Mix(object::Items(value).size());
      for (const Value& item : object::Items(value)) stack.push_back({item, task.any_variable});
      return;
    }
    if (const auto* map = value.as<MapObj>()) {
      std::vector<std::pair<std::string_view, const Value*>> sorted;
      for (const auto& [key, item] : map->entries()) sorted.emplace_back(key.text(), &item);
      std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
      for (const auto& [key, item] : sorted) {
        Mix(key);
        stack.push_back({*item, task.any_variable});
      }
      return;
    }
    if (const auto* module = value.as<ModuleObj>()) {
      for (const auto& [name, data] : module->type_defs()) stack.push_back({Value(data), task.any_variable});
      for (const auto& [name, function] : module->functions()) {
        Mix(name);
        stack.push_back({Value(function), task.any_variable});
      }
      return;
    }
    const auto slots = SlotsOf(object);
    for (const Part& part : PartsOf(object)) stack.push_back({slots[part.slot], task.any_variable || part.binds});
  }

  uint64_t hash_ = 0;
  std::unordered_map<const Object*, uint64_t> seen_;
};

// The operands of a node, in the order in which they are visited.
void ChildrenOf(const SlotObj& node, std::vector<const SlotObj*>& out) {
  const auto slots = SlotsOf(node);
  const auto add = [&](const Value& value) {
    if (Is(value.object(), Node::kRelayExpr)) out.push_back(static_cast<const SlotObj*>(value.object()));
  };
  if (IsExactly(&node, Node::kMatch)) {
    add(slots[slot::kMatchData]);
    for (const Value& clause : object::Items(slots[slot::kClauses])) add(SlotsOf(*clause.object())[slot::kRhs]);
    return;
  }
  if (IsExactly(&node, Node::kConstructor) || IsExactly(&node, Node::kConstant)) return;
  for (size_t i = slot::kFirst; i < node.info().fields.size(); ++i) {
    add(slots[i]);
    for (const Value& item : object::Items(slots[i])) add(item);
  }
}

}  // namespace

auto StructuralEqual(const Value& a, const Value& b, bool map_free_vars, Mismatch* mismatch) -> bool {
  return Comparison(mismatch).Run(a, b, map_free_vars);
}

auto StructuralHash(const Value& value, bool map_free_vars) -> uint64_t { return Hashing().Run(value, map_free_vars); }

auto PostOrder(const Ref<Object>& expr) -> std::vector<Ref<Object>> {
  std::vector<Ref<Object>> order;
  std::unordered_set<const Object*> seen;
  struct Frame {
    const SlotObj* node;
    bool opened;
  };
  std::vector<Frame> stack = {{static_cast<const SlotObj*>(expr.get()), false}};
  std::vector<const SlotObj*> children;
  while (!stack.empty()) {
    const Frame frame = stack.back();
    if (frame.opened) {
      stack.pop_back();
      order.emplace_back(const_cast<SlotObj*>(frame.node));
      continue;
    }
    if (!seen.insert(frame.node).second) {
      stack.pop_back();
      continue;
    }
    stack.back().opened = true;
    children.clear();
    ChildrenOf(*frame.node, children);
    for (size_t i = children.size(); i-- > 0;) {
      if (!seen.contains(children[i])) stack.push_back({children[i], false});
    }
  }
  return order;
}

}  // namespace relayopt::graph
