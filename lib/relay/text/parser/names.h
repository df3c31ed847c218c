// Resolves names of local variables and graph variables at a position in the text.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/text/parser/parsing.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/paged_table.h"

namespace relayopt {

// Local variables by name. Scopes nest; leaving one restores the previous meaning of its names.
//
// TVM ignores a second binding of a name in the same scope object. Here the later `let` counts, with a
// warning; to warn, scope objects are numbered as TVM opens them.
class LocalNames {
 public:
  // To be passed to Leave.
  struct Scope {
    uint32_t bindings = 0;
    uint32_t object = 0;
  };

  explicit LocalNames(Parsing& parsing) : parsing_(parsing) {}

  // Opens a scope.
  auto Enter() -> Scope {
    const Scope before = Here();
    object_ = ++last_object_;
    return before;
  }
  auto Here() const -> Scope { return {static_cast<uint32_t>(undo_.size()), object_}; }
  void Leave(Scope before);
  void EnterFunction() { ++depth_; }
  void LeaveFunction() { --depth_; }
  // Forgets all bindings after an error that left scopes open.
  void Reset();

  // At a declaration: widens the current token (`%...`) to the longest name that the printer could have written, and
  // returns the name.
  auto DeclaredName() -> std::string_view;
  // Removes the mark that is printed after the name of a variable that a second function binds, too. Returns whether
  // there was one.
  static auto TakeMalformed(std::string_view& name) -> bool;
  // Returns the type that the last variable of this name was declared with, or none.
  auto LastAnnotation(StringId name) -> TypeId { return symbols_[SymbolOf(name)].annotation; }

  enum class Repeated : uint8_t { kLastCounts, kFirstCounts };
  // Makes `name` refer to `var` from here on, and returns its symbol.
  auto Bind(StringId name, ExprId var, TypeId annotation, Repeated repeated, SourceRange range) -> uint32_t;
  // Called before the value of a let: until Resume, the name refers to the variable inside closures only, if it has
  // another meaning. Takes what Bind returned.
  void Suspend(uint32_t symbol) { symbols_[symbol].suspended = depth_ + 1; }
  void Resume(uint32_t symbol) { symbols_[symbol].suspended = 0; }

  // Resolves the current token (kLocal, or kGraph for names that begin with a digit) at a use of a variable. The token
  // is extended to the longest declared name at this place. Returns an invalid id if there is no such variable.
  auto Find() -> ExprId;
  // Returns the variable of this name, which is an identifier; none if there is no such variable, or Find has to
  // decide.
  auto FindPlain(uint32_t begin, uint32_t end) -> ExprId {
    const std::string_view name = parsing_.lexer.text({begin, end});
    Recent& recent = RecentOf(name);
    if (recent.name != name) {
      const Symbol symbol = FindSymbol(name);
      if (symbol == kNoSymbol) return {};
      recent = {name, symbol};
    }
    const SymbolInfo& info = symbols_[recent.symbol];
    return info.suspended == 0 ? info.var : ExprId();
  }
  // Reports that the current token names no variable.
  void ReportUnknown();

 private:
  using Symbol = uint32_t;
  struct Meaning {
    ExprId var;
    uint32_t object = 0;
    // 1 + the depth of functions while the value of its let is parsed.
    uint32_t suspended = 0;
  };
  struct SymbolInfo : Meaning {
    StringId name;
    TypeId annotation;
    // The index in `undo_` of the previous meaning.
    uint32_t undo = 0;
  };
  struct Undo {
    Symbol symbol;
    uint32_t undo;
    Meaning before;
  };

  // A name that was looked up or bound, with its symbol.
  struct Recent {
    std::string_view name;
    Symbol symbol = 0;
  };

  static constexpr Symbol kNoSymbol = UINT32_MAX;

  auto NameOf(Symbol symbol) const -> std::string_view { return parsing_.context().text(symbols_[symbol].name); }
  // Returns the symbol of a name, which it makes if there is none.
  auto SymbolOf(StringId name) -> Symbol;
  // Returns the symbol of a name, or kNoSymbol.
  auto FindSymbol(std::string_view name) -> Symbol { return indices_[parsing_.context().Intern(name)] - 1; }
  // The slot of a name, which is not empty, among the recent ones. Consecutive numbers have different slots.
  auto RecentOf(std::string_view name) -> Recent& {
    const auto last = static_cast<unsigned char>(name.back());
    const auto first = static_cast<unsigned char>(name.front());
    const auto middle = static_cast<unsigned char>(name[name.size() / 2]);
    return recent_[(last + 11U * middle + 5U * first) % recent_.size()];
  }
  // Returns the meaning of the text from `begin` to `end`, or none.
  auto Look(uint32_t begin, uint32_t end) -> ExprId;

  Parsing& parsing_;
  std::vector<SymbolInfo> symbols_;
  // One more than the symbol of a name; 0 if it has none.
  PagedTable<StringId, uint32_t> indices_;
  std::array<Recent, 64> recent_;
  std::vector<Undo> undo_;
  // The lengths of declared names that are not identifiers, longest first.
  std::vector<size_t> odd_lengths_;
  uint32_t object_ = 0;
  uint32_t last_object_ = 0;
  uint32_t depth_ = 0;
};

// Graph variables `%N`, scoped by global function.
class GraphNames {
 public:
  struct Definition {
    ExprId value;
    // The ordinal of the global function that defines it, from 1; 0 if none does.
    uint32_t function = 0;
    // The offset of its value in the text.
    uint32_t offset = 0;
  };

  // Begins the next global function and returns its ordinal.
  void EnterFunction() { ++function_; }
  auto function() const -> uint32_t { return function_; }

  // Returns what a number means if it was defined in this function and is not distant, else none: Find knows more.
  auto FindNear(uint64_t number) const -> ExprId {
    if (number >= dense_.size() || dense_[number].function != function_) return {};
    return dense_[number].value;
  }
  // Returns the latest definition in the text, of whatever function.
  auto Find(uint64_t number) const -> Definition;
  // Adds a definition in this function.
  void Define(uint64_t number, ExprId value, uint32_t offset);
  // Whether to warn that the number is defined again: it was defined before in this function, or in another one and
  // there has been no warning yet. Functions may all count from zero.
  auto IsRemarkable(uint64_t number) -> bool;

 private:
  uint32_t function_ = 0;
  bool warned_ = false;
  std::vector<Definition> dense_;
  absl::flat_hash_map<uint64_t, Definition> sparse_;
};

}  // namespace relayopt
