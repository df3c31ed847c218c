// A module of Relay as Relax.
//
// The module is prepared until every function is one let chain of operators on names (RelaxPipeline), so that writing
// it is one walk over the chains: a step becomes a line. Two things have no such line:
//
// - `if` is a statement there. Its branches are chains of their own, written deeper, each of which ends by binding the
//   name of the result; a stack of chains that have been begun does without recursion.
// - Only straight lines may stand in a dataflow block, which is what Relax optimizes. Each run of steps between two
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
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "forms.h"
#include "python.h"
#include "relayopt/convert/relax.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace relax {
namespace {

constexpr DiagnosticKind kNoForm = {"no-relax-form", Severity::kError,
                                    "{} has no form in Relax ({} call{}, the first here){}"};
constexpr DiagnosticKind kUnsupported = {"relax-unsupported", Severity::kError, "{} cannot be said in Relax: {}"};
constexpr DiagnosticKind kNotPrepared = {"relax-preparation", Severity::kError, "the module cannot be prepared: {}"};

// Constants of at most so many elements stand in the text.
constexpr size_t kInlineElements = 16;

// What the functions of a module have in common.
struct ModuleState {
  const Module& module;
  DiagnosticSink& sink;
  std::vector<NamedTensor> constants;
  // Constants by their identity: where each stands in the list.
  std::map<uint32_t, size_t> places;
  // Operators without a form: how often, and where first.
  struct Missing {
    size_t calls = 0;
    SourceRange first;
    bool has_row = false;
  };
  std::map<std::string_view, Missing> missing;
};

class FunctionWriter {
 public:
  FunctionWriter(ModuleState& state, GlobalId global, const Function& function)
      : state_(state),
        global_(global),
        function_(function),
        names_(function.size()),
        runs_(function.size(), kNoRun),
        is_output_(function.size()),
        values_(function.size()),
        shapes_(function.size()) {}

  // The lines of the function; what it cannot say is reported.
  auto Write() -> std::string {
    for (const ExprId param : function_.params()) NameParameter(param);
    FindRuns();
    const std::string signature = Signature();
    Begin(function_.body());
    while (!frames_.empty()) Step();
    std::string head = "    @R.function" + std::string(is_main() ? "" : "(private=True)") + "\n" + signature;
    for (const std::string& extent : extents_) head += fmt::format("        {} = T.int64()\n", extent);
    if (uses_globals_) head += "        cls = Module\n";
    return head + text_;
  }

 private:
  static constexpr uint32_t kNoRun = 0xffffffff;

  // A chain whose writing has begun.
  struct Frame {
    ExprId chain;
    // The next step of the chain.
    size_t step = 0;
    // Of a branch: the variable that the `if` is bound to; none for the body of the function.
    ExprId var;
    size_t depth = 2;
    bool is_in_block = false;
    // The outputs of the block that is open.
    std::vector<std::string> outputs;
    // Lines of an `else` that follows: the chain of the other branch.
    ExprId other;
  };

  auto is_main() const -> bool { return state_.module.name(global_) == "main"; }

  // -- names --

