// The state of reading TVMScript: names, open frames, and the evaluation of expressions.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "lib/tir/script/diagnostics.h"
#include "lib/tir/script/lexer.h"
#include "lib/tir/script/value_stacks.h"
#include "relayopt/arith/fold.h"
#include "relayopt/support/id_set.h"
#include "relayopt/tir/analysis/buffer_accesses.h"
#include "relayopt/tir/ir/walk.h"
#include "relayopt/tir/script/script.h"

namespace relayopt::tir {

struct OpRow;

class Reader;

enum class Namespace : uint8_t { kT, kI, kAxis, kTir, kTirCuda, kTirMetal, kMetadata };
enum class Method : uint8_t { kVload, kVstore, kAccessPtr, kOffsetOf, kScope, kAstype, kView };

// The arguments of a call, in the order of the parameters of its row; those that are not given are null.
struct CallArgs {
  static constexpr size_t kMaxParams = 12;
  const Builtin* row = nullptr;
  SourceRange range;
  // One for each parameter; of variadic rows all positional arguments are in `rest`.
  std::array<const Value*, kMaxParams> params{};
  std::span<const Value> rest;

  auto has(size_t i) const -> bool { return params[i] != nullptr && !params[i]->is_none(); }
  auto operator[](size_t i) const -> const Value& { return *params[i]; }
};

// A function of T or I: one row.
struct Builtin {
  static constexpr size_t kMaxParams = CallArgs::kMaxParams;
  std::string_view name;
  // Names of the parameters, the first `required` of which must be given.
  std::array<std::string_view, kMaxParams> params{};
  uint8_t required = 0;
  // Further positional arguments come as `CallArgs::rest`, before all parameters, which are keywords only.
  bool variadic = false;
  auto(*call)(Reader& reader, CallArgs& args) -> Value = nullptr;

  auto num_params() const -> size_t {
    size_t n = 0;
    while (n < kMaxParams && !params[n].empty()) ++n;
    return n;
  }
};

// Returns the rows of `T.*`, of `T.axis.*` and of `I.*`, or null for an unknown name.
auto FindBuiltin(Namespace space, std::string_view name) -> const Builtin*;
// Returns all names of a namespace, for suggestions.
auto BuiltinNames(Namespace space) -> std::vector<std::string_view>;

enum class FrameKind : uint8_t {
  kFunction,
  kBlock,
  kInit,
  kFor,
  kLet,
  kAttr,
  kAssert,
  kAllocate,
  kAllocateConst,
  kDecl,          // DeclBuffer
  kDeclAllocate,  // Allocate around DeclBuffer
  kRealize,
  kThen,
  kElse,
  kWhile,
};

struct LoopSpec {
  PrimExpr var, min, extent;
  ForKind kind = ForKind::kSerial;
};

// The data collected for a block while it is open.
struct OpenBlock {
  using ExprList = absl::InlinedVector<PrimExpr, 8>;
  BlockInfo info;
  ExprList axis_domains;
  ExprList values;
  ExprList read_bounds, write_bounds, match_bounds;
  PrimExpr predicate;
  StmtId init;
  bool no_realize = false;
  bool has_reads = false, has_writes = false, has_attrs = false;
};

// A statement that is open or waits to be opened, with all of its parts but the body.
struct Frame {
  FrameKind kind = FrameKind::kFunction;
  SourceRange range;
  PrimExpr var;
  PrimExpr value;
  BufferId buffer;
  DataType dtype;
  StringId key;
  AttrNode node;
  ObjectId annotations;
  ConstantId data;
  IterVarId iter;
  // Extents or bounds.
  std::vector<PrimExpr> exprs;
  absl::InlinedVector<LoopSpec, 2> loops;
  std::unique_ptr<OpenBlock> block;
  // For kThen: the completed branch, once the else branch is open.
  StmtId then_case;
  // The value that `as`, or an assignment, gets.
  Value yields;
  // Set when it is opened: the statements that are finished in it, from here on in Reader::done_.
  size_t first_stmt = 0;
};

class Reader {
 public:
  Reader(const SourceText& source, Context& context, DiagnosticSink& sink, uint32_t begin);

