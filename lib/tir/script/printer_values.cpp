// Printing the values of attributes.
#include <algorithm>

#include "lib/tir/script/printer_state.h"

namespace relayopt::tir {

void Printer::TypeText(const VarType& type, TextBuilder& out) {
  if (type.kind == VarType::Kind::kTuple) {
    out += "None";
    return;
  }
  uses_t_ = true;
  const std::string dtype = ToString(type.dtype);
  if (type.kind == VarType::Kind::kPrim) {
    out.append("T.").append(dtype.empty() ? "void" : std::string_view(dtype));
    return;
  }
  out += "T.handle(";
  AppendQuoted(out, dtype.empty() ? "void" : dtype);
  const std::string_view scope = type.scope ? context_.text(type.scope) : "";
  if (!scope.empty()) {
    out += ", ";
    AppendQuoted(out, scope);
  }
  out += ')';
}

// An object that only the metadata could hold: its index among those of its class.
void Printer::Metadata(std::string_view type_key, uint32_t object, TextBuilder& out) {
  auto& numbers = metadata_[std::string(type_key)];
  const size_t number = numbers.try_emplace(object, numbers.size()).first->second;
  out += "metadata[";
  AppendQuoted(out, type_key);
  out.append("][").append(std::to_string(number)).append("]");
}

void Printer::MapText(std::span<const ObjectId> items, TextBuilder& out) {
  // The texts of all keys, one after the other.
  TextBuilder keys;
  struct Entry {
    size_t begin, end;
    ObjectId value;
  };
  absl::InlinedVector<Entry, 8> entries;
  for (size_t i = 0; i < items.size(); i += 2) {
    const size_t begin = keys.size();
    ObjectText(items[i], keys);
    entries.push_back({begin, keys.size(), items[i + 1]});
  }
  const auto key = [&](const Entry& entry) { return keys.view().substr(entry.begin, entry.end - entry.begin); };
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  out += '{';
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out += ", ";
    out.append(key(entries[i])).append(": ");
    ObjectText(entries[i].value, out);
  }
  out += '}';
}

void Printer::AttrsText(std::span<const DictAttr> attrs, TextBuilder& out) {
  std::vector<DictAttr> sorted(attrs.begin(), attrs.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](const DictAttr& a, const DictAttr& b) { return context_.text(a.key) < context_.text(b.key); });
  out += '{';
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0) out += ", ";
    AppendQuoted(out, context_.text(sorted[i].key));
    out += ": ";
    ObjectText(sorted[i].value, out);
  }
  out += '}';
}

// The text of an object that refers to an expression, a buffer and so on, or that is a target; false for others.
auto Printer::ReferenceText(const Object& object, TextBuilder& out) -> bool {
  const auto reference = static_cast<uint32_t>(object.integer);
  switch (RefKindOf(context_, object)) {
    case RefKind::kNone: return false;
    case RefKind::kTarget: TargetText(object, out); break;
    case RefKind::kPrimExpr: Expr(PrimExpr(reference), out); break;
    case RefKind::kBuffer: NodeText(BufferId(reference), out); break;
    case RefKind::kIterVar: IterVarText(IterVarId(reference), out); break;
    case RefKind::kReducer: ReducerText(ReducerId(reference), out); break;
    case RefKind::kIndexMap: {
      const IndexMap& map = tables_.index_map(IndexMapId(reference));
      uses_t_ = true;
      out += "T.index_map(";
      LambdaText(map.indices, map.result, true, out);
      out += ')';
      break;
    }
  }
  return true;
}

// The host inside of a target is printed as a plain map.
void Printer::TargetText(const Object& target, TextBuilder& out) {
  uses_t_ = true;
  out += "T.target({";
  for (size_t i = 0; i < target.items.size(); i += 2) {
    if (i > 0) out += ", ";
    ObjectText(target.items[i], out);
    out += ": ";
    const ObjectId value = target.items[i + 1];
    if (value && RefKindOf(context_, context_.object(value)) == RefKind::kTarget) {
      MapText(context_.object(value).items, out);
    } else {
      ObjectText(value, out);
    }
  }
  out += "})";
}

