// A function has two representations, called faces: a graph of objects, and a table (Function). Each is made from the
// other on demand, and at most once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "relayopt/graph/lineage.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::graph {

// The table face of a function object: the table, and the module that its ids refer to. It is stored in the object's
// last slot, after its fields; null until it is made.
struct TableFaceObj final : Object {
  static constexpr std::string_view kTypeKey = "relayopt.TableFace";
  using Base = Object;
  TableFaceObj(LineageRef l, std::shared_ptr<const Module> m, FunctionRef t)
      : Object(object::IndexOf<TableFaceObj>()), lineage(std::move(l)), module(std::move(m)), table(std::move(t)) {}

  LineageRef lineage;
  // Names the globals and constructors in the table.
  std::shared_ptr<const Module> module;
  FunctionRef table;
  // The identities (relay.Id) of the parameters of the function that a pass made this one from. Parameters with the
  // same name keep them, so that a user who holds a variable finds it again.
  std::vector<Value> param_ids = {};
};
constexpr size_t kFaceSlot = slot::kTypeParams + 1;

// Makes a function object that has only a table face so far; `param_ids` as in TableFaceObj.
auto FunctionFromTable(const LineageRef& lineage, const std::shared_ptr<const Module>& module, FunctionRef table,
                       std::vector<Value> param_ids = {}) -> Ref<SlotObj>;
// Returns the table face of a function object, or null.
auto FaceOf(const SlotObj& function) -> const TableFaceObj*;

// Makes the graph of a function object that has only a table face.
void Thaw(SlotObj& function);

// Returns the identities of a function's parameters, as far as they are known.
auto ParamIds(const SlotObj& function) -> std::vector<Value>;

// Makes the objects for the root of a table and everything below it. Entry i of the result is the object for expression
// i; null for expressions that the root does not reach. `param_ids` as in TableFaceObj.
auto ThawAll(Lineage& lineage, const Module& module, const Function& table, std::span<const Value> param_ids = {})
    -> std::vector<Ref<Object>>;

// A table made from a graph.
struct FreezeResult {
  Function table;
  // For each expression the object that it was made from; filled in only on request.
  std::vector<Ref<Object>> objects;
};

// Makes the table of a function. Names of globals and constructors become ids of `module`; missing globals are added to
// it. A free variable is an error, unless `free_vars` is given: then free variables become parameters in front of the
// others, and are appended to it; without `bind_free` they stay free. When `expr` is not a function, it becomes the
// body of one without further parameters.
auto Freeze(Lineage& lineage, Module& module, const Ref<Object>& expr, std::vector<Ref<Object>>* free_vars = nullptr,
            bool want_objects = false, bool bind_free = true) -> Result<FreezeResult>;

// Supplies the row of an operator that the table of operators lacks; returns null if there is none. There is one such
// function for the process, which has to be set before tables are created.
using OpSource = const OpDef* (*)(std::string_view name);
void SetOpSource(OpSource source);

}  // namespace relayopt::graph
