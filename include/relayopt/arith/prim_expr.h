// The expressions of TIR and of symbolic extents, as interned terms: equal terms have equal ids.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "relayopt/core/context.h"
#include "relayopt/core/data_type.h"
#include "relayopt/support/append_table.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/check.h"
#include "relayopt/support/ids.h"

namespace relayopt::arith {

// A term in the context's `Terms`. Equal terms (same kind, data type, operands and payload) have the same id, so that a
// comparison is one of integers, and facts about a term can be kept in a table by id. A variable is equal only to
// itself.
using PrimExpr = Id<struct PrimExprTag>;
using CallOpId = Id<struct CallOpTag>;        // what a call calls
using BufferId = Id<struct BufferTag>;        // a buffer; owned by the creator of loads; arithmetic only compares it
using ReduceId = Id<struct ReduceRecordTag>;  // what a Reduce knows besides its operands; as BufferId

// The kinds of terms; the comments of Terms list their operands.
enum class PrimKind : uint8_t {
  kVar,
  kSizeVar,  // a Var known to be non-negative
  kIntImm,
  kFloatImm,
  kStringImm,
  kCast,
  kAdd,
  kSub,
  kMul,
  kDiv,       // truncating on integers
  kMod,       // truncating: the sign of the dividend
  kFloorDiv,  // toward minus infinity
  kFloorMod,  // the sign of the divisor
  kMin,
  kMax,
  kEQ,
  kNE,
  kLT,
  kLE,
  kGT,
  kGE,
  kAnd,
  kOr,
  kNot,
  kSelect,  // evaluates both values
  kBufferLoad,
  kRamp,
  kBroadcast,
  kLet,
  kCall,
  kShuffle,
  kReduce,
  kAny,
};
// The number of kinds, for tables indexed by kind.
inline constexpr int kNumPrimKinds = static_cast<int>(PrimKind::kAny) + 1;

// TVM's name of the node, `Add` or `FloorDiv` (its type key without `tir.`).
auto KindName(PrimKind kind) -> std::string_view;

// Whether the kind is that of a variable.
constexpr auto IsVarKind(PrimKind k) -> bool { return k == PrimKind::kVar || k == PrimKind::kSizeVar; }
// Whether the kind has two operands of one type and a result of the same type: kAdd to kMax.
constexpr auto IsArithmetic(PrimKind k) -> bool { return k >= PrimKind::kAdd && k <= PrimKind::kMax; }
// Whether the kind is a comparison: kEQ to kGE.
constexpr auto IsComparison(PrimKind k) -> bool { return k >= PrimKind::kEQ && k <= PrimKind::kGE; }
// Whether `Terms::Binary` makes the kind: arithmetic, comparisons, And, Or.
constexpr auto IsBinary(PrimKind k) -> bool { return k >= PrimKind::kAdd && k <= PrimKind::kOr; }

// How visible the evaluation of a term is to the rest of the program, least visible first (the order of TVM's
// CallEffectKind).
enum class CallEffect : uint8_t {
  kExprAnnotation,
  kPure,
  kReadState,
  kUpdateState,  // also "opaque"
  kSpecialCallArg,
  kEmbedInfo,
  kControlJump,
};

// What a call term calls.
enum class CallOpKind : uint8_t {
  kIntrinsic,  // a row of intrinsics.h or an unknown name with a dot: `tir.exp`, `tir.cuda.__shfl_sync`
  kGlobal,     // a function of the module, by its global name
};

// The callee of a call term: an intrinsic or a global function.
struct CallOp {
  CallOpKind kind = CallOpKind::kIntrinsic;
  StringId name;  // with `tir.` for intrinsics
  CallEffect effect = CallEffect::kUpdateState;
};

// The type of a variable: a data type, a pointer to elements of one in a storage scope, or the empty tuple.
struct VarType {
  enum class Kind : uint8_t { kPrim, kPointer, kTuple };
  Kind kind = Kind::kPrim;
  DataType dtype;  // of a pointer: of its elements (void for a pointer to void)
  StringId scope;  // of a pointer: as written; none if it was not

