// The parser of functions: headers, and expressions of any depth with an explicit stack.
//
// Two steps alternate. `Start` reads the first token of an expression: a leaf gives a value at once, anything else
// opens a frame. `Continue` has a value and looks at what follows it: a call, a projection or an operator takes it as
// an operand; otherwise it is handed to the innermost frame, which knows what must come next.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "attributes.h"
#include "lib/relay/text/printer/names.h"
#include "op_calls.h"
#include "parsing.h"
#include "types.h"

namespace relayopt {

class FunctionParser {
 public:
  FunctionParser(Parsing& parsing, TypeParser& types)
      : parsing_(parsing),
        lexer_(parsing.lexer),
        types_(types),
        attrs_(parsing),
        calls_(parsing, attrs_),
        names_(parsing) {}

  // Reads what follows the name of a global function that starts at `begin`. Null after errors; the lexer then stands
  // where the next definition may start.
  auto Read(uint32_t begin) -> FunctionRef;

  // Takes the current token, a kGlobal, and names the global.
  auto ReadGlobalName() -> GlobalId;
  // From now on an identifier of this name means the constructor.
  void AddConstructor(std::string_view name, CtorId ctor) { ctors_.emplace(name, ctor); }
  // Passes over tokens up to the next definition or the end of the text.
  void SkipToDefinition();
  // Where each global was first mentioned in an expression; see ReportUndefined.
  auto mentions() const -> const std::vector<SourceRange>& { return mentions_; }

 private:
  enum class FrameKind : uint8_t {
    kOperator,  // left operand in `parts_`; `a` is the operator
    kParen,     // grouping or tuple
    kCall,      // arguments in `parts_`; `a` is the callee
    kLet,       // variables and values in `parts_`; `a` is the symbol of the variable whose value is read
    kBind,      // `a`, `b` are the number, `begin` is the start of the value
    kBlock,
    kIf,        // condition and first branch in `parts_`
    kFunction,  // parameters in `parts_`, the rest in `headers_`
    kMatch,     // operands in `parts_`, patterns in `matches_`
    kRef,       // `a` is the kind of the expression
    kDetour,    // reads the value of a graph variable of an earlier function; `begin` is where to go on afterwards
  };
  // What a frame waits for.
  enum class State : uint8_t { kFirst, kValue, kBody, kThen, kElse };

  struct Frame {
    FrameKind kind;
    State state = State::kFirst;
    // A list has had its first comma; from then on commas may be missing.
    bool comma = false;
    // kLet: is itself the value of a let or of a graph variable, so that a semicolon after its result ends it.
    bool in_value = false;
    uint32_t begin = 0;
    uint32_t base = 0;
    // To be left with the frame.
    LocalNames::Scope scope;
    uint32_t a = 0;
    uint32_t b = 0;
  };
  static_assert(sizeof(Frame) == 28, "a million open calls should cost little");

  // A completed operand.
  struct Value {
    enum class Kind : uint8_t {
      kExpr,
      kOp,       // `id` is an index of calls_
      kCtor,     // `id` is a CtorId
      kUnknown,  // its error was reported
    };
    Kind kind = Kind::kExpr;
    // An argument list may follow.
    bool callable = true;
    uint32_t id = 0;
    uint32_t begin = 0;
  };

  struct Header {
    FunctionInfo info;
    size_t type_vars = 0;
  };

  // functions.cpp
  void Run();
  void Recover();
  auto SkipToRecovery() -> bool;
  auto AcceptsSemicolon(const Frame& frame) const -> bool;
  auto AcceptsBrace(const Frame& frame) const -> bool;
  auto AtDefinition() const -> bool;
  // Whether the current token begins a line and may begin a step or a result: where a semicolon is missing before it,
  // reading goes on.
  auto AtNextLine() const -> bool;
  auto Open(FrameKind kind, uint32_t begin) -> Frame&;
  void Close();
  auto StartFunction(uint32_t begin) -> bool;
  auto ReadHeader(Header& header) -> bool;
  auto ReadParam() -> bool;
  auto ReadHeaderAttrs(Header& header) -> bool;
  auto ReadVirtualDevice(ObjectId& device) -> bool;
  // Reads `%name {...}: type` at the current token.
  auto ReadDeclaration(std::string_view& name, ExprId& var) -> bool;
  auto FinishFunction() -> bool;
  auto Complete(ExprId root) -> FunctionRef;

