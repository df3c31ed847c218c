// The state of printing a program: names, frames and the text so far.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "lib/tir/script/names.h"
#include "lib/tir/script/plain_stack.h"
#include "relayopt/arith/fold.h"
#include "relayopt/support/quoted.h"
#include "relayopt/support/side_table.h"
#include "relayopt/support/text_builder.h"
#include "relayopt/tir/ir/walk.h"
#include "relayopt/tir/script/script.h"

namespace relayopt::tir {

// The indentation of a body, in columns.
inline constexpr uint32_t kIndent = 4;

// Returns the parts one after the other. Unlike a chain of `+` it allocates once.
template <typename... Parts>
auto Concat(const Parts&... parts) -> std::string {
  std::string text;
  text.reserve((std::string_view(parts).size() + ...));
  (text.append(std::string_view(parts)), ...);
  return text;
}

// The place where each undefined variable and buffer of a function has to be declared: the innermost statement that
// contains all its occurrences, or (invalid) the function as a whole.
class Placement {
 public:
  explicit Placement(const PrimFunc& func);

  // Invalid for the function as a whole, and for variables that do not occur.
  auto of_var(PrimExpr var) const -> StmtId { return Get(vars_, var); }
  auto of_buffer(BufferId buffer) const -> StmtId { return Get(buffers_, buffer); }

 private:
  template <typename Map, typename Key>
  static auto Get(const Map& map, Key key) -> StmtId {
    const auto found = map.find(key);
    return found != map.end() ? found->second : StmtId();
  }
  void Walk();
  void AtStmt(Stmt stmt);
  void AtExpr(PrimExpr expr);
  void AtBuffer(BufferId buffer);
  void AtIterVar(IterVarId iter);
  void AtBounds(Bounds bounds);
  template <typename Map, typename Key>
  auto Cut(Map& map, Key key) -> bool;

  const PrimFunc& func_;
  const Terms& terms_;
  const Tables& tables_;
  SideTable<StmtId, StmtId> parents_;
  // The current statement of the walk.
  StmtId at_;
  absl::flat_hash_map<PrimExpr, StmtId> vars_;
  absl::flat_hash_map<BufferId, StmtId> buffers_;
  absl::flat_hash_set<IterVarId> iter_vars_;
  // The statement at which an expression was last walked.
  absl::flat_hash_map<PrimExpr, StmtId> walked_;
  std::vector<PrimExpr> stack_;
};

class Printer {
 public:
  Printer(Context& context, std::string_view class_name);

  auto Module(const ScriptModule& module) -> std::string;
  auto Function(const PrimFunc& func, std::string_view name) -> std::string;
  auto Expression(PrimExpr expr) -> std::string;

 private:
  // How a variable is written.
  struct VarText {
    enum class Kind : uint8_t { kName, kData, kStride, kElemOffset };
    std::string_view name;
    Kind kind = Kind::kName;
    // For the data, a stride or the offset of a buffer: that buffer, whose name may not be known yet.
    BufferId buffer;
    uint32_t index = 0;
  };
  // A level of definitions. Definitions in it are known until it is closed; then their names are free again.
  struct Frame {
    // The statement that the frame belongs to; none for the function.
    StmtId owner;
    // The position in the text at which definitions are inserted: the beginning of the line that is under construction.
    size_t line_start = 0;
    // The header is not written yet: definitions wait.
    bool waits = false;
    uint32_t indent = 0;
    std::string waiting;
    // Few in most frames.
    absl::InlinedVector<std::string_view, 3> names;
    absl::InlinedVector<PrimExpr, 4> vars;
    absl::InlinedVector<BufferId, 4> buffers;
  };
  // Text that belongs further up.
  struct Insertion {
    size_t at;
    std::string text;
  };
  // Whether the data of a buffer may become `A.data`.
  enum class InlineData : uint8_t { kNo, kYes };
  struct BufferText {
    TextBuilder args;
    // Definitions that the attributes need on a line before the buffer.
    std::vector<std::string> lhs, rhs;
  };

  // Module and function (printer.cpp).
  void FunctionLines(const PrimFunc& func, std::string_view name, uint32_t indent);
  void Params(const PrimFunc& func, TextBuilder& out);
  auto IsSimple(const BufferBinding& binding) -> bool;
  void CountParamUses(const PrimFunc& func);
  void CountUsesInside(const PrimFunc& func);
  auto RootBlock(const PrimFunc& func) -> std::optional<Stmt>;
  auto Finish() -> std::string;