  // Reads the whole text; returns nothing if something was reported as an error.
  auto Run() -> std::optional<ScriptModule>;

  // For the functions of the catalogue.
  auto context() -> Context& { return context_; }
  auto terms() -> Terms& { return terms_; }
  auto tables() -> Tables& { return tables_; }
  // Quicker than asking the context.
  auto Text(std::string_view text) -> StringId { return names_.id(names_.Find(text)); }
  // Out of line, so that functions which can fail stay small.
  template <typename... Args>
  [[gnu::cold, gnu::noinline]] auto Error(std::type_identity_t<KindFor<Args...>> kind, SourceRange range,
                                          const Args&... args) -> Value {
    Report(kind, range, args...);
    return Value::Error();
  }
  template <typename... Args>
  [[gnu::cold, gnu::noinline]] void Report(std::type_identity_t<KindFor<Args...>> kind, SourceRange range,
                                           const Args&... args) {
    sink_.Report(kind, range, args...);
  }

  // Sequences and their elements.
  auto Sequence(ValueKind kind, std::span<const Value> elements) -> Value;
  auto elements(const Value& sequence) const -> std::span<const Value>;
  // Returns the elements of a sequence, or the value itself. Valid until the next value is created.
  auto ElementsOrOne(const Value& value) const -> std::span<const Value>;
  // Returns a copy of these.
  auto ListOf(const Value& value) const -> ValueList {
    const std::span<const Value> all = ElementsOrOne(value);
    return {all.begin(), all.end()};
  }

  // Conversions. On failure each reports an error and returns none or nothing.
  enum class BoolAs : uint8_t { kInt32, kBool };
  auto ToExpr(const Value& value, BoolAs bools = BoolAs::kInt32) -> PrimExpr;
  auto ToExprs(const Value& value, std::vector<PrimExpr>& exprs, BoolAs bools = BoolAs::kInt32) -> bool;
  auto ToBool(const Value& value) -> PrimExpr { return ToExpr(value, BoolAs::kBool); }
  // Returns the condition of a statement: a truth value or an integer.
  auto ToCondition(const Value& value) -> PrimExpr;
  auto ToText(const Value& value) -> std::optional<StringId>;
  auto ToInt(const Value& value) -> std::optional<int64_t>;
  auto ToDType(const Value& value) -> std::optional<DataType>;
  // Returns a variable, an iteration variable, or a fresh variable of a type.
  auto ToVar(const Value& value) -> PrimExpr;
  // Returns a region: of a load, a region or a whole buffer.
  auto ToRegion(const Value& value) -> std::optional<RegionValue>;
  auto ToNode(const Value& value) -> std::optional<AttrNode>;
  // Returns a value of an attribute or annotation; none is the null object. A float literal, in all lanes, or invalid
  // if the type has no such number.
  auto FloatLiteral(DataType type, double value, SourceRange range) -> PrimExpr;
  // `depth` counts the lists and dicts around it, of which there may not be many.
  auto ToObject(const Value& value, int depth = 0) -> std::optional<ObjectId>;
  auto ObjectOfExpr(PrimExpr expr) -> ObjectId;
  auto ToAnnotations(const Value& value) -> std::optional<ObjectId>;

