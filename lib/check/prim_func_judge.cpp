// Whether a pass keeps what tensor programs compute.
#include "relayopt/check/prim_func_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "relayopt/arith/intrinsics.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt {

namespace {

using Kind = PrimFuncJudge::Verdict::Kind;
using Verdict = PrimFuncJudge::Verdict;

// The values to try for extents, after the one that the options give: shapes are usually divisible by powers of two.
constexpr int64_t kExtents[] = {8, 16, 64, 1, 5};

auto AreEqual(std::span<const tir::Argument> a, std::span<const tir::Argument> b) -> bool {
  return std::ranges::equal(a, b, [](const tir::Argument& x, const tir::Argument& y) {
    return x.var == y.var && std::ranges::equal(x.tensor.shape(), y.tensor.shape()) &&
           std::ranges::equal(x.tensor.bytes(), y.tensor.bytes());
  });
}

// Without the numbers in it, so that equal reasons count together.
auto ReasonOf(const Diagnostic& error) -> std::string {
  return error.kind == &tir::diag::kNotEvaluated ? error.text : std::string(error.kind->id);
}

// A program that was run, with its arguments.
struct PrimFuncRun {
  std::vector<tir::Argument> arguments;
  tir::Outcome outcome;
};

// Arguments by their variables. Views, which must live as long.
class ArgumentMap {
 public:
  explicit ArgumentMap(std::span<const tir::Argument> arguments) {
    for (const tir::Argument& argument : arguments) map_.try_emplace(argument.var, &argument);
  }
  // Returns null if there is none.
  auto Find(arith::PrimExpr var) const -> const tir::Argument* {
    const auto found = map_.find(var);
    return found == map_.end() ? nullptr : found->second;
  }

 private:
  absl::flat_hash_map<arith::PrimExpr, const tir::Argument*> map_;
};

// Returns the positions of inputs by their variables.
auto PositionsOf(std::span<const tir::Input> inputs) -> absl::flat_hash_map<arith::PrimExpr, size_t> {
  absl::flat_hash_map<arith::PrimExpr, size_t> positions;
  for (size_t i = 0; i < inputs.size(); ++i) positions.try_emplace(inputs[i].var, i);
  return positions;
}

// Whether the function allocates one of the pieces of memory, or defines a pointer to one.
auto DefinesAny(const tir::PrimFunc& func, const absl::flat_hash_set<arith::PrimExpr>& pointers) -> bool {
  for (tir::StmtId id(0U); id.value() < func.size(); ++id) {
    const tir::Stmt stmt = func.stmt(id);
    if (const auto let = stmt.As<tir::LetStmt>(); let && pointers.contains(let->var())) return true;
    if (const auto alloc = stmt.As<tir::Allocate>(); alloc && pointers.contains(alloc->buffer_var())) return true;
    const auto block = stmt.As<tir::Block>();
    const auto is_one = [&](tir::BufferId buffer) { return pointers.contains(func.tables().buffer(buffer).data); };
    if (block && std::ranges::any_of(block->alloc_buffers(), is_one)) return true;
  }
  return false;
}

// Maps the arguments of the original function to the rewritten one: parameters by position, everything else by
// variable. Fails, with the reason, if the latter needs more, or other parameters.
auto Transfer(std::span<const tir::Input> before, std::span<const tir::Input> after,
              std::span<const tir::Argument> arguments, std::string& why) -> std::vector<tir::Argument> {
  const ArgumentMap by_var(arguments);
  std::vector<tir::Argument> result;
  for (size_t i = 0; i < after.size(); ++i) {
    const tir::Input& input = after[i];
    const bool by_position = input.is_parameter && i < before.size() && before[i].is_parameter;
    const tir::Argument* argument = by_var.Find(by_position ? before[i].var : input.var);
    if (argument != nullptr) {
      result.push_back({input.var, argument->tensor});
    } else if (!by_position) {
      why = "other parameters or free variables";
    }
  }
  return result;
}

// Returns a number as packed functions return it, of 64 bits.
auto AsPacked(const Tensor& number) -> Tensor {
  const bool is_float = number.dtype().is_float();
  const bool is_integer = number.dtype().is_int() || number.dtype().is_uint();
  if ((!is_float && !is_integer) || number.dtype().bits > 64) return number;
  const DataType type = is_float ? DataType::Float(64) : DataType::Int(64);
  Tensor made(type, {});
  // Floats are words of 64 bits already.
  arith::StoreWord(type, arith::LoadWord(number.dtype(), number.bytes().data()), made.MutableBytes());
  return made;
}

class Comparison {
 public:
  Comparison(const Module& before, GlobalId id, const Module& after, GlobalId after_id,
             const PrimFuncJudge::Options& options)
      : id_(id),
        after_id_(after_id),
        options_(options),
        before_(before, Limits(options)),
        after_(after, Limits(options)) {}

