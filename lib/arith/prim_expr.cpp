// Interned terms.
#include "relayopt/arith/prim_expr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/support/text_hash.h"

namespace relayopt::arith {

namespace {

constexpr std::array<std::string_view, kNumPrimKinds> kKindNames = {
    "Var",       "SizeVar", "IntImm",   "FloatImm", "StringImm", "Cast", "Add",    "Sub",        "Mul",
    "Div",       "Mod",     "FloorDiv", "FloorMod", "Min",       "Max",  "EQ",     "NE",         "LT",
    "LE",        "GT",      "GE",       "And",      "Or",        "Not",  "Select", "BufferLoad", "Ramp",
    "Broadcast", "Let",     "Call",     "Shuffle",  "Reduce",    "Any"};
static_assert(kKindNames.back() == "Any");

auto Stronger(CallEffect a, CallEffect b) -> CallEffect { return std::min(std::max(a, b), CallEffect::kUpdateState); }

}  // namespace

auto KindName(PrimKind kind) -> std::string_view { return kKindNames[static_cast<size_t>(kind)]; }

auto VarType::value_dtype() const -> DataType {
  switch (kind) {
    case Kind::kPrim: return dtype;
    case Kind::kPointer: return kHandleType;
    case Kind::kTuple: return DataType::Void();
  }
  return dtype;
}

auto WrapToType(DataType type, int64_t value) -> int64_t {
  if (type.bits >= 64) return value;
  // As TVM: `int1` holds 0 and 1.
  if (type.bits == 1) return value & 1;
  const int unused = 64 - type.bits;
  const uint64_t high = static_cast<uint64_t>(value) << unused;
  return type.is_int() ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
}

auto FitsType(DataType type, int64_t value) -> bool {
  if (!IsInteger(type) || type.lanes != 1 || type.bits == 0) return false;
  if (type.bits == 64) return type.is_int() || value >= 0;
  return WrapToType(type, value) == value;
}

// Finds terms by content: an open-addressing table of hashes and ids. Look-ups take no lock. To grow, the table is
// copied into one of four times its size; the old one is kept for threads that are still reading it.
//
// A large table is looked up at the speed of memory, so terms that are made one after the other lie side by side: each
// has a home line (a cache line of slots), which its youngest operand chooses, or its value if it is a literal. A term
// whose home line is full is where its hash puts it, anywhere in the table. Since nothing is ever removed, a term that
// is not in a home line with an empty slot is nowhere.
struct Terms::Index {
  explicit Index(const AppendTable<PrimExpr, Record>& terms) : terms_(terms) { AddTable(256); }

  // Where a search ended: at the term, or at the free slot in which it belongs.
  struct Found {
    PrimExpr term;
    size_t free = 0;
  };
  [[gnu::always_inline]] auto Find(const Record& candidate, uint32_t hash) const -> Found {
    const Table& table = *current_.load(std::memory_order_acquire);
    const size_t home = table.HomeOf(candidate);
    for (size_t at = home; at < home + kLine; ++at) {
      const uint64_t slot = table.slot(at).load(std::memory_order_acquire);
      if (slot == 0) return {{}, at};
      if (const PrimExpr id = IdIn(slot, candidate, hash)) return {id};
    }
    return FindBeyond(table, candidate, hash);
  }
  // How many terms Find sees at least. Each counts only once it can be found: a search that found nothing and after
  // which this has not changed needs no second one.
  auto size() const -> size_t { return size_.load(std::memory_order_acquire); }

  // The rest is for the owner of the lock.
  // Returns the term, which is new unless another thread has added it since the index had the size `known`.
  static auto FindOrAdd(Terms& t, Record& candidate, uint32_t hash, size_t known, size_t free) -> PrimExpr;
  // Makes a term of its kind, type, payload and operands; those of more than two are copied.
  static auto NewTerm(Terms& t, Record& record) -> PrimExpr;
  // Adds a term at the free slot that Find returned. Nothing may have been added in between.
  void Add(PrimExpr id, uint32_t hash, size_t free) {
    const Table& table = *current_.load(std::memory_order_relaxed);
    table.slot(free).store(uint64_t{hash} << 32 | (id.value() + 1), std::memory_order_release);
    const size_t size = size_.load(std::memory_order_relaxed) + 1;
    if (size > table.mask / 2) Grow(table);
    size_.store(size, std::memory_order_release);
  }

  absl::flat_hash_map<std::pair<StringId, bool>, CallOpId> op_ids;  // the second: global
  // The name of variables that are named later.
  StringId no_name;

 private:
  static constexpr size_t kLine = 8;