  // Checked building of expressions: none after a report.
  auto Operate(PrimKind kind, PrimExpr a, PrimExpr b, SourceRange range) -> PrimExpr;
  // Whether both operands of a division are integers; otherwise this has been reported.
  auto AreIntegers(PrimExpr a, PrimExpr b, SourceRange range) -> bool;
  auto Raw(PrimKind kind, PrimExpr a, PrimExpr b, SourceRange range) -> PrimExpr;
  auto Compare(PrimKind kind, const Value& a, const Value& b, SourceRange range) -> Value;
  auto Bitwise(arith::CallOpId op, PrimExpr a, PrimExpr b, SourceRange range) -> PrimExpr;
  auto CastTo(DataType type, PrimExpr value, SourceRange range) -> PrimExpr;
  auto Load(BufferId buffer, std::span<const PrimExpr> indices, SourceRange range) -> PrimExpr;
  auto LoadRegion(const RegionValue& region, SourceRange range) -> PrimExpr;
  auto Index(const Value& object, std::span<const Value> indices, SourceRange range) -> Value;
  // The same for indices that were checked.
  auto LoadAt(BufferId buffer, std::span<const PrimExpr> indices, SourceRange range) -> PrimExpr;
  // Returns the indices, checked, of a store or a load. They are valid until the next call.
  auto StoreIndices(BufferId buffer, std::span<const Value> indices, SourceRange range)
      -> std::optional<std::span<const PrimExpr>>;
  auto IsIndex(PrimExpr index, SourceRange range) -> bool;
  // Whether an extent, or the bound of a range, is an integer and not a vector. Reports it if not.
  auto IsExtent(PrimExpr extent, SourceRange range) -> bool;
  // Whether memory can have elements of the type. Reports it if not.
  auto IsElementType(DataType type, SourceRange range) -> bool;
  // Returns the type of so many elements; none, reported, if there is no vector of so many.
  auto VectorOf(DataType element, int lanes, SourceRange range) -> std::optional<DataType>;
  auto SliceIndex(const Value& slice, PrimExpr extent) -> PrimExpr;
  auto RegionOf(BufferId buffer, std::span<const Value> indices, SourceRange range) -> Value;
  auto MetadataClass(std::span<const Value> indices, SourceRange range) -> Value;
  auto MatchArms(PrimExpr& a, PrimExpr& b, SourceRange range) -> bool;
  auto Simplify(PrimExpr expr) -> PrimExpr;
  auto Difference(PrimExpr stop, PrimExpr start, SourceRange range) -> PrimExpr;
  auto IntrinsicType(const arith::IntrinsicRow& row, std::vector<PrimExpr>& exprs, std::optional<DataType> given,
                     SourceRange range) -> std::optional<DataType>;
  auto HasArity(const arith::IntrinsicRow& row, size_t count, SourceRange range) -> bool;
  auto CallIntrinsic(const arith::IntrinsicRow& row, std::span<const Value> args, std::optional<DataType> given,
                     SourceRange range) -> Value;

  auto DTypeText(PrimExpr expr) const -> std::string { return TypeText(terms_.dtype(expr)); }
  static auto TypeText(DataType dtype) -> std::string;

  auto CallBuiltin(const Builtin& row, std::span<const Value> args, std::span<const NameIndex> keywords,
                   SourceRange range) -> Value;

  // Frames.
  auto Pending(Frame&& frame) -> Value;
  auto frame(const Value& value) -> Frame& { return pending_[value.id()]; }
  void Open(Frame&& frame);
  void CloseTop();
  auto CloseBlock(Frame& frame, StmtId body) -> StmtId;
  auto BuildBlock(const OpenBlock& open, BlockInfo info, StmtId body) -> StmtId;
  void AddRegions(OpenBlock& open, const BlockAccesses& accesses, SourceRange range);
  void CloseTo(size_t depth);
  void Emit(StmtId stmt);
  // Accesses of the buffer count as those of the blocks that are closed while it is shown: of a parameter always, of a
  // block's own until the block is closed.
  void ShowBuffer(BufferId buffer);
  void HideBuffersOf(const BlockInfo& block);
  auto builder() -> StmtBuilder& { return *builder_; }
  auto frames() -> std::vector<Frame>& { return frames_; }
  // Returns the innermost frame if it is the function (or a block); null, with a report, otherwise.
  auto FunctionFrame(std::string_view what, SourceRange range) -> Frame*;
  auto BlockFrame(std::string_view what, SourceRange range) -> OpenBlock*;
  auto BlockAbove(std::string_view what, SourceRange range) -> OpenBlock*;

