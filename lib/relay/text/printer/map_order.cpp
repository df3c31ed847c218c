// The order in which TVM's string maps iterate.
#include "relayopt/relay/text/map_order.h"
#include "relayopt/support/map_to_vector.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

namespace relayopt {

namespace {

// As TVM: more entries than this are in a hash table, fewer in an array.
constexpr size_t kSmall = 4;

// Open addressing with chains: a slot is empty, the head of the chain of its keys, or a further element of some chain
// that is reached from the one before it by a jump of a tabulated distance.
class HashSlots {
 public:
  HashSlots(std::span<const uint64_t> hashes, size_t slots) : hashes_(hashes) { Resize(slots); }

  // Returns false if so many keys have the same hash that a table of reasonable size cannot hold them.
  auto Insert(size_t key) -> bool {
    if (TryInsert(key)) return true;
    if (slots_.size() / kMostSlotsPerKey > hashes_.size()) return false;
    const std::vector<Slot> old = std::move(slots_);
    Resize(old.size() * 2);
    bool ok = Insert(key);
    for (const Slot& slot : old) {
      if (slot.used) ok = ok && Insert(slot.key);
    }
    return ok;
  }

  auto Order() const -> std::vector<size_t> {
    std::vector<size_t> order;
    for (const Slot& slot : slots_) {
      if (slot.used) order.push_back(slot.key);
    }
    return order;
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  static constexpr size_t kMostSlotsPerKey = 64;
  struct Slot {
    bool used = false;
    bool head = false;
    size_t key = 0;
    size_t next = kNone;
  };

  void Resize(size_t slots) {
    slots_.assign(slots, {});
    shift_ = 64 - std::countr_zero(slots);
    size_ = 0;
  }

  // Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio, and the slot is in the highest bits.
  auto Home(size_t key) const -> size_t { return (hashes_[key] * 11400714819323198485ULL) >> shift_; }
  // One slot in a hundred, at least one, stays empty.
  auto IsFull() const -> bool { return static_cast<double>(size_ + 1) > static_cast<double>(slots_.size()) * 0.99; }

  // As TVM: a slot remembers its jump in seven bits, an index into a table of distances. They are 1 to 15, then the
  // triangular numbers from 21 to 2278; those after that belong to tables larger than any here.
  auto NextEmpty(size_t from) const -> size_t {
    constexpr size_t kLastTriangle = 82;
    for (size_t i = 1; i <= kLastTriangle; ++i) {
      if (i > 15 && i < 21) continue;
      const size_t distance = i <= 15 ? i : (i - 15) * (i - 14) / 2;
      const size_t at = (from + distance) & (slots_.size() - 1);
      if (!slots_[at].used) return at;
    }
    return kNone;
  }

  auto TryInsert(size_t key) -> bool {
    const size_t home = Home(key);
    if (!slots_[home].used) {
      slots_[home] = {true, true, key, kNone};
      ++size_;
      return true;
    }
    if (IsFull()) return false;
    if (!slots_[home].head) {
      if (!MoveTail(home)) return false;
      slots_[home] = {true, true, key, kNone};
      ++size_;
      return true;
    }
    size_t last = home;
    while (slots_[last].next != kNone) last = slots_[last].next;
    const size_t empty = NextEmpty(last);
    if (empty == kNone) return false;
    slots_[empty] = {true, false, key, kNone};
    slots_[last].next = empty;
    ++size_;
    return true;
  }

  // Moves the elements of a chain from slot `at` on elsewhere. The slot itself stays taken.
  auto MoveTail(size_t at) -> bool {
    size_t to = Home(slots_[at].key);
    while (slots_[to].next != at) to = slots_[to].next;
    for (size_t from = at; from != kNone;) {
      const size_t empty = NextEmpty(to);
      if (empty == kNone) {
        // The element that was first in this slot has already moved.
        if (from != at) slots_[at] = {};
        return false;
      }
      const size_t next = slots_[from].next;
      slots_[empty] = {true, false, slots_[from].key, kNone};
      slots_[to].next = empty;
      if (from != at) slots_[from] = {};
      to = empty;
      from = next;
    }
    return true;
  }

  std::span<const uint64_t> hashes_;
  std::vector<Slot> slots_;
  int shift_ = 0;
  size_t size_ = 0;
};

auto InsertionOrder(size_t count) -> std::vector<size_t> {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

auto Hashes(std::span<const std::string_view> keys) -> std::vector<uint64_t> {
  return MapToVector<uint64_t>(keys, [&](std::string_view key) { return StableHash(key); });
}

// Returns the order of a table made for `capacity` keys into which all are put one by one.
auto Simulate(std::span<const uint64_t> hashes, size_t capacity) -> std::vector<size_t> {
  size_t slots = size_t{1} << std::bit_width(capacity);
  if (slots < 2 * capacity) slots *= 2;
  HashSlots table(hashes, slots);
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (!table.Insert(i)) return InsertionOrder(hashes.size());
  }
  return table.Order();
}

// The order of std::unordered_map in libstdc++: a list in which the entries of a bucket are adjacent. A new entry goes
// to the front of its bucket, or of the list where the bucket is empty.
class LibraryTable {
 public:
  explicit LibraryTable(std::span<const uint64_t> hashes)
      : hashes_(hashes), next_(hashes.size(), kEnd), before_(kBucketCounts[0], kEnd) {}

