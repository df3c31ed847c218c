// The rows of the intrinsics that a TIR call may name.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// The argument in which TVMScript writes the type of the call.
enum class DTypeArgument : uint8_t { kNone, kFirst, kLast };

// How the script form of a call determines its type.
enum class CallDType : uint8_t {
  kGiven,         // an argument of the script form
  kOfFirst,       // of the first argument
  kOfSecond,      // of the second argument
  kOfLast,        // of the last argument
  kMatched,       // of the operands, matched
  kMatchedArms,   // of the second and third argument, matched
  kBoolLike,      // bool with the lanes of the first argument
  kInt32OrGiven,  // int32 unless given
  kHandle,
  kInt32,
  kUInt32,
  kUInt64,
  kBool,
  kVoid,
};

// What a call does, for passes and the evaluator, which treat all calls of a role alike.
enum class IntrinsicRole : uint8_t {
  kOther,       // a function of its operands, or one that is treated on its own
  kMarker,      // tells passes or code generators something, and changes neither values nor memory
  kAsyncGroup,  // opens, closes or awaits a group of asynchronous copies
  kShuffle,     // the value that another thread of the warp has
  kActiveMask,  // the threads of the warp that run
  kBarrier,     // waits for the other threads
};

// Which thread's value a shuffle returns: that with the given number, or that the given number of threads before (kUp)
// or after (kDown). The operand with the number follows the operand with the value.
enum class Shuffle : uint8_t { kIndex, kUp, kDown };

// The value of an expression while a program runs: a 64-bit word for each lane. Integers are sign-extended, unsigned
// integers (and bool) zero-extended; floats of any format are stored as the bits of a double; a handle is a word.
struct Lanes {
  DataType type;
  uint64_t* words = nullptr;

  auto size() const -> size_t { return type.lanes; }
  auto integer(size_t i) const -> int64_t { return static_cast<int64_t>(words[i]); }
  auto real(size_t i) const -> double { return std::bit_cast<double>(words[i]); }
  // Stores a value in lane i, converted to the type: integers modulo 2^bits, floats rounded to nearest even.
  void Set(size_t i, int64_t value) const;
  void Set(size_t i, double value) const;
};

// `value` rounded to nearest even in float64, float32, float16 or bfloat16.
auto RoundToType(DataType type, double value) -> double;
// Stores the word of one lane to memory, as ElementOf(type).bytes() bytes, or loads it. Not for 8-bit floats.
void StoreWord(DataType type, uint64_t word, std::byte* to);
auto LoadWord(DataType type, const std::byte* from) -> uint64_t;

// Evaluates a call. `result` must not overlap the arguments. Returns false when TVM leaves the result
// undefined (such as a shift by more than the width); `result` is then an unspecified but reproducible value.
using EvaluateIntrinsic = bool (*)(Lanes result, std::span<const Lanes> args);

// The number of operands that calls of an intrinsic may have.
struct IntrinsicArity {
  size_t min = 0;
  size_t max = 0;

  constexpr auto Accepts(size_t count) const -> bool { return min <= count && count <= max; }
  // "2", "from 5 to 6" or "at least 1".
  auto text() const -> std::string;
};

// The row of an intrinsic: everything that relayopt knows about it.
struct IntrinsicRow {
  std::string_view name;  // with `tir.`
  // The name in TVMScript, without `T.`; in a row that leaves it out, the name without `tir.`.
  std::string_view printed;
  // The signature of the script form, such as `(dtype; trans, name: str, rest...)`. Its parameters are the operands of
  // a call, except for the type before or after the semicolon. Those in brackets may be left out; `rest...` stands for
  // any number of operands.
  std::string_view arguments;
  CallEffect effect = CallEffect::kUpdateState;
  IntrinsicRole role = IntrinsicRole::kOther;
  // For role kShuffle.
  Shuffle shuffle = Shuffle::kIndex;
  // Whether a call can be vectorized by vectorizing its arguments.
  bool vectorizable = false;
  DTypeArgument dtype_argument = DTypeArgument::kNone;
  CallDType dtype = CallDType::kGiven;
  // Whether TVM's parser accepts the script form.
  bool reference_reads = true;
  std::string_view global_symbol;  // the name after lowering to a call, where it has one
  std::string_view doc;            // one sentence
  // Null if a call has no value of its own: it works on memory or threads, is lazy (if_then_else), or is compiled
  // specially (address_of).
  EvaluateIntrinsic evaluate = nullptr;

  auto id() const -> IntrinsicId;
  // Returns the position of the operand with the value of a shuffle, whose type is that of the call.
  auto shuffled_operand() const -> size_t { return dtype == CallDType::kOfSecond ? 1 : 0; }
  // Returns the number of operands that the signature allows, whatever number TVM registers.
  auto arity() const -> IntrinsicArity;
};

// Returns all rows, sorted by name.
auto Intrinsics() -> std::span<const IntrinsicRow>;
// Returns the row of the intrinsic with this name, including `tir.`, or null if there is none.
auto FindIntrinsic(std::string_view name) -> const IntrinsicRow*;
// Returns the row of the intrinsic with this name in TVMScript, or null if there is none.
auto FindPrintedIntrinsic(std::string_view printed) -> const IntrinsicRow*;

}  // namespace relayopt::arith
