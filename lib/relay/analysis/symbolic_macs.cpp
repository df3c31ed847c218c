// Multiply-accumulates of a model with unknown extents, as a polynomial in them.
//
//   def @main(%data: Tensor[(?, 3, 32, 32), float32]) { nn.conv2d(%data, ...) }        %data.0 is called batch
//   batch = 12: 2654208    batch = 24: 5308416    batch = 36: 7962624       types are inferred for each, and all
//   counted 221184*batch                                  the polynomial through these, which holds for batch = 17, too
//
// The extents enter a count by products of few of them, so that three values each determine it; what other functions
// (the rounding of a stride) have a part in fails on the last sample, and stays unknown.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/core/extents.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/types/unifier.h"

namespace relayopt {

namespace {

__extension__ using Wide = __int128;

// Samples are kStep, 2 * kStep and 3 * kStep: most models divide their extents by a divisor of it.
constexpr int64_t kStep = 12;
constexpr size_t kSamples = 3;
constexpr size_t kMostSymbols = 3;
// The values for the last sample.
constexpr std::array<int64_t, kMostSymbols> kCheck = {17, 19, 23};

auto HasUnknown(const Context& context, TypeId type) -> bool {
  // Types share their parts.
  absl::flat_hash_set<TypeId> seen;
  std::vector<TypeId> work = {type};
  while (!work.empty()) {
    const TypeId id = work.back();
    work.pop_back();
    if (!id || !seen.insert(id).second) continue;
    const Type& term = context.type(id);
    if (!AllKnown(term.shape)) return true;
    work.insert(work.end(), term.args.begin(), term.args.end());
  }
  return false;
}

auto KnowsAllMacs(const Module& module) -> bool {
  return std::ranges::all_of(module.SortedFunctions<Function>(), [&](GlobalId id) {
    const Function& function = *module.function<Function>(id);
    return std::ranges::all_of(function.ids(), [&](ExprId call) {
      return function.kind(call) != ExprKind::kOpCall || CallMacs(function, call).has_value();
    });
  });
}

auto After(std::string_view passes, const Module& module) -> Result<Module> {
  RELAYOPT_TRY(const Pipeline pipeline, ParsePipeline(passes));
  RELAYOPT_TRY(const PassRef pass, BuildPipeline(pipeline));
  PassContext context;
  return (*pass)(module, context);
}

// Counts a model with numbers for its unknown extents.
class SampledModel {
 public:
  explicit SampledModel(const Module& module) : module_(module), main_(module.FindGlobal("main")) {
    if (!main_ || module.function<Function>(main_) == nullptr) return;
    const Function& function = *module.function<Function>(main_);
    const Context& context = function.context();
    const ExtentNames::Names names = context.Part<ExtentNames>().Get();
    for (const ExprId param : function.params()) {
      const Type& type = context.type(function.type(param));
      if (!type.is_tensor()) continue;
      const std::string name(context.text(function.var(param).name));
      const auto given = names.find(name);
      for (size_t axis = 0; axis < type.rank(); ++axis) {
        if (!type.shape[axis].is_any()) continue;
        const bool has_name = given != names.end() && axis < given->second.size() && !given->second[axis].empty();
        symbols_of_[param].push_back(SymbolOf(has_name ? given->second[axis] : fmt::format("{}.{}", name, axis)));
      }
    }
  }

  auto symbols() const -> const std::vector<std::string>& { return symbols_; }

  // Returns the count for these values of the symbols, or nullopt if it depends on more than them or is too large.
  auto Count(std::span<const int64_t> values) const -> std::optional<Wide> {
    Module sample = module_;
    const Function& function = *module_.function<Function>(main_);
    auto typed = Rewrite(function, [&](Rebuild& rebuild, ExprId id) { return Retyped(rebuild, function, id, values); });
    if (!typed) return std::nullopt;
    sample.SetFunction(main_, std::make_shared<Function>(*std::move(typed)));
    DiagnosticSink sink;
    if (!InferTypes(sample, sink)) return std::nullopt;
    // Shapes that the model computes are numbers now. Weights are not computed: their types are enough.
    if (!KnowsAllMacs(sample)) {
      auto settled = After("DynamicToStatic{max_bytes=4096},InferType", sample);
      if (!settled || !KnowsAllMacs(*settled)) return std::nullopt;
      sample = *std::move(settled);
    }
    const uint64_t macs = Summarize(sample).total.macs;
    // A count that is saturated determines nothing, and coefficients have to be int64.
    return macs < INT64_MAX ? std::optional<Wide>(macs) : std::nullopt;
  }

 private:
  auto SymbolOf(const std::string& name) -> size_t {
    const auto [place, is_new] = places_.try_emplace(name, symbols_.size());
    if (is_new) symbols_.push_back(name);
    return place->second;
  }

  // Gives parameters their numbers, and drops annotations that are inferred from them.
  auto Retyped(Rebuild& rebuild, const Function& function, ExprId id, std::span<const int64_t> values) const -> ExprId {
    Context& context = function.context();
    if (function.kind(id) == ExprKind::kVar) {
      VarInfo info = function.var(id);
      if (const auto found = symbols_of_.find(id); found != symbols_of_.end()) {
        size_t next = 0;
        info.annotation = RewriteType(
            context, function.type(id), [](TypeId leaf) { return leaf; },
            [&](const Dim& extent) { return extent.is_any() ? Dim(values[found->second[next++]]) : extent; });
      } else if (HasUnknown(context, info.annotation)) {
        info.annotation = TypeId();
      }
      return rebuild.to().Var(info);
    }
    if (function.kind(id) != ExprKind::kFunction || !HasUnknown(context, function.info(id).result)) return {};
    const auto operands = rebuild.NewOperands(id);
    const std::vector<ExprId> made(operands.begin(), operands.end());
    FunctionInfo info = function.info(id);
    info.result = TypeId();
    return rebuild.to().Lambda(std::move(info), std::span(made).first(made.size() - 1), made.back());
  }