  static auto Prim(DataType dtype) -> VarType { return {Kind::kPrim, dtype, {}}; }
  static auto Pointer(DataType element, StringId scope = {}) -> VarType { return {Kind::kPointer, element, scope}; }
  // Returns the data type of an expression of this type.
  auto value_dtype() const -> DataType;
  friend auto operator==(const VarType&, const VarType&) -> bool = default;
};

// What is stored for a variable.
struct VarInfo {
  StringId name;  // a hint: several variables may have one
  VarType type;
};

// The data type of pointers and opaque handles.
inline constexpr DataType kHandleType = {TypeCode::kHandle, 64, 1};

// Predicates on data types, as TVM defines them: they test the type code and allow any number of lanes,
// unless the comment says otherwise.
constexpr auto IsBool(DataType t) -> bool { return t.code == TypeCode::kUInt && t.bits == 1; }
constexpr auto IsInteger(DataType t) -> bool { return t.code == TypeCode::kInt || t.code == TypeCode::kUInt; }
// Only IEEE floats: neither bfloat16 nor the 8-bit floats.
constexpr auto IsFloat(DataType t) -> bool { return t.code == TypeCode::kFloat; }
constexpr auto IsHandle(DataType t) -> bool { return t.code == TypeCode::kHandle; }
// A signed scalar of 32 or 64 bits. Most simplification rules apply to such types only.
constexpr auto IsIndexType(DataType t) -> bool {
  return t.code == TypeCode::kInt && t.lanes == 1 && (t.bits == 32 || t.bits == 64);
}
// Whether arithmetic of the type is modulo 2^bits. As TVM: signed integers of 32 bits or more are taken not to
// overflow.
constexpr auto WrapsAround(DataType t) -> bool { return IsInteger(t) && !(t.code == TypeCode::kInt && t.bits >= 32); }
constexpr auto WithLanes(DataType t, int lanes) -> DataType { return {t.code, t.bits, static_cast<uint16_t>(lanes)}; }
constexpr auto ElementOf(DataType t) -> DataType { return WithLanes(t, 1); }

// `value` converted to an integer type: modulo 2^bits, and sign-extended when the type is signed.
auto WrapToType(DataType type, int64_t value) -> int64_t;
// Whether an integer literal of this type can have this value.
auto FitsType(DataType type, int64_t value) -> bool;

// All terms of one context, shared by everything in it: `context.Part<Terms>()`.
//
// Thread-safe: terms may be looked at and made by several threads; records never move and live as long as the context.
// The makers here are the plain constructors: they check types (RELAYOPT_CHECK) but never fold, match types or
// broadcast; fold.h has the operators that do.
class Terms {
 public:
  explicit Terms(Context& context);
  Terms(const Terms&) = delete;
  auto operator=(const Terms&) -> Terms& = delete;
  ~Terms();

  auto context() const -> Context& { return context_; }

  // Access to a term. Operands are in the order in which TVM visits them; what each kind has:
  //   Var, SizeVar      none; `var`
  //   IntImm            none; `int_value` (an unsigned one of 64 bits is below 2^63)
  //   FloatImm          none; `float_value` (not rounded to the type)
  //   StringImm         none; `string_value`; type handle
  //   Cast              value
  //   Add ... Or        a, b
  //   Not               a
  //   Select            condition, true value, false value
  //   BufferLoad        indices; `buffer`
  //   Ramp              base, stride
  //   Broadcast         value
  //   Let               variable, value, body
  //   Call              arguments; `call_op`
  //   Shuffle           vectors, then indices; `num_vectors`
  //   Reduce            whatever its maker chose; `reduce`
  //   Any               none; every one is equal only to itself
  auto kind(PrimExpr e) const -> PrimKind { return terms_[e].kind; }
  auto dtype(PrimExpr e) const -> DataType { return terms_[e].dtype; }
  auto lanes(PrimExpr e) const -> int { return terms_[e].dtype.lanes; }
  auto operands(PrimExpr e) const -> std::span<const PrimExpr> { return terms_[e].operands(); }
  auto operand(PrimExpr e, size_t i) const -> PrimExpr { return terms_[e].operands()[i]; }
  auto num_operands(PrimExpr e) const -> size_t { return terms_[e].operands().size(); }
  // Returns the strongest effect of evaluating the term, between kPure and kUpdateState.
  auto effect(PrimExpr e) const -> CallEffect { return terms_[e].effect; }

