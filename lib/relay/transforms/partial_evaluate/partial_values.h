// What a partial evaluator knows: values, references, closures, and how far calls may be expanded.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::partial {

using ValueId = Index<struct PartialValueTag>;
using EnvId = Index<struct PartialEnvTag>;

// Code that stands for a value wherever it is used: a variable of the function under construction, or a name.
struct Atom {
  ExprKind kind = ExprKind::kVar;
  uint32_t id = ExprId::kNone;
};

// What is known of a value before the program runs.
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
  // Values are numbered as they come about.
  uint64_t time = 0;
};

// A function literal, with the variables around it.
struct Closure {
  const Function* function;
  ExprId literal;
  EnvId env;
  // The let variable that the literal is bound to, through which it may call itself; or none.
  ExprId self;
  // What residual calls call.
  Atom name;
  // The code of a kernel, and the number of the function that it was made in.
  ExprId kernel = {};
  size_t output = 0;
};

// The variables of one call of a closure.
struct Env {
  // The call around it, and one further out: half-way or so, so that any of them is a logarithm of steps away.
  EnvId outer;
  EnvId jump;
  // How many calls are around it: the same for every call of a literal, which is why `Machine::depths_` works.
  uint32_t depth = 0;
  absl::flat_hash_map<ExprId, ValueId> vars;
  // Type parameters, and what stands for them in this call.
  std::vector<TypeId> type_params;
  std::vector<TypeId> type_args;
  // The innermost call, from this one outwards, that has type parameters; none when none has.
  EnvId generic;
};

// What references hold. Frames come and go with code that may not run; an unknown effect hides all older knowledge.
class Store {
 public:
  void Enter() { frames_.push_back({}); }
  // Drops what happened since the last Enter.
  void Leave() {
    while (frames_.back().hides_older) frames_.pop_back();
    frames_.pop_back();
  }
  void Forget() {
    // Nothing can be seen below a frame that hides, so one of them is enough.
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
// scalars, else 0) of the calls that are being expanded. Every further call must be smaller in something, so that there
// is an end.
struct Fuel {
  struct Of {
    uint64_t time;
    uint64_t number;
  };
  std::vector<Of> args;

  // The bound with a further call; nothing when that is not smaller in anything.
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

}  // namespace relayopt::partial