  auto Run(bool edges) -> Verdict {
    std::string why;
    auto expected = RunBefore(before_, edges, why);
    if (!expected && why == tir::diag::kOutOfBounds.id) return JudgeOutside(edges);
    if (!expected) return {Kind::kNotRun, why};
    Verdict verdict = Judge(*expected, after_);
    const bool was_defined = expected->outcome.undefined.empty();
    if (verdict.kind == Kind::kDiffers && was_defined && undefined_after_ == tir::kOverflows) {
      // As TVM, simplification assumes that indices stay away from the ends of their type.
      const std::string undefined = AssumingIndexRange(*expected);
      if (!undefined.empty()) return {Kind::kNotRun, undefined};
    }
    if (verdict.kind == Kind::kDiffers && was_defined && !undefined_after_.empty() &&
        after_.NumBarriers(after_id_) == before_.NumBarriers(id_)) {
      // Memory has become shared, as before barriers are put in.
      const std::string undefined = undefined_after_;
      if (JudgeInLockstep(*expected, verdict).kind == Kind::kAgrees) return {Kind::kNotRun, undefined};
      return verdict;
    }
    if (verdict.kind != Kind::kNotRun || was_defined) return verdict;
    return JudgeInLockstep(*expected, std::move(verdict));
  }

 private:
  // The behaviour of a program that accesses memory outside of its buffers is undefined. But where indices mean the
  // same before and after the pass, they must access the same memory.
  auto JudgeOutside(bool edges) -> Verdict {
    tir::EvaluationLimits limits = Limits(options_);
    limits.allow_outside = true;
    tir::Evaluator before(before_.module(), limits);
    tir::Evaluator after(after_.module(), limits);
    std::string why;
    const auto expected = RunBefore(before, edges, why);
    if (!expected) return {Kind::kNotRun, why};
    const bool is_same = Judge(*expected, after).kind == Kind::kAgrees;
    return is_same ? Verdict() : Verdict{Kind::kNotRun, std::string(tir::diag::kOutOfBounds.id)};
  }

  // Returns what is undefined in the program before if its indices are assumed to stay away from the ends of their
  // type.
  auto AssumingIndexRange(const PrimFuncRun& ran) -> std::string {
    tir::EvaluationLimits limits = Limits(options_);
    limits.assume_index_range = true;
    const auto outcome = tir::Evaluator(before_.module(), limits).Call(id_, ran.arguments);
    return outcome ? outcome->undefined : std::string();
  }

  // A program in which barriers are still missing is run in lockstep. The pass that inserts the barriers is then
  // checked by free-running threads, other passes in lockstep.
  auto JudgeInLockstep(PrimFuncRun& ran, Verdict verdict) -> Verdict {
    tir::EvaluationLimits limits = Limits(options_);
    limits.lockstep = true;
    tir::Evaluator before(before_.module(), limits);
    auto outcome = before.Call(id_, ran.arguments);
    if (!outcome || !outcome->undefined.empty()) return verdict;
    ran.outcome = *std::move(outcome);
    tir::Evaluator after(after_.module(), limits);
    const bool is_same = Judge(ran, after).kind == Kind::kAgrees;
    const auto barriers = [](tir::Evaluator& evaluator, GlobalId id) { return evaluator.NumBarriers(id); };
    if (!is_same || barriers(after_, after_id_) == barriers(before_, id_)) return is_same ? Verdict() : verdict;
    Verdict held_up = Judge(ran, after_);
    // There may be more memory that threads share without waiting.
    if (held_up.kind == Kind::kDiffers && !undefined_after_.empty()) return {Kind::kNotRun, undefined_after_};
    return held_up;
  }

