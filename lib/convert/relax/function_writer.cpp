// A function of Relay as Relax.
//
// The module has been prepared until every function is one let chain of operators on names (RelaxPipeline), so that
// writing it is one walk over the chains: a step becomes a line. Two things have no such line:
//
// - `if` is a statement there. Its branches are chains of their own, written deeper, each of which ends by binding the
//   name of the result; a stack of chains that have been begun does without recursion.
// - Only straight-line code may be in a dataflow block, which is what Relax optimizes. Each run of steps between two
//   `if` is one, and gives out the names that others than its own steps use.
//
//   let %a = nn.relu(%x);                     with R.dataflow():
//   let %b = if (%c) { %a } else {                lv0: R.Tensor((2,), dtype="float32") = R.nn.relu(x)
//     let %d = exp(%a);            =>             R.output(lv0)
//     %d                                      if c:
//   };                                            lv1 = lv0
//   %b                                        else:
//                                                 with R.dataflow():
//                                                     lv2: ... = R.exp(lv0)
//                                                     R.output(lv2)
//                                                 lv1 = lv2
//                                             return lv1
#include "function_writer.h"

#include <fmt/format.h>

#include <utility>

#include "diagnostics.h"
#include "lib/convert/lower/prepare.h"
#include "python.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::relax {

namespace {

// Constants with at most this number of elements are written into the text.
constexpr size_t kInlineElements = 16;

}  // namespace

FunctionWriter::FunctionWriter(ModuleState& state, GlobalId global, const Function& function)
    : state_(state),
      global_(global),
      function_(function),
      closure_(ClosureOf(function)),
      names_(function.size()),
      runs_(function.size(), kNoRun),
      is_output_(function.size()),
      values_(function.size()),
      shapes_(function.size()) {}

auto FunctionWriter::Write() -> std::string {
  for (const ExprId param : Params()) {
    names_[param] = Unique(PythonName(function_.context().text(function_.var(param).name)));
  }
  FindRuns();
  for (const ExprId id : function_.ids()) {
    if (UsesFunctionAsValue(function_, id)) Unsupported(id, "a function as a value", "functions are only called there");
  }
  const std::string signature = Signature();
  Begin(Body());
  while (!frames_.empty()) Step();
  std::string head = "    @R.function" + std::string(is_main() ? "" : "(private=True)") + "\n" + signature;
  for (const std::string& extent : extents_) head += fmt::format("        {} = T.int64()\n", extent);
  if (uses_globals_) head += "        cls = Module\n";
  return head + text_;
}

auto FunctionWriter::ClosureOf(const Function& function) -> ExprId {
  if (function.IntAttr(function.root(), "Closure") == 0) return {};
  ExprId body = function.body();
  if (function.kind(body) == ExprKind::kLet && function.let_size(body) == 1 &&
      function.let_result(body) == function.let_var(body, 0)) {
    body = function.let_value(body, 0);
  }
  return function.kind(body) == ExprKind::kFunction ? body : ExprId();
}

auto FunctionWriter::Params() const -> std::vector<ExprId> {
  const auto own = function_.params();
  std::vector<ExprId> params(own.begin(), own.end());
  if (closure_.has_value()) {
    const auto inner = function_.params(closure_);
    params.insert(params.end(), inner.begin(), inner.end());
  }
  return params;
}

auto FunctionWriter::IsLiftedClosure(ExprId callee) const -> bool {
  if (function_.kind(callee) != ExprKind::kGlobal) return false;
  const auto* target = state_.module.function<Function>(function_.global(callee));
  return target != nullptr && ClosureOf(*target).has_value();
}

auto FunctionWriter::is_main() const -> bool { return state_.module.name(global_) == "main"; }

void FunctionWriter::Unsupported(ExprId id, std::string_view what, std::string_view why) {
  state_.sink.Report(kUnsupported, function_.range(id), what, why);
}

