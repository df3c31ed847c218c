// Opaque operators for names that are not in the table.
#include "unregistered_ops.h"

#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ops/type_rule.h"

namespace relayopt {

namespace {

// The type is whatever the context of the call requires.
auto UnknownRule(RuleContext& rule) -> RuleStatus {
  return rule.Done(rule.known_result() ? rule.known_result() : rule.context().FreshIncomplete());
}

struct Row {
  std::string name;
  OpDef op;
};

}  // namespace

auto UnregisteredOp(std::string_view name) -> const OpDef* {
  static std::mutex mutex;
  static absl::flat_hash_map<std::string_view, std::unique_ptr<Row>> rows;
  const std::lock_guard lock(mutex);
  if (const auto found = rows.find(name); found != rows.end()) return &found->second->op;
  auto row = std::make_unique<Row>();
  row->name = name;
  row->op = {.name = row->name,
             .type = &UnknownRule,
             .fusion = Fusion::kOpaque,
             .variadic = true,
             .stateful = true,
             .doc = "not in relayopt's table"};
  const OpDef* op = &row->op;
  rows.emplace(op->name, std::move(row));
  return op;
}

}  // namespace relayopt
