// The rows of the external functions.
#include "lib/tir/eval/externs.h"

#include <string>

namespace relayopt::tir {

namespace {

// External functions other than functions of floats with the name of an intrinsic.
constexpr ExternRow kRows[] = {
    {"memcpy", ""},
    {"memset", ""},
    {"fabs", "tir.fabs"},
    {"abs", "tir.fabs"},
    {"rint", "tir.nearbyint"},
    {"fma", "tir.fma"},
    {"fmuladd", "tir.fma"},
    {"ctlz", "tir.clz", 1},
    {"ctpop", "tir.popcount"},
    {"popc", "tir.popcount"},
    {"popcll", "tir.popcount"},
};

// The functions of C under their own names.
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
      {1, "tir.round"}, {2, "tir.nearbyint"}, {3, "tir.trunc"}, {4, "tir.fabs"},  {8, "tir.floor"},  {9, "tir.ceil"},
      {13, "tir.sin"},  {14, "tir.cos"},      {15, "tir.tan"},  {21, "tir.tanh"}, {26, "tir.pow"},   {27, "tir.exp"},
      {28, "tir.log"},  {29, "tir.exp2"},     {30, "tir.log2"}, {31, "tir.sqrt"}, {32, "tir.rsqrt"},
  };
  for (const Row& row : kInstructions) {
    if (row.number == number) return row.intrinsic;
  }
  return {};
}

auto FindExtern(std::string_view name) -> const ExternRow* {
  static const std::vector<std::string> kSameNames = [] {
    std::vector<std::string> names;
    for (const std::string_view same : kSame) names.push_back("tir." + std::string(same));
    return names;
  }();
  static const std::vector<ExternRow> kSameRows = [] {
    std::vector<ExternRow> rows;
    for (const std::string& full : kSameNames) rows.push_back({std::string_view(full).substr(4), full});
    return rows;
  }();
  const auto find = [](std::string_view base) -> const ExternRow* {
    for (const ExternRow& row : kRows) {
      if (row.name == base) return &row;
    }
    for (const ExternRow& row : kSameRows) {
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