  auto is_var(PrimExpr e) const -> bool { return IsVarKind(kind(e)); }
  auto var(PrimExpr e) const -> const VarInfo& { return vars_[VarId(static_cast<uint32_t>(terms_[e].payload))]; }
  auto int_value(PrimExpr e) const -> int64_t { return static_cast<int64_t>(terms_[e].payload); }
  auto float_value(PrimExpr e) const -> double { return std::bit_cast<double>(terms_[e].payload); }
  auto string_value(PrimExpr e) const -> StringId { return StringId(static_cast<uint32_t>(terms_[e].payload)); }
  auto buffer(PrimExpr e) const -> BufferId { return BufferId(static_cast<uint32_t>(terms_[e].payload)); }
  auto call_op(PrimExpr e) const -> CallOpId { return CallOpId(static_cast<uint32_t>(terms_[e].payload)); }
  auto reduce(PrimExpr e) const -> ReduceId { return ReduceId(static_cast<uint32_t>(terms_[e].payload)); }
  auto num_vectors(PrimExpr e) const -> size_t { return static_cast<size_t>(terms_[e].payload); }
  // Returns the value of an integer or bool literal, or nothing for other terms, including broadcasts of a literal.
  auto AsInt(PrimExpr e) const -> std::optional<int64_t> {
    if (kind(e) != PrimKind::kIntImm) return std::nullopt;
    return int_value(e);
  }
  auto IsInt(PrimExpr e, int64_t value) const -> bool { return kind(e) == PrimKind::kIntImm && int_value(e) == value; }
  // Whether the term is a call of this operator.
  auto IsCall(PrimExpr e, CallOpId op) const -> bool { return kind(e) == PrimKind::kCall && call_op(e) == op; }
  // What is known of a term, which never changes.
  // Whether the term consists of literals, variables that are no handles, and arithmetic.
  auto is_plain(PrimExpr e) const -> bool { return (marks(e) & kPlain) != 0; }
  // Whether the verifier of programs need not look at the term: it is plain, or was marked.
  auto is_verified(PrimExpr e) const -> bool { return (marks(e) & (kPlain | kVerified)) != 0; }
  void MarkVerified(PrimExpr e) const { Mark(e, kVerified); }
  // Whether a handle may be an operand of a term, or was marked because it is a field of a buffer.
  auto is_used(PrimExpr handle) const -> bool { return (marks(handle) & kUsed) != 0; }
  void MarkUsed(PrimExpr handle) const { Mark(handle, kUsed); }
  // Returns the number of terms; all ids are smaller. For side tables indexed by id.
  auto size() const -> uint32_t { return size_.load(std::memory_order_acquire); }

  // Makers of leaves. Every call makes a new variable.
  auto Var(std::string_view name, VarType type) -> PrimExpr { return NewVar(PrimKind::kVar, name, type); }
  auto Var(std::string_view name, DataType dtype) -> PrimExpr { return Var(name, VarType::Prim(dtype)); }
  auto SizeVar(std::string_view name, DataType dtype) -> PrimExpr {
    return NewVar(PrimKind::kSizeVar, name, VarType::Prim(dtype));
  }
  // Returns a new variable with the kind and type of `var` and another name.
  auto CopyVar(PrimExpr var, std::string_view name) -> PrimExpr;
  // Changes the name of a variable. For readers of programs, which learn names after they have made the variables. Must
  // not run while other threads read names.
  void Rename(PrimExpr var, StringId name) {
    vars_.Mutable(VarId(static_cast<uint32_t>(terms_[var].payload))).name = name;
  }
  // `type` is a scalar integer or bool type that can represent `value`.
  auto IntImm(DataType type, int64_t value) -> PrimExpr {
    const bool is_small = type == DataType::Int(32) && static_cast<uint64_t>(value) < small_ints_.size();
    if (is_small) {
      const PrimExpr known = small_ints_[static_cast<size_t>(value)].load(std::memory_order_acquire);
      if (known) return known;
    }
    return NewIntImm(type, value);
  }
  auto Int32(int64_t value) -> PrimExpr { return IntImm(DataType::Int(32), value); }
  auto Bool(bool value) -> PrimExpr { return IntImm(DataType::Bool(), value ? 1 : 0); }
  auto FloatImm(DataType type, double value) -> PrimExpr;
  auto StringImm(std::string_view value) -> PrimExpr;
  auto Any() -> PrimExpr;

  auto Cast(DataType type, PrimExpr value) -> PrimExpr;
  // Returns a binary term of a kind for which IsBinary holds. The operands must have one type (checked).
  auto Binary(PrimKind kind, PrimExpr a, PrimExpr b) -> PrimExpr;
  auto Not(PrimExpr a) -> PrimExpr;
  auto Select(PrimExpr condition, PrimExpr true_value, PrimExpr false_value) -> PrimExpr;
  // `dtype` is the type of the loaded value: the element type of the buffer with the lanes of the last index.
  auto BufferLoad(BufferId buffer, std::span<const PrimExpr> indices, DataType dtype) -> PrimExpr;
  // `stride` has the type of `base`; lanes > 1.
  auto Ramp(PrimExpr base, PrimExpr stride, int lanes) -> PrimExpr;
  auto Broadcast(PrimExpr value, int lanes) -> PrimExpr;
  auto Let(PrimExpr var, PrimExpr value, PrimExpr body) -> PrimExpr;
  auto Call(DataType dtype, CallOpId op, std::span<const PrimExpr> args) -> PrimExpr;
  auto Call(DataType dtype, CallOpId op, std::initializer_list<PrimExpr> args) -> PrimExpr {
    return Call(dtype, op, std::span<const PrimExpr>(args.begin(), args.size()));
  }
  auto Shuffle(std::span<const PrimExpr> vectors, std::span<const PrimExpr> indices) -> PrimExpr;
  auto Reduce(ReduceId record, std::span<const PrimExpr> operands, DataType dtype) -> PrimExpr;
  // Returns the term with other operands, as many as before; the term itself when they are the same. Arithmetic gets
  // the type of its new operands. Nothing folds.
  auto WithOperands(PrimExpr e, std::span<const PrimExpr> operands) -> PrimExpr;
  // Returns a load or call with other operands, or another type.
  auto WithOperands(PrimExpr e, std::span<const PrimExpr> operands, DataType dtype) -> PrimExpr;

