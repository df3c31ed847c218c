// Names of types in messages, without metadata.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/arith/dim_arith.h"
#include "relayopt/arith/expr_object.h"
#include "relayopt/core/type_text.h"
#include "relayopt/relay/analysis/infer.h"

namespace relayopt {

namespace {

// The most characters of a dimension in a message; a longer one is truncated and ends in dots.
constexpr size_t kLongestDim = 80;
constexpr size_t kLongestName = 4000;

auto Operator(std::optional<arith::PrimKind> kind) -> std::string_view {
  using arith::PrimKind;
  if (!kind) return "";
  switch (*kind) {
    case PrimKind::kAdd: return " + ";
    case PrimKind::kSub: return " - ";
    case PrimKind::kMul: return " * ";
    case PrimKind::kDiv: return " / ";
    case PrimKind::kMod:
    case PrimKind::kFloorMod: return " % ";
    case PrimKind::kFloorDiv: return " // ";
    default: return "";
  }
}

class Namer {
 public:
  explicit Namer(const Context& context) : context_(context) {}

  auto Name(TypeId type) -> std::string {
    std::vector<TypePiece> work = {{type}};
    while (!work.empty()) {
      const TypePiece piece = work.back();
      work.pop_back();
      if (out_.size() > kLongestName) return out_ + "...";
      if (piece.type) {
        ExpandType(out_, context_, piece.type, work, *this);
      } else {
        out_ += piece.text;
      }
    }
    return out_;
  }

  // Required by ExpandType.
  static auto missing() -> std::string_view { return "?"; }
  static auto has_empty_brackets() -> bool { return false; }
  static void AppendIncomplete(std::string& out, TypeId) { out += '?'; }
  void AppendTensor(std::string&, const Type& type) { AppendTensor(type); }

 private:
  void AppendTensor(const Type& type) {
    if (type.shape.empty()) {
      out_ += ToString(type.dtype);
      return;
    }
    out_ += "Tensor[(";
    for (size_t i = 0; i < type.shape.size(); ++i) {
      if (i != 0) out_ += ", ";
      if (type.shape[i].is_expr()) {
        AppendDim(type.shape[i].object());
      } else {
        out_ += ToString(type.shape[i]);
      }
    }
    out_ += "), " + ToString(type.dtype) + ']';
  }

  // A symbolic dimension: variables by name, operations infix.
  void AppendDim(ObjectId dim) {
    struct Part {
      ObjectId object;
      std::string_view text = {};
    };
    const size_t start = out_.size();
    std::vector<Part> work = {{dim}};
    while (!work.empty()) {
      const Part part = work.back();
      work.pop_back();
      if (out_.size() - start > kLongestDim) {
        out_ += "...";
        return;
      }
      if (!part.object) {
        out_ += part.text;
        continue;
      }
      const std::string_view op = Operator(arith::KindOf(context_, part.object));
      if (op.empty()) {
        AppendLeaf(part.object);
        continue;
      }
      out_ += '(';
      work.push_back({ObjectId(), ")"});
      work.push_back({arith::FieldOf(context_, part.object, "b")});
      work.push_back({ObjectId(), op});
      work.push_back({arith::FieldOf(context_, part.object, "a")});
    }
  }

  void AppendLeaf(ObjectId id) {
    const Object& object = context_.object(id);
    if (object.kind == ObjectKind::kInt) {
      out_ += std::to_string(object.integer);
      return;
    }
    const ObjectId name = object.kind == ObjectKind::kNode ? arith::FieldOf(context_, id, "name") : ObjectId();
    if (name && context_.object(name).text) {
      out_ += context_.text(context_.object(name).text);
    } else {
      out_ += '?';
    }
  }

  const Context& context_;
  std::string out_;
};

}  // namespace

auto TypeName(const Context& context, TypeId type) -> std::string { return Namer(context).Name(type); }

}  // namespace relayopt
