// Builds Relay functions from nodes.
#pragma once

#include <string_view>
#include <vector>

#include "nodes.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Reads functions one after the other: a walk in post-order on a stack of its own. A node is one expression in each
// function that holds it. Constructors are looked up in `module`, whose type definitions have been read, and globals
// are named in it.
class FunctionReader {
 public:
  FunctionReader(JsonNodes& nodes, Module& module)
      : nodes_(nodes),
        graph_(nodes.graph),
        module_(module),
        context_(module.context()),
        marks_(graph_.size()),
        uses_(graph_.CountUses()) {}

  // Returns the table of a relay.Function, or nothing, with a diagnostic, if something is wrong with it.
  auto Read(uint32_t function, std::string_view name) -> FunctionRef;

 private:
  enum class Class : uint8_t;
  struct Mark {
    // Zero: never seen; else twice the number of the walk, and one more once there is an expression.
    uint32_t walk = 0;
    ExprId id;
  };
  struct Frame {
    uint32_t node;
    bool opened;
  };

  static auto ClassOf(std::string_view type_key) -> Class;

  auto IsDone(uint32_t node) const -> bool { return marks_[node].walk == 2 * walk_ + 1; }
  auto IdOf(uint32_t node) const -> ExprId { return marks_[node].id; }
  auto Ids(std::span<const uint32_t> nodes) const -> std::vector<ExprId>;
  void Note(uint32_t node, ExprId id);

  auto Visit(uint32_t root) -> bool;
  // Pushes the operands of an expression.
  auto Open(uint32_t node, Class kind) -> bool;
  auto OpenMatch(uint32_t node) -> bool;
  auto Need(uint32_t owner, std::string_view field) -> bool;
  auto NeedAll(std::span<const uint32_t> operands) -> bool;
  // Returns the lets of the chain that begins here.
  auto Chain(uint32_t let) const -> std::vector<uint32_t>;

  // Emits an expression whose operands have been emitted.
  auto Emit(uint32_t node, Class kind) -> bool;
  auto EmitVar(uint32_t node) -> bool;
  // A name or a constant.
  auto EmitLeaf(uint32_t node, Class kind, ExprId& out) -> bool;
  auto EmitLet(uint32_t node) -> ExprId;
  auto EmitCall(uint32_t node, ExprId& out) -> bool;
  auto EmitFunction(uint32_t node, ExprId& out) -> bool;
  auto EmitMatch(uint32_t node, ExprId& out) -> bool;
  auto AddPattern(MatchInfo& info, uint32_t root, std::vector<ExprId>& operands, uint32_t& out) -> bool;
  auto OpOf(uint32_t node, const OpDef*& out) -> bool;
  auto CtorOf(uint32_t node, CtorId& out) -> bool;
  auto AttrsOf(uint32_t call, AttrsId& out) -> bool;
  // Returns the operand in a field, which Open has seen.
  auto Operand(uint32_t node, std::string_view field) const -> ExprId { return IdOf(*graph_.child(node, field)); }

  JsonNodes& nodes_;
  ObjectGraph& graph_;
  Module& module_;
  Context& context_;
  // For the function that is being read.
  std::optional<FunctionBuilder> builder_;
  uint32_t walk_ = 0;
  std::vector<Mark> marks_;
  std::vector<Frame> stack_;
  // The number of references to each node.
  std::vector<uint32_t> uses_;
};

}  // namespace relayopt