  // Runs the function after the pass on the arguments of the function before it.
  auto Judge(const PrimFuncRun& expected, tir::Evaluator& evaluator) -> Verdict {
    std::string why;
    undefined_after_.clear();
    if (!after_.EscapedOf(after_id_).empty() && before_.EscapedOf(id_).empty())
      return {Kind::kDiffers, "a variable is used outside of the statement that defines it"};
    auto arguments = Transfer(before_.InputsOf(id_), after_.InputsOf(after_id_), expected.arguments, why);
    if (!why.empty()) return {Kind::kNotRun, why};
    if (AllocatesFreeMemory()) return {Kind::kNotRun, "memory that nothing defined is allocated"};
    // Shapes may have become other ones of as many elements.
    const auto fitting = tir::FitArguments(after_, after_id_, std::move(arguments));
    if (!fitting) return {Kind::kNotRun, "other parameters or free variables"};
    const auto got = evaluator.Call(after_id_, *fitting);
    if (!got) {
      if (got.error().kind == &tir::diag::kDivisionByZero && DividesByZeroInSelects(expected)) {
        return {Kind::kNotRun, "division by zero in a value that is not selected"};
      }
      const bool is_fault = got.error().kind != &tir::diag::kNotEvaluated &&
                            got.error().kind != &tir::diag::kLimitReached &&
                            got.error().kind != &tir::diag::kBadArgument;
      const tir::Outcome& before = expected.outcome;
      if (is_fault && !before.undefined.empty() && !before.has_open_results_only)
        return {Kind::kNotRun, before.undefined};
      return {is_fault ? Kind::kDiffers : Kind::kNotRun,
              "afterwards: " + (is_fault ? got.error().text : ReasonOf(got.error()))};
    }
    undefined_after_ = got->undefined;
    return Compare(expected, *got);
  }

  // Whether the pass defined memory that the function used without a definition. What such a function computes is
  // undefined, so there is nothing to compare.
  auto AllocatesFreeMemory() -> bool {
    const auto& func = *after_.module().function<tir::PrimFunc>(after_id_);
    absl::flat_hash_set<arith::PrimExpr> free;
    for (const tir::Input& input : before_.InputsOf(id_)) {
      const bool is_memory = func.terms().var(input.var).type.kind == arith::VarType::Kind::kPointer;
      if (is_memory && !input.is_parameter) free.insert(input.var);
    }
    return !free.empty() && DefinesAny(func, free);
  }

  // Whether the function before divides by zero where it evaluates both values of a Select. A pass may then evaluate
  // such a value elsewhere.
  auto DividesByZeroInSelects(const PrimFuncRun& expected) -> bool {
    tir::EvaluationLimits limits = Limits(options_);
    limits.eager_selects = true;
    const auto outcome = tir::Evaluator(before_.module(), limits).Call(id_, expected.arguments);
    return !outcome && outcome.error().kind == &tir::diag::kDivisionByZero;
  }

  static auto Limits(const PrimFuncJudge::Options& options) -> tir::EvaluationLimits {
    tir::EvaluationLimits limits;
    limits.max_steps = options.max_steps;
    limits.max_bytes = size_t{1} << 28;
    // Threads run in one order, in which passes are compared; if results differ, they are not compared.
    limits.allow_races = true;
    // External calls must be the same before and after.
    limits.note_calls = true;
    return limits;
  }

