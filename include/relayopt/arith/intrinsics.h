// The intrinsics that a TIR call may name: one row each.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string_view>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// Where TVMScript writes the type of the call among its arguments.
enum class DTypeArgument : uint8_t { kNone, kFirst, kLast };

// What type a call of the script form gets.
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

// A value while a program runs: for each lane of the type one word. Integers are sign-extended, unsigned ones (bool
// too) extended by zeros, floats of any format are the bits of a double; a handle is a word.
struct Lanes {
  DataType type;
  uint64_t* words = nullptr;

  auto size() const -> size_t { return type.lanes; }
  auto integer(size_t i) const -> int64_t { return static_cast<int64_t>(words[i]); }
  auto real(size_t i) const -> double { return std::bit_cast<double>(words[i]); }
  // The value as the type holds it: integers modulo 2^bits, floats rounded to nearest even.
  void Set(size_t i, int64_t value) const;
  void Set(size_t i, double value) const;
};

// The float as its type holds it, rounded to nearest even: float64, float32, float16, bfloat16.
auto RoundToType(DataType type, double value) -> double;
// One lane in memory: the word as ElementOf(type).bytes() bytes, and back. Not of floats of 8 bits.
void StoreWord(DataType type, uint64_t word, std::byte* to);
auto LoadWord(DataType type, const std::byte* from) -> uint64_t;

// Computes a call: `result` does not overlap the arguments. False when the reference leaves the result open (a shift by
// more than the width); `result` is then whatever is at hand, and the same each time.
using EvaluateIntrinsic = bool (*)(Lanes result, std::span<const Lanes> args);

struct IntrinsicRow {
  static constexpr int kVariadic = -1;
  std::string_view name;  // with `tir.`
  // As TVMScript prints and reads it, after `T.`.
  std::string_view printed;
  std::string_view arguments;  // of the script form, for help
  int num_inputs = kVariadic;
  CallEffect effect = CallEffect::kUpdateState;
  // Whether a call may be widened by widening its arguments.
  bool vectorizable = false;
  DTypeArgument dtype_argument = DTypeArgument::kNone;
  CallDType dtype = CallDType::kGiven;
  // Whether the reference's reader knows the script form.
  bool reference_reads = true;
  std::string_view global_symbol;  // the name after lowering to a call, where it has one
  std::string_view doc;            // one sentence
  // Null where a call has no value by itself: it works on memory or on threads, or is lazy (if_then_else), or is known
  // to whoever compiles it (address_of).
  EvaluateIntrinsic evaluate = nullptr;
};

// All rows, by name.
auto Intrinsics() -> std::span<const IntrinsicRow>;
// By the name with `tir.`; null for an unknown one.
auto FindIntrinsic(std::string_view name) -> const IntrinsicRow*;
// By the name in TVMScript; null for an unknown one.
auto FindPrintedIntrinsic(std::string_view printed) -> const IntrinsicRow*;

}  // namespace relayopt::arith
