// Resolves names of local variables and graph variables at a position in the text.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/text/parser/parsing.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/flat_vector.h"
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
  auto Here() const -> Scope { return {static_cast<uint32_t>(bound_.size()), object_}; }
  void Leave(Scope before);
  void EnterFunction() { ++depth_; }
  void LeaveFunction() { --depth_; }
  // Forgets all bindings after an error that left scopes open.
  void Reset();

  // At a declaration: widens the current token (`%...`) to the longest name that the printer could have written, and
  // returns the name.
  auto DeclaredName() -> std::string_view;
  // Called before a name is bound that may be something else than an identifier.
  void AddSpelling(std::string_view name);
  // Removes the mark that is printed after the name of a variable that a second function binds, too. Returns whether
  // there was one.
  static auto TakeMalformed(std::string_view& name) -> bool;
  // Returns the type that the last variable of this name was declared with, or none.
  auto LastAnnotation(StringId name) -> TypeId { return symbols_[name].annotation; }

  // What binds a variable. When a scope object binds a name twice, the later let counts, but the first parameter.
  enum class Binder : uint8_t { kLet, kOther };
  // Makes `name` refer to `var` from here on. For a let, until Resume, it does so inside closures only, if the name has
  // another meaning.
  void Bind(StringId name, ExprId var, TypeId annotation, Binder binder, SourceRange range);
  // Called after the value of a let.
  void Resume(StringId name) { symbols_[name].suspended = 0; }

  // Resolves the current token (kLocal, or kGraph for names that begin with a digit) at a use of a variable. The token
  // is extended to the longest declared name at this place. Returns an invalid id if there is no such variable.
  auto Find() -> ExprId;
  // Returns the variable of this name, which is an identifier; none if there is no such variable, or Find has to
  // decide.
  auto FindPlain(uint32_t begin, uint32_t end) -> ExprId {
    const std::string_view text = parsing_.lexer.text({begin, end});
    Recent& recent = RecentOf(text);
    if (recent.text != text) recent = {text, parsing_.context().Intern(text)};
    const Symbol& symbol = symbols_[recent.name];
    return symbol.suspended == 0 ? symbol.var : ExprId();
  }
  // Reports that the current token names no variable.
  void ReportUnknown();

 private:
  struct Meaning {
    ExprId var;
    uint32_t object = 0;
    // 1 + the depth of functions while the value of its let is parsed.
    uint32_t suspended = 0;
    // One more than the index in `outer_` of the previous meaning; 0 if there is none.
    uint32_t outer = 0;
  };
  struct Symbol : Meaning {
    TypeId annotation;
  };
  // A name that was looked up or bound.
  struct Recent {
    std::string_view text;
    StringId name;
  };

  // Returns the previous meaning, or null if there is none.
  auto Outer(const Meaning& meaning) const -> const Meaning* {
    return meaning.outer == 0 ? nullptr : &outer_[meaning.outer - 1];
  }
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
  PagedTable<StringId, Symbol> symbols_;
  std::array<Recent, 64> recent_;
  // The names that are bound, innermost last.
  FlatVector<StringId> bound_;
  // The previous meanings of those of them that had one.
  FlatVector<Meaning> outer_;
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
  FlatVector<Definition> dense_;
  absl::flat_hash_map<uint64_t, Definition> sparse_;
};

}  // namespace relayopt