  // Frames and definitions (printer_frames.cpp).
  void OpenFrame(StmtId owner, uint32_t indent, bool waits = false);
  void CloseFrame();
  void StartBody();
  auto FrameFor(StmtId place) -> Frame&;
  void AddLine(Frame& frame, std::string_view text);
  void Line(uint32_t indent, std::string_view text);
  auto DefineVar(PrimExpr var, Frame& frame) -> std::string_view;
  auto DefineBuffer(BufferId buffer, Frame& frame) -> std::string_view;
  auto IsDefined(PrimExpr var) const -> bool { return vars_.contains(var); }
  void DeclareVar(PrimExpr var);
  void DeclareBuffer(BufferId buffer);
  void NeedVar(PrimExpr var) {
    if (!IsDefined(var)) DeclareVar(var);
  }
  void NeedBuffer(BufferId buffer) {
    if (!buffers_.contains(buffer)) DeclareBuffer(buffer);
  }
  // Returns the name of the buffer, which is declared if it has none.
  auto BufferName(BufferId buffer) -> std::string_view;
  void NeedAll(PrimExpr expr);
  auto IsNewVar(PrimExpr e) -> bool;
  void DefineBefore(PrimExpr var, size_t frame, BufferText& text);
  auto UsesInFields(const Buffer& buffer, PrimExpr var) -> size_t;
  void StridesText(BufferId id, size_t frame, BufferText& text);
  auto OffsetText(BufferId id, size_t frame, BufferText& text) -> bool;
  auto AllDefined(std::span<const PrimExpr> exprs) -> bool;
  auto VarCreation(PrimExpr var) -> std::string;
  auto BufferAttrs(BufferId buffer, Frame& frame, InlineData inline_data, bool skip_default_dtype = true) -> BufferText;
  void BufferLine(Frame& frame, const BufferText& text, std::string_view line);
  void DefineField(PrimExpr var, Frame& frame, VarText text);
  auto placement() -> const Placement&;

  // Statements (printer_statements.cpp).
  struct Step {
    enum class Kind : uint8_t { kStatement, kBody, kOpen, kClose, kCloseLoops, kElse, kElseIf, kInit };
    Kind kind;
    bool concise = false;
    uint32_t indent = 0;
    StmtId stmt;
  };
  void Body(Stmt root, uint32_t indent);
  void PushBody(Stmt body, uint32_t indent);
  void Push(Step step) { steps_.push_back(step); }
  void Statement(Stmt stmt, bool concise, uint32_t indent);
  // Prints a statement that wraps a body: its line, and the body after or below it. `name` is the variable that it
  // defines, or empty.
  void Wrap(Stmt body, bool concise, uint32_t indent, std::string_view name, std::string_view text);
  void LetLines(LetStmt let, bool concise, uint32_t indent);
  void AttrLines(AttrStmt attr, bool concise, uint32_t indent);
  void ThreadText(AttrStmt attr, PrimExpr& defines, TextBuilder& line);
  void AllocateLines(Allocate alloc, bool concise, uint32_t indent);
  void ConstantLines(AllocateConst constant, bool concise, uint32_t indent);
  void DeclLines(DeclBuffer decl, StmtId owner, InlineData inline_data, bool concise, uint32_t indent);
  using LoopNest = absl::InlinedVector<For, 4>;
  auto PlainNest(For loop) -> LoopNest;
  auto DefineLoop(For loop) -> std::string;
  void SingleForLine(For loop, uint32_t indent);
  void ForLines(For loop, uint32_t indent);
  void BlockLines(Block block, const BlockRealize* realize, uint32_t indent);
  void AxisLines(Block block, const BlockRealize* realize, uint32_t indent);
  void AllocBufferLine(BufferId buffer);
  void AssertLines(const AssertStmt& assertion, bool concise, uint32_t indent);
  void RealizeLines(const BufferRealize& realize, bool concise, uint32_t indent);
  void EvaluateLine(const Evaluate& stmt, uint32_t indent);
  void IfLines(const IfThenElse& branch, std::string_view keyword, uint32_t indent);
  void WhileLines(const While& loop, uint32_t indent);
  void PrefetchLine(const Prefetch& prefetch, uint32_t indent);
  void StoreLine(BufferStore store, uint32_t indent);
  auto VarName(PrimExpr var, Frame& frame) -> std::string;
  void Annotations(ObjectId annotations, TextBuilder& out);
  // Whether no loop of a nest is used in an expression.
  auto AllOutside(std::span<const For> nest, PrimExpr expr) -> bool;

