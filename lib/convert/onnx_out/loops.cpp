// A function that ends by calling itself is a loop:
//
//   f(v) = if (c(v)) { f(s(v)) } else { r(v) }   =>   v = Loop("", c(v0), v0) { v' = s(v); yield c(v'), v' };  r(v)
//
// for which c is written three times: before the loop, in it, and after it, where r may use what c has computed. One
// whose iterations are counted, as the importer makes them of loops of ONNX, is Loop(m, c, v0) again.
#include "loops.h"

#include "leaves.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::onnx::out {

namespace {

class LoopWriter {
 public:
  LoopWriter(FunctionWriter& writer, ExprId callee)
      : writer_(writer),
        function_(writer.function()),
        regions_(writer.regions()),
        callee_(callee),
        again_(regions_.SelfCall(callee)),
        choice_(regions_.Resolved(function_.body(callee))) {}

  // NOLINTNEXTLINE(misc-no-recursion): a loop in a loop; FunctionWriter bounds how deep.
  auto Write(Graph& graph, const std::vector<Values>& args, ExprId at) -> CallOutputs {
    const auto fault = [&] {
      return writer_.Unsupported(at, "this loop", "what it carries around are tensors of types that ONNX has");
    };
    if (!CarriesTensors(args)) return fault();
    const bool is_choice = function_.kind(choice_) == ExprKind::kIf;
    if (is_choice && CallsItselfIn(0)) return IsCounted(at) ? WriteCounted(graph, args) : WriteWhile(graph, args, 0);
    if (is_choice && CallsItselfIn(1)) return WriteWhile(graph, args, 1);
    return writer_.Unsupported(at, "recursion", "only functions that end by calling themselves or not are loops");
  }

 private:
  // Whether the parameters, the arguments and what the next iteration gets are as many tensors of the same types.
  auto CarriesTensors(const std::vector<Values>& args) const -> bool {
    const auto params = function_.params(callee_);
    if (args.size() != params.size() || function_.operands(again_).size() != params.size() + 1) return false;
    for (size_t i = 0; i < params.size(); ++i) {
      const TypeId type = function_.type(params[i]);
      if (!type || function_.type(function_.operand(again_, i + 1)) != type) return false;
      const auto leaves = LeavesOf(function_.context(), type);
      if (leaves.size() != args[i].size()) return false;
      for (const Type* leaf : leaves) {
        if (!leaf->is_tensor() || ElementTypeOf(leaf->dtype) == kUndefined) return false;
      }
    }
    return true;
  }

  auto CallsItselfIn(uint32_t branch) const -> bool {
    return regions_.Resolved(function_.operand(choice_, branch + 1)) == again_;
  }

  // Returns the number of a constant scalar, or nothing for other expressions.
  auto IntegerOf(ExprId id) const -> std::optional<int64_t> {
    return function_.kind(id) == ExprKind::kConstant ? function_.constant(id).ScalarAsInt() : std::nullopt;
  }

  // Whether a loop has the form that the importer gives to ONNX loops: it carries its iteration number i, the maximum m
  // and a condition c, continues while c == true and i < m, counts i from 0, and none of the three is used afterwards.
  auto IsCounted(ExprId at) const -> bool {
    const auto params = function_.params(callee_);
    if (params.size() < 3 || function_.kind(at) != ExprKind::kCall || regions_.IsUsed(at)) return false;
    const ExprId runs = regions_.Resolved(function_.operand(choice_, 0));
    if (!IsCallOf(function_, runs, "logical_and"_op)) return false;
    const ExprId is_true = regions_.Resolved(function_.operand(runs, 0));
    const ExprId is_less = regions_.Resolved(function_.operand(runs, 1));
    if (!IsCallOf(function_, is_true, "equal"_op) || !IsCallOf(function_, is_less, "less"_op)) return false;
    const ExprId next = regions_.Resolved(function_.operand(again_, 1));
    const auto is = [&](ExprId call, size_t i, size_t param) {
      return regions_.Resolved(function_.operand(call, i)) == params[param];
    };
    const bool compares =
        is(is_true, 0, 2) && IntegerOf(function_.operand(is_true, 1)) == 1 && is(is_less, 0, 0) && is(is_less, 1, 1);
    const Type& turn = function_.context().type(function_.type(params[0]));
    return compares && IsCallOf(function_, next, "add"_op) && is(next, 0, 0) &&
           IntegerOf(function_.operand(next, 1)) == 1 && is(again_, 2, 1) && IntegerOf(function_.operand(at, 1)) == 0 &&
           turn.dtype == kIndexType;
  }

  // Returns a new input of the body of a loop.
  auto AddInput(Graph& body, const Type& type) -> Name {
    body.inputs.push_back(ValueOfType(type, writer_.builder().NewName()));
    return body.inputs.back().name;
  }

  // The expressions of the function before its `if`.
  // NOLINTNEXTLINE(misc-no-recursion)
  void WriteShared(Graph& graph, const std::vector<Values>& args) {
    writer_.Bind(callee_, args);
    writer_.WriteRegion(graph, regions_.Of(callee_, 0), {choice_});
  }