  auto Unique(std::string name) -> std::string {
    std::string unique = name;
    for (size_t i = 1; !used_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    return unique;
  }

  void NameParameter(ExprId param) {
    names_[param] = Unique(PythonName(function_.context().text(function_.var(param).name)));
  }

  auto NewExtent() -> std::string {
    extents_.push_back(Unique(fmt::format("d{}", extents_.size())));
    return extents_.back();
  }

  // What an operand is called: a name, or a constant as text.
  auto TextOf(ExprId id) -> std::string {
    switch (function_.kind(id)) {
      case ExprKind::kConstant: return ConstantText(id);
      case ExprKind::kTuple: {
        std::string fields;
        for (const ExprId field : function_.operands(id)) fields += TextOf(field) + ", ";
        if (fields.empty()) return "R.tuple()";
        if (function_.operands(id).size() > 1) fields.resize(fields.size() - 2);
        return "(" + fields + ")";
      }
      default: {
        const auto recast = recast_.find(id);
        return recast == recast_.end() ? names_[id] : recast->second;
      }
    }
  }

  auto ConstantText(ExprId id) -> std::string {
    const Constant& constant = function_.constant(id);
    const DataType dtype = constant.dtype();
    const bool has_zero = constant.num_elements() == 0;
    if (constant.num_elements() <= kInlineElements && !has_zero) {
      return fmt::format("R.const({}, {})", PythonElements(constant), PythonString(ToString(dtype)));
    }
    const auto [place, is_new] = state_.places.emplace(function_.constant_id(id).value(), state_.constants.size());
    if (is_new) state_.constants.push_back({fmt::format("c{}", place->second), Tensor(constant)});
    return fmt::format("C[{}]", place->second);
  }

  // -- types --

  auto Unsupported(ExprId id, std::string_view what, std::string_view why) -> std::string {
    state_.sink.Report(kUnsupported, function_.range(id), what, why);
    return "";
  }

  // The type as Relax writes it. Extents that are not known get names where `names_extents`, else the rank is all that
  // is said. Empty for types that Relax lacks.
  auto TypeText(TypeId id, bool names_extents) -> std::string {
    if (!id) return "";
    const Type& type = function_.context().type(id);
    if (type.is_tuple()) {
      std::string fields;
      for (const TypeId field : type.args) {
        const std::string text = TypeText(field, names_extents);
        if (text.empty()) return "";
        fields += (fields.empty() ? "" : ", ") + text;
      }
      return "R.Tuple(" + fields + ")";
    }
    if (!type.is_tensor()) return "";
    const std::string dtype = PythonString(ToString(type.dtype));
    if (const auto shape = PythonTuple(type.shape)) return fmt::format("R.Tensor({}, dtype={})", *shape, dtype);
    if (!names_extents) return fmt::format("R.Tensor(dtype={}, ndim={})", dtype, type.rank());
    return TensorText(NewExtents(type), type.dtype, true);
  }

  // The extents of a type as text, with a new name for each that is not known.
  auto NewExtents(const Type& type) -> std::vector<std::string> {
    std::vector<std::string> extents;
    for (const Dim& dim : type.shape) extents.push_back(dim.is_int() ? std::to_string(dim.value()) : NewExtent());
    return extents;
  }

  // In signatures names stand in quotes.
  static auto TensorText(std::span<const std::string> extents, DataType dtype, bool in_signature) -> std::string {
    std::string out;
    for (const std::string& extent : extents) {
      const bool is_name = extent.front() < '0' || extent.front() > '9';
      out += (out.empty() ? "" : ", ") + (is_name && in_signature ? PythonString(extent) : extent);
    }
    return fmt::format("R.Tensor(({}{}), dtype={})", out, extents.size() == 1 ? "," : "",
                       PythonString(ToString(dtype)));
  }

  auto IsKnown(TypeId id) const -> bool {
    if (!id) return false;
    const Type& type = function_.context().type(id);
    if (type.is_tuple()) {
      for (const TypeId field : type.args) {
        if (!IsKnown(field)) return false;
      }
      return true;
    }
    return type.is_tensor() && PythonTuple(type.shape).has_value();
  }

  auto Signature() -> std::string {
    std::string params;
    for (const ExprId param : function_.params()) {
      std::string type;
      if (const Type* tensor = TensorTypeOf(param); tensor != nullptr) {
        shapes_[param] = NewExtents(*tensor);
        type = TensorText(shapes_[param], tensor->dtype, true);
      } else {
        type = TypeText(function_.type(param), true);
      }
      if (type.empty()) Unsupported(param, names_[param], "its type is neither a tensor nor a tuple of them");
      params += fmt::format("{}{}: {}", params.empty() ? "" : ", ", names_[param], type);
    }
    const std::string result = TypeText(function_.type(function_.body()), false);
    if (result.empty()) {
      Unsupported(function_.body(), "the result", "its type is neither a tensor nor a tuple of them");
    }
    return fmt::format("    def {}({}) -> {}:\n", PythonName(state_.module.name(global_)), params, result);
  }

  // -- extents that are not known --
  //
  // Relax compiles nothing whose extents have no names, and two names are never one to it. So every value has names for
  // its extents: those of its operands where the operator keeps shapes, new ones otherwise (a match_cast says them).
  // Where values of different names meet in a broadcast, one is cast to the names of the other, which is checked when
  // the program runs.

  auto TensorTypeOf(ExprId id) const -> const Type* {
    if (!function_.type(id)) return nullptr;
    const Type& type = function_.context().type(function_.type(id));
    return type.is_tensor() ? &type : nullptr;
  }

  // The extents of an operand as text.
  auto ExtentsOf(ExprId id) -> std::vector<std::string> {
    const ExprId source = Resolved(id);
    const ExprId named = shapes_[id].empty() ? source : id;
    if (!shapes_[named].empty()) return shapes_[named];
    std::vector<std::string> extents;
    const Type* type = TensorTypeOf(id);
    for (const Dim& dim : type->shape) extents.push_back(dim.is_int() ? std::to_string(dim.value()) : "");
    return extents;
  }

  // The extents of the result of a call that keeps or broadcasts the shapes of its operands; empty for other values.
  // Operands with other names are cast to these.
  auto AlignOperands(Frame& frame, ExprId value) -> std::vector<std::string> {
    const Type* result = TensorTypeOf(value);
    if (result == nullptr || function_.kind(value) != ExprKind::kOpCall) return {};
    const OpDef* op = function_.op(value);
    const size_t count = function_.operands(value).size();
    const bool keeps = op->fusion == Fusion::kElemWise && count == 1;
    const bool broadcasts = op->fusion <= Fusion::kBroadcast && count > 1 && !op->attrs;
    if (!keeps && !broadcasts) return {};
    const size_t rank = result->rank();
    std::vector<std::string> extents(rank);
    for (const ExprId operand : function_.operands(value)) {
      const Type* type = TensorTypeOf(operand);
      if (type == nullptr || type->rank() > rank) return {};
      const auto given = ExtentsOf(operand);
      for (size_t i = 0; i < given.size(); ++i) {
        std::string& extent = extents[rank - given.size() + i];
        if (extent.empty() || extent == "1") extent = given[i];
      }
    }
    if (std::find(extents.begin(), extents.end(), "") != extents.end()) return {};
    for (const ExprId operand : function_.operands(value)) Recast(frame, operand, extents);
    return extents;
  }

  // Casts an operand to the names that the result has for its extents.
  void Recast(Frame& frame, ExprId operand, const std::vector<std::string>& extents) {
    auto given = ExtentsOf(operand);
    bool differs = false;
    for (size_t i = 0; i < given.size(); ++i) {
      const std::string& wanted = extents[extents.size() - given.size() + i];
      if (given[i] == wanted || given[i] == "1") continue;
      given[i] = wanted;
      differs = true;
    }
    if (!differs || recast_.contains(operand)) return;
    const std::string name = Unique(fmt::format("lv{}", next_++));
    Line(frame, fmt::format("{} = R.match_cast({}, {})", name, TextOf(operand),
                            TensorText(given, TensorTypeOf(operand)->dtype, false)));
    recast_[operand] = name;
  }

  // -- dataflow blocks --

  // Numbers the runs of steps that can be one block, and finds which of their names others use.
  void FindRuns() {
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

  // Marks the names that `user` is made of as given out by their blocks, where that is not the block `run`.
  void Use(ExprId user, uint32_t run) {
    if (function_.kind(user) == ExprKind::kLet) return;
    if (function_.kind(user) == ExprKind::kVar) {
      if (run == kNoRun || runs_[user] != run) is_output_[user] = true;
      return;
    }
    const bool is_if = function_.kind(user) == ExprKind::kIf;
    for (const ExprId operand : function_.operands(user)) {
      if (function_.kind(operand) == ExprKind::kVar) {
        if (is_if || run == kNoRun || runs_[operand] != run) is_output_[operand] = true;
      } else if (function_.kind(operand) == ExprKind::kTuple) {
        Use(operand, is_if ? kNoRun : run);
      }
    }
  }

  // -- steps --

  void Begin(ExprId chain, ExprId var = {}, ExprId other = {}) {
    Frame frame;
    frame.chain = chain;
    frame.var = var;
    frame.depth = frames_.empty() ? 2 : frames_.back().depth + 1;
    frame.other = other;
    frames_.push_back(std::move(frame));
  }

  void Line(const Frame& frame, std::string_view line) {
    text_.append((frame.depth + (frame.is_in_block ? 1 : 0)) * 4, ' ');
    text_ += line;
    text_ += '\n';
  }

  void OpenBlock(Frame& frame) {
    if (frame.is_in_block) return;
    Line(frame, "with R.dataflow():");
    frame.is_in_block = true;
  }

  void CloseBlock(Frame& frame) {
    if (!frame.is_in_block) return;
    Line(frame, fmt::format("R.output({})", fmt::join(frame.outputs, ", ")));
    frame.outputs.clear();
    frame.is_in_block = false;
  }

  void Step() {
    Frame& frame = frames_.back();
    const bool is_chain = function_.kind(frame.chain) == ExprKind::kLet;
    if (!is_chain || frame.step == function_.let_size(frame.chain)) return Finish();
    const ExprId var = function_.let_var(frame.chain, frame.step);
    const ExprId value = function_.let_value(frame.chain, frame.step);
    ++frame.step;
    if (function_.kind(value) == ExprKind::kIf) return BeginIf(var, value);
    Bind(frame, var, value);
  }

  // The end of a chain: its result is returned, or bound to the name of the `if` that it is a branch of.
  void Finish() {
    Frame& frame = frames_.back();
    CloseBlock(frame);
    const bool is_chain = function_.kind(frame.chain) == ExprKind::kLet;
    const std::string result = TextOf(is_chain ? function_.let_result(frame.chain) : frame.chain);
    const ExprId var = frame.var;
    const ExprId other = frame.other;
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
    const Type* type = TensorTypeOf(values_[var]);
    if (type == nullptr || IsKnown(function_.type(values_[var]))) return;
    shapes_[var] = NewExtents(*type);
    Line(frames_.back(),
         fmt::format("{0} = R.match_cast({0}, {1})", names_[var], TensorText(shapes_[var], type->dtype, false)));
  }

  void BeginIf(ExprId var, ExprId value) {
    CloseBlock(frames_.back());
    names_[var] = Unique(fmt::format("lv{}", next_++));
    Line(frames_.back(), fmt::format("if {}:", TextOf(function_.operand(value, 0))));
    Begin(function_.operand(value, 1), var, function_.operand(value, 2));
  }

  void Bind(Frame& frame, ExprId var, ExprId value) {
    const ExprKind kind = function_.kind(value);
    // What is no work is another name for its value.
    if (kind == ExprKind::kVar || kind == ExprKind::kConstant) {
      names_[var] = TextOf(value);
      shapes_[var] = kind == ExprKind::kVar ? shapes_[value] : std::vector<std::string>();
      return;
    }
    // A block without names for others would have nothing to put out: what is in it stands alone.
    if (frame.is_in_block || HasOutput(frame)) OpenBlock(frame);
    const bool is_known = IsKnown(function_.type(value));
    const Type* tensor = TensorTypeOf(value);
    if (!is_known && tensor != nullptr) shapes_[var] = AlignOperands(frame, value);
    const std::optional<std::string> text = ValueText(value);
    recast_.clear();
    names_[var] = Unique(fmt::format("lv{}", next_++));
    if (!text) return;
    const std::string type = is_known ? ": " + TypeText(function_.type(value), false) : "";
    if (is_known || tensor == nullptr || !shapes_[var].empty()) {
      Line(frame, fmt::format("{}{} = {}", names_[var], type, *text));
    } else {
      shapes_[var] = NewExtents(*tensor);
      const std::string open = Unique(fmt::format("lv{}", next_++));
      Line(frame, fmt::format("{} = {}", open, *text));
      Line(frame,
           fmt::format("{} = R.match_cast({}, {})", names_[var], open, TensorText(shapes_[var], tensor->dtype, false)));
    }
    if (is_output_[var]) frame.outputs.push_back(names_[var]);
  }

  // Whether one of the steps from the last one on, up to the next `if`, is used by others.
  auto HasOutput(const Frame& frame) const -> bool {
    for (size_t i = frame.step - 1; i < function_.let_size(frame.chain); ++i) {
      const ExprId value = function_.let_value(frame.chain, i);
      if (function_.kind(value) == ExprKind::kIf) return false;
      const bool is_name = function_.kind(value) == ExprKind::kVar || function_.kind(value) == ExprKind::kConstant;
      if (!is_name && is_output_[function_.let_var(frame.chain, i)]) return true;
    }
    return false;
  }

  auto ValueText(ExprId value) -> std::optional<std::string> {
    switch (function_.kind(value)) {
      case ExprKind::kTuple: return TextOf(value);
      case ExprKind::kTupleGetItem:
        return fmt::format("{}[{}]", TextOf(function_.operand(value, 0)), function_.index(value));
      case ExprKind::kOpCall: return CallText(value);
      case ExprKind::kCall: return GlobalCallText(value);
      case ExprKind::kFunction: Unsupported(value, "a closure", "functions are called there, and are no values"); break;
      case ExprKind::kMatch:
      case ExprKind::kConstructor: Unsupported(value, "an algebraic data type", "it has none"); break;
      case ExprKind::kRefCreate:
      case ExprKind::kRefRead:
      case ExprKind::kRefWrite:
        Unsupported(value, "a reference", "it has none; try ToANormalForm,PartialEvaluate");
        break;
      default: Unsupported(value, "this", "it is no call of an operator"); break;
    }
    return std::nullopt;
  }

  auto GlobalCallText(ExprId value) -> std::optional<std::string> {
    const ExprId callee = Resolved(function_.operand(value, 0));
    if (function_.kind(callee) != ExprKind::kGlobal) {
      Unsupported(value, "a call of a computed function", "only functions of the module can be called");
      return std::nullopt;
    }
    uses_globals_ = true;
    std::string args;
    for (const ExprId arg : function_.operands(value).subspan(1)) args += (args.empty() ? "" : ", ") + TextOf(arg);
    return fmt::format("cls.{}({})", PythonName(state_.module.name(function_.global(callee))), args);
  }

  // What a variable is bound to, or the expression itself.
  auto Resolved(ExprId id) const -> ExprId {
    while (function_.kind(id) == ExprKind::kVar && values_[id].has_value()) id = values_[id];
    return id;
  }

  static auto ConstantOf(const RelaxCall& call, size_t i) -> const Constant* {
    const auto& writer = *static_cast<const FunctionWriter*>(call.user);
    const ExprId id = writer.Resolved(call.operand(i));
    return writer.function_.kind(id) == ExprKind::kConstant ? &writer.function_.constant(id) : nullptr;
  }

  auto CallText(ExprId value) -> std::optional<std::string> {
    const OpDef* op = function_.op(value);
    std::vector<std::string> args;
    for (const ExprId arg : function_.operands(value)) args.push_back(TextOf(arg));
    RelaxCall call(function_, value, std::move(args));
    call.constant_of = ConstantOf;
    call.user = this;
    const RelaxForm* form = FindRelaxForm(op);
    if (form != nullptr) {
      auto text = form->write == nullptr ? call.Write(form->name, form->attrs) : form->write(call);
      if (text) return text;
    }
    auto& missing = state_.missing[op->name];
    if (missing.calls++ == 0) missing.first = function_.range(value);
    missing.has_row = missing.has_row || form != nullptr;
    return std::nullopt;
  }

  ModuleState& state_;
  GlobalId global_;
  const Function& function_;
  SideTable<ExprId, std::string> names_;
  // Of variables of let chains: the run of steps that they are bound in.
  SideTable<ExprId, uint32_t> runs_;
  SideTable<ExprId, bool> is_output_;
  SideTable<ExprId, ExprId> values_;
  // The extents of tensors of which one is not known.
  SideTable<ExprId, std::vector<std::string>> shapes_;
  // Operands of the step that is being written that are cast for it, with their new names.
  absl::flat_hash_map<ExprId, std::string> recast_;
  absl::flat_hash_set<std::string> used_;
  std::vector<std::string> extents_;
  std::vector<Frame> frames_;
  std::string text_;
  size_t next_ = 0;
  bool uses_globals_ = false;
};

// As FunctionWriter's annotation of parameters, for people: name, shape with None for what is not known, type.
auto InputsText(const Function& function) -> std::string {
  std::string out = "INPUTS = [\n";
  for (const ExprId param : function.params()) {
    const Type& type = function.context().type(function.type(param));
    std::string shape;
    for (const Dim& dim : type.shape) shape += (dim.is_int() ? std::to_string(dim.value()) : "None") + ", ";
    out += fmt::format("    ({}, ({}), {}),\n", PythonString(function.context().text(function.var(param).name)), shape,
                       PythonString(ToString(type.dtype)));
  }
  return out + "]\n";
}

// The arrays that the text names C[i].
auto ConstantsText(std::string_view archive, const std::vector<NamedTensor>& constants) -> std::string {
  if (constants.empty()) return "";
  std::string out = fmt::format(
      "_archive = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), {}))\n"
      "C = [tvm.relax.const(_archive[f\"c{{i}}\"]) for i in range({})]\n",
      PythonString(archive), constants.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    // NumPy's archives hold it as float32.
    if (constants[i].tensor.dtype() == DataType::BFloat(16)) {
      out += fmt::format("C[{0}] = tvm.relax.const(_archive[\"c{0}\"].astype(\"bfloat16\"), \"bfloat16\")\n", i);
    }
  }
  return out + "\n";
}

constexpr std::string_view kRunner = R"(

def load(target="llvm"):
    """Compiles the module; a relax.VirtualMachine whose functions can be called."""
    executable = tvm.compile(Module, target=target)
    return tvm.relax.VirtualMachine(executable, tvm.cpu())


def run(inputs, target="llvm"):
    """Calls main with arrays by the names of its parameters; the arrays of its result."""
    arguments = [np.asarray(inputs[name], dtype=dtype) for name, _, dtype in INPUTS]
    result = load(target)["main"](*[tvm.runtime.tensor(argument) for argument in arguments])
    flat, pending = [], [result]
    while pending:
        value = pending.pop()
        if isinstance(value, tvm.runtime.Tensor):
            flat.append(value.numpy())
        else:
            pending.extend(reversed(list(value)))
    return flat


if __name__ == "__main__":
    import sys

    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} INPUTS.npz OUTPUTS.npz")
    outputs = run(np.load(sys.argv[1]))
    np.savez(sys.argv[2], **{f"output_{i}": array for i, array in enumerate(outputs)})
)";

void ReportMissing(const ModuleState& state) {
  for (const auto& [name, missing] : state.missing) {
    const std::string_view why =
        missing.has_row ? ": what Relax calls so lacks these types, attributes or unknown extents" : "";
    state.sink.Report(kNoForm, missing.first, name, missing.calls, missing.calls == 1 ? "" : "s", why);
  }
}

}  // namespace
}  // namespace relax

