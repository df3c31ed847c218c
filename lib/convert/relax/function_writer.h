// A function of Relay as lines of Relax.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "forms.h"
#include "module_state.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/support/side_table.h"

namespace relayopt::relax {

class FunctionWriter final : private RelaxLines {
 public:
  FunctionWriter(ModuleState& state, GlobalId global, const Function& function);

  // Returns the lines of the function. Reports what cannot be expressed.
  auto Write() -> std::string;

 private:
  static constexpr uint32_t kNoRun = 0xffffffff;

  // A chain whose writing has begun.
  struct Frame {
    ExprId chain;
    // The next step of the chain.
    size_t step = 0;
    // For a branch: the variable that the `if` is bound to; invalid for the body of the function.
    ExprId var;
    size_t depth = 2;
    bool is_in_block = false;
    // The outputs of the block that is open.
    std::vector<std::string> outputs;
    // Lines of an `else` that follows: the chain of the other branch.
    ExprId other;
  };

  // Helpers for forms.
  auto TextOf(ExprId id) -> std::string override;
  auto ConstantOf(ExprId operand) const -> const Constant* override;
  auto FieldsOf(ExprId tuple) const -> std::vector<ExprId> override;
  auto ExtentsOf(ExprId id) -> std::vector<std::string> override;
  void Recast(ExprId operand, const std::vector<std::string>& extents) override;
  auto Bind(std::string_view value) -> std::string override;
  auto NewExtent() -> std::string override;
  void SetExtents(std::vector<std::string> extents) override { extents_of_call_ = std::move(extents); }

  auto is_main() const -> bool;

  // Names.
  auto Unique(std::string name) -> std::string;
  auto NewName() -> std::string { return Unique("lv" + std::to_string(next_++)); }
  auto ConstantText(ExprId id) -> std::string;

  // Types (function_types.cpp). The type as Relax writes it. Extents that are not known get names where
  // `names_extents`, else only the rank is written. Empty for types that Relax lacks,
  // and for tuples that are inside of too many others; `depth` is the number of those around.
  auto TypeText(TypeId id, bool names_extents, size_t depth = 0) -> std::string;
  auto NewExtents(const Type& type) -> std::vector<std::string>;
  auto ParameterExtents(ExprId param, const Type& type, const ExtentNames::Names& names,
                        std::map<std::string, std::string>& by_symbol) -> std::vector<std::string>;
  auto IsKnown(TypeId id, size_t depth = 0) const -> bool;
  auto Signature() -> std::string;
  // Returns the extents of the result of a call that keeps or broadcasts the shapes of its operands, or empty for other
  // values. Operands with other names are cast to these.
  auto AlignOperands(ExprId value) -> std::vector<std::string>;

  // Dataflow blocks.
  void FindRuns();
  void Use(ExprId user, uint32_t run);
  void UseVar(ExprId var, uint32_t run);
  auto HasOutput(const Frame& frame) const -> bool;

  // Steps.
  void Begin(ExprId chain, ExprId var = {}, ExprId other = {});
  void Line(const Frame& frame, std::string_view line);
  void OpenBlock(Frame& frame);
  void CloseBlock(Frame& frame);
  void Step();
  void Finish();
  void BeginIf(ExprId var, ExprId value);
  void BindStep(Frame& frame, ExprId var, ExprId value);
  auto ValueText(ExprId value) -> std::optional<std::string>;
  auto CallText(ExprId value) -> std::optional<std::string>;
  auto GlobalCallText(ExprId value) -> std::optional<std::string>;

  // Closures. LambdaLift makes functions of what a closure captures that give the closure (Closure=1); here they are
  // functions of both, called where the closure is.
  //
  //   def @f(%c, Closure=1) { fn (%x) { ... } };  let %g = @f(%a); %g(%b)    =>    def f(c, x): ...;  cls.f(a, b)
  //
  // The closure that such a function gives; none for other functions.
  static auto ClosureOf(const Function& function) -> ExprId;
  auto Params() const -> std::vector<ExprId>;
  auto Body() const -> ExprId { return function_.body(closure_.has_value() ? closure_ : function_.root()); }
  auto IsLiftedClosure(ExprId callee) const -> bool;

  // Returns the value that a variable is bound to, or the expression itself.
  auto Resolved(ExprId id) const -> ExprId;
  void Unsupported(ExprId id, std::string_view what, std::string_view why);

  ModuleState& state_;
  GlobalId global_;
  const Function& function_;
  ExprId closure_;
  SideTable<ExprId, std::string> names_;
  // For variables of let chains: the run of steps in which they are bound.
  SideTable<ExprId, uint32_t> runs_;
  SideTable<ExprId, bool> is_output_;
  SideTable<ExprId, ExprId> values_;
  // The extents of tensors with at least one unknown extent.
  SideTable<ExprId, std::vector<std::string>> shapes_;
  // Operands of the step that is being written that are cast for it, with their new names and extents.
  struct Cast {
    std::string name;
    std::vector<std::string> extents;
  };
  absl::flat_hash_map<ExprId, Cast> casts_;
  // For tensors of the open block: their names before their extents got names. TVM 0.27 cannot always build a cast of a
  // tensor whose extents have names of their own.
  absl::flat_hash_map<ExprId, std::string> bare_;
  // The extents of the result that the form of the current step gives.
  std::vector<std::string> extents_of_call_;
  absl::flat_hash_set<std::string> used_;
  std::vector<std::string> extents_;
  std::vector<Frame> frames_;
  std::string text_;
  size_t next_ = 0;
  bool uses_globals_ = false;
  bool is_recursive_ = false;
};

// `R.Tensor((n, 3), dtype="float32")`; in signatures, names are quoted.
auto TensorText(std::span<const std::string> extents, DataType dtype, bool in_signature) -> std::string;

}  // namespace relayopt::relax
