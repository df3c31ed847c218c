// The two faces of a function: a graph of objects and a table of the core. Each is made from the other once, when
// somebody asks for it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "relayopt/graph/lineage.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::graph {

// The last slot of a function object, behind its fields: its table and what gives the table a meaning; null until it
// has one.
struct TableFaceObj final : Object {
  static constexpr std::string_view kTypeKey = "relayopt.TableFace";
  using Base = Object;
  TableFaceObj(LineageRef l, std::shared_ptr<const Module> m, FunctionRef t)
      : Object(object::IndexOf<TableFaceObj>()), lineage(std::move(l)), module(std::move(m)), table(std::move(t)) {}

  LineageRef lineage;
  // Gives ids of globals and constructors their names.
  std::shared_ptr<const Module> module;
  FunctionRef table;
  // The identities (relay.Id) of the parameters of the function that a pass made this one from. Parameters of the same
  // name keep them: who holds a variable finds it again.
  std::vector<Value> param_ids = {};
};
constexpr size_t kFaceSlot = slot::kTypeParams + 1;

// A function object that has only a table face so far; `param_ids` as TableFaceObj.
auto FunctionFromTable(const LineageRef& lineage, const std::shared_ptr<const Module>& module, FunctionRef table,
                       std::vector<Value> param_ids = {}) -> Ref<SlotObj>;
// The table face of a function object, or null.
auto FaceOf(const SlotObj& function) -> const TableFaceObj*;

// Gives a function that has only a table its graph.
void Thaw(SlotObj& function);

// The identities of the parameters of a function, as far as they are known.
auto ParamIds(const SlotObj& function) -> std::vector<Value>;

// The objects of a table: of the root and everything below it. Entry i is the object of expression i; null for what the
// root does not reach. `param_ids` as TableFaceObj.
auto ThawAll(Lineage& lineage, const Module& module, const Function& table, std::span<const Value> param_ids = {})
    -> std::vector<Ref<Object>>;

// What became of the objects of a graph.
struct FreezeResult {
  Function table;
  // For each expression the object that it was made from; filled in when asked for.
  std::vector<Ref<Object>> objects;
};

// The table of a function. Names of globals and constructors become ids of `module`; those of globals that it does not
// have are named in it. Variables that nothing binds are errors, unless `free_vars` is given: then they become
// parameters before the others, and are noted there. `expr` that is no function becomes the body of one without further
// parameters.
auto Freeze(Lineage& lineage, Module& module, const Ref<Object>& expr, std::vector<Ref<Object>>* free_vars = nullptr,
            bool want_objects = false) -> Result<FreezeResult>;

// Asked for the row of an operator that the table of operators does not have; null when there is none. One function at
// a time, for the whole process; set before tables are made.
using OpSource = const OpDef* (*)(std::string_view name);
void SetOpSource(OpSource source);

}  // namespace relayopt::graph