  auto RunBefore(tir::Evaluator& evaluator, bool edges, std::string& why) -> std::optional<PrimFuncRun> {
    tir::ArgumentOptions made = options_.arguments;
    made.edge_values = edges;
    // Beside them there are copies in the memory of the run and of its outcome.
    made.max_bytes = size_t{1} << 27;
    std::vector<tir::Argument> last;
    // The least extent with which the program took too long.
    int64_t too_large = std::numeric_limits<int64_t>::max();
    for (size_t attempt = 0; attempt <= std::size(kExtents); ++attempt) {
      if (attempt != 0) made.unknown_extent = kExtents[attempt - 1];
      if (made.unknown_extent >= too_large) continue;
      auto arguments = tir::MakeArguments(evaluator, id_, options_.given, made);
      // No extent is unknown.
      if (arguments && attempt != 0 && AreEqual(last, *arguments)) break;
      auto outcome = arguments ? evaluator.Call(id_, *arguments) : Result<tir::Outcome>(arguments.error());
      if (outcome) return PrimFuncRun{*std::move(arguments), *std::move(outcome)};
      if (attempt == 0) why = ReasonOf(outcome.error());
      // Other numbers would not help.
      if (outcome.error().kind == &tir::diag::kNotEvaluated || outcome.error().kind == &tir::diag::kLimitReached) break;
      if (outcome.error().kind == &tir::diag::kTooManySteps) too_large = made.unknown_extent;
      if (arguments) last = *std::move(arguments);
    }
    return std::nullopt;
  }

  static auto CompareCalls(const std::vector<std::string>& expected, const std::vector<std::string>& got)
      -> std::string {
    const auto at = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
    if (at.first == expected.end() && at.second == got.end()) return {};
    return fmt::format("calls of functions outside: {} becomes {}", at.first == expected.end() ? "none" : *at.first,
                       at.second == got.end() ? "none" : *at.second);
  }

  // Marks the parts of an outcome that depend on unspecified results of intrinsics as poison, which is not compared.
  struct Poison {
    // For each buffer of the outcome, and each element.
    std::vector<std::vector<bool>> elements;
    bool returned = false;
    bool calls = false;
  };

  // Finds the poison by runs in which other values stand for the open results. Returns nullopt if one of them fails.
  auto FindPoison(const PrimFuncRun& expected) -> std::optional<Poison> {
    Poison poison;
    for (const tir::Argument& buffer : expected.outcome.buffers)
      poison.elements.emplace_back(static_cast<size_t>(buffer.tensor.size()));
    for (const uint32_t value : {1U, 2U, 3U}) {
      tir::EvaluationLimits limits = Limits(options_);
      limits.open_value = value;
      const auto other = tir::Evaluator(before_.module(), limits).Call(id_, expected.arguments);
      if (!other || !other->has_open_results_only) return std::nullopt;
      for (size_t k = 0; k < expected.outcome.buffers.size(); ++k) {
        const Tensor& tensor = expected.outcome.buffers[k].tensor;
        const auto mine = tensor.bytes();
        const auto others = other->buffers[k].tensor.bytes();
        const size_t width = poison.elements[k].empty() ? 0 : mine.size() / poison.elements[k].size();
        for (size_t i = 0; i < poison.elements[k].size(); ++i) {
          if (!std::ranges::equal(mine.subspan(i * width, width), others.subspan(i * width, width)))
            poison.elements[k][i] = true;
        }
      }
      const auto& returned = expected.outcome.returned;
      poison.returned |= returned && !std::ranges::equal(returned->bytes(), other->returned->bytes());
      poison.calls |= expected.outcome.calls != other->calls;
    }
    return poison;
  }

  // Returns the element types that the function before declares for the buffers of its outcome; Void for what is not a
  // buffer.
  auto DeclaredTypes(const PrimFuncRun& expected) -> std::vector<DataType> {
    const auto inputs = before_.InputsOf(id_);
    const auto positions = PositionsOf(inputs);
    const tir::Tables& tables = before_.module().function<tir::PrimFunc>(id_)->tables();
    std::vector<DataType> types;
    for (const tir::Argument& buffer : expected.outcome.buffers) {
      const auto at = positions.find(buffer.var);
      const bool is_buffer = at != positions.end() && inputs[at->second].buffer;
      types.push_back(is_buffer ? tables.buffer(inputs[at->second].buffer).dtype : DataType::Void());
    }
    return types;
  }

