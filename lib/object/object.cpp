#include "relayopt/object/object.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "relayopt/object/containers.h"

namespace relayopt::object {

// NOLINTBEGIN(misc-no-recursion): what dies with an object waits in a queue.
namespace {

struct TypeTable {
  std::mutex mutex;
  // Records never move: readers hold references without the lock.
  std::deque<TypeInfo> types;
  std::unordered_map<std::string_view, TypeIndex> by_key;
  // Pointers into `types`, read without the lock: an index is handed out only after its entry was written.
  static constexpr size_t kMaxTypes = 1 << 16;
  std::vector<const TypeInfo*> by_index = std::vector<const TypeInfo*>(kMaxTypes);

  TypeTable() {
    TypeInfo& root = types.emplace_back();
    root.key = Object::kTypeKey;
    root.ancestors = {0};
    by_index[0] = &root;
    by_key.emplace(root.key, 0);
  }
};

auto Table() -> TypeTable& {
  static TypeTable* const table = new TypeTable();
  return *table;
}

WrapperHooks g_hooks;

}  // namespace

auto TypeInfo::Find(std::string_view name) const -> int {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

auto RegisterType(std::string_view key, TypeIndex parent, std::vector<Field> own_fields) -> TypeIndex {
  TypeTable& table = Table();
  const std::lock_guard lock(table.mutex);
  if (const auto found = table.by_key.find(key); found != table.by_key.end()) return found->second;
  const auto index = static_cast<TypeIndex>(table.types.size());
  RELAYOPT_CHECK(index < TypeTable::kMaxTypes, "types are declared by programs, and there are few");
  RELAYOPT_CHECK(parent < index, "a parent is registered before its children");
  const TypeInfo& above = table.types[parent];
  TypeInfo& info = table.types.emplace_back();
  info.key = key;
  info.index = index;
  info.parent = parent;
  info.ancestors = above.ancestors;
  info.ancestors.push_back(index);
  info.fields = above.fields;
  info.own_fields = info.fields.size();
  for (Field& field : own_fields) info.fields.push_back(std::move(field));
  table.by_index[index] = &info;
  table.by_key.emplace(info.key, index);
  return index;
}

auto InfoOf(TypeIndex index) -> const TypeInfo& { return *Table().by_index[index]; }

auto FindType(std::string_view key) -> const TypeInfo* {
  TypeTable& table = Table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.by_key.find(key);
  return found == table.by_key.end() ? nullptr : table.by_index[found->second];
}

auto IsInstance(TypeIndex index, TypeIndex ancestor) -> bool {
  const auto& ancestors = InfoOf(index).ancestors;
  const size_t depth = InfoOf(ancestor).ancestors.size() - 1;
  return depth < ancestors.size() && ancestors[depth] == ancestor;
}

void SetWrapperHooks(WrapperHooks hooks) { g_hooks = hooks; }

auto Object::Get(size_t) const -> Value { return {}; }
void Object::TakeChildren(std::vector<Value>&) {}

auto Object::wrapper() const -> void* {
  const uintptr_t state = state_.load(std::memory_order_acquire);
  return (state & 1) != 0 ? nullptr : reinterpret_cast<void*>(state);
}

auto Object::SetWrapper(void* wrapper) -> size_t {
  const uintptr_t before = state_.exchange(reinterpret_cast<uintptr_t>(wrapper), std::memory_order_acq_rel);
  RELAYOPT_CHECK((before & 1) != 0, "an object has one wrapper");
  return before >> 1;
}

void Object::ClearWrapper() { state_.store(uintptr_t{1} << 1 | 1, std::memory_order_release); }

void Object::Retain() const {
  uintptr_t state = state_.load(std::memory_order_relaxed);
  while ((state & 1) != 0) {
    if (state_.compare_exchange_weak(state, state + 2, std::memory_order_relaxed)) return;
  }
  g_hooks.retain(reinterpret_cast<void*>(state));
}

void Object::Release() const {
  uintptr_t state = state_.load(std::memory_order_relaxed);
  while ((state & 1) != 0) {
    if (state_.compare_exchange_weak(state, state - 2, std::memory_order_acq_rel)) {
      if (state == (uintptr_t{1} << 1 | 1)) Destroy(const_cast<Object*>(this));
      return;
    }
  }
  g_hooks.release(reinterpret_cast<void*>(state));
}

// Children that die with their parent wait in a queue of the thread, so that a chain of any length is taken apart by
// one loop.
void Object::Destroy(Object* object) {
  thread_local std::vector<Object*> dying;
  thread_local bool active = false;
  dying.push_back(object);
  if (active) return;
  active = true;
  std::vector<Value> children;
  while (!dying.empty()) {
    Object* const next = dying.back();
    dying.pop_back();
    next->TakeChildren(children);
    delete next;
    // Releasing them may add to `dying`, or call back here through a wrapper.
    children.clear();
  }
  active = false;
}

Value::Value(std::string_view text) : Value(Ref<Object>(Make<StringObj>(text))) {}

auto Value::text() const -> std::string_view {
  const auto* string = as<StringObj>();
  return string == nullptr ? std::string_view() : std::string_view(string->text);
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::object
