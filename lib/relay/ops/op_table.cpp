// Look-up of operators by name.
#include "relayopt/relay/ops/op_table.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ops/foreign_ops.h"

namespace relayopt {

namespace {

static_assert(std::ranges::adjacent_find(kOpNames, std::greater_equal<>(), &OpName::name) == std::end(kOpNames),
              "ops.def is sorted by name and has each name once");

auto RowOf(size_t number) -> const OpDef* {
  return op_internal::kFirstRows[static_cast<size_t>(kOpNames[number].family)] + kOpPlaces.places[number];
}

// FNV-1a, 32 bits.
constexpr auto Hash(std::string_view text) -> uint32_t {
  uint32_t hash = 0x811C9DC5;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash;
}

// A hash table from names to numbers, computed at compile time: a program that reads one network looks up about thirty
// operators, and should not pay for a table of all. A name is in the first free slot at or after its hash.
constexpr size_t kPlaces = 1024;
static_assert(kPlaces >= 2 * kNumOps);
constexpr auto kByHash = [] {
  std::array<uint16_t, kPlaces> table{};
  table.fill(OpDef::kNoNumber);
  for (size_t number = 0; number < kNumOps; ++number) {
    size_t place = Hash(kOpNames[number].name) % kPlaces;
    while (table[place] != OpDef::kNoNumber) place = (place + 1) % kPlaces;
    table[place] = static_cast<uint16_t>(number);
  }
  return table;
}();

auto FindBuiltin(std::string_view name) -> const OpDef* {
  for (size_t place = Hash(name) % kPlaces; kByHash[place] != OpDef::kNoNumber; place = (place + 1) % kPlaces) {
    if (kOpNames[kByHash[place]].name == name) return RowOf(kByHash[place]);
  }
  return nullptr;
}

// Operators that plugins added.
struct Registry {
  std::mutex mutex;
  // A deque, because rows must not move.
  std::deque<OpDef> rows;
  absl::flat_hash_map<std::string_view, const OpDef*> by_name;
  // Whether any operator is registered, so that look-ups need no mutex when none is.
  std::atomic<bool> any = false;
  std::atomic<ForeignOps> foreign = nullptr;
};

auto TheRegistry() -> Registry& {
  static Registry registry;
  return registry;
}

}  // namespace

auto FindOp(std::string_view name) -> const OpDef* {
  if (const OpDef* op = FindBuiltin(name)) return op;
  Registry& registry = TheRegistry();
  if (registry.any.load(std::memory_order_acquire)) {
    const std::lock_guard lock(registry.mutex);
    const auto found = registry.by_name.find(name);
    if (found != registry.by_name.end()) return found->second;
  }
  const ForeignOps foreign = registry.foreign.load(std::memory_order_acquire);
  return foreign == nullptr ? nullptr : foreign(name);
}

void SetForeignOps(ForeignOps find) { TheRegistry().foreign.store(find, std::memory_order_release); }

auto RegisterOp(const OpDef& row) -> const OpDef* {
  const bool fits = row.element_types.size() == 1 || row.element_types.size() == Arity(row);
  if (row.name.empty() || row.type == nullptr || !fits || FindBuiltin(row.name) != nullptr) return nullptr;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const size_t number = kNumOps + registry.rows.size();
  if (number >= OpDef::kNoNumber || registry.by_name.contains(row.name)) return nullptr;
  OpDef& op = registry.rows.emplace_back(row);
  op.number = static_cast<uint16_t>(number);
  registry.by_name.emplace(op.name, &op);
  registry.any.store(true, std::memory_order_release);
  return &op;
}

auto RegisteredOps() -> std::vector<const OpDef*> {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  std::vector<const OpDef*> ops;
  for (const OpDef& op : registry.rows) {
    if (!IsForeignOp(op)) ops.push_back(&op);
  }
  return ops;
}

auto AllOps() -> std::vector<const OpDef*> {
  std::vector<const OpDef*> ops = RegisteredOps();
  for (size_t number = 0; number < kNumOps; ++number) ops.push_back(RowOf(number));
  std::ranges::sort(ops, {}, &OpDef::name);
  return ops;
}

}  // namespace relayopt
