// Prints types.
#include "printer_types.h"

#include <array>
#include <utility>

#include "printer_literals.h"
#include "relayopt/arith/expr_object.h"

namespace relayopt {

namespace {

// Longer texts are created again each time: a chain of ever larger tuples would need quadratic memory.
constexpr size_t kLongestRemembered = 256;
constexpr size_t kMostRememberedTypes = 1 << 16;

}  // namespace

void AppendDim(std::string& out, const Context& context, const Dim& dim, MetaIndex& meta) {
  switch (dim.kind()) {
    case Dim::Kind::kNull: out += "None"; break;
    case Dim::Kind::kAny: out += '?'; break;
    case Dim::Kind::kInt:
      AppendTypedInt(out, dim.value(), dim.bits() == 1 ? DataType::Bool() : DataType::Int(dim.bits()));
      break;
    case Dim::Kind::kExpr:
      if (arith::KindOf(context, dim.object()) == arith::PrimKind::kAny) {
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
  if (type == long_type_) {
    out += long_text_;
    return true;
  }
  const size_t start = out.size();
  std::vector<TypePiece> work = {{type}};
  while (!work.empty()) {
    const TypePiece piece = work.back();
    work.pop_back();
    if (out.size() - start > limit || (limit == kLongestOptional && huge_.contains(piece.type))) {
      out.resize(start);
      huge_.insert(type);
      return false;
    }
    if (!piece.type) {
      out += piece.text;
    } else if (const auto found = texts_.find(piece.type); found != texts_.end()) {
      out += found->second;
    } else if (piece.type == long_type_ && out.size() - start + long_text_.size() <= limit) {
      out += long_text_;
    } else {
      Expand(out, piece.type, work);
    }
  }
  if (out.size() - start <= kLongestRemembered) {
    Remember(type, out.substr(start));
  } else {
    reserved_.insert(type);
    if (out.size() - start > kLongestOptional) return true;
    long_type_ = type;
    long_text_.assign(out, start);
  }
  return true;
}

void TypePrinter::Remember(TypeId type, std::string text) {
  if (texts_.size() >= kMostRememberedTypes) texts_.clear();
  texts_.emplace(type, std::move(text));
  remembered_last_.fill({});
}

void TypePrinter::ReserveNew(TypeId type) {
  if (texts_.contains(type) || reserved_.contains(type) || huge_.contains(type)) return;
  std::string text;
  AppendOptional(text, type);
}

// Writes the head of a type and pushes the rest as work.
void TypePrinter::Expand(std::string& out, TypeId id, std::vector<TypePiece>& work) {
  struct Leaves {
    TypePrinter& printer;
    void AppendTensor(std::string& to, const Type& type) const { printer.AppendTensor(to, type); }
    void AppendIncomplete(std::string& to, TypeId type) const {
      printer.meta_.Append(to, {MetaRef::Kind::kType, type.value()});
    }
    static auto missing() -> std::string_view { return "(nullptr)"; }
    static auto has_empty_brackets() -> bool { return true; }
  };
  ExpandType(out, context_, id, work, Leaves{*this});
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
