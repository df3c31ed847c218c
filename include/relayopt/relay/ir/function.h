// Function: a table of expression nodes in post-order, in which operands have smaller ids than their users.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ops/op_instance.h"
#include "relayopt/support/id_range.h"
#include "relayopt/support/source.h"

namespace relayopt {

// The kinds of expressions, with the order of their operands.
enum class ExprKind : uint8_t {
  kVar,           // a bound or free variable; the node is its identity
  kGlobal,        // `@name`
  kConstructor,   // a constructor as a value or callee
  kOp,            // an operator as a value
  kConstant,      // a constant tensor
  kTuple,         // operands: the fields
  kTupleGetItem,  // operands: the tuple
  kOpCall,        // call of an operator; operands: the arguments
  kCall,          // any other call; operands: callee, arguments
  kFunction,      // operands: parameters (kVar), body
  kLet,           // a chain; operands: variable 0, value 0, variable 1, value 1, ..., result
  kIf,            // operands: condition, then, else
  kMatch,         // operands: data, then for each clause the variables its pattern binds and the right-hand side
  kRefCreate,     // operands: the content
  kRefRead,       // operands: the reference
  kRefWrite,      // operands: reference, value
};

// The information about a variable that is not in its node.
struct VarInfo {
  // The name hint. It may be empty, and several variables may share it.
  StringId name;
  // The type annotation; invalid if there is none.
  TypeId annotation;
  // The virtual device; invalid if it is unconstrained.
  ObjectId virtual_device;
};

using FunctionAttr = DictAttr;

// The information about a function that is not in its node, besides parameters and body.
struct FunctionInfo {
  // The annotated result type; invalid if there is none.
  TypeId result;
  std::vector<TypeId> type_params;
  // The attributes, in the order in which they print.
  std::vector<FunctionAttr> attrs;
  ObjectId virtual_device;
};

// The kinds of patterns in a match.
enum class PatternKind : uint8_t { kWildcard, kVar, kConstructor, kTuple };

// A pattern, or a part of one, in a match.
struct Pattern {
  PatternKind kind = PatternKind::kWildcard;
  // The constructor, for kConstructor.
  CtorId ctor;
  // For kVar: the position of the variable among the operands of the match.
  uint32_t operand = 0;
  // For kConstructor and kTuple: the subpatterns, as a range of MatchInfo::children.
  uint32_t first_child = 0;
  uint32_t num_children = 0;
};

// A clause of a match: a pattern, and where its variables and its right-hand side are among the operands.
struct MatchClause {
  // The index of the root pattern in MatchInfo::patterns.
  uint32_t pattern = 0;
  // The operands [first_operand, rhs) of the match are the variables, operand `rhs` is the right-hand side.
  uint32_t first_operand = 0;
  uint32_t rhs = 0;
};

// The clauses of a match. Patterns refer to variables by operand position, so the record stays valid when operands are
// renumbered.
struct MatchInfo {
  // Whether the match must be exhaustive: `match`, not `match?`.
  bool complete = true;
  std::vector<MatchClause> clauses;
  std::vector<Pattern> patterns;
  // Subpatterns: indices into `patterns`.
  std::vector<uint32_t> children;
};

// One expression. It has 16 bytes, because passes stream over millions of them; what is not needed to walk the graph
// (names, source ranges, annotations) is in side tables.
struct ExprNode {
  static constexpr uint32_t kCountBits = 27;
  static constexpr uint32_t kMaxCount = (uint32_t{1} << kCountBits) - 1;

  uint32_t kind_and_count = 0;
  // The inferred type; invalid if there is none.
  TypeId type;
  uint32_t payload = 0;
  // The position of the first operand in the pool.
  uint32_t first_operand = 0;

