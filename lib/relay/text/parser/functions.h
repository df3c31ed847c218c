// The parser of functions: headers, and expressions of any depth with an explicit stack.
//
// Two steps alternate. `Start` reads the first token of an expression: a leaf is a value at once, anything else opens a
// frame. `Continue` has a value and looks at what follows it: a call, a projection or an operator takes it as an
// operand; otherwise it is handed to the innermost frame, which knows what must come next.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "attributes.h"
#include "declarations.h"
#include "frames.h"
#include "lib/relay/text/parser/names.h"
#include "module_names.h"
#include "op_calls.h"
#include "parsing.h"
#include "patterns.h"
#include "source_builder.h"
#include "types.h"

namespace relayopt {

class FunctionParser {
 public:
  FunctionParser(Parsing& parsing, TypeParser& types, ModuleNames& names)
      : parsing_(parsing),
        lexer_(parsing.lexer),
        types_(types),
        module_names_(names),
        attrs_(parsing),
        calls_(parsing, attrs_),
        names_(parsing),
        nodes_(parsing),
        frames_(parsing, names_, types.vars()),
        declarations_(parsing, types, attrs_, names_, nodes_),
        patterns_(parsing, names, declarations_) {}

  // Parses a global function from the point after its name; the function begins at `begin`. Returns null after errors;
  // the lexer is then where the next definition may begin.
  auto Read(uint32_t begin) -> FunctionRef;

  // Skips tokens up to the next definition or the end of the text.
  void SkipToDefinition();

 private:
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

  // The function that is being parsed.
  struct Current {
    ExprId root;
    // A variable is bound inside the body, so that the value of a graph variable could be used outside of its scope.
    bool has_inner_scope = false;
    bool has_graph_var = false;
    bool has_free_var = false;
  };

  // A call or literal that was read from its characters, and the end of its text.
  struct PlainValue {
    ExprId value;
    uint32_t end = 0;
  };
  // A line that defines a graph variable or is a step of a let chain, up to its value.
  struct LineStart {
    // Where the value begins.
    uint32_t value = 0;
    bool is_let = false;
    // Where the line begins, if it is a let step.
    uint32_t let = 0;
    // The graph variable.
    uint64_t number = 0;
    // The variable of the let step, with its sign, and its annotation.
    SourceRange var;
    TypeId annotation;
  };
  // A literal among the arguments of such a call.
  struct PlainLiteral {
    size_t argument;
    ConstantId constant;
    SourceRange range;
  };
  static constexpr uint32_t kLongestLiteral = 16;
  static constexpr size_t kMostPlainArguments = 64;
  // More different literals are read as usual.
  static constexpr size_t kMostLiterals = 1 << 16;

  // functions.cpp
  void Run();
  void Recover();
  auto SkipToRecovery() -> bool;
  auto AtDefinition() const -> bool;
  // Whether the current token begins a line and may begin a step or a result: where a semicolon is missing before it,
  // parsing continues.
  auto AtNextLine() const -> bool;
  auto StartFunction(uint32_t begin) -> bool;
  auto FinishFunction() -> bool;
  auto Complete(ExprId root) -> FunctionRef;

  // operands.cpp
  auto Start() -> bool;
  void ReportNoExpression();
  auto StartLiteral() -> bool;
  auto StartMinus() -> bool;
  // Returns nothing if the token does not name a constructor.
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
  // Opens the frame of a let chain for the step at `begin`, unless a chain goes on.
  void OpenLet(uint32_t begin);
  // Binds the variable of the next step of the innermost let chain, and waits for its value.
  void BeginStep(const DeclarationParser::Declared& var);
  auto StartIf() -> bool;
  auto StartMatch() -> bool;
  auto StartRef(ExprKind kind) -> bool;
  auto ReadFreeVar() -> bool;

  // plain_calls.cpp
  // Returns the constant of a literal at `at`, which is moved to its end, or null if no such literal was read before.
  auto FindLiteral(uint32_t& at) -> const ConstantId*;
  auto ReadPlainArgument(uint32_t& at) -> bool;
  // Reads a call of an operator that begins at `begin`, if it is plain; else reads nothing. The lexer stays where it
  // is.
  auto ReadPlainCall(uint32_t begin) -> std::optional<PlainValue>;
  // The same for a call or literal.
  auto ReadPlainValue(uint32_t begin) -> std::optional<PlainValue>;
  // Continues with the token after a plain value.
  auto GivePlain(const PlainValue& value, uint32_t begin) -> bool;
  // Reads the start of the let step at `begin` or of the line after `at`. Returns false if it is not plain.
  auto LetStart(uint32_t begin, LineStart& line) -> bool;
  auto NextLine(uint32_t at, LineStart& line) -> bool;
  // Reads the value of a line and the lines below it, as long as they are plain; begins the first value that is not.
  auto ReadLines(LineStart line) -> bool;

  // continuations.cpp
  void OpenBind(uint64_t number, uint32_t begin);
  void DefineGraph(uint64_t number, ExprId value, uint32_t begin);
  auto Continue() -> bool;
  auto Deliver() -> bool;
  auto ContinueOperator() -> bool;
  void Reduce();
  auto Project() -> bool;
  auto DeliverToParen() -> bool;
  auto DeliverToCall() -> bool;
  auto DeliverToLet() -> bool;
  // Ends the step of the innermost let chain that waits for its value.
  void EndStep(ExprId value);
  auto DeliverToBind() -> bool;
  auto DeliverToDetour() -> bool;
  auto DeliverToBlock() -> bool;
  auto DeliverToIf() -> bool;
  auto DeliverToMatch() -> bool;
  auto ReadClause() -> bool;
  auto DeliverToRef() -> bool;
  auto StartSequence() -> bool;
  auto StartCall() -> bool;
  auto StartArgument() -> bool;
  auto FinishCall(std::optional<uint32_t> attrs) -> bool;
  auto CanStartOperand() const -> bool;

  // Returns a new, complete expression that extends from `begin` to the token before the current one.
  auto Give(ExprId id, uint32_t begin) -> bool;
  // Returns an existing expression.
  auto Give(Value value) -> bool {
    value_ = value;
    need_operand_ = false;
    return true;
  }
  auto GiveUnknown(uint32_t begin) -> bool { return Give({Value::Kind::kUnknown, true, 0, begin}); }
  // Returns the value as an expression.
  auto ValueExpr() -> ExprId;
  auto NeedOperand() -> bool {
    need_operand_ = true;
    return true;
  }

  Parsing& parsing_;
  Lexer& lexer_;
  TypeParser& types_;
  ModuleNames& module_names_;
  AttrParser attrs_;
  OpCalls calls_;
  LocalNames names_;
  GraphNames graph_names_;
  SourceBuilder nodes_;
  FrameStack frames_;
  DeclarationParser declarations_;
  PatternParser patterns_;
  // The literals that were read, by their text.
  absl::flat_hash_map<std::string_view, ConstantId, TextHash, std::equal_to<>> literals_;
  // The one that was found last.
  std::string_view last_literal_;
  ConstantId last_constant_;
  // The arguments of the plain call that is being read, and which of them are literals.
  std::array<ExprId, kMostPlainArguments> plain_arguments_;
  size_t num_plain_arguments_ = 0;
  std::vector<PlainLiteral> plain_literals_;
  Current current_;
  Value value_;
  bool need_operand_ = true;
};

}  // namespace relayopt