  // Returns floats of 8 bits, which may be stored as integers, as numbers.
  static auto AsNumbers(const Tensor& tensor, DataType declared) -> Tensor {
    return tir::WithRealFloats(tir::WithBitsAs(tensor, declared));
  }

  // Returns, for each buffer of the outcome, what rounding of small floats decides, by runs that round otherwise.
  // Returns nullopt if one of them fails.
  auto FindRounding(const PrimFuncRun& expected) -> std::optional<std::vector<RoundingTolerance>> {
    constexpr uint32_t kRuns = 8;
    // The runs need not meet the worst case.
    constexpr double kMargin = 2;
    const std::vector<DataType> types = DeclaredTypes(expected);
    std::vector<std::vector<RoundingTolerance>> slack(expected.outcome.buffers.size());
    for (uint32_t run = 1; run <= kRuns; ++run) {
      tir::EvaluationLimits limits = Limits(options_);
      limits.disturbance = run;
      const auto other = tir::Evaluator(before_.module(), limits).Call(id_, expected.arguments);
      if (!other) return std::nullopt;
      for (size_t k = 0; k < slack.size(); ++k) {
        const tir::Argument& buffer = expected.outcome.buffers[k];
        Widen(slack[k], Value(AsNumbers(buffer.tensor, types[k])), Value(AsNumbers(other->buffers[k].tensor, types[k])),
              kMargin);
      }
    }
    std::vector<RoundingTolerance> result;
    for (size_t k = 0; k < slack.size(); ++k) {
      result.push_back(slack[k].empty() ? RoundingTolerance() : slack[k][0]);
      const DataType type = types[k];
      if (!type.is_float() || type.bits != 8) continue;
      // Smaller numbers are stored as zero, and numbers that are too large as any.
      RoundingTolerance& last = result.back();
      last.distance += tir::SmallestNormal(type);
      const Tensor numbers = AsNumbers(expected.outcome.buffers[k].tensor, type);
      last.undecided.resize(static_cast<size_t>(numbers.size()));
      for (int64_t i = 0; i < numbers.size(); ++i) {
        if (!std::isfinite(NumberAt(numbers, i))) last.undecided[static_cast<size_t>(i)] = true;
      }
    }
    return result;
  }

  // `result` with the elements of `expected` if there is poison.
  static auto WithoutPoison(const Tensor& result, const Tensor& expected, const std::vector<bool>& poison) -> Tensor {
    if (result.size() != expected.size() || result.dtype() != expected.dtype() || poison.empty()) return result;
    Tensor made(result.dtype(), {result.shape().begin(), result.shape().end()});
    const size_t width = expected.bytes().size() / poison.size();
    for (size_t i = 0; i < poison.size(); ++i) {
      const auto from = (poison[i] ? expected : result).bytes().subspan(i * width, width);
      std::ranges::copy(from, made.MutableBytes() + i * width);
    }
    return made;
  }