  auto kind() const -> ExprKind { return static_cast<ExprKind>(kind_and_count >> kCountBits); }
  auto count() const -> uint32_t { return kind_and_count & kMaxCount; }
};
static_assert(sizeof(ExprNode) == 16);

// Where an expression came from; provenance.h says what an origin is.
using OriginId = Id<struct OriginTag>;

// The kind of Relay's functions.
inline constexpr FunctionKind kRelayFunctions = {.name = "relay", .pass_level = "function"};

// A global function with everything inside it. The root is a kFunction node; closures are further kFunction nodes.
// Sharing has a meaning: an expression used twice is one node with two users. Functions are built by FunctionBuilder;
// afterwards only types and annotations are filled in.
class Function final : public GlobalFunction {
 public:
  static constexpr const FunctionKind& kFunctionKind = kRelayFunctions;

  explicit Function(Context& context)
      : GlobalFunction(kFunctionKind), context_(&context), op_instances_(&context.Part<OpInstances>()) {}

  auto context() const -> Context& { return *context_; }
  auto size() const -> size_t { return nodes_.size(); }
  // Returns all expressions, operands before their users; reversed, users before their operands.
  auto ids() const -> IdRange<ExprId> { return IdRange<ExprId>(nodes_.size()); }
  // Returns the expressions up to the root. Those after it are not part of the function.
  auto ids_to_root() const -> IdRange<ExprId> { return IdRange<ExprId>(root_.value() + 1); }
  auto ids_below_root() const -> IdRange<ExprId> { return IdRange<ExprId>(root_.value()); }
  // Returns the kFunction node of the function itself; the last node once the table is laid out.
  auto root() const -> ExprId { return root_; }
  auto params() const -> std::span<const ExprId> { return params(root_); }
  auto body() const -> ExprId { return body(root_); }
  auto info() const -> const FunctionInfo& { return info(root_); }

  // Accessors of nodes.
  auto kind(ExprId id) const -> ExprKind { return nodes_[id.value()].kind(); }
  auto type(ExprId id) const -> TypeId { return nodes_[id.value()].type; }
  auto operands(ExprId id) const -> std::span<const ExprId> {
    const ExprNode& node = nodes_[id.value()];
    return {operands_.data() + node.first_operand, node.count()};
  }
  auto operand(ExprId id, size_t i) const -> ExprId { return operands(id)[i]; }

  // Payloads. Each accessor is only for the kinds that it names.
  auto var(ExprId id) const -> const VarInfo& { return vars_[payload(id)]; }           // kVar
  auto global(ExprId id) const -> GlobalId { return GlobalId(payload(id)); }           // kGlobal
  auto constructor(ExprId id) const -> CtorId { return CtorId(payload(id)); }          // kConstructor
  auto constant_id(ExprId id) const -> ConstantId { return ConstantId(payload(id)); }  // kConstant
  auto constant(ExprId id) const -> const Constant& { return context_->constant(constant_id(id)); }
  auto index(ExprId id) const -> uint32_t { return payload(id); }                          // kTupleGetItem
  auto op_instance(ExprId id) const -> OpInstanceId { return OpInstanceId(payload(id)); }  // kOp, kOpCall
  auto instance(ExprId id) const -> const OpInstance& { return (*op_instances_)[op_instance(id)]; }
  auto op(ExprId id) const -> const OpDef* { return instance(id).op; }
  // Returns the attributes of a kOpCall or kCall, or invalid if it has none.
  auto attrs(ExprId id) const -> AttrsId {
    return kind(id) == ExprKind::kCall ? AttrsId(payload(id)) : instance(id).attrs;
  }
  auto info(ExprId id) const -> const FunctionInfo& { return functions_[payload(id)]; }  // kFunction
  auto match(ExprId id) const -> const MatchInfo& { return matches_[payload(id)]; }      // kMatch
  auto payload(ExprId id) const -> uint32_t { return nodes_[id.value()].payload; }

  // Returns the parts of a kFunction node.
  auto params(ExprId id) const -> std::span<const ExprId> {
    const auto all = operands(id);
    return all.first(all.size() - 1);
  }
  auto body(ExprId id) const -> ExprId { return operands(id).back(); }