  // The function that is read.
  struct FunctionState {
    PrimFuncInfo info;
    bool is_private = false;
    // As TVM 0.27 marks programs of loops and blocks.
    bool is_s_tir = false;
    bool has_attrs = false;
    std::vector<BufferId> root_allocs;
    absl::flat_hash_map<StringId, PrimExpr> named_extents;
    // The parameters, and whether each has a buffer: derived from `info` where T.match_buffer first asks.
    absl::flat_hash_map<PrimExpr, bool> has_buffer;
    // Set when a block was built: the root needs to know.
    absl::flat_hash_map<PrimExpr, IterVarId> env_threads;
    absl::flat_hash_map<PrimExpr, PrimExpr> thread_extents;
  };
  auto function() -> FunctionState& { return function_; }
  // Whether the text is that of TVM 0.27 (it imports tirx, or marks its functions as that does): T.alloc_buffer then
  // allocates at that position and not in the block around it, and names may be those of scalars (scalars.cpp).
  auto speaks_tirx() const -> bool { return imports_tirx_ || function_.is_s_tir; }
  auto module_attrs() -> std::vector<DictAttr>& { return module_attrs_; }
  auto regions() -> std::vector<RegionValue>& { return regions_; }
  // Returns the targets that were created from literals, by the literals' keys (LiteralKey).
  auto targets() -> absl::flat_hash_map<std::vector<int64_t>, ObjectId>& { return targets_; }
  // Returns a key that is equal for literals with the same text, also in sequences; returns nothing for other values.
  auto LiteralKey(const Value& value) const -> std::optional<std::vector<int64_t>>;
  // Returns the message of an assertion, or nothing after an error was reported.
  auto AssertMessage(const Value& value) -> std::optional<StringId>;
  auto QuotedExtent(const Value& value) -> PrimExpr;
  // Whether the variable can have the value, which is given its type if the text does not have it.
  auto CheckLet(PrimExpr var, PrimExpr& value, SourceRange range) -> bool;
  // Adds a store, with a cast of the value where that is allowed, or reports an error.
  void StoreTo(BufferId buffer, PrimExpr value, std::span<const PrimExpr> indices, SourceRange range);
  auto ReducerFrom(const Value& lambda, std::span<const Value> identity, SourceRange range) -> Value;
  auto IndexMapFrom(const Value& lambda, SourceRange range) -> Value;
  void Rename(PrimExpr var, StringId name) { terms_.Rename(var, name); }

 private:
  // Reading stops after this number of errors.
  static constexpr size_t kMaxErrors = 100;

  // An operator on the stack of operators.
  struct PendingOp {
    int op;
    int precedence;
    bool unary;
    uint32_t begin;
  };

  // An open bracket, or the expression as a whole.
  struct Group {
    enum class Kind : uint8_t { kTop, kParen, kList, kDict, kCall, kIndex };
    Kind kind;
    bool has_comma = false;
    // kIndex: colons seen in the current element; kDict: whether the key was read.
    uint8_t colons = 0;
    // An element has begun.
    bool has_operand = false;
    uint32_t begin;
    // The size of the stacks below it.
    uint32_t ops_base;
    uint32_t values_base;
    uint32_t keywords_base;
    // The current element has a star: its elements take its place.
    bool starred = false;
  };
  struct Suite;

