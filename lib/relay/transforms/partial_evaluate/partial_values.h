// The values of a partial evaluator: tensors, tuples, references, closures, and how far calls may be expanded.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/functions.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/growth.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::partial {

using ValueId = Index<struct PartialValueTag>;
using EnvId = Index<struct PartialEnvTag>;

// The context of evaluation: a function, with the variables of one call of it.
struct Where {
  const Function* from = nullptr;
  EnvId env;
};

// Code for a value that can be used repeatedly: a variable of the function under construction, or a name.
struct Atom {
  ExprKind kind = ExprKind::kVar;
  uint32_t id = ExprId::kNone;
};

// How much of a value is known before the program runs.
enum class Known : uint8_t {
  kNothing,
  kTensor,       // `payload` is a ConstantId
  kTuple,        // `fields`
  kData,         // constructor `payload` of `fields`
  kRef,          // reference number `payload`: what it holds is in the store
  kClosure,      // closure number `payload`
  kOp,           // operator instance `payload` as a function
  kConstructor,  // constructor `payload` as a function
};

struct Value {
  Known known = Known::kNothing;
  uint32_t payload = 0;
  std::vector<ValueId> fields;
  Atom atom;
  // Values are numbered in the order of their creation.
  uint64_t time = 0;
};

// A function literal, with the variables around it.
struct Closure {
  const Function* function;
  ExprId literal;
  EnvId env;
  // The let variable that the literal is bound to, through which it may call itself; or none.
  ExprId self;
  // The callee of residual calls.
  Atom name;
  // The code of a kernel, and the number of the function that contains it.
  ExprId kernel = {};
  size_t output = 0;
};

// Values, by the order in which they come about. They are looked at while others are added: they do not move.
class ValueTable {
 public:
  auto operator[](ValueId id) const -> const Value& { return values_[id.value()]; }
  auto Add(Value value) -> ValueId {
    value.time = values_.size();
    values_.push_back(std::move(value));
    return ValueId(values_.size() - 1);
  }

  auto AddClosure(const Closure& closure) -> ValueId {
    closures_.push_back(closure);
    const auto number = static_cast<uint32_t>(closures_.size() - 1);
    return Add({.known = Known::kClosure, .payload = number, .atom = closure.name});
  }
  // Returns the closure of a value that is known to be one.
  auto ClosureOf(ValueId id) -> Closure& { return closures_[values_[id.value()].payload]; }

  auto NewRef() -> uint32_t { return num_refs_++; }

 private:
  std::deque<Value> values_;
  std::deque<Closure> closures_;
  uint32_t num_refs_ = 0;
};

// The known contents of references. A frame is pushed for code that may not run; an unknown effect invalidates all
// older knowledge.
class Store {
 public:
  void Enter() { frames_.push_back({}); }
  // Drops the changes since the last Enter.
  void Leave() {
    while (frames_.back().hides_older) frames_.pop_back();
    frames_.pop_back();
  }
  void Forget() {
    // A hiding frame hides all frames below it, so one is enough.
    if (frames_.back().hides_older)
      frames_.back().content.clear();
    else
      frames_.push_back({.hides_older = true});
  }
  void Set(uint32_t ref, ValueId value) { frames_.back().content[ref] = value; }
  auto Find(uint32_t ref) const -> ValueId {
    for (size_t i = frames_.size(); i-- > 0;) {
      const auto found = frames_[i].content.find(ref);
      if (found != frames_[i].content.end()) return found->second;
      if (frames_[i].hides_older) break;
    }
    return {};
  }

 private:
  struct Frame {
    absl::flat_hash_map<uint32_t, ValueId> content;
    bool hides_older = false;
  };
  std::vector<Frame> frames_ = {Frame()};
};

// A bound on expanding calls of one function: for each argument the smallest time and the smallest number (of integer
// scalars, else 0) of the calls that are being expanded. Every further call must decrease one of these, so expansion
// terminates.
struct Fuel {
  struct Of {
    uint64_t time;
    uint64_t number;
  };
  std::vector<Of> args;

  // Returns the bound with a further call, or nothing if that does not decrease anything.
  auto Meet(const Fuel& call) const -> std::optional<Fuel> {
    Fuel met = *this;
    bool progress = false;
    for (size_t i = 0; i < met.args.size() && i < call.args.size(); ++i) {
      progress = progress || call.args[i].time < args[i].time || call.args[i].number < args[i].number;
      met.args[i].time = std::min(args[i].time, call.args[i].time);
      met.args[i].number = std::min(args[i].number, call.args[i].number);
    }
    if (!progress) return std::nullopt;
    return met;
  }
};

// Limits the work: functions that call each other can produce exponentially much code, or take exponentially many steps
// without producing any. Calls are no longer expanded after a fixed number of evaluated expressions, plus a number for
// each expression of the module, or after as many as --max-ops allows.
class CallLimits {
 public:
  CallLimits(const Module& module, const PassContext& context) {
    for (const auto& [id, function] : FunctionsOf<Function>(module)) max_steps_ += kMaxGrowth * function.size();
    if (const auto given = GivenGrowthLimit(context)) max_steps_ = std::min(max_steps_, static_cast<size_t>(*given));
  }

  void Step() { ++steps_; }
  auto max_steps() const -> size_t { return max_steps_; }
  auto is_met() const -> bool { return steps_ > max_steps_; }
  // Whether that has not been reported yet; marks it as reported.
  auto IsNews() -> bool { return !std::exchange(is_told_, true); }

  // Returns the bound on calls of a literal, where some are being expanded.
  auto FuelOf(const Closure& closure) -> std::optional<Fuel>& { return fuels_[{closure.function, closure.literal}]; }

 private:
  static constexpr size_t kMinSteps = 500'000;
  static constexpr size_t kMaxGrowth = 10;

  size_t steps_ = 0;
  size_t max_steps_ = kMinSteps;
  bool is_told_ = false;
  absl::flat_hash_map<std::pair<const Function*, ExprId>, std::optional<Fuel>> fuels_;
};

}  // namespace relayopt::partial