  // operands.cpp
  auto Start() -> bool;
  auto StartLiteral() -> bool;
  // Nothing where the token names no constructor.
  auto StartConstructor() -> std::optional<bool>;
  auto StartNumber() -> bool;
  auto StartBool() -> bool;
  auto StartName() -> bool;
  auto StartLocal() -> bool;
  auto StartGraph() -> bool;
  auto StartDetour(uint64_t number, const GraphNames::Definition& definition) -> bool;
  auto StartGlobal() -> bool;
  auto StartMeta() -> bool;
  auto StartParen() -> bool;
  auto StartLet() -> bool;
  auto StartIf() -> bool;
  auto StartMatch() -> bool;
  auto StartRef(ExprKind kind) -> bool;
  auto ReadFreeVar() -> bool;

  // continuations.cpp
  auto Continue() -> bool;
  auto Deliver() -> bool;
  auto ContinueOperator() -> bool;
  void Reduce();
  auto Project() -> bool;
  auto DeliverToParen() -> bool;
  auto DeliverToCall() -> bool;
  auto DeliverToLet() -> bool;
  auto DeliverToBind() -> bool;
  auto DeliverToDetour() -> bool;
  auto DeliverToBlock() -> bool;
  auto DeliverToIf() -> bool;
  auto DeliverToMatch() -> bool;
  auto DeliverToRef() -> bool;
  auto StartSequence() -> bool;
  auto StartCall() -> bool;
  auto StartArgument() -> bool;
  auto FinishCall(std::optional<uint32_t> attrs) -> bool;
  auto CanStartOperand() const -> bool;

  // patterns.cpp
  struct PatternFrame {
    uint32_t pattern;
    uint32_t base;
    bool comma;
  };
  auto ReadClause() -> bool;
  auto ReadPattern(MatchInfo& info) -> std::optional<uint32_t>;
  // True when the pattern is complete, false when it opened a list; nothing on an error.
  auto StartPattern(MatchInfo& info) -> std::optional<bool>;
  auto ContinuePattern(MatchInfo& info) -> std::optional<bool>;

  // A new expression is complete, from `begin` up to the token before the current one.
  auto Give(ExprId id, uint32_t begin) -> bool;
  // An expression that exists already.
  auto Give(Value value) -> bool {
    value_ = value;
    need_operand_ = false;
    return true;
  }
  auto GiveUnknown(uint32_t begin) -> bool { return Give({Value::Kind::kUnknown, true, 0, begin}); }
  // The value as an expression.
  auto ValueExpr() -> ExprId;
  // Operators, globals, constructors and constants of the metadata section are one node a function.
  auto Leaf(ExprKind kind, uint32_t id, uint32_t begin) -> ExprId;
  void Push(ExprId part);
  auto Parts(const Frame& frame) const -> std::span<const ExprId> { return std::span(parts_).subspan(frame.base); }
  auto NeedOperand() -> bool {
    need_operand_ = true;
    return true;
  }

  Parsing& parsing_;
  Lexer& lexer_;
  TypeParser& types_;
  AttrParser attrs_;
  OpCalls calls_;
  LocalNames names_;
  GraphNames graph_names_;
  absl::flat_hash_map<std::string_view, CtorId> ctors_;
  std::vector<SourceRange> mentions_;

  // Of the function that is being read.
  std::optional<FunctionBuilder> builder_;
  uint32_t function_ = 0;
  std::vector<Frame> frames_;
  std::vector<ExprId> parts_;
  std::vector<Header> headers_;
  std::vector<MatchInfo> matches_;
  std::vector<PatternFrame> pattern_frames_;
  std::vector<uint32_t> sub_patterns_;
  absl::flat_hash_map<std::pair<ExprKind, uint32_t>, ExprId> leaves_;
  Value value_;
  bool need_operand_ = true;
  ExprId root_;
  // A variable is bound inside the body, and a graph variable could carry it out of its scope.
  bool has_inner_scope_ = false;
  bool has_graph_var_ = false;
  bool has_free_var_ = false;
  // Open frames of kDetour.
  uint32_t detours_ = 0;
  bool warned_numbers_ = false;
};

}  // namespace relayopt
