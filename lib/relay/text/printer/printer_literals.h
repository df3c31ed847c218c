// Prints numbers and strings.
#pragma once

#include <cstdint>
#include <string>

#include "relayopt/core/constant.h"
#include "relayopt/core/data_type.h"

namespace relayopt {

// Decimal digits, for every value.
void AppendInt(std::string& out, int64_t value);

// FloatDigits of text/printer.h, appended.
void AppendFloatDigits(std::string& out, double value, int bits);

// An integer object of type `dtype`: int32 plain, int16 and int64 with their suffix, bool as True or False, others
// plain.
void AppendTypedInt(std::string& out, int64_t value, DataType dtype);

// A float object of type `dtype`; types other than float16, float32 and float64 get six decimals and no suffix.
void AppendTypedFloat(std::string& out, double value, DataType dtype);

// Whether TVM writes a constant as a literal instead of `meta[relay.Constant][i]`: scalars of the types that
// literals have.
auto IsLiteral(const Constant& constant) -> bool;
// Only for constants that print as literals.
void AppendLiteral(std::string& out, const Constant& constant);

}  // namespace relayopt
