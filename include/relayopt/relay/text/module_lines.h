// The printed text of the functions of Relay of a module, line by line, with the expression that each line shows and
// the expressions of another version of the module that correspond; for programs that show how a module changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

struct PrintedModule;

// One line of the text of a function.
struct FunctionLine {
  // The number of spaces at its beginning, which `text` leaves out: indentation is most of the text of nested closures.
  uint32_t indent = 0;
  // The line without the numbers of temporaries and the positions of constants in the metadata section, so that an
  // expression that a pass leaves alone has the same text before and after.
  std::string text;
  // The offsets in `text` at which the numbers belong, and the numbers.
  std::vector<uint32_t> gaps;
  std::vector<uint32_t> numbers;
  // Whether the first number is the one that the line defines.
  bool defines = false;
  // The expression that the line shows; invalid for braces. Expressions that have no line of their own belong to the
  // line that contains them.
  ExprId expr;
};

// The lines of one global function.
struct FunctionLines {
  GlobalId function;
  std::vector<FunctionLine> lines;
};

// A pair of expressions that correspond. `is_same`: they differ in the numbers and names of values only.
struct AlignedExprs {
  ExprId before;
  ExprId after;
  bool is_same = true;
};

// A module as lines. The types of its functions must be inferred; the module must outlive it.
class ModuleLines {
 public:
  explicit ModuleLines(const Module& module);
  ModuleLines(ModuleLines&&) noexcept;
  auto operator=(ModuleLines&&) noexcept -> ModuleLines&;
  ~ModuleLines();

  auto module() const -> const Module& { return *module_; }
  // In the order of the text.
  auto functions() const -> const std::vector<FunctionLines>& { return functions_; }

 private:
  friend auto AlignFunctions(const ModuleLines&, GlobalId, const ModuleLines&, GlobalId) -> std::vector<AlignedExprs>;

  const Module* module_;
  std::unique_ptr<PrintedModule> printed_;
  std::vector<FunctionLines> functions_;
};

// The expressions of function `a` of one module and of `b` of another one that correspond, as DiffModules finds them;
// ascending on both sides in the order of the text. The modules must share their context.
auto AlignFunctions(const ModuleLines& before, GlobalId a, const ModuleLines& after, GlobalId b)
    -> std::vector<AlignedExprs>;

}  // namespace relayopt
