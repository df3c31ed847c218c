// A cache of the results of type rules, so that equal calls are inferred once.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "relayopt/core/context.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// Remembers the result type of calls whose types are all known. A rule is a pure function of the operator, its
// attributes and the input types, so that inferring a module again after a pass uses cached results. A part of the
// context. Thread-safe.
class CallTypes {
 public:
  explicit CallTypes(Context&) {}

  // The operator instance, then its input types, then none.
  static constexpr size_t kMaxInputs = 5;
  struct Key {
    std::array<uint32_t, kMaxInputs + 1> ids;
    friend auto operator==(const Key&, const Key&) -> bool = default;
    // One step per word, because keys are hashed for every call that is inferred.
    template <typename H>
    friend auto AbslHashValue(H h, const Key& key) -> H {
      WordHash hash;
      for (const uint32_t id : key.ids) hash.Add(id);
      return H::combine(static_cast<H&&>(h), hash.value());
    }
  };

  // Nothing for a call with too many inputs, which is not remembered.
  static auto KeyOf(OpInstanceId op, std::span<const TypeId> inputs) -> std::optional<Key> {
    return KeyOf(op, inputs, std::identity());
  }
  // The same for inputs whose types `type_of` returns.
  template <typename T, typename TypeOf>
  static auto KeyOf(OpInstanceId op, std::span<const T> inputs, TypeOf&& type_of) -> std::optional<Key> {
    if (inputs.size() > kMaxInputs) return std::nullopt;
    Key key;
    key.ids.fill(TypeId::kNone);
    key.ids[0] = op.value();
    for (size_t i = 0; i < inputs.size(); ++i) key.ids[i + 1] = type_of(inputs[i]).value();
    return key;
  }

  // Returns the result type for the key, or invalid if it is not cached.
  auto Find(const Key& key) const -> TypeId;
  void Remember(const Key& key, TypeId result);

 private:
  // Enough for any network. With more kinds of calls the cache is cleared now and then, so that memory stays bounded.
  static constexpr size_t kMaxEntries = 1 << 14;

  mutable std::mutex mutex_;
  absl::flat_hash_map<Key, TypeId> results_;
};

}  // namespace relayopt