  // Returns the parts of a kLet node.
  auto let_size(ExprId id) const -> size_t { return operands(id).size() / 2; }
  auto let_var(ExprId id, size_t i) const -> ExprId { return operand(id, 2 * i); }
  auto let_value(ExprId id, size_t i) const -> ExprId { return operand(id, 2 * i + 1); }
  auto let_result(ExprId id) const -> ExprId { return operands(id).back(); }

  // Returns the range of the expression in the source text, or invalid if unknown.
  auto range(ExprId id) const -> SourceRange {
    return id.value() < ranges_.size() ? ranges_[id.value()] : SourceRange();
  }
  // Returns the span of the expression in the original model (a span comment), or invalid if unknown.
  auto span(ExprId id) const -> SpanId { return id.value() < spans_.size() ? spans_[id.value()] : SpanId(); }

  // Returns where the expression came from, or invalid if unknown or not tracked (provenance.h).
  auto origin(ExprId id) const -> OriginId { return id.value() < origins_.size() ? origins_[id.value()] : OriginId(); }
  auto tracks_origins() const -> bool { return !origins_.empty(); }

  // Returns the attribute `key` of a kFunction node as an integer, or 0 if it is missing or not an integer.
  auto IntAttr(ExprId id, std::string_view key) const -> int64_t;
  // Returns the attribute `key` of a kFunction node as a string object, or invalid if it is missing or not a string.
  auto StringAttr(ExprId id, std::string_view key) const -> StringId;
  auto FindAttr(ExprId id, std::string_view key) const -> ObjectId;

  // Setters, for type inference.
  void set_type(ExprId id, TypeId type) { nodes_[id.value()].type = type; }
  void set_annotation(ExprId var, TypeId type) { vars_[payload(var)].annotation = type; }
  void set_result(ExprId function, TypeId type) { functions_[payload(function)].result = type; }
  auto mutable_info(ExprId function) -> FunctionInfo& { return functions_[payload(function)]; }

  void set_origins(std::vector<OriginId> origins) { origins_ = std::move(origins); }

 private:
  friend class FunctionBuilder;

  Context* context_;
  const OpInstances* op_instances_;
  ExprId root_;
  std::vector<ExprNode> nodes_;
  std::vector<ExprId> operands_;
  std::vector<VarInfo> vars_;
  std::vector<FunctionInfo> functions_;
  std::vector<MatchInfo> matches_;
  // May be shorter than the table: the expressions after its end have no range.
  std::vector<SourceRange> ranges_;
  std::vector<SpanId> spans_;
  // Empty unless origins are tracked.
  std::vector<OriginId> origins_;
};

using FunctionRef = std::shared_ptr<const Function>;

// An expression as a value: a function and an id in it.
class Expr {
 public:
  Expr(const Function& function, ExprId id) : function_(&function), id_(id) {}

  auto function() const -> const Function& { return *function_; }
  auto id() const -> ExprId { return id_; }
  auto kind() const -> ExprKind { return function_->kind(id_); }
  auto type() const -> TypeId { return function_->type(id_); }
  auto num_operands() const -> size_t { return function_->operands(id_).size(); }
  auto operand(size_t i) const -> Expr { return {*function_, function_->operand(id_, i)}; }
  auto is(ExprKind kind) const -> bool { return this->kind() == kind; }
  // Whether this is a call of `op`.
  auto is_call_of(const OpDef* op) const -> bool { return is(ExprKind::kOpCall) && function_->op(id_) == op; }
  // Returns the attributes as a record of A, or null if there are none, or when they are of another class.
  template <typename A>
  auto attrs() const -> const A* {
    return function_->context().template As<A>(function_->attrs(id_));
  }
  friend auto operator==(const Expr& a, const Expr& b) -> bool { return a.function_ == b.function_ && a.id_ == b.id_; }

 private:
  const Function* function_;
  ExprId id_;
};

// Builds a function, operands before users.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(Context& context) : function_(context) {}

  auto context() const -> Context& { return function_.context(); }
  // Returns the function built so far.
  auto function() const -> const Function& { return function_; }
  // Reserves memory for a function of the size of `from`.
  void ReserveLike(const Function& from);

