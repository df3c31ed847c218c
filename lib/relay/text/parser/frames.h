// The parser's stack of expressions that are not complete yet, with the operands parsed so far.
#pragma once

#include <span>
#include <vector>

#include "lib/relay/text/parser/names.h"
#include "parsing.h"
#include "types.h"

namespace relayopt {

enum class FrameKind : uint8_t {
  kOperator,  // left operand, if it has one, among the parts; `a` is the operator, `b` its precedence
  kParen,     // grouping or tuple
  kCall,      // arguments among the parts; `a` is the callee
  kLet,       // variables and values among the parts; `a` is the name of the variable whose value is read
  kBind,      // `a`, `b` are the number, `begin` is the start of the value
  kBlock,
  kIf,        // condition and first branch among the parts
  kFunction,  // parameters among the parts, the rest in `header()`
  kMatch,     // operands among the parts, patterns in `match()`
  kRef,       // `a` is the kind of the expression
  kDetour,    // reads the value of a graph variable of an earlier function; `begin` is where to continue
};

// The precedence of prefix operators, above that of all binary operators.
inline constexpr uint32_t kPrefixPrecedence = 14;

// The part that a frame waits for.
enum class FrameState : uint8_t { kFirst, kValue, kBody, kThen, kElse };

struct ParseFrame {
  FrameKind kind;
  FrameState state = FrameState::kFirst;
  // The list has had its first comma, after which commas may be missing.
  bool comma = false;
  // kLet: is itself the value of a let or of a graph variable, so that a semicolon after its result ends it.
  bool in_value = false;
  uint32_t begin = 0;
  uint32_t base = 0;
  // The scope to leave with the frame.
  LocalNames::Scope scope;
  uint32_t a = 0;
  uint32_t b = 0;

  // Whether the expression being parsed for the frame may be followed by a closing brace, or by a semicolon.
  auto AcceptsBrace() const -> bool;
  auto AcceptsSemicolon() const -> bool;
};
static_assert(sizeof(ParseFrame) == 28, "a million open calls should cost little");

class FrameStack {
 public:
  FrameStack(Parsing& parsing, LocalNames& names, TypeVars& type_vars)
      : parsing_(parsing), names_(names), type_vars_(type_vars) {}

  auto empty() const -> bool { return frames_.empty(); }
  auto back() -> ParseFrame& { return frames_.back(); }
  // Returns the innermost frame that is not an operator.
  auto BehindOperators() const -> const ParseFrame&;
  // A frame that reads the text of an earlier function is open.
  auto in_detour() const -> bool { return detours_ != 0; }

  // Opens a frame; that of a function opens a scope, too.
  auto Open(FrameKind kind, uint32_t begin) -> ParseFrame&;
  // Pops the innermost frame with its parts, and leaves its scope.
  void Close();

  // Adds a part to the innermost frame; returns the parts of a frame.
  void Push(ExprId part) {
    // In addition to its parts, a node holds a callee or a result.
    constexpr size_t kMost = ExprNode::kMaxCount - 2;
    if (parts_.size() - frames_.back().base >= kMost) [[unlikely]]
      DropParts(kMost);
    parts_.push_back(part);
  }
  auto Parts(const ParseFrame& frame) const -> std::span<const ExprId> {
    return std::span<const ExprId>(parts_).subspan(frame.base);
  }
  auto num_parts() const -> uint32_t { return static_cast<uint32_t>(parts_.size()) - frames_.back().base; }

  // Returns the header of the innermost function; the patterns of the innermost match.
  auto header() -> FunctionInfo& { return headers_.back().info; }
  auto match() -> MatchInfo& { return matches_.back(); }

 private:
  struct Header {
    FunctionInfo info;
    size_t type_vars = 0;
  };

  // Reports that the innermost frame has too many parts, and drops them.
  void DropParts(size_t most);

  Parsing& parsing_;
  LocalNames& names_;
  TypeVars& type_vars_;
  std::vector<ParseFrame> frames_;
  FlatVector<ExprId> parts_;
  std::vector<Header> headers_;
  std::vector<MatchInfo> matches_;
  // Open frames of kDetour.
  uint32_t detours_ = 0;
};

}  // namespace relayopt
