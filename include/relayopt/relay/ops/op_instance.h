// Operator instances: operators together with their attributes, which calls refer to.
#pragma once

#include <memory>
#include <mutex>

#include "relayopt/core/context.h"
#include "relayopt/support/append_table.h"

namespace relayopt {

struct OpDef;

// An operator together with its attributes.
struct OpInstance {
  const OpDef* op = nullptr;
  AttrsId attrs;
};

// The part of a context that interns operator instances: equal instances have equal ids. Thread-safe; records never
// move.
class OpInstances {
 public:
  explicit OpInstances(Context& context);
  ~OpInstances();

  auto operator[](OpInstanceId id) const -> const OpInstance& { return instances_[id]; }
  auto Intern(const OpInstance& instance) -> OpInstanceId;

 private:
  struct Ids;

  std::mutex mutex_;
  AppendTable<OpInstanceId, OpInstance> instances_;
  std::unique_ptr<Ids> ids_;
};

// Look up and intern operator instances of a context.
inline auto GetOpInstance(const Context& context, OpInstanceId id) -> const OpInstance& {
  return context.Part<OpInstances>()[id];
}
inline auto InternOpInstance(Context& context, const OpInstance& instance) -> OpInstanceId {
  return context.Part<OpInstances>().Intern(instance);
}

}  // namespace relayopt