  auto Order() -> std::vector<size_t> {
    size_t size_index = 0;
    for (size_t i = 0; i < hashes_.size(); ++i) {
      if (i == before_.size() && size_index + 1 < std::size(kBucketCounts)) Rehash(kBucketCounts[++size_index]);
      Insert(i);
    }
    std::vector<size_t> order;
    for (size_t i = front_; i != kEnd; i = next_[i]) order.push_back(i);
    return order;
  }

 private:
  static constexpr size_t kEnd = SIZE_MAX;
  // Stands for the head of the list where an entry is expected.
  static constexpr size_t kHead = SIZE_MAX - 1;
  // The primes through which libstdc++ (its list in GCC 5 and later) grows when a table gets its elements one by one:
  // the first element makes room for 13, then each is the first of the list above twice the one before.
  static constexpr size_t kBucketCounts[] = {13,    29,    59,    127,   257,    541,    1109,   2357,   5087,
                                             10273, 20753, 42043, 85229, 172933, 351061, 712697, 1447153};

  auto Bucket(size_t entry) -> size_t& { return before_[hashes_[entry] % before_.size()]; }
  auto NextOf(size_t entry) -> size_t& { return entry == kHead ? front_ : next_[entry]; }

  void Rehash(size_t buckets) {
    before_.assign(buckets, kEnd);
    size_t entry = front_;
    front_ = kEnd;
    while (entry != kEnd) {
      const size_t next = next_[entry];
      Insert(entry);
      entry = next;
    }
  }

  void Insert(size_t entry) {
    size_t& before = Bucket(entry);
    if (before != kEnd) {
      next_[entry] = NextOf(before);
      NextOf(before) = entry;
      return;
    }
    next_[entry] = front_;
    front_ = entry;
    if (next_[entry] != kEnd) Bucket(next_[entry]) = entry;
    before = kHead;
  }

  std::span<const uint64_t> hashes_;
  std::vector<size_t> next_;
  size_t front_ = kEnd;
  // For each bucket the entry before its first.
  std::vector<size_t> before_;
};

}  // namespace

// Returns a polynomial over words of eight bytes, the first one lowest, with the prime of the 64-bit FNV hash, modulo
// the prime 2^31 - 1.
auto StableHash(std::string_view text) -> uint64_t {
  constexpr uint64_t kMultiplier = 1099511628211ULL;
  constexpr uint64_t kModulus = 2147483647ULL;
  uint64_t hash = 0;
  for (size_t at = 0; at < text.size(); at += 8) {
    const std::string_view chunk = text.substr(at, 8);
    uint64_t word = 0;
    for (size_t i = 0; i < chunk.size(); ++i) word |= uint64_t{static_cast<unsigned char>(chunk[i])} << (8 * i);
    hash = (hash * kMultiplier + word) % kModulus;
  }
  return hash;
}

auto MapOrder(std::span<const std::string_view> keys) -> std::vector<size_t> {
  return keys.size() <= kSmall ? InsertionOrder(keys.size()) : Simulate(Hashes(keys), kSmall);
}

auto ReadMapOrder(std::span<const std::string_view> keys) -> std::vector<size_t> {
  // If the order reaches a fixed point, it does so soon, because few keys collide.
  constexpr int kMostRounds = 16;
  std::vector<size_t> first = MapOrder(keys);
  std::vector<size_t> order = first;
  for (int round = 0; round < kMostRounds && keys.size() > kSmall; ++round) {
    if (std::ranges::is_sorted(order)) return order;
    const auto printed = MapToVector<std::string_view>(order, [&](size_t i) { return keys[i]; });
    const std::vector<size_t> before = std::exchange(order, MapOrder(printed));
    for (size_t& i : order) i = before[i];
  }
  return first;
}

auto CollectedMapOrder(std::span<const std::string_view> keys) -> std::vector<size_t> {
  const std::vector<uint64_t> hashes = Hashes(keys);
  std::vector<size_t> collected = LibraryTable(hashes).Order();
  // A map made from a range of keys is an array only if there are fewer than the limit.
  if (keys.size() < kSmall) return collected;
  const auto permuted = MapToVector<uint64_t>(collected, [&](size_t i) { return hashes[i]; });
  std::vector<size_t> order = Simulate(permuted, permuted.size());
  for (size_t& i : order) i = collected[i];
  return order;
}

}  // namespace relayopt