void Printer::ObjectText(ObjectId id, TextBuilder& out) {
  if (!id) {
    out += "None";
    return;
  }
  const Object& object = context_.object(id);
  if (ReferenceText(object, out)) return;
  switch (object.kind) {
    case ObjectKind::kInt: return IntText(object.dtype, object.integer, out);
    case ObjectKind::kFloat: return FloatText(object.dtype, object.real, out);
    case ObjectKind::kString:
    case ObjectKind::kStringImm: {
      const std::string_view text = context_.text(object.text);
      const bool plain = text.find('\n') == std::string_view::npos;
      if (plain) return AppendQuoted(out, text);
      return Metadata(object.kind == ObjectKind::kString ? "runtime.String" : "tir.StringImm", id.value(), out);
    }
    case ObjectKind::kArray:
      out += '[';
      for (size_t i = 0; i < object.items.size(); ++i) {
        if (i > 0) out += ", ";
        ObjectText(object.items[i], out);
      }
      out += ']';
      return;
    case ObjectKind::kMap: return MapText(object.items, out);
    case ObjectKind::kGlobalVar:
      if (globals_.contains(object.text)) out.append(class_name_).append(".");
      out += context_.text(object.text);
      return;
    case ObjectKind::kOp:
      out += "I.Op(";
      AppendQuoted(out, context_.text(object.text));
      out += ')';
      return;
    case ObjectKind::kConstant: return Metadata("runtime.NDArray", id.value(), out);
    default: return Metadata(object.type_key ? context_.text(object.type_key) : "Object", id.value(), out);
  }
}

void Printer::IterVarText(IterVarId id, TextBuilder& out) {
  const IterVar& iter = tables_.iter_var(id);
  uses_t_ = true;
  out += "T.iter_var(";
  VarOut(iter.var, out);
  if (iter.domain.min) {
    out += ", T.Range(";
    Expr(iter.domain.min, out);
    out += ", ";
    Expr(iter.domain.extent, out);
    out += "), \"";
  } else {
    out += ", None, \"";
  }
  out += Name(iter.type);
  out += "\", ";
  AppendQuoted(out, iter.thread_tag ? context_.text(iter.thread_tag) : "");
  out += ')';
}

void Printer::LambdaText(std::span<const PrimExpr> params, std::span<const PrimExpr> results, bool always_tuple,
                         TextBuilder& out) {
  OpenFrame(frames_.empty() ? StmtId() : frames_.back().owner, 0, true);
  out += "lambda";
  for (size_t i = 0; i < params.size(); ++i) {
    out += i > 0 ? ", " : " ";
    out += DefineVar(params[i], frames_.back());
  }
  out += ": ";
  if (results.size() == 1 && !always_tuple)
    Expr(results[0], out);
  else
    Tuple(results, out);
  CloseFrame();
}

void Printer::ReducerText(ReducerId id, TextBuilder& out) {
  const CommReducer& reducer = tables_.reducer(id);
  uses_t_ = true;
  out += "T.comm_reducer(";
  std::vector<PrimExpr> params = reducer.lhs;
  params.insert(params.end(), reducer.rhs.begin(), reducer.rhs.end());
  LambdaText(params, reducer.result, false, out);
  out += ", [";
  Exprs(reducer.identity, out);
  out += "])";
}

void Printer::NodeText(AttrNode node, TextBuilder& out) {
  switch (node.kind) {
    case AttrNode::Kind::kExpr: return Expr(node.expr(), out);
    case AttrNode::Kind::kBuffer: out += BufferName(node.buffer()); return;
    case AttrNode::Kind::kIterVar: return IterVarText(node.iter_var(), out);
    case AttrNode::Kind::kReducer: return ReducerText(node.reducer(), out);
    case AttrNode::Kind::kObject: return ObjectText(node.object(), out);
  }
}

}  // namespace relayopt::tir