  // Zeros, which the system provides where they are first touched: home lines fill a large table from its beginning.
  struct Slots {
    explicit Slots(size_t size) : memory(std::calloc(size + kLine, sizeof(uint64_t)), &std::free) {
      if (memory == nullptr) throw std::bad_alloc();
      size_t space = (size + kLine) * sizeof(uint64_t);
      void* begin = memory.get();
      first = static_cast<uint64_t*>(std::align(kLine * sizeof(uint64_t), size * sizeof(uint64_t), begin, space));
    }
    std::unique_ptr<void, decltype(&std::free)> memory;
    uint64_t* first;
  };

  // Each slot contains the hash above id + 1, or 0 where there is nothing.
  struct Table {
    explicit Table(size_t size) : mask(size - 1), slots(size) {}

    // Returns the first slot of the home line. A table is at most half full, so the operands of as many terms as it may
    // hold are spread over all of it. The payload distinguishes the loads `A[0]`, `B[0]`, ..., and literals.
    auto HomeOf(const Record& term) const -> size_t {
      uint64_t near = 0;
      if (term.inline_operands == kPooled) [[unlikely]] {
        for (const PrimExpr e : term.operands()) near = std::max<uint64_t>(near, e.value());
      } else {
        near = std::max(term.two[0].value(), term.two[1].value());
      }
      const uint64_t payload = term.payload;
      // Floats differ in their upper bits: short ones in the first of these, others in the second.
      near += payload + (payload >> 45) + (payload >> 34);
      return near * 2 & mask & ~(kLine - 1);
    }
    // Returns the first slot of the places beyond the home line, and the odd distance from each to the next. Similar
    // terms have similar hashes, so hashes are scrambled before they select a slot. Steps of one slot would walk
    // through all the home lines that are full side by side.
    auto ProbesOf(uint64_t hash) const -> std::pair<size_t, size_t> {
      const uint64_t scrambled = hash * 0x9E3779B97F4A7C15ULL;
      return {scrambled >> 32 & mask, (scrambled >> 11 & mask) | 1};
    }

    auto slot(size_t at) const -> std::atomic_ref<uint64_t> { return std::atomic_ref(slots.first[at]); }

    size_t mask;
    Slots slots;
  };

  // The search goes on where the home line is full.
  [[gnu::noinline]] auto FindBeyond(const Table& table, const Record& candidate, uint32_t hash) const -> Found {
    const auto [place, step] = table.ProbesOf(hash);
    for (size_t at = place;; at = (at + step) & table.mask) {
      const uint64_t slot = table.slot(at).load(std::memory_order_acquire);
      if (slot == 0) return {{}, at};
      if (const PrimExpr id = IdIn(slot, candidate, hash)) return {id};
    }
  }
  // Returns the id in the slot, if it is that of the candidate.
  auto IdIn(uint64_t slot, const Record& candidate, uint32_t hash) const -> PrimExpr {
    if (slot >> 32 != hash) return {};
    const PrimExpr id(static_cast<uint32_t>(slot) - 1);
    return IsSame(terms_[id], candidate) ? id : PrimExpr();
  }
  static auto IsSame(const Record& r, const Record& c) -> bool {
    const bool alike =
        r.kind == c.kind && r.inline_operands == c.inline_operands && r.dtype == c.dtype && r.payload == c.payload;
    return alike && (c.inline_operands == kPooled ? std::ranges::equal(r.operands(), c.operands())
                                                  : r.two[0] == c.two[0] && r.two[1] == c.two[1]);
  }
  void AddTable(size_t size) {
    tables_.push_back(std::make_unique<Table>(size));
    if (tables_.size() == 1) current_.store(tables_[0].get(), std::memory_order_release);
  }
  void Grow(const Table& table) {
    AddTable(4 * (table.mask + 1));
    for (size_t i = 0; i <= table.mask; ++i) {
      const uint64_t slot = table.slot(i).load(std::memory_order_relaxed);
      if (slot == 0) continue;
      const Record& term = terms_[PrimExpr(static_cast<uint32_t>(slot) - 1)];
      Insert(*tables_.back(), tables_.back()->HomeOf(term), slot);
    }
    current_.store(tables_.back().get(), std::memory_order_release);
  }
  static void Insert(const Table& table, size_t home, uint64_t slot) {
    size_t at = home;
    while (at < home + kLine && table.slot(at).load(std::memory_order_relaxed) != 0) ++at;
    if (at == home + kLine) {
      const auto [place, step] = table.ProbesOf(slot >> 32);
      for (at = place; table.slot(at).load(std::memory_order_relaxed) != 0;) at = (at + step) & table.mask;
    }
    table.slot(at).store(slot, std::memory_order_release);
  }