  const Module& module_;
  GlobalId main_;
  std::vector<std::string> symbols_;
  absl::flat_hash_map<std::string, size_t> places_;
  // The symbol of each unknown extent of a parameter.
  std::map<ExprId, std::vector<size_t>> symbols_of_;
};

// A polynomial: coefficients by exponents, the first symbol's varying fastest.
class Polynomial {
 public:
  // Returns the polynomial through the samples, or nullopt if its coefficients are not integers.
  static auto Through(std::vector<Wide> samples, size_t symbols) -> std::optional<Polynomial> {
    Polynomial made;
    size_t stride = 1;
    for (size_t symbol = 0; symbol < symbols; ++symbol, stride *= kSamples) {
      for (size_t i = 0; i < samples.size(); ++i) {
        if (i / stride % kSamples != 0) continue;
        Wide& a = samples[i];
        Wide& b = samples[i + stride];
        Wide& c = samples[i + 2 * stride];
        // Twice the coefficients of x / kStep, by differences.
        const Wide square = a - 2 * b + c;
        const Wide linear = 2 * (b - a) - 3 * square;
        const Wide constant = 2 * a - linear - square;
        a = constant;
        b = linear;
        c = square;
      }
    }
    for (size_t i = 0; i < samples.size(); ++i) {
      Wide divisor = 1;
      size_t rest = i;
      for (size_t symbol = 0; symbol < symbols; ++symbol, rest /= kSamples) {
        divisor *= 2;
        for (size_t k = 0; k < rest % kSamples; ++k) divisor *= kStep;
      }
      if (samples[i] % divisor != 0) return std::nullopt;
      made.coefficients_.push_back(samples[i] / divisor);
    }
    return made;
  }

  auto At(std::span<const int64_t> values) const -> Wide {
    Wide sum = 0;
    for (size_t i = 0; i < coefficients_.size(); ++i) {
      Wide product = coefficients_[i];
      size_t rest = i;
      for (const int64_t value : values) {
        for (size_t k = 0; k < rest % kSamples; ++k) product *= value;
        rest /= kSamples;
      }
      sum += product;
    }
    return sum;
  }

  // Terms of high degree come first.
  auto ToText(const std::vector<std::string>& symbols) const -> std::string {
    struct Term {
      size_t degree;
      std::string factors;
      int64_t coefficient;
    };
    std::vector<Term> terms;
    for (size_t i = coefficients_.size(); i-- > 0;) {
      if (coefficients_[i] == 0) continue;
      Term term{0, "", static_cast<int64_t>(coefficients_[i])};
      size_t rest = i;
      for (const std::string& symbol : symbols) {
        const size_t exponent = rest % kSamples;
        rest /= kSamples;
        term.degree += exponent;
        if (exponent != 0) term.factors += "*" + symbol;
        if (exponent > 1) term.factors += fmt::format("^{}", exponent);
      }
      terms.push_back(std::move(term));
    }
    std::ranges::stable_sort(terms, std::greater<>(), &Term::degree);
    std::string text;
    for (const Term& term : terms) {
      const bool is_negative = term.coefficient < 0;
      text += text.empty() ? (is_negative ? "-" : "") : (is_negative ? " - " : " + ");
      const auto size = static_cast<uint64_t>(is_negative ? -term.coefficient : term.coefficient);
      constexpr uint64_t kMostDigits = 10'000'000;
      text += (size < kMostDigits ? fmt::to_string(size) : CountText(size)) + term.factors;
    }
    return text.empty() ? "0" : text;
  }

 private:
  std::vector<Wide> coefficients_;
};

}  // namespace

auto SymbolicMacs(const Module& module) -> std::string {
  // Folded once, and not for each sample again. A weight in another form costs nothing, and takes long to compute.
  const Result<Module> folded = After("FoldConstant<max_bytes=65536>", module);
  const SampledModel model(folded ? *folded : module);
  const size_t symbols = model.symbols().size();
  if (symbols == 0 || symbols > kMostSymbols) return "";
  size_t count = 1;
  for (size_t symbol = 0; symbol < symbols; ++symbol) count *= kSamples;
  std::vector<Wide> samples;
  for (size_t i = 0; i < count; ++i) {
    std::vector<int64_t> values;
    for (size_t symbol = 0, rest = i; symbol < symbols; ++symbol, rest /= kSamples) {
      values.push_back(kStep * static_cast<int64_t>(rest % kSamples + 1));
    }
    const auto macs = model.Count(values);
    if (!macs) return "";
    samples.push_back(*macs);
  }
  const auto polynomial = Polynomial::Through(std::move(samples), symbols);
  if (!polynomial) return "";
  const std::span values(kCheck.data(), symbols);
  return model.Count(values) == polynomial->At(values) ? polynomial->ToText(model.symbols()) : "";
}

auto SummarizeWithSymbols(const Module& module) -> ModelSummary {
  ModelSummary summary = Summarize(module);
  if (summary.unknown != 0) summary.symbolic_macs = SymbolicMacs(module);
  return summary;
}

}  // namespace relayopt