auto RelaxPipeline() -> std::string_view {
  return "Inline,DefuseOps,qnn.Legalize,qnn.CanonicalizeOps,DynamicToStatic,LambdaLift,LowerFor<target=relax>,"
         "FoldConstant,RemoveUnusedFunctions,ToANormalForm,DeadCodeElimination,InferType";
}

auto RelaxFormOf(std::string_view op) -> std::string {
  const OpDef* def = FindOp(op);
  const relax::RelaxForm* form = def == nullptr ? nullptr : relax::FindRelaxForm(def);
  return form == nullptr ? "" : "R." + std::string(form->name);
}

auto WriteRelax(const Module& module, std::string_view archive, DiagnosticSink& sink) -> std::optional<RelaxText> {
  auto pipeline = ParsePipeline(RelaxPipeline());
  RELAYOPT_CHECK(pipeline.has_value(), "the pipeline for Relax is one");
  const auto pass = BuildPipeline(*pipeline);
  PassContext context;
  // Every pass that the pipeline names runs.
  context.set_opt_level(4);
  auto prepared = pass ? (**pass)(module, context) : Result<Module>(pass.error());
  if (!prepared) {
    sink.Report(relax::kNotPrepared, prepared.error().range, prepared.error().text);
    return std::nullopt;
  }
  const GlobalId main = prepared->FindGlobal("main");
  if (!main || prepared->function<Function>(main) == nullptr) {
    sink.Report(relax::kUnsupported, {}, "the module", "it has no function @main");
    return std::nullopt;
  }
  relax::ModuleState state{*prepared, sink, {}, {}, {}};
  std::string functions;
  for (const GlobalId id : prepared->SortedFunctions<Function>()) {
    functions += "\n" + relax::FunctionWriter(state, id, *prepared->function<Function>(id)).Write();
  }
  relax::ReportMissing(state);
  if (sink.has_errors()) return std::nullopt;
  RelaxText out;
  out.text =
      "# Relax for apache-tvm 0.27, written by relayopt.\n"
      "import os\n\nimport numpy as np\nimport tvm\n"
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n" +
      relax::ConstantsText(archive, state.constants) + relax::InputsText(*prepared->function<Function>(main)) +
      "\n\n@I.ir_module\nclass Module:" + functions + std::string(relax::kRunner);
  out.constants = std::move(state.constants);
  return out;
}

}  // namespace relayopt
