// The text of types.
#include "printer_types.h"

#include <array>

#include "printer_literals.h"

namespace relayopt {

namespace {

// Longer texts are made again each time: a chain of ever larger tuples would need quadratic memory.
constexpr size_t kLongestRemembered = 256;
constexpr size_t kMostRemembered = 1 << 16;

auto IsAny(const Context& context, ObjectId id) -> bool {
  const Object& object = context.object(id);
  return object.kind == ObjectKind::kNode && context.text(object.type_key) == "tir.Any";
}

}  // namespace

// Work left to do: a type, or a text where there is none.
struct TypePrinter::Piece {
  TypeId type;
  std::string_view text = {};
};

void AppendDim(std::string& out, const Context& context, const Dim& dim, MetaIndex& meta) {
  switch (dim.kind()) {
    case Dim::Kind::kNull: out += "None"; break;
    case Dim::Kind::kAny: out += '?'; break;
    case Dim::Kind::kInt:
      AppendTypedInt(out, dim.value(), dim.bits() == 1 ? DataType::Bool() : DataType::Int(dim.bits()));
      break;
    case Dim::Kind::kExpr:
      if (IsAny(context, dim.object())) {
        out += '?';
      } else {
        meta.Append(out, RefOf(context, dim.object()));
      }
      break;
  }
}

auto TypePrinter::Generate(std::string& out, TypeId type, size_t limit) -> bool {
  if (const auto found = texts_.find(type); found != texts_.end()) {
    out += found->second;
    return true;
  }
  const size_t start = out.size();
  std::vector<Piece> work = {{type}};
  while (!work.empty()) {
    const Piece piece = work.back();
    work.pop_back();
    if (!piece.type) {
      out += piece.text;
    } else if (const auto found = texts_.find(piece.type); found != texts_.end()) {
      out += found->second;
    } else if (out.size() - start > limit || (limit == kLongestOptional && huge_.contains(piece.type))) {
      out.resize(start);
      huge_.insert(type);
      return false;
    } else {
      Expand(out, piece.type, work);
    }
  }
  if (out.size() - start <= kLongestRemembered) {
    if (texts_.size() >= kMostRemembered) texts_.clear();
    texts_.emplace(type, out.substr(start));
  } else {
    reserved_.insert(type);
  }
  return true;
}

void TypePrinter::Reserve(TypeId type) {
  if (texts_.contains(type) || reserved_.contains(type) || huge_.contains(type)) return;
  std::string text;
  AppendOptional(text, type);
}

// Writes the head of a type and leaves the rest as work.
void TypePrinter::Expand(std::string& out, TypeId id, std::vector<Piece>& work) {
  const Type& type = context_.type(id);
  const auto push_list = [&](std::span<const TypeId> items, std::string_view close) {
    work.push_back({TypeId(), close});
    for (size_t i = items.size(); i-- != 0;) {
      work.push_back({items[i]});
      if (i != 0) work.push_back({TypeId(), ", "});
    }
  };
  switch (type.kind) {
    case TypeKind::kTensor: AppendTensor(out, type); break;
    case TypeKind::kTuple:
      out += '(';
      push_list(type.args, type.args.size() == 1 ? ",)" : ")");
      break;
    case TypeKind::kFunction:
      out += "fn ";
      work.push_back(type.result ? Piece{type.result} : Piece{TypeId(), "(nullptr)"});
      push_list(type.args, ") -> ");
      work.push_back({TypeId(), "("});
      if (!type.type_params.empty()) {
        push_list(type.type_params, "]");
        work.push_back({TypeId(), "["});
      }
      break;
    case TypeKind::kVar: out += context_.text(type.name); break;
    case TypeKind::kCall:
      out += context_.text(type.name);
      out += '[';
      push_list(type.args, "]");
      break;
    case TypeKind::kRef:
      out += "ref(";
      work.push_back({TypeId(), ")"});
      work.push_back({type.result});
      break;
    case TypeKind::kIncomplete: meta_.Append(out, {MetaRef::Kind::kType, id.value()}); break;
    case TypeKind::kNull: out += "(nullptr)"; break;
  }
}

void TypePrinter::AppendTensor(std::string& out, const Type& type) {
  if (type.shape.empty() && !type.dtype.is_void()) {
    out += ToString(type.dtype);
    return;
  }
  out += "Tensor[(";
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (i != 0) out += ", ";
    AppendDim(out, context_, type.shape[i], meta_);
  }
  out += "), ";
  out += ToString(type.dtype);
  out += ']';
}

}  // namespace relayopt
