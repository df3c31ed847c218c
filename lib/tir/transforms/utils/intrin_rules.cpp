// The rows of rules for intrinsics.
#include "lib/tir/transforms/utils/intrin_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>

#include "lib/tir/transforms/utils/intrin_formulas.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

using arith::PrimExpr;
using arith::Terms;

// How the name of the callee is derived from the row's name.
enum class IntrinForm : uint8_t {
  kSuffix,    // float32 `xf`, float64 `x`; other types are left alone
  kDirect,    // `x` for all types
  kLlvm,      // the LLVM intrinsic `llvm.x`; `number` arguments determine its signature
  kCudaMath,  // float64 `x`, float32 `xf`, float16 and bfloat16 `hx`
  kCudaFast,  // float32 `__xf`, otherwise as kCudaMath
  kNvidia,    // float32 `__nv_xf`, float64 `__nv_x`
  kOcml,      // `__ocml_x_f32`
  kGlsl,      // number `number` of the set GLSL.std.450
  kTarget,    // the operator `tir.x` with arguments `number` and further ones
  kFormula,   // what `formula` makes
};

struct IntrinRule {
  // Operators, separated by blanks, without `tir.`.
  std::string_view operators;
  IntrinForm form;
  // The name of the callee, when it differs from that of the operator.
  std::string_view name = {};
  int number = 0;
  IntrinFormula formula = nullptr;
};