  // Expressions (printer_expressions.cpp).
  // A step of printing an expression.
  struct Item {
    // What is written before the expression, if there is one.
    std::string_view text;
    PrimExpr expr;
    // The precedence of the context: operators with a lower one get parentheses.
    int level = 0;
  };
  void Expr(PrimExpr expr, TextBuilder& out, int level = 0);
  void PushText(std::string_view text);
  void PushPart(PrimExpr expr);
  void PushList(std::span<const PrimExpr> exprs);
  void PushNamed(std::string_view name, TextBuilder& out);
  void PushIrregular(PrimExpr expr, TextBuilder& out);
  void PushExpr(PrimExpr expr, TextBuilder& out);
  void PushCall(PrimExpr expr, TextBuilder& out);
  void PushIndices(BufferId buffer, std::span<const PrimExpr> indices, TextBuilder& out);
  void Exprs(std::span<const PrimExpr> exprs, TextBuilder& out);
  void Tuple(std::span<const PrimExpr> exprs, TextBuilder& out);
  void Indices(BufferId buffer, std::span<const PrimExpr> indices, TextBuilder& out);
  void Region(BufferId buffer, Bounds bounds, TextBuilder& out, bool points);
  void IntText(DataType dtype, int64_t value, TextBuilder& out);
  void FloatText(DataType dtype, double value, TextBuilder& out);
  void VarOut(PrimExpr var, TextBuilder& out);
  auto Folds(PrimKind kind, PrimExpr a, PrimExpr b) const -> bool;
  auto PrintsInfix(PrimKind kind, PrimExpr a, PrimExpr b) const -> bool;

  // Values of attributes (printer_values.cpp).
  auto ReferenceText(const Object& object, TextBuilder& out) -> bool;
  void TargetText(const Object& target, TextBuilder& out);
  void ObjectText(ObjectId object, TextBuilder& out);
  void MapText(std::span<const ObjectId> items, TextBuilder& out);
  void AttrsText(std::span<const DictAttr> attrs, TextBuilder& out);
  void IterVarText(IterVarId iter, TextBuilder& out);
  void ReducerText(ReducerId reducer, TextBuilder& out);
  void NodeText(AttrNode node, TextBuilder& out);
  void TypeText(const VarType& type, TextBuilder& out);
  void Metadata(std::string_view type_key, uint32_t object, TextBuilder& out);
  void LambdaText(std::span<const PrimExpr> params, std::span<const PrimExpr> results, bool always_tuple,
                  TextBuilder& out);

  Context& context_;
  Terms& terms_;
  Tables& tables_;
  std::string class_name_;
  const PrimFunc* func_ = nullptr;
  absl::flat_hash_set<StringId> globals_;
  // Text of finished lines, and what belongs into it.
  TextBuilder out_;
  std::vector<Insertion> insertions_;
  bool uses_t_ = false;
  bool alone_ = false;

  NamePool names_;
  std::vector<Frame> frames_;
  absl::flat_hash_map<PrimExpr, VarText> vars_;
  absl::flat_hash_map<BufferId, std::string_view> buffers_;
  std::optional<Placement> placement_;
  absl::flat_hash_set<PrimExpr> used_params_;
  // Buffers of the parameters, and pointers to the data of several of them.
  ParamBuffers param_buffers_;
  absl::flat_hash_set<PrimExpr> shared_data_;
  // The open loops whose axes may be remapped, by variable.
  absl::flat_hash_map<PrimExpr, Range> loops_;

  std::vector<Step> steps_;
  PlainStack<Item> items_;
  // The line of the current statement if it contains no other.
  TextBuilder line_;
  // A part of a line that is printed before the line begins.
  TextBuilder part_;
  // The stack of walks in which nothing is printed.
  std::vector<PrimExpr> walked_;
  // Lets whose parts have been named.
  absl::flat_hash_set<PrimExpr> named_lets_;
  // Objects that print by their index in the metadata, by type key.
  absl::flat_hash_map<std::string, absl::flat_hash_map<uint32_t, size_t>> metadata_;
};

// Returns the number as C's "%.17g" writes it; "inf", "-inf", "nan" and "-nan" in quotes.
auto ScriptFloat(double value) -> std::string;

}  // namespace relayopt::tir
