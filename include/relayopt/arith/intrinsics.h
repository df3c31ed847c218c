// The intrinsics that a TIR call may name: one row each.
#pragma once

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
};

// All rows, by name.
auto Intrinsics() -> std::span<const IntrinsicRow>;
// By the name with `tir.`; null for an unknown one.
auto FindIntrinsic(std::string_view name) -> const IntrinsicRow*;
// By the name in TVMScript; null for an unknown one.
auto FindPrintedIntrinsic(std::string_view printed) -> const IntrinsicRow*;

}  // namespace relayopt::arith