  // Expressions (expressions.cpp).
  auto ParseExpr(bool tuples = false, bool targets = false) -> Value;
  enum class Parsed : uint8_t {
    kError,
    kOperandNext,   // an operand must follow
    kOperatorNext,  // a value was finished
    kEnd,
  };
  auto ParseOperand() -> Parsed;
  auto ParseName(const Token& token) -> Parsed;
  auto ParseKeyword(const Token& token) -> Parsed;
  auto ParseOperator(size_t top, bool tuples, bool targets) -> Parsed;
  auto ParseAttribute(uint32_t begin) -> bool;
  auto MayFollowOperand(TokenKind token, bool in_brackets) -> bool;
  auto EndsElement(bool tuples) -> bool;
  void PushGroup(Group::Kind kind, uint32_t begin) {
    const auto size = [](const auto& stack) { return static_cast<uint32_t>(stack.size()); };
    groups_.push_back({kind, false, 0, false, begin, size(ops_), size(stack_), size(keywords_)});
  }
  void OpenGroup(Group::Kind kind, uint32_t begin) {
    PushGroup(kind, begin);
    lexer_.Next();
  }
  // The sizes of the stacks. A nested evaluation works above these, and leaves the elements below unchanged.
  struct Stacks {
    PlainStack<Value> values;
    PlainStack<NameIndex> keywords;
  };
  auto SetAside() -> Stacks { return {std::exchange(stack_, {}), std::exchange(keywords_, {})}; }
  void Restore(Stacks stacks) {
    stack_ = std::move(stacks.values);
    keywords_ = std::move(stacks.keywords);
  }
  // The operand on top of the stack begins at an offset, and ends where the token before the current one ended.
  void EndOperand(uint32_t begin) {
    stack_.back().range = {begin, lexer_.last_end()};
    groups_.back().has_operand = true;
  }
  void PushOperand(const Value& value, uint32_t begin) {
    stack_.push_back(value);
    EndOperand(begin);
  }
  void ReduceTo(size_t ops_base, int precedence);
  // Most elements of brackets are one value.
  auto EndElement() -> bool {
    Group& group = groups_.back();
    const bool is_value = group.has_operand && group.colons == 0 && !group.starred && group.kind != Group::Kind::kDict;
    if (!is_value) return FinishElement();
    group.has_operand = false;
    return true;
  }
  auto FinishElement() -> bool;
  auto SpreadElement() -> bool;
  auto CloseGroup(bool targets, size_t top) -> bool;
  auto CloseIndex(const Group& group, std::span<const Value> indices, bool may_be_target) -> Value;
  auto ParseNumber(const Token& token) -> Value;
  auto ParseString() -> Value;
  auto LookUpUnbound(const Token& token) -> Value;
  auto Attribute(const Value& object, const Token& token) -> Value;
  auto NamespaceAttribute(Namespace space, const Token& token) -> Value;
  // Returns what `T.name` was when it was looked up before: that is the same in the whole text. Null for others.
  auto KnownAttribute(Namespace space, const Token& token) const -> const Value* {
    const bool was_seen = space == Namespace::kT && token.kind == TokenKind::kName && token.name < t_attributes_.size();
    return was_seen && !t_attributes_[token.name].is_error() ? &t_attributes_[token.name] : nullptr;
  }
  auto MetadataObject(const Value& type_key, std::span<const Value> indices, SourceRange range) -> Value;
  auto Call(const Value& callee, std::span<const Value> args, std::span<const NameIndex> keywords, SourceRange range)
      -> Value;
  auto View(BufferId of, std::span<const Value> shape, SourceRange range) -> Value;
  auto CallMethod(const Value& method, std::span<const Value> args, std::span<const NameIndex> keywords,
                  SourceRange range) -> Value;
  auto CallDType(const Value& callee, std::span<const Value> args, std::span<const NameIndex> keywords,
                 SourceRange range) -> Value;
  auto SkipLambda() -> Value;
  auto EvaluateLambda(const Value& lambda, std::span<const PrimExpr> params, SourceRange range) -> Value;
  auto Unary(int op, const Value& a, SourceRange range) -> Value;
  auto Binary(int op, const Value& a, const Value& b, SourceRange range) -> Value;
  // Arithmetic on values that only Python sees (python_arithmetic.cpp).
  auto PythonBinary(int op, const Value& a, const Value& b, SourceRange range) -> Value;
  auto PythonFloats(const OpRow& row, const Value& a, const Value& b, SourceRange range) -> Value;
  auto PythonInts(const OpRow& row, const Value& a, const Value& b, SourceRange range) -> Value;
  auto Logical(bool is_and, const Value& a, const Value& b, SourceRange range) -> Value;