  // Returns how two outcomes differ, apart from poison; empty if they do not.
  auto Difference(const PrimFuncRun& expected, const tir::Outcome& got, const Poison& poison,
                  std::span<const RoundingTolerance> slack = {}) -> std::string {
    const auto before = before_.InputsOf(id_);
    const auto after = after_.InputsOf(after_id_);
    const auto positions = PositionsOf(before);
    const ArgumentMap results(got.buffers);
    const ArgumentMap arguments(expected.arguments);
    const std::vector<DataType> types = slack.empty() ? std::vector<DataType>() : DeclaredTypes(expected);
    for (size_t k = 0; k < expected.outcome.buffers.size(); ++k) {
      const tir::Argument& buffer = expected.outcome.buffers[k];
      const auto at = positions.find(buffer.var);
      const tir::Input* const input = at == positions.end() ? nullptr : &before[at->second];
      const bool by_position = input != nullptr && input->is_parameter && at->second < after.size();
      const tir::Argument* other = results.Find(by_position ? after[at->second].var : buffer.var);
      // Memory that the rewritten program does not have stays as it was.
      const Tensor result =
          tir::WithBitsAs(other != nullptr ? other->tensor : arguments.Find(buffer.var)->tensor, buffer.tensor.dtype());
      Tensor shaped = result.size() == buffer.tensor.size() && result.dtype() == buffer.tensor.dtype()
                          ? result.Reshaped({buffer.tensor.shape().begin(), buffer.tensor.shape().end()})
                          : result;
      if (k < poison.elements.size()) shaped = WithoutPoison(shaped, buffer.tensor, poison.elements[k]);
      Tolerance tolerance = options_.tolerance;
      if (k < slack.size()) tolerance.slack = {slack[k]};
      const bool has_slack = k < slack.size();
      const DataType type = has_slack ? types[k] : DataType::Void();
      const Value before_pass(has_slack ? AsNumbers(buffer.tensor, type) : buffer.tensor);
      const Value after_pass(has_slack ? AsNumbers(shaped, type) : shaped);
      if (const auto mismatch = relayopt::Compare(before_pass, after_pass, tolerance)) {
        const std::string_view name = input != nullptr ? before_.context().text(input->name) : "";
        return fmt::format("buffer {}: {}", name, ToString(*mismatch));
      }
    }
    if (expected.outcome.returned && got.returned && !poison.returned) {
      const auto mismatch = relayopt::Compare(Value(AsPacked(*expected.outcome.returned)),
                                              Value(AsPacked(*got.returned)), options_.tolerance);
      if (mismatch) return "result: " + ToString(*mismatch);
    }
    return poison.calls ? "" : CompareCalls(expected.outcome.calls, got.calls);
  }

  auto Compare(const PrimFuncRun& expected, const tir::Outcome& got) -> Verdict {
    std::string what = Difference(expected, got, {});
    if (what.empty()) return {};
    const std::string& undefined = expected.outcome.undefined;
    if (undefined.empty() && options_.narrows) {
      const auto slack = FindRounding(expected);
      if (!slack) return {Kind::kNotRun, "fails where rounding decides"};
      what = Difference(expected, got, {}, *slack);
      return what.empty() ? Verdict() : Verdict{Kind::kDiffers, what};
    }
    if (undefined.empty()) return {Kind::kDiffers, what};
    const auto poison = expected.outcome.has_open_results_only ? FindPoison(expected) : std::nullopt;
    // The result after other undefined behaviour is arbitrary.
    if (!poison) return {Kind::kNotRun, undefined};
    what = Difference(expected, got, *poison);
    return what.empty() ? Verdict() : Verdict{Kind::kDiffers, what};
  }

  GlobalId id_;
  GlobalId after_id_;
  const PrimFuncJudge::Options& options_;
  tir::Evaluator before_;
  tir::Evaluator after_;
  // Outcome::undefined of the last run of the function after.
  std::string undefined_after_;
};

}  // namespace

auto PrimFuncJudge::Judge(const Module& before, const Module& after) const -> Verdict {
  Verdict worst;
  for (const GlobalId id : before.SortedFunctions<tir::PrimFunc>()) {
    const GlobalId other = after.FindGlobal(before.name(id));
    if (other && before.function(id) == after.function(other)) continue;
    for (const bool edges : {false, true}) {
      if (edges && !options_.edges) continue;
      Verdict verdict{Kind::kNotRun, "a function is gone"};
      if (other && after.function<tir::PrimFunc>(other) != nullptr)
        verdict = Comparison(before, id, after, other, options_).Run(edges);
      if (verdict.kind == Kind::kDiffers) {
        verdict.text = fmt::format("{}: {}", before.name(id), verdict.text);
        return verdict;
      }
      if (verdict.kind == Kind::kNotRun) worst = std::move(verdict);
    }
  }
  return worst;
}

}  // namespace relayopt