namespace {

// The rules of a kind. A kind may have several lists, which are tried in order.
struct RuleTable {
  // A kind of targets, `KIND.aarch64`, or `default` for all.
  std::string_view kind;
  std::span<const IntrinRule> rules;
};

constexpr IntrinRule kLlvmLower[] = {
    {"exp exp2 log log2 log10 sqrt floor ceil trunc fabs round nearbyint cos sin", IntrinForm::kLlvm, {}, 1},
    {"pow", IntrinForm::kLlvm, {}, 2},
    {"fma", IntrinForm::kLlvm, "fmuladd", 3},
    {"popcount", IntrinForm::kLlvm, "ctpop", 1},
    {"prefetch", IntrinForm::kFormula, {}, 0, LlvmPrefetch},
};
constexpr IntrinRule kLlvmLegalize[] = {
    {"exp10", IntrinForm::kFormula, {}, 0, Exp10FromExp}, {"tan", IntrinForm::kFormula, {}, 0, TanFromSinCos},
    {"cosh", IntrinForm::kFormula, {}, 0, CoshFromExp},   {"sinh", IntrinForm::kFormula, {}, 0, SinhFromExp},
    {"tanh", IntrinForm::kFormula, {}, 0, TanhFromExp},   {"clz", IntrinForm::kFormula, {}, 0, LlvmClz},
};
constexpr IntrinRule kAarch64[] = {{"q_multiply_shift", IntrinForm::kFormula, {}, 0, Aarch64MultiplyShift}};

constexpr IntrinRule kHexagonLower[] = {
    {"log trunc fabs round nearbyint ceil cos exp floor sin sqrt", IntrinForm::kLlvm, {}, 1},
    {"pow", IntrinForm::kLlvm, {}, 2},
    {"fma", IntrinForm::kLlvm, "fmuladd", 3},
    {"popcount", IntrinForm::kLlvm, "ctpop", 1},
};
constexpr IntrinRule kHexagonLegalize[] = {
    {"tanh", IntrinForm::kFormula, {}, 0, TanhFromExp},
    {"tan", IntrinForm::kFormula, {}, 0, TanFromSinCos},
    {"sigmoid", IntrinForm::kFormula, {}, 0, SigmoidFromExp},
};

constexpr IntrinRule kCuda[] = {
    {"floor ceil trunc round nearbyint exp2 erf cosh sinh atan tanh sqrt pow fmod fabs tan", IntrinForm::kCudaMath},
    {"exp exp10 log log2 log10 cos sin", IntrinForm::kCudaFast},
    {"popcount", IntrinForm::kFormula, {}, 0, CudaPopcount},
    {"atomic_add", IntrinForm::kFormula, {}, 0, CudaAtomicAdd},
    {"tvm_warp_shuffle", IntrinForm::kTarget, "cuda.__shfl_sync", 0},
    {"tvm_warp_shuffle_up", IntrinForm::kTarget, "cuda.__shfl_up_sync", 0},
    {"tvm_warp_shuffle_down", IntrinForm::kTarget, "cuda.__shfl_down_sync", 0},
    {"tvm_warp_activemask", IntrinForm::kTarget, "cuda.__activemask", 0},
};
constexpr IntrinRule kMetal[] = {
    {"floor ceil trunc fabs round nearbyint exp exp2 exp10 log log2 log10 tanh sqrt pow cos cosh sin sinh popcount "
     "fmod",
     IntrinForm::kDirect},
    {"erf", IntrinForm::kFormula, {}, 0, FastErf},
    {"tvm_warp_shuffle", IntrinForm::kTarget, "metal.simd_shuffle", 1},
    {"tvm_warp_shuffle_up", IntrinForm::kTarget, "metal.simd_shuffle_up", 1},
    {"tvm_warp_shuffle_down", IntrinForm::kTarget, "metal.simd_shuffle_down", 1},
};
constexpr IntrinRule kOpenCl[] = {
    {"floor ceil trunc fabs round nearbyint exp2 exp10 log log2 log10 tanh sqrt pow cos cosh sin sinh popcount fmod "
     "erf",
     IntrinForm::kDirect},
    {"exp", IntrinForm::kFormula, {}, 0, OpenClExp},
    {"atomic_add", IntrinForm::kFormula, {}, 0, OpenClAtomicAdd},
    {"tvm_warp_shuffle", IntrinForm::kFormula, {}, 0, IntelShuffle},
};
constexpr IntrinRule kWebGpu[] = {
    {"exp exp2 log log2 sqrt pow floor ceil trunc round tanh tan cos sin cosh sinh atan acos acosh asin asinh atan2 "
     "fma",
     IntrinForm::kDirect},
    {"fabs", IntrinForm::kDirect, "abs"},
    {"erf", IntrinForm::kFormula, {}, 0, FastErf},
};
constexpr IntrinRule kVulkan[] = {
    {"round", IntrinForm::kGlsl, {}, 1},
    {"nearbyint", IntrinForm::kGlsl, {}, 1},
    {"trunc", IntrinForm::kGlsl, {}, 3},
    {"fabs", IntrinForm::kGlsl, {}, 4},
    {"floor", IntrinForm::kGlsl, {}, 8},
    {"ceil", IntrinForm::kGlsl, {}, 9},
    {"sin", IntrinForm::kGlsl, {}, 13},
    {"cos", IntrinForm::kGlsl, {}, 14},
    {"tanh", IntrinForm::kGlsl, {}, 21},
    {"pow", IntrinForm::kGlsl, {}, 26},
    {"exp", IntrinForm::kGlsl, {}, 27},
    {"log", IntrinForm::kGlsl, {}, 28},
    {"log2", IntrinForm::kGlsl, {}, 30},
    {"sqrt", IntrinForm::kGlsl, {}, 31},
    {"clz", IntrinForm::kFormula, {}, 0, GlslClz},
};
constexpr std::string_view kDeviceLibrary =
    "floor ceil round nearbyint trunc fabs exp exp2 exp10 erf log log2 log10 sqrt pow tanh tan cos cosh sin sinh atan";
constexpr IntrinRule kNvptx[] = {{kDeviceLibrary, IntrinForm::kNvidia}, {"fma", IntrinForm::kLlvm, "fmuladd", 3}};
constexpr IntrinRule kRocm[] = {
    {kDeviceLibrary, IntrinForm::kOcml},
    {"fma", IntrinForm::kLlvm, "fmuladd", 3},
    {"tvm_warp_shuffle tvm_warp_shuffle_up tvm_warp_shuffle_down", IntrinForm::kFormula, {}, 0, RocmShuffle},
    {"tvm_warp_activemask", IntrinForm::kFormula, {}, 0, RocmActiveMask},
};
constexpr IntrinRule kSdaccel[] = {
    {"floor ceil trunc fabs round nearbyint exp exp2 exp10 log log2 log10 tanh sqrt pow popcount sin sinh cos cosh",
     IntrinForm::kDirect}};
constexpr IntrinRule kAocl[] = {
    {"floor ceil trunc fabs round nearbyint exp log tanh sqrt pow popcount", IntrinForm::kDirect}};

constexpr IntrinRule kDefaultLower[] = {
    {"exp erf log log2 log10 log1p tanh tan atan atanh atan2 cos acos cosh acosh sin asin sinh asinh hypot nextafter "
     "copysign ldexp sqrt floor ceil round nearbyint pow",
     IntrinForm::kSuffix}};
constexpr IntrinRule kDefaultLegalize[] = {
    {"rsqrt", IntrinForm::kFormula, {}, 0, RsqrtFromSqrt},
    {"sigmoid", IntrinForm::kFormula, {}, 0, SigmoidFromExp},
    {"isnan", IntrinForm::kFormula, {}, 0, IsNanOfHalf},
    {"isinf", IntrinForm::kFormula, {}, 0, IsInf},
    {"isfinite", IntrinForm::kFormula, {}, 0, IsFinite},
    {"q_multiply_shift", IntrinForm::kFormula, {}, 0, MultiplyShift},
    {"q_multiply_shift_per_axis", IntrinForm::kFormula, {}, 0, MultiplyShiftPerAxis},
};

constexpr RuleTable kTables[] = {
    {"llvm", kLlvmLower},
    {"llvm", kLlvmLegalize},
    {"hexagon", kHexagonLower},
    {"hexagon", kHexagonLegalize},
    {"cuda", kCuda},
    {"metal", kMetal},
    {"opencl", kOpenCl},
    {"webgpu", kWebGpu},
    {"vulkan", kVulkan},
    {"nvptx", kNvptx},
    {"rocm", kRocm},
    {"sdaccel", kSdaccel},
    {"aocl", kAocl},
    {"aocl_sw_emu", kAocl},
    {"llvm.aarch64", kAarch64},
    {"default", kDefaultLower},
    {"default", kDefaultLegalize},
};

// Calls `visit` with each word.
template <typename Visit>
void ForEachWord(std::string_view words, Visit&& visit) {
  while (!words.empty()) {
    const size_t blank = std::min(words.find(' '), words.size());
    visit(words.substr(0, blank));
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
}

// Returns the name that a rule calls for a type, or empty if it leaves calls of that type alone.
auto CalledName(IntrinForm form, std::string_view name, DataType type) -> std::string {
  const bool is_float = arith::IsFloat(type);
  const bool half = (is_float || type.code == TypeCode::kBFloat) && type.bits == 16;
  switch (form) {
    case IntrinForm::kSuffix:
      if (type == DataType::Float(32)) return fmt::format("{}f", name);
      return type == DataType::Float(64) ? std::string(name) : "";
    case IntrinForm::kDirect: return std::string(name);
    case IntrinForm::kCudaFast:
      if (is_float && type.bits == 32) return fmt::format("__{}f", name);
      return CalledName(IntrinForm::kCudaMath, name, type);
    case IntrinForm::kCudaMath:
      if (is_float && type.bits == 64) return std::string(name);
      if (is_float && type.bits == 32) return fmt::format("{}f", name);
      if (is_float && half && name == "fabs") return "__habs";
      if (is_float && half && name == "round") return "hrint";
      return half ? fmt::format("h{}", name) : "";
    case IntrinForm::kNvidia:
      if (type.bits != 32 && type.bits != 64) return "";
      return fmt::format("__nv_{}{}", name, type.bits == 32 ? "f" : "");
    case IntrinForm::kOcml: return fmt::format("__ocml_{}_f{}", name, type.bits);
    default: return "";
  }
}

}  // namespace

IntrinRules::IntrinRules(Terms& terms, std::string_view kind, std::string_view mtriple) : terms_(terms) {
  const bool is_aarch64 = mtriple.find("aarch64") != std::string_view::npos;
  const std::string architecture = is_aarch64 ? fmt::format("{}.aarch64", kind) : "";
  const arith::CallOpId fma = terms_.Intrinsic("tir.fma"_intrin);
  for (const std::string_view name : {kind, std::string_view(architecture), std::string_view("default")}) {
    for (const RuleTable& table : kTables) {
      if (table.kind != name) continue;
      for (const IntrinRule& rule : table.rules) {
        ForEachWord(rule.operators, [&](std::string_view op) {
          const arith::CallOpId id = terms_.Intrinsic(fmt::format("tir.{}", op));
          rules_.emplace_back(id, &rule);
          if (id == fma && fma_ == nullptr && name != "default") fma_ = &rule;
        });
      }
    }
  }
  std::ranges::stable_sort(rules_, {}, [](const auto& entry) { return entry.first.value(); });
}

auto IntrinRules::Lower(PrimExpr call) const -> std::optional<PrimExpr> {
  const uint32_t op = terms_.call_op(call).value();
  auto entry = std::ranges::lower_bound(rules_, op, {}, [](const auto& e) { return e.first.value(); });
  for (; entry != rules_.end() && entry->first.value() == op; ++entry) {
    if (const std::optional<PrimExpr> made = Apply(*entry->second, call); made && *made != call) return made;
  }
  return std::nullopt;
}

auto IntrinRules::FusedMultiplyAdd(PrimExpr a, PrimExpr b, PrimExpr c) const -> std::optional<PrimExpr> {
  if (fma_ == nullptr) return std::nullopt;
  return Apply(*fma_, terms_.Call(terms_.dtype(c), terms_.Intrinsic("tir.fma"_intrin), {a, b, c}));
}

auto IntrinRules::Apply(const IntrinRule& rule, PrimExpr call) const -> std::optional<PrimExpr> {
  if (rule.form == IntrinForm::kFormula) return rule.formula(terms_, call);
  const std::string_view op = terms_.context().text(terms_.op(terms_.call_op(call)).name).substr(4);
  const std::string_view name = rule.name.empty() ? op : rule.name;
  const DataType type = terms_.dtype(call);
  const auto args = terms_.operands(call);
  std::vector<PrimExpr> all;
  std::string_view called = "tir.call_pure_extern"_intrin;
  switch (rule.form) {
    case IntrinForm::kLlvm:
      called = "tir.call_llvm_pure_intrin"_intrin;
      all = {terms_.StringImm(fmt::format("llvm.{}", name)), terms_.IntImm(DataType::UInt(32), rule.number)};
      break;
    case IntrinForm::kGlsl:
      called = "tir.call_spirv_pure_glsl450"_intrin;
      all = {terms_.IntImm(DataType::UInt(32), rule.number)};
      break;
    case IntrinForm::kTarget: {
      // Shuffles: mask, value, lane, width, warp size.
      const std::vector<PrimExpr> some = args.empty()       ? std::vector<PrimExpr>()
                                         : rule.number == 0 ? std::vector(args.begin(), args.begin() + 4)
                                                            : std::vector(args.begin() + 1, args.begin() + 3);
      return terms_.Call(type, terms_.Intrinsic(fmt::format("tir.{}", name)), some);
    }
    default: {
      const std::string function = CalledName(rule.form, name, type);
      if (function.empty()) return std::nullopt;
      all = {terms_.StringImm(function)};
      break;
    }
  }
  all.insert(all.end(), args.begin(), args.end());
  return terms_.Call(type, terms_.Intrinsic(called), all);
}

}  // namespace relayopt::tir