  // Writes such a loop with its iteration count and its condition.
  // NOLINTNEXTLINE(misc-no-recursion)
  auto WriteCounted(Graph& graph, const std::vector<Values>& args) -> CallOutputs {
    Graph body;
    body.name = "body";
    std::vector<const Type*> types;
    std::vector<Values> carried;
    for (const ExprId param : function_.params(callee_)) {
      carried.emplace_back();
      // The maximum is the same as outside of the loop.
      if (carried.size() == 2) {
        carried.back() = args[1];
        continue;
      }
      for (const Type* leaf : LeavesOf(function_.context(), function_.type(param))) {
        carried.back().push_back(AddInput(body, *leaf));
        if (carried.size() > 2) types.push_back(leaf);
      }
    }
    WriteShared(body, carried);
    writer_.WriteRegion(body, regions_.Of(choice_, 0), {again_});
    Names inputs = {args[1][0], args[2][0]};
    Values outputs;
    for (size_t i = 2; i < carried.size(); ++i) {
      const Values& values = writer_.ValuesOf(function_.operand(again_, i + 1));
      outputs.insert(outputs.end(), values.begin(), values.end());
      if (i > 2) inputs.insert(inputs.end(), args[i].begin(), args[i].end());
    }
    writer_.SetOutputs(body, outputs, types);
    const Values results = AddLoop(graph, std::move(inputs), std::move(body), outputs.size() - 1);
    size_t place = 0;
    for (size_t i = 0; i < carried.size(); ++i) {
      for (Name& value : carried[i]) value = i < 3 ? Name() : results[place++];
    }
    writer_.Bind(callee_, carried);
    return WriteEnd(graph, 1);
  }

  // Writes any other loop, which continues in the branch `again`.
  // NOLINTNEXTLINE(misc-no-recursion)
  auto WriteWhile(Graph& graph, const std::vector<Values>& args, uint32_t again) -> CallOutputs {
    WriteShared(graph, args);
    Names inputs = {{}, ConditionOf(graph, again)};
    for (const Values& arg : args) inputs.insert(inputs.end(), arg.begin(), arg.end());

    Graph body;
    body.name = "body";
    Context& context = function_.context();
    std::vector<const Type*> types = {&context.type(context.Tensor({}, DataType::Bool()))};
    AddInput(body, context.type(context.Tensor({}, kIndexType)));
    AddInput(body, *types[0]);
    std::vector<Values> carried;
    for (const ExprId param : function_.params(callee_)) {
      carried.emplace_back();
      for (const Type* leaf : LeavesOf(context, function_.type(param))) {
        carried.back().push_back(AddInput(body, *leaf));
        types.push_back(leaf);
      }
    }
    WriteShared(body, carried);
    writer_.WriteRegion(body, regions_.Of(choice_, again), {again_});
    auto next =
        MapToVector<Values>(function_.operands(again_).subspan(1), [&](ExprId arg) { return writer_.ValuesOf(arg); });
    WriteShared(body, next);
    Values outputs = {ConditionOf(body, again)};
    for (const Values& values : next) outputs.insert(outputs.end(), values.begin(), values.end());
    writer_.SetOutputs(body, outputs, types);
    const Values results = AddLoop(graph, std::move(inputs), std::move(body), outputs.size() - 1);
    size_t place = 0;
    for (Values& values : carried) {
      for (Name& value : values) value = results[place++];
    }
    WriteShared(graph, carried);
    return WriteEnd(graph, 1 - again);
  }

  // The condition for another iteration.
  auto ConditionOf(Graph& graph, uint32_t again) -> Name {
    const Name value = writer_.ValuesOf(function_.operand(choice_, 0))[0];
    return again == 0 ? value : writer_.builder().AddNode(graph, "Not", {value}, {}, 1)[0];
  }

  auto AddLoop(Graph& graph, Names inputs, Graph body, size_t results) -> Values {
    return writer_.builder().AddNode(graph, "Loop", std::move(inputs), {Branch("body", std::move(body))}, results);
  }

  // The expressions that are computed after the loop.
  // NOLINTNEXTLINE(misc-no-recursion)
  auto WriteEnd(Graph& graph, uint32_t branch) -> CallOutputs {
    writer_.WriteRegion(graph, regions_.Of(choice_, branch));
    return writer_.ValuesOf(function_.operand(choice_, branch + 1));
  }

  FunctionWriter& writer_;
  const Function& function_;
  const Regions& regions_;
  // The function, the call by which it calls itself, and the `if` that is its body.
  const ExprId callee_;
  const ExprId again_;
  const ExprId choice_;
};

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion)
auto WriteLoop(FunctionWriter& writer, Graph& graph, ExprId callee, const std::vector<Values>& args, ExprId at)
    -> CallOutputs {
  return LoopWriter(writer, callee).Write(graph, args, at);
}

}  // namespace relayopt::onnx::out