  auto Var(const VarInfo& info) -> ExprId;
  auto Global(GlobalId global) -> ExprId { return Add(ExprKind::kGlobal, global.value(), {}); }
  auto Constructor(CtorId ctor) -> ExprId { return Add(ExprKind::kConstructor, ctor.value(), {}); }
  auto Op(OpInstanceId op) -> ExprId { return Add(ExprKind::kOp, op.value(), {}); }
  auto Constant(ConstantId constant) -> ExprId { return Add(ExprKind::kConstant, constant.value(), {}); }
  auto Tuple(std::span<const ExprId> fields) -> ExprId { return Add(ExprKind::kTuple, 0, fields); }
  auto TupleGetItem(ExprId tuple, uint32_t index) -> ExprId { return Add(ExprKind::kTupleGetItem, index, {&tuple, 1}); }
  auto OpCall(OpInstanceId op, std::span<const ExprId> args) -> ExprId {
    return Add(ExprKind::kOpCall, op.value(), args);
  }
  auto Call(ExprId callee, std::span<const ExprId> args, AttrsId attrs = {}) -> ExprId;
  auto Lambda(FunctionInfo info, std::span<const ExprId> params, ExprId body) -> ExprId;
  // Returns a let chain; `steps` alternates variables and values.
  auto Let(std::span<const ExprId> steps, ExprId result) -> ExprId;
  auto If(ExprId condition, ExprId then_value, ExprId else_value) -> ExprId;
  // Returns a match; `operands` are in the order that ExprKind::kMatch describes.
  auto Match(MatchInfo info, std::span<const ExprId> operands) -> ExprId;
  auto RefCreate(ExprId value) -> ExprId { return Add(ExprKind::kRefCreate, 0, {&value, 1}); }
  auto RefRead(ExprId ref) -> ExprId { return Add(ExprKind::kRefRead, 0, {&ref, 1}); }
  auto RefWrite(ExprId ref, ExprId value) -> ExprId;

  // Copies a node of `from` with other operands. Type, range, span and origin are copied, too.
  auto Copy(const Function& from, ExprId id, std::span<const ExprId> operands) -> ExprId;

  void SetType(ExprId id, TypeId type) { function_.set_type(id, type); }
  void SetRange(ExprId id, SourceRange range);
  void SetSpan(ExprId id, SpanId span);

  // Expressions that are added from now on, copies excepted, are made in place of expression `id` of `from`.
  // `Rebuild` calls this; does nothing if the origins of `from` are not tracked.
  void Replace(const Function& from, ExprId id) {
    if (from.tracks_origins()) replaced_ = MadeFrom(from.origin(id));
  }
  // The same for several expressions at once.
  void Replace(const Function& from, std::span<const ExprId> ids);
  // Whether the expression was added and not copied. Only while origins are tracked.
  auto IsMade(ExprId id) const -> bool { return (function_.origin(id).value() & kMade) != 0 && function_.origin(id); }
  // Adds an origin to those of an expression.
  void AddOrigin(ExprId id, OriginId origin);

  // Ends building; `root` is the kFunction node of the whole function.
  auto Finish(ExprId root) -> Function;

 private:
  // Until Finish, the origin of an expression that was added is that of the replaced one (0 if it has none) with this
  // bit.
  static constexpr uint32_t kMade = 1U << 31;

  static auto MadeFrom(OriginId origin) -> OriginId { return OriginId((origin ? origin.value() : 0) | kMade); }
  auto Add(ExprKind kind, uint32_t payload, std::span<const ExprId> operands) -> ExprId;
  void SettleOrigins();

  Function function_;
  // The origin of expressions that are added; invalid if origins are not tracked.
  OriginId replaced_;
};

// Lays a function out again: keeps only what the root reaches, in TVM's post-order (callee and arguments
// left to right; condition, then, else; variable, value, next step, result; parameters, body; data, then clauses). A
// let chain whose result is another chain without other users is joined with it.
auto Relayout(Function function) -> Function;

}  // namespace relayopt
