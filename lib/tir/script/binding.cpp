// The bindings of names while TVMScript is read, and the effect of binding a name on its value.
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

// Returns the variable that the value is, or invalid.
static auto VarOf(const Value& value, const Tables& tables) -> PrimExpr {
  if (value.is(ValueKind::kExpr) && tables.terms().is_var(value.expr())) return value.expr();
  if (value.is(ValueKind::kIterVar)) return tables.iter_var(IterVarId(value.id())).var;
  return {};
}

void Reader::PopScope() {
  const size_t size = scopes_.back();
  scopes_.pop_back();
  while (undo_.size() > size) {
    const Undo& undo = undo_.back();
    if (undo.denotes) denoted_.Remove(undo.denotes);
    bindings_[undo.name] = undo.before;
    undo_.pop_back();
  }
}

auto Reader::BindName(const Token& token, const Value& value) -> bool {
  const auto depth = static_cast<uint32_t>(scopes_.size());
  Binding& b = binding(token.name);
  if (b.bound && b.depth == depth && !b.value.is_error()) {
    const bool same = b.value.kind == value.kind && b.value.integer == value.integer;
    if (!same) Report(diag::kRedefined, token.range(), names_.text(token.name));
    return same;
  }
  const PrimExpr var = VarOf(value, tables_);
  undo_.push_back({token.name, b, var && denoted_.Insert(var) ? var : PrimExpr()});
  b.value = value;
  b.depth = depth;
  b.bound = true;
  return true;
}

void Reader::BindPoison(std::span<const Token> names) {
  for (const Token& token : names) {
    Binding& b = binding(token.name);
    if (b.bound && b.depth == scopes_.size()) continue;
    undo_.push_back({token.name, b, {}});
    b = {Value::Error(), static_cast<uint32_t>(scopes_.size()), true};
  }
}

// As TVM: naming a buffer names its data and its strides as well, whatever they were called before.
void Reader::NameBuffer(BufferId buffer, StringId name) {
  tables_.Rename(buffer, name);
  const Buffer& b = tables_.buffer(buffer);
  terms_.Rename(b.data, name);
  for (size_t k = 0; k < b.strides.size(); ++k) {
    if (!terms_.is_var(b.strides[k])) continue;
    terms_.Rename(b.strides[k], context_.Intern(std::string(context_.text(name)) + "_s" + std::to_string(k)));
  }
}

// `name = value`.
auto Reader::Assign(const Token& target, const Value& value) -> bool {
  if (speaks_tirx()) {
    if (const std::optional<bool> fine = AssignScalar(target, value)) return *fine;
  }
  const StringId name = names_.id(target.name);
  switch (value.kind) {
    case ValueKind::kError: BindPoison({&target, 1}); return true;
    // The name stands for the expression.
    case ValueKind::kMeta: return BindName(target, values_[value.id()]);
    case ValueKind::kFrame: {
      Frame opened = std::move(frame(value));
      const Value yields = opened.yields;
      Open(std::move(opened));
      if (yields.is_none()) {
        Report(diag::kBinding, value.range, "None", "an assignment");
        return false;
      }
      if (yields.is(ValueKind::kBuffer)) NameBuffer(yields.buffer(), name);
      if (const PrimExpr var = VarOf(yields, tables_)) terms_.Rename(var, name);
      return BindName(target, yields);
    }
    case ValueKind::kBuffer: NameBuffer(value.buffer(), name); return BindName(target, value);
    case ValueKind::kIterVar: terms_.Rename(VarOf(value, tables_), name); return BindName(target, value);
    case ValueKind::kTuple:
    case ValueKind::kList: {
      const std::span<const Value> all = elements(value);
      for (size_t i = 0; i < all.size(); ++i) {
        const StringId element = context_.Intern(std::string(context_.text(name)) + "_" + std::to_string(i));
        if (all[i].is(ValueKind::kBuffer)) NameBuffer(all[i].buffer(), element);
        if (const PrimExpr var = VarOf(all[i], tables_)) terms_.Rename(var, element);
      }
      return BindName(target, value);
    }
    case ValueKind::kDict:
    case ValueKind::kReducer:
    case ValueKind::kIndexMap:
    case ValueKind::kObject:
    case ValueKind::kRange: return BindName(target, value);
    default: break;
  }
  if (value.is(ValueKind::kExpr) && terms_.is_var(value.expr()) && !IsDenoted(value.expr())) {
    const PrimExpr var = NamedExtentOr(target, value.expr());
    if (!var) return false;
    terms_.Rename(var, name);
    return BindName(target, Value::Expr(var));
  }
  const PrimExpr expr = ToExpr(value);
  if (!expr) {
    BindPoison({&target, 1});
    return true;
  }
  Frame let;
  let.kind = FrameKind::kLet;
  let.range = value.range;
  let.value = expr;
  let.var = terms_.Var(names_.text(target.name), VarType::Prim(terms_.dtype(expr)));
  const Value var = Value::Expr(let.var);
  Open(std::move(let));
  return BindName(target, var);
}

// The targets of a loop get its variables, that with a star those that are left.
auto Reader::NameLoopTargets(std::span<const Token> targets, std::optional<size_t> starred, const Frame& frame)
    -> bool {
  const auto all_from = [&](size_t begin, size_t count) {
    std::vector<Value> vars;
    vars.reserve(count);
    for (size_t i = 0; i < count; ++i) vars.push_back(Value::Expr(frame.loops[begin + i].var));
    return Sequence(ValueKind::kList, vars);
  };
  // As TVM: one name for the variables of a grid.
  if (targets.size() == 1 && frame.loops.size() > 1) return Assign(targets[0], all_from(0, frame.loops.size()));
  const size_t fixed = targets.size() - (starred ? 1 : 0);
  if (starred ? frame.loops.size() < fixed : frame.loops.size() != fixed) {
    Report(diag::kUnpack, targets[0].range(), frame.loops.size(), targets.size());
    return false;
  }
  size_t next = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (starred == i) {
      const size_t count = frame.loops.size() - fixed;
      if (!Assign(targets[i], all_from(next, count))) return false;
      next += count;
      continue;
    }
    const PrimExpr var = frame.loops[next++].var;
    terms_.Rename(var, names_.id(targets[i].name));
    if (!BindName(targets[i], Value::Expr(var))) return false;
  }
  return true;
}

}  // namespace relayopt::tir