  // What calls refer to. The effect of an intrinsic comes from its row (intrinsics.h); a global function, or an
  // intrinsic without a row, is taken to update state.
  auto Intrinsic(std::string_view name) -> CallOpId { return InternOp(CallOpKind::kIntrinsic, name); }
  auto GlobalFunction(std::string_view name) -> CallOpId { return InternOp(CallOpKind::kGlobal, name); }
  auto op(CallOpId id) const -> const CallOp& { return ops_[id]; }

  // The operators that the arithmetic library itself inspects and makes.
  struct KnownOps {
    CallOpId likely, if_then_else, shift_left, shift_right, bitwise_and, bitwise_or, bitwise_xor, bitwise_not,
        large_uint_imm, ceil, floor, round, nearbyint, trunc, log2, fabs;
  };
  auto ops() const -> const KnownOps& { return known_; }

  // Returns the ends of unbounded intervals: two variables of type handle that no program contains.
  auto pos_inf() const -> PrimExpr { return pos_inf_; }
  auto neg_inf() const -> PrimExpr { return neg_inf_; }

 private:
  using VarId = Id<struct PrimVarTag>;
  static constexpr uint8_t kPlain = 1;
  static constexpr uint8_t kVerified = 2;
  static constexpr uint8_t kUsed = 4;
  // 24 bytes. Up to two operands are stored in the record, kNoOperand in the place of those that it lacks; more are in
  // the pool, preceded by their number.
  struct Record {
    PrimKind kind;
    uint8_t inline_operands;  // 0, 1, 2, or kPooled
    CallEffect effect;
    mutable uint8_t marks;  // read and written as an atomic
    DataType dtype;
    uint64_t payload;
    union {
      PrimExpr two[2];
      const PrimExpr* pool;
    };
    auto operands() const -> std::span<const PrimExpr> {
      if (inline_operands != kPooled) return {two, inline_operands};
      return {pool + 1, pool[0].value()};
    }
  };
  static_assert(sizeof(Record) == 24, "a term is looked at everywhere: keep several in a cache line");
  static constexpr uint8_t kPooled = 3;
  static constexpr PrimExpr kNoOperand{0U};

  auto marks(PrimExpr e) const -> uint8_t { return std::atomic_ref(terms_[e].marks).load(std::memory_order_relaxed); }
  void Mark(PrimExpr e, uint8_t mark) const {
    if ((marks(e) & mark) == 0) std::atomic_ref(terms_[e].marks).fetch_or(mark, std::memory_order_relaxed);
  }
  auto NewVar(PrimKind kind, std::string_view name, VarType type) -> PrimExpr;
  auto NewIntImm(DataType type, int64_t value) -> PrimExpr;
  auto AppendVar(PrimKind kind, const VarInfo& info) -> PrimExpr;
  auto Intern(PrimKind kind, DataType dtype, uint64_t payload, std::span<const PrimExpr> operands) -> PrimExpr;
  auto InternPooled(PrimKind kind, DataType dtype, uint64_t payload, std::span<const PrimExpr> operands) -> PrimExpr;
  // Returns the term that the record describes but for its effect and marks.
  auto Intern(Record& candidate) -> PrimExpr;
  auto InternOp(CallOpKind kind, std::string_view name) -> CallOpId;

  Context& context_;
  std::mutex mutex_;
  Arena pool_;
  AppendTable<PrimExpr, Record> terms_;
  std::atomic<uint32_t> size_ = 0;
  AppendTable<VarId, VarInfo> vars_;
  struct Index;
  std::unique_ptr<Index> index_;
  AppendTable<CallOpId, CallOp> ops_;
  KnownOps known_;
  PrimExpr pos_inf_, neg_inf_;
  // The literals of int32 from 0 on, invalid until they are first used: most indices and extents are among them.
  std::array<std::atomic<PrimExpr>, 256> small_ints_{};
};

// The integers [min, min + extent): the range of a loop, an iterator or one dimension of a region.
struct Range {
  PrimExpr min;
  PrimExpr extent;
  friend auto operator==(const Range&, const Range&) -> bool = default;
};

}  // namespace relayopt::arith