auto FunctionWriter::Unique(std::string name) -> std::string {
  std::string unique = name;
  for (size_t i = 1; !used_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
  return unique;
}

auto FunctionWriter::TextOf(ExprId id) -> std::string {
  if (const auto cast = casts_.find(id); cast != casts_.end()) return cast->second.name;
  switch (function_.kind(id)) {
    case ExprKind::kConstant: return ConstantText(id);
    case ExprKind::kTuple: {
      std::string fields;
      for (const ExprId field : function_.operands(id)) fields += TextOf(field) + ", ";
      if (fields.empty()) return "R.tuple()";
      if (function_.operands(id).size() > 1) fields.resize(fields.size() - 2);
      return "(" + fields + ")";
    }
    default: return names_[id];
  }
}

auto FunctionWriter::ConstantText(ExprId id) -> std::string {
  const Constant& constant = function_.constant(id);
  const DataType dtype = constant.dtype();
  const bool has_zero = constant.num_elements() == 0;
  if (constant.num_elements() <= kInlineElements && !has_zero) {
    return fmt::format("R.const({}, {})", PythonElements(constant), DtypeText(dtype));
  }
  const auto [place, is_new] = state_.places.emplace(function_.constant_id(id).value(), state_.constants.size());
  if (is_new) state_.constants.push_back({fmt::format("c{}", place->second), Tensor(constant)});
  return fmt::format("C[{}]", place->second);
}

auto FunctionWriter::Resolved(ExprId id) const -> ExprId {
  while (function_.kind(id) == ExprKind::kVar && values_[id].has_value()) id = values_[id];
  return id;
}

auto FunctionWriter::ConstantOf(ExprId operand) const -> const Constant* {
  const ExprId id = Resolved(operand);
  return relayopt::ConstantOf(function_, id);
}

auto FunctionWriter::FieldsOf(ExprId tuple) const -> std::vector<ExprId> {
  const ExprId id = Resolved(tuple);
  if (function_.kind(id) != ExprKind::kTuple) return {};
  const auto fields = function_.operands(id);
  return {fields.begin(), fields.end()};
}

auto FunctionWriter::Bind(std::string_view value) -> std::string {
  std::string name = NewName();
  Line(frames_.back(), fmt::format("{} = {}", name, value));
  return name;
}

// Numbers the runs of steps that can be one block, and finds which of their names others use.
void FunctionWriter::FindRuns() {
  uint32_t run = 0;
  for (const ExprId id : function_.ids()) {
    if (function_.kind(id) != ExprKind::kLet) continue;
    ++run;
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      const bool is_if = function_.kind(function_.let_value(id, i)) == ExprKind::kIf;
      runs_[function_.let_var(id, i)] = is_if ? kNoRun : run;
      values_[function_.let_var(id, i)] = function_.let_value(id, i);
      if (is_if) ++run;
    }
  }
  for (const ExprId id : function_.ids()) {
    if (function_.kind(id) != ExprKind::kLet) continue;
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      const ExprId value = function_.let_value(id, i);
      Use(value, function_.kind(value) == ExprKind::kIf ? kNoRun : runs_[function_.let_var(id, i)]);
    }
    Use(function_.let_result(id), kNoRun);
  }
}

// Marks the names that `user` depends on as outputs of their blocks, unless that is the block `run`.
void FunctionWriter::Use(ExprId user, uint32_t run) {
  if (function_.kind(user) == ExprKind::kLet) return;
  if (function_.kind(user) == ExprKind::kVar) {
    UseVar(user, run);
    return;
  }
  // The variables that a closure captures are used where it is called.
  if (function_.kind(user) == ExprKind::kCall) {
    const ExprId callee = Resolved(function_.operand(user, 0));
    if (function_.kind(callee) == ExprKind::kCall) Use(callee, run);
  }
  const bool is_if = function_.kind(user) == ExprKind::kIf;
  for (const ExprId operand : function_.operands(user)) {
    if (function_.kind(operand) == ExprKind::kVar) {
      UseVar(operand, is_if ? kNoRun : run);
    } else if (function_.kind(operand) == ExprKind::kTuple) {
      Use(operand, is_if ? kNoRun : run);
    }
  }
}

// A variable that is an alias has no line.
void FunctionWriter::UseVar(ExprId var, uint32_t run) {
  const auto is_alias = [this](ExprId id) {
    return values_[id].has_value() && function_.kind(values_[id]) == ExprKind::kVar;
  };
  ExprId named = var;
  while (is_alias(named)) named = values_[named];
  // Path compression, so that chains of names are walked once.
  while (is_alias(var)) var = std::exchange(values_[var], named);
  if (run == kNoRun || runs_[var] != run) is_output_[var] = true;
}

void FunctionWriter::Begin(ExprId chain, ExprId var, ExprId other) {
  Frame frame;
  frame.chain = chain;
  frame.var = var;
  frame.depth = frames_.empty() ? 2 : frames_.back().depth + 1;
  frame.other = other;
  bare_.clear();
  frames_.push_back(std::move(frame));
}