  // Files and functions (functions.cpp), statements (statements.cpp, simple_statements.cpp).
  void ReadFile();
  void ReadClass();
  void ReadFunction();
  auto ReadDecorators(FunctionState& function, std::string& which) -> bool;
  auto ReadParams() -> bool;
  auto HeaderExtent(const Token& token) -> PrimExpr;
  auto EvaluateAside(uint32_t begin, uint32_t end, Token& after) -> Value;
  auto DeclaredBelow(const Token& token) -> Value;
  auto IsAllocatedBelow(const Token& token) -> bool;
  auto ReadViewsOf(NameIndex data) -> bool;
  void FindDeclarationsBelow();
  auto DTypeDeclaredFor(std::string_view name) const -> std::optional<DataType>;
  auto NamedExtentOr(const Token& name, PrimExpr made) -> PrimExpr;
  void ReadBody();
  auto ReadStatement() -> bool;
  auto ReadFor() -> bool;
  auto ReadWith() -> bool;
  auto ReadIf() -> bool;
  auto ReadElse() -> bool;
  auto ReadWhile() -> bool;
  auto ReadAssert() -> bool;
  auto ReadSimple() -> bool;
  auto ReadAugmented(const Token& first, const Value& target) -> bool;
  auto ReadMemoryOf(const Value& target) -> bool;
  auto ReadElementAssignment(const Token& first, const Value& target) -> bool;
  auto ReadAssignment(std::span<const Token> targets) -> bool;
  auto ReadAnnotated(const Token& target) -> bool;

  // Variables of TVM 0.27 that change (scalars.cpp).
  auto IsScalar(const Value& value) const -> bool;
  auto LoadScalar(const Value& scalar) -> PrimExpr;
  auto AssignScalar(const Token& target, const Value& value) -> std::optional<bool>;
  auto ReadScalar(const Token& target, DataType dtype) -> bool;
  auto BindScalar(const Token& target, DataType dtype) -> bool;
  auto ExpressionStatement(const Value& value) -> bool;
  auto Store(const Value& target, const Value& value, SourceRange range) -> bool;
  using Targets = absl::InlinedVector<Token, 8>;
  // `starred`, when not null, gets the position of the target with a star, if there is one.
  auto ReadTargets(Targets& targets, std::optional<size_t>* starred = nullptr) -> bool;
  auto BeginSuite() -> bool;
  void EndSuite();
  void FinishFunction(const Token& name);
  auto RootBlock(StmtId body) -> StmtId;
  void ReadDefinition();
  void DeclareFunctions();
  auto Expect(TokenKind kind) -> bool;
  auto EndOfLine() -> bool;

  // Names (binding.cpp).
  struct Binding {
    // Of a name that is not bound: the namespace that it is, once that was looked up.
    Value value;
    uint32_t depth = 0;
    bool bound = false;
  };
  struct Undo {
    NameIndex name;
    Binding before;
    // The variable that the name was the first to denote, if any. Later names of it are unbound before.
    PrimExpr denotes;
  };
  auto binding(NameIndex name) -> Binding& {
    if (name >= bindings_.size()) bindings_.resize(names_.size() + 64);
    return bindings_[name];
  }
  auto BindName(const Token& name, const Value& value) -> bool;
  void BindPoison(std::span<const Token> names);
  void PushScope() { scopes_.push_back(undo_.size()); }
  void PopScope();
  auto IsDenoted(PrimExpr var) const -> bool { return denoted_.Contains(var); }
  auto Assign(const Token& target, const Value& value) -> bool;
  void NameBuffer(BufferId buffer, StringId name);
  auto NameLoopTargets(std::span<const Token> targets, std::optional<size_t> starred, const Frame& frame) -> bool;

