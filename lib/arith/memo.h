// Results remembered by term, as long as what they depend on stays the same.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// One layer for each scope of constraints: results found inside of a scope are forgotten with it, those from outside
// come back. A change of bindings makes all layers stale at once.
template <typename T>
class MemoLayers {
 public:
  MemoLayers() : layers_(1) {}

  void Push() { layers_.push_back({epoch_, {}}); }
  void Pop() { layers_.pop_back(); }
  void Invalidate() { ++epoch_; }

  auto Find(uint64_t key) const -> const T* {
    const Layer& top = layers_.back();
    if (top.epoch != epoch_) return nullptr;
    const auto found = top.results.find(key);
    return found == top.results.end() ? nullptr : &found->second;
  }
  auto Insert(uint64_t key, T value) -> const T& { return Top().insert_or_assign(key, std::move(value)).first->second; }
  // Removes the result and returns it.
  auto Take(uint64_t key) -> T {
    auto& top = Top();
    const auto found = top.find(key);
    T value = std::move(found->second);
    top.erase(found);
    return value;
  }

 private:
  struct Layer {
    uint64_t epoch = 0;
    absl::flat_hash_map<uint64_t, T> results;
  };
  auto Top() -> absl::flat_hash_map<uint64_t, T>& {
    Layer& top = layers_.back();
    if (top.epoch != epoch_) {
      top.results.clear();
      top.epoch = epoch_;
    }
    return top.results;
  }

  uint64_t epoch_ = 0;
  std::vector<Layer> layers_;
};

}  // namespace relayopt::arith