void FunctionWriter::Line(const Frame& frame, std::string_view line) {
  text_.append((frame.depth + (frame.is_in_block ? 1 : 0)) * 4, ' ');
  text_ += line;
  text_ += '\n';
}

void FunctionWriter::OpenBlock(Frame& frame) {
  if (frame.is_in_block) return;
  Line(frame, "with R.dataflow():");
  frame.is_in_block = true;
}

void FunctionWriter::CloseBlock(Frame& frame) {
  if (!frame.is_in_block) return;
  Line(frame, fmt::format("R.output({})", fmt::join(frame.outputs, ", ")));
  frame.outputs.clear();
  bare_.clear();
  frame.is_in_block = false;
}

void FunctionWriter::Step() {
  Frame& frame = frames_.back();
  const bool is_chain = function_.kind(frame.chain) == ExprKind::kLet;
  if (!is_chain || frame.step == function_.let_size(frame.chain)) return Finish();
  const ExprId var = function_.let_var(frame.chain, frame.step);
  const ExprId value = function_.let_value(frame.chain, frame.step);
  ++frame.step;
  if (function_.kind(value) == ExprKind::kIf) return BeginIf(var, value);
  BindStep(frame, var, value);
}

// Ends a chain: returns its result, or binds it to the name of the `if` whose branch it is.
void FunctionWriter::Finish() {
  Frame& frame = frames_.back();
  CloseBlock(frame);
  const bool is_chain = function_.kind(frame.chain) == ExprKind::kLet;
  const std::string result = TextOf(is_chain ? function_.let_result(frame.chain) : frame.chain);
  const ExprId var = frame.var;
  const ExprId other = frame.other;
  bare_.clear();
  if (!var.has_value()) {
    Line(frame, "return " + result);
    frames_.pop_back();
    return;
  }
  Line(frame, fmt::format("{} = {}", names_[var], result));
  frames_.pop_back();
  if (other.has_value()) {
    Line(frames_.back(), "else:");
    return Begin(other, var);
  }
  const Type* type = TensorType(function_, values_[var]);
  if (type == nullptr || IsKnown(function_.type(values_[var]))) return;
  shapes_[var] = NewExtents(*type);
  Line(frames_.back(),
       fmt::format("{0} = R.match_cast({0}, {1})", names_[var], TensorText(shapes_[var], type->dtype, false)));
}

void FunctionWriter::BeginIf(ExprId var, ExprId value) {
  // The lines of a branch may be in a block.
  if (frames_.back().depth + 2 >= kMostIndentation) {
    return Unsupported(value, "this branch",
                       fmt::format("Python has at most {} levels of indentation", kMostIndentation));
  }
  CloseBlock(frames_.back());
  names_[var] = NewName();
  Line(frames_.back(), fmt::format("if {}:", TextOf(function_.operand(value, 0))));
  Begin(function_.operand(value, 1), var, function_.operand(value, 2));
}

// Writes a step as one line, or as several when its form needs more; they are in the same block.
void FunctionWriter::BindStep(Frame& frame, ExprId var, ExprId value) {
  const ExprKind kind = function_.kind(value);
  // A step that computes nothing becomes an alias of its value.
  if (kind == ExprKind::kVar || kind == ExprKind::kConstant) {
    names_[var] = TextOf(value);
    shapes_[var] = kind == ExprKind::kVar ? shapes_[value] : std::vector<std::string>();
    return;
  }
  // A function has no line: calls refer to it by name.
  const bool is_closure = kind == ExprKind::kCall && IsLiftedClosure(Resolved(function_.operand(value, 0)));
  if (kind == ExprKind::kGlobal || is_closure) return;
  // A dataflow block must have an output. Bindings without one are written outside of a block.
  if (frame.is_in_block || HasOutput(frame)) OpenBlock(frame);
  const bool is_known = IsKnown(function_.type(value));
  const Type* tensor = TensorType(function_, value);
  extents_of_call_.clear();
  if (!is_known && tensor != nullptr) extents_of_call_ = AlignOperands(value);
  std::optional<std::string> text = ValueText(value);
  casts_.clear();
  names_[var] = NewName();
  if (!text) return;
  if (is_known) {
    Line(frame, fmt::format("{}: {} = {}", names_[var], TypeText(function_.type(value), false), *text));
  } else if (tensor == nullptr || !extents_of_call_.empty()) {
    shapes_[var] = std::move(extents_of_call_);
    Line(frame, fmt::format("{} = {}", names_[var], *text));
    constexpr std::string_view kCast = "R.match_cast(";
    const std::string source =
        text->starts_with(kCast) ? text->substr(kCast.size(), text->find(',') - kCast.size()) : "";
    if (tensor != nullptr && source.starts_with("lv")) bare_[var] = source;
  } else {
    shapes_[var] = NewExtents(*tensor);
    const std::string bare = Bind(*text);
    Line(frame,
         fmt::format("{} = R.match_cast({}, {})", names_[var], bare, TensorText(shapes_[var], tensor->dtype, false)));
    bare_[var] = bare;
  }
  if (is_output_[var]) frame.outputs.push_back(names_[var]);
}