  const AppendTable<PrimExpr, Record>& terms_;
  std::atomic<const Table*> current_ = nullptr;
  std::vector<std::unique_ptr<Table>> tables_;
  std::atomic<size_t> size_ = 0;
};

Terms::Terms(Context& context) : context_(context), index_(std::make_unique<Index>(terms_)) {
  index_->no_name = context_.Intern("");
  known_.likely = Intrinsic("tir.likely"_intrin);
  known_.if_then_else = Intrinsic("tir.if_then_else"_intrin);
  known_.shift_left = Intrinsic("tir.shift_left"_intrin);
  known_.shift_right = Intrinsic("tir.shift_right"_intrin);
  known_.bitwise_and = Intrinsic("tir.bitwise_and"_intrin);
  known_.bitwise_or = Intrinsic("tir.bitwise_or"_intrin);
  known_.bitwise_xor = Intrinsic("tir.bitwise_xor"_intrin);
  known_.bitwise_not = Intrinsic("tir.bitwise_not"_intrin);
  known_.large_uint_imm = Intrinsic("tir.large_uint_imm"_intrin);
  known_.ceil = Intrinsic("tir.ceil"_intrin);
  known_.floor = Intrinsic("tir.floor"_intrin);
  known_.round = Intrinsic("tir.round"_intrin);
  known_.nearbyint = Intrinsic("tir.nearbyint"_intrin);
  known_.trunc = Intrinsic("tir.trunc"_intrin);
  known_.log2 = Intrinsic("tir.log2"_intrin);
  known_.fabs = Intrinsic("tir.fabs"_intrin);
  pos_inf_ = Var("pos_inf", kHandleType);
  neg_inf_ = Var("neg_inf", kHandleType);
}

Terms::~Terms() = default;

auto Terms::InternOp(CallOpKind kind, std::string_view name) -> CallOpId {
  const StringId text = context_.Intern(name);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = index_->op_ids.try_emplace({text, kind == CallOpKind::kGlobal});
  if (is_new) {
    const IntrinsicRow* row = kind == CallOpKind::kIntrinsic ? FindIntrinsic(name) : nullptr;
    found->second = ops_.Append({kind, text, row != nullptr ? row->effect : CallEffect::kUpdateState});
  }
  return found->second;
}

auto Terms::Index::NewTerm(Terms& t, Record& record) -> PrimExpr {
  const PrimKind kind = record.kind;
  CallEffect effect = kind == PrimKind::kBufferLoad ? CallEffect::kReadState : CallEffect::kPure;
  if (kind == PrimKind::kCall) {
    effect = Stronger(effect, t.ops_[CallOpId(static_cast<uint32_t>(record.payload))].effect);
  }
  bool is_plain =
      kind != PrimKind::kCall && kind != PrimKind::kBufferLoad && !(IsVarKind(kind) && IsHandle(record.dtype));
  for (const PrimExpr e : record.operands()) {
    const Record& operand = t.terms_[e];
    effect = Stronger(effect, operand.effect);
    is_plain = is_plain && (std::atomic_ref(operand.marks).load(std::memory_order_relaxed) & kPlain) != 0;
    if (IsVarKind(operand.kind) && IsHandle(operand.dtype)) t.MarkUsed(e);
  }
  record.effect = effect;
  record.marks = is_plain ? kPlain : uint8_t{0};
  if (record.inline_operands == kPooled) {
    record.pool = t.pool_.Copy(std::span(record.pool, record.operands().size() + 1)).data();
  }
  const PrimExpr id = t.terms_.Append(record);
  t.size_.store(t.terms_.size(), std::memory_order_release);
  return id;
}

// Most terms have up to two operands, and often their number is known where this is compiled.
[[gnu::always_inline]] inline auto Terms::Intern(PrimKind kind, DataType dtype, uint64_t payload,
                                                 std::span<const PrimExpr> operands) -> PrimExpr {
  const size_t count = operands.size();
  if (count > 2) return InternPooled(kind, dtype, payload, operands);
  Record record{.kind = kind, .inline_operands = static_cast<uint8_t>(count), .dtype = dtype, .payload = payload};
  record.two[0] = count > 0 ? operands[0] : kNoOperand;
  record.two[1] = count > 1 ? operands[1] : kNoOperand;
  return Intern(record);
}

auto Terms::InternPooled(PrimKind kind, DataType dtype, uint64_t payload, std::span<const PrimExpr> operands)
    -> PrimExpr {
  absl::InlinedVector<PrimExpr, 16> counted = {PrimExpr(static_cast<uint32_t>(operands.size()))};
  counted.insert(counted.end(), operands.begin(), operands.end());
  Record record{.kind = kind, .inline_operands = kPooled, .dtype = dtype, .payload = payload};
  record.pool = counted.data();
  return Intern(record);
}

auto Terms::Intern(Record& candidate) -> PrimExpr {
  WordHash hash;
  hash.Add(uint64_t{std::bit_cast<uint32_t>(candidate.dtype)} << 32 | static_cast<uint64_t>(candidate.kind) << 8 |
           candidate.inline_operands);
  hash.Add(candidate.payload);
  if (candidate.inline_operands == kPooled) [[unlikely]] {
    for (const PrimExpr e : candidate.operands()) hash.Add(e.value());
  } else {
    hash.Add(uint64_t{candidate.two[0].value()} << 32 | candidate.two[1].value());
  }
  const auto upper = static_cast<uint32_t>(hash.value() >> 32);
  const size_t known = index_->size();
  const Index::Found found = index_->Find(candidate, upper);
  return found.term ? found.term : Index::FindOrAdd(*this, candidate, upper, known, found.free);
}

auto Terms::Index::FindOrAdd(Terms& t, Record& candidate, uint32_t hash, size_t known, size_t free) -> PrimExpr {
  const std::lock_guard lock(t.mutex_);
  if (t.index_->size() != known) {
    const Found found = t.index_->Find(candidate, hash);
    if (found.term) return found.term;
    free = found.free;
  }
  const PrimExpr id = NewTerm(t, candidate);
  t.index_->Add(id, hash, free);
  return id;
}

// A variable is equal to no other term, so it is not added to the index.
auto Terms::AppendVar(PrimKind kind, const VarInfo& info) -> PrimExpr {
  const std::lock_guard lock(mutex_);
  Record record{.kind = kind,
                .inline_operands = 0,
                .dtype = info.type.value_dtype(),
                .payload = vars_.Append(info).value(),
                .two = {kNoOperand, kNoOperand}};
  return Index::NewTerm(*this, record);
}

auto Terms::NewVar(PrimKind kind, std::string_view name, VarType type) -> PrimExpr {
  return AppendVar(kind, {name.empty() ? index_->no_name : context_.Intern(name), type});
}

auto Terms::CopyVar(PrimExpr var, std::string_view name) -> PrimExpr {
  return NewVar(kind(var), name, this->var(var).type);
}

auto Terms::NewIntImm(DataType type, int64_t value) -> PrimExpr {
  RELAYOPT_CHECK(FitsType(type, value), "an integer literal fits its scalar type");
  const PrimExpr made = Intern(PrimKind::kIntImm, type, static_cast<uint64_t>(value), {});
  const bool is_small = type == DataType::Int(32) && static_cast<uint64_t>(value) < small_ints_.size();
  if (is_small) small_ints_[static_cast<size_t>(value)].store(made, std::memory_order_release);
  return made;
}

auto Terms::FloatImm(DataType type, double value) -> PrimExpr {
  RELAYOPT_CHECK(type.is_float() && type.lanes == 1, "a float literal has a scalar float type");
  return Intern(PrimKind::kFloatImm, type, std::bit_cast<uint64_t>(value), {});
}

auto Terms::StringImm(std::string_view value) -> PrimExpr {
  return Intern(PrimKind::kStringImm, kHandleType, context_.Intern(value).value(), {});
}

auto Terms::Any() -> PrimExpr { return AppendVar(PrimKind::kAny, {{}, VarType::Prim(DataType::Int(32))}); }

auto Terms::Cast(DataType type, PrimExpr value) -> PrimExpr {
  RELAYOPT_CHECK(type.lanes == lanes(value), "a cast keeps the lanes");
  return Intern(PrimKind::kCast, type, 0, {&value, 1});
}

auto Terms::Binary(PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr {
  const DataType operand = dtype(a);
  RELAYOPT_CHECK(IsBinary(kind) && operand == dtype(b), "the operands of a binary operation have one type");
  RELAYOPT_CHECK(kind < PrimKind::kAnd || IsBool(operand), "the operands of And and Or are bool");
  const DataType result = IsArithmetic(kind) ? operand : WithLanes(DataType::Bool(), operand.lanes);
  const PrimExpr operands[] = {a, b};
  return Intern(kind, result, 0, operands);
}

auto Terms::Not(PrimExpr a) -> PrimExpr {
  RELAYOPT_CHECK(IsBool(dtype(a)), "the operand of Not is bool");
  return Intern(PrimKind::kNot, dtype(a), 0, {&a, 1});
}

auto Terms::Select(PrimExpr condition, PrimExpr true_value, PrimExpr false_value) -> PrimExpr {
  RELAYOPT_CHECK(dtype(true_value) == dtype(false_value), "the values of Select have one type");
  const PrimExpr operands[] = {condition, true_value, false_value};
  return Intern(PrimKind::kSelect, dtype(true_value), 0, operands);
}

auto Terms::BufferLoad(BufferId buffer, std::span<const PrimExpr> indices, DataType dtype) -> PrimExpr {
  return Intern(PrimKind::kBufferLoad, dtype, buffer.value(), indices);
}

auto Terms::Ramp(PrimExpr base, PrimExpr stride, int lanes) -> PrimExpr {
  RELAYOPT_CHECK(dtype(base) == dtype(stride) && dtype(base).lanes == 1 && lanes > 1, "a ramp of scalars of one type");
  const PrimExpr operands[] = {base, stride};
  return Intern(PrimKind::kRamp, WithLanes(dtype(base), lanes), 0, operands);
}

auto Terms::Broadcast(PrimExpr value, int lanes) -> PrimExpr {
  RELAYOPT_CHECK(dtype(value).lanes == 1 && lanes > 1, "a broadcast of a scalar");
  return Intern(PrimKind::kBroadcast, WithLanes(dtype(value), lanes), 0, {&value, 1});
}

auto Terms::Let(PrimExpr var, PrimExpr value, PrimExpr body) -> PrimExpr {
  RELAYOPT_CHECK(is_var(var) && dtype(var) == dtype(value), "a let binds a variable to a value of its type");
  const PrimExpr operands[] = {var, value, body};
  return Intern(PrimKind::kLet, dtype(body), 0, operands);
}

auto Terms::Call(DataType dtype, CallOpId op, std::span<const PrimExpr> args) -> PrimExpr {
  return Intern(PrimKind::kCall, dtype, op.value(), args);
}

auto Terms::Shuffle(std::span<const PrimExpr> vectors, std::span<const PrimExpr> indices) -> PrimExpr {
  RELAYOPT_CHECK(!vectors.empty() && !indices.empty(), "a shuffle has vectors and indices");
  std::vector<PrimExpr> operands(vectors.begin(), vectors.end());
  operands.insert(operands.end(), indices.begin(), indices.end());
  const DataType result = WithLanes(dtype(vectors[0]), static_cast<int>(indices.size()));
  return Intern(PrimKind::kShuffle, result, vectors.size(), operands);
}

auto Terms::Reduce(ReduceId record, std::span<const PrimExpr> operands, DataType dtype) -> PrimExpr {
  return Intern(PrimKind::kReduce, dtype, record.value(), operands);
}

auto Terms::WithOperands(PrimExpr e, std::span<const PrimExpr> operands) -> PrimExpr {
  const std::span<const PrimExpr> old = this->operands(e);
  RELAYOPT_CHECK(old.size() == operands.size(), "as many operands as before");
  if (std::equal(old.begin(), old.end(), operands.begin())) return e;
  const PrimKind k = kind(e);
  if (IsBinary(k)) return Binary(k, operands[0], operands[1]);
  switch (k) {
    case PrimKind::kCast: return Cast(WithLanes(dtype(e), lanes(operands[0])), operands[0]);
    case PrimKind::kNot: return Not(operands[0]);
    case PrimKind::kSelect: return Select(operands[0], operands[1], operands[2]);
    case PrimKind::kRamp: return Ramp(operands[0], operands[1], lanes(e));
    case PrimKind::kBroadcast: return Broadcast(operands[0], lanes(e));
    case PrimKind::kLet: return Let(operands[0], operands[1], operands[2]);
    case PrimKind::kShuffle: return Shuffle(operands.first(num_vectors(e)), operands.subspan(num_vectors(e)));
    case PrimKind::kBufferLoad: {
      // The lanes of a load are those of its buffer's elements times those of its last index.
      if (operands.empty()) break;
      const int before = lanes(old.back());
      const int after = lanes(operands.back());
      const DataType t = dtype(e);
      return WithOperands(e, operands, before == after || before == 0 ? t : WithLanes(t, t.lanes / before * after));
    }
    default: break;
  }
  return WithOperands(e, operands, dtype(e));
}

auto Terms::WithOperands(PrimExpr e, std::span<const PrimExpr> operands, DataType dtype) -> PrimExpr {
  const Record& r = terms_[e];
  return Intern(r.kind, dtype, r.payload, operands);
}

}  // namespace relayopt::arith