  const SourceText& source_;
  Context& context_;
  Terms& terms_;
  Tables& tables_;
  DiagnosticSink& sink_;
  NameTable names_;
  Lexer lexer_;
  uint32_t begin_;
  bool imports_tirx_ = false;
  // Whether an extent in quotes is read.
  bool in_quotes_ = false;
  // While the range of a loop is read: the loop, and the declarations at the top of its body that the range has used.
  struct Declaration {
    // The beginning of its right-hand side.
    uint32_t begin;
    uint32_t end;
    bool is_read = false;
    Value value;
  };
  struct LoopHeader {
    uint32_t begin = 0;
    bool is_scanned = false;
    absl::flat_hash_map<NameIndex, Declaration> declarations;
    // While one of the declarations is read: `missing` is another one that must be read first.
    bool reads = false;
    NameIndex missing = UINT32_MAX;
  };
  // While the value of a definition outside of the functions is read, which may use constants only.
  bool is_outside_ = false;
  std::optional<LoopHeader> loop_header_;
  // Declarations of buffers above the allocation of their memory (early_views.cpp).
  struct EarlyViews {
    // While the right side of one may be read; then the memory for which it has to wait.
    bool may_wait = false;
    NameIndex awaited = UINT32_MAX;
    struct View {
      Token target;
      // The tokens of its right side.
      uint32_t begin;
      uint32_t end;
    };
    // By the name of the memory.
    absl::flat_hash_map<NameIndex, std::vector<View>> waiting;
    // The allocations in the lines up to `lines_end`.
    absl::flat_hash_set<NameIndex> allocated;
    uint32_t lines_end = 0;
  };
  EarlyViews early_views_;
  // Declarations that were read before their turn, by where their right sides begin.
  absl::flat_hash_map<uint32_t, Value> early_values_;

  // Values.
  ValueTable values_;
  // How many elements stars have given.
  size_t spread_ = 0;
  std::vector<RegionValue> regions_;
  std::vector<Lexer::Mark> lambdas_;
  std::vector<Frame> pending_;
  // Those that StoreIndices returns.
  PlainStack<PrimExpr> indices_;
  PlainStack<Value> stack_;
  PlainStack<PendingOp> ops_;
  PlainStack<Group> groups_;
  // For each argument of the open calls that have named ones, the name or UINT32_MAX.
  PlainStack<NameIndex> keywords_;

  // Names.
  std::vector<Binding> bindings_;
  std::vector<Undo> undo_;
  std::vector<size_t> scopes_;
  // The variables that have names.
  IdSet<PrimExpr> denoted_;
  // The values of `T.name` by name; kError for names that were not looked up yet.
  std::vector<Value> t_attributes_;

  // The function that is read.
  std::optional<StmtBuilder> builder_;
  std::vector<Frame> frames_;
  std::vector<StmtId> done_;
  std::vector<Suite> suites_;
  FunctionState function_;
  bool has_blocks_ = false;
  BuffersByData visible_buffers_;
  // The last block that is in no other and has detected regions: with them, and without.
  struct OuterBlock {
    StmtId made;
    StmtId as_declared;
  };
  OuterBlock outer_block_;
  // Whether EndOfLine found the end of a line, and no semicolon.
  bool line_ended_ = false;

  // The module.
  NameIndex class_name_ = UINT32_MAX;
  struct DeclaredFunction {
    VarType ret_type;
  };
  absl::flat_hash_map<StringId, DeclaredFunction> declared_;
  std::vector<DictAttr> module_attrs_;
  std::vector<ScriptFunction> functions_;
  absl::flat_hash_set<StringId> defined_;
  absl::flat_hash_map<std::string, ObjectId> metadata_;
  absl::flat_hash_map<std::vector<int64_t>, ObjectId> targets_;
};

// An open block of statements.
struct Reader::Suite {
  enum class Kind : uint8_t { kFunction, kFor, kWith, kThen, kElse, kWhile };
  Kind kind;
  bool single_line = false;
  // For `elif`: closing the branch also closes the else branch around it.
  uint32_t elifs = 0;
  // The frames that were open before it.
  size_t frames = 0;
};

}  // namespace relayopt::tir