// Whether a step between the last one and the next `if` is used outside of this run.
auto FunctionWriter::HasOutput(const Frame& frame) const -> bool {
  for (size_t i = frame.step - 1; i < function_.let_size(frame.chain); ++i) {
    const ExprId value = function_.let_value(frame.chain, i);
    if (function_.kind(value) == ExprKind::kIf) return false;
    const bool is_name = function_.kind(value) == ExprKind::kVar || function_.kind(value) == ExprKind::kConstant;
    if (!is_name && is_output_[function_.let_var(frame.chain, i)]) return true;
  }
  return false;
}

auto FunctionWriter::ValueText(ExprId value) -> std::optional<std::string> {
  switch (function_.kind(value)) {
    case ExprKind::kTuple: return TextOf(value);
    case ExprKind::kTupleGetItem:
      return fmt::format("{}[{}]", TextOf(function_.operand(value, 0)), function_.index(value));
    case ExprKind::kOpCall: return CallText(value);
    case ExprKind::kCall: return GlobalCallText(value);
    case ExprKind::kFunction:
      Unsupported(value, "a closure", "functions can be called there, but are not values");
      break;
    case ExprKind::kMatch:
    case ExprKind::kConstructor: Unsupported(value, "an algebraic data type", "it has none"); break;
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite:
      Unsupported(value, "a reference", "it has none; try ToANormalForm,PartialEvaluate");
      break;
    default: Unsupported(value, "this", "it is not a call of an operator"); break;
  }
  return std::nullopt;
}

auto FunctionWriter::GlobalCallText(ExprId value) -> std::optional<std::string> {
  ExprId callee = Resolved(function_.operand(value, 0));
  std::string args;
  if (function_.kind(callee) == ExprKind::kCall && IsLiftedClosure(Resolved(function_.operand(callee, 0)))) {
    for (const ExprId arg : function_.operands(callee).subspan(1)) args += (args.empty() ? "" : ", ") + TextOf(arg);
    callee = Resolved(function_.operand(callee, 0));
  }
  if (function_.kind(callee) != ExprKind::kGlobal) {
    Unsupported(value, "a call of a computed function", "only functions of the module can be called");
    return std::nullopt;
  }
  uses_globals_ = true;
  if (function_.global(callee) == global_ && !is_recursive_) {
    is_recursive_ = true;
    state_.sink.Report(kRecursion, function_.range(value), state_.module.name(global_));
  }
  for (const ExprId arg : function_.operands(value).subspan(1)) args += (args.empty() ? "" : ", ") + TextOf(arg);
  return fmt::format("cls.{}({})", PythonName(state_.module.name(function_.global(callee))), args);
}

auto FunctionWriter::CallText(ExprId value) -> std::optional<std::string> {
  const OpDef* op = function_.op(value);
  auto args = MapToVector<std::string>(function_.operands(value), [&](ExprId arg) { return TextOf(arg); });
  const RelaxCall call(function_, value, std::move(args), *this);
  const RelaxForm* form = FindRelaxForm(op);
  if (form != nullptr) {
    auto text = form->write == nullptr ? call.Write() : form->write(call);
    if (text) return text;
  }
  auto& missing = state_.missing[op->name];
  if (missing.calls++ == 0) missing.first = function_.range(value);
  missing.has_row = missing.has_row || form != nullptr;
  return std::nullopt;
}

auto WriteFunction(ModuleState& state, GlobalId global, const Function& function) -> std::string {
  return FunctionWriter(state, global, function).Write();
}

}  // namespace relayopt::relax
