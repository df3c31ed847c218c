// The rows of the external functions.
#include "lib/tir/eval/externs.h"

#include <string>

#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::tir {

namespace {

// External functions, except functions of floats that have the name of an intrinsic.
constexpr ExternRow kRows[] = {
    {"memcpy", ""},
    {"memset", ""},
    {"fabs", "tir.fabs"_intrin},
    {"abs", "tir.fabs"_intrin},
    {"rint", "tir.nearbyint"_intrin},
    {"fma", "tir.fma"_intrin},
    {"fmuladd", "tir.fma"_intrin},
    {"ctlz", "tir.clz"_intrin, 1},
    {"ctpop", "tir.popcount"_intrin},
    {"popc", "tir.popcount"_intrin},
    {"popcll", "tir.popcount"_intrin},
};

// C functions with the name of an intrinsic.
constexpr std::string_view kSame[] = {
    "acos",  "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "ceil",      "cos",   "cosh",    "erf",       "exp",
    "exp10", "exp2",  "floor", "fmod",  "hypot", "ldexp", "log",   "log10",     "log1p", "log2",    "nearbyint", "pow",
    "rsqrt", "sin",   "sinh",  "sqrt",  "tan",   "tanh",  "trunc", "nextafter", "round", "copysign"};

}  // namespace

auto GlslIntrinsic(int64_t number) -> std::string_view {
  struct Row {
    int number;
    std::string_view intrinsic;
  };
  static constexpr Row kInstructions[] = {
      {1, "tir.round"_intrin},  {2, "tir.nearbyint"_intrin}, {3, "tir.trunc"_intrin}, {4, "tir.fabs"_intrin},
      {8, "tir.floor"_intrin},  {9, "tir.ceil"_intrin},      {13, "tir.sin"_intrin},  {14, "tir.cos"_intrin},
      {15, "tir.tan"_intrin},   {21, "tir.tanh"_intrin},     {26, "tir.pow"_intrin},  {27, "tir.exp"_intrin},
      {28, "tir.log"_intrin},   {29, "tir.exp2"_intrin},     {30, "tir.log2"_intrin}, {31, "tir.sqrt"_intrin},
      {32, "tir.rsqrt"_intrin},
  };
  for (const Row& row : kInstructions) {
    if (row.number == number) return row.intrinsic;
  }
  return {};
}

auto FindExtern(std::string_view name) -> const ExternRow* {
  static const std::vector<std::string> same_names = [] {
    return MapToVector<std::string>(kSame, [](std::string_view same) { return "tir." + std::string(same); });
  }();
  static const std::vector<ExternRow> same_rows = [] {
    return MapToVector<ExternRow>(same_names, [](std::string_view full) { return ExternRow{full.substr(4), full}; });
  }();
  const auto find = [](std::string_view base) -> const ExternRow* {
    for (const ExternRow& row : kRows) {
      if (row.name == base) return &row;
    }
    for (const ExternRow& row : same_rows) {
      if (row.name == base) return &row;
    }
    return nullptr;
  };
  // llvm.exp.f32, __expf, expf, hexp are all exp.
  if (name.starts_with("llvm.")) {
    name.remove_prefix(5);
    return find(name.substr(0, name.find('.')));
  }
  if (name.starts_with("__")) name.remove_prefix(2);
  if (const ExternRow* row = find(name)) return row;
  if (name.ends_with('f')) return find(name.substr(0, name.size() - 1));
  return name.starts_with('h') ? find(name.substr(1)) : nullptr;
}

}  // namespace relayopt::tir
