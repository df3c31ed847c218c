// Names types in messages, without metadata.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/analysis/infer.h"

namespace relayopt {

namespace {

// A message is for people: what is longer ends in dots.
constexpr size_t kLongestDim = 80;
constexpr size_t kLongestName = 4000;

auto Operator(std::string_view type_key) -> std::string_view {
  constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
      {"tir.Add", " + "}, {"tir.Sub", " - "},       {"tir.Mul", " * "},      {"tir.Div", " / "},
      {"tir.Mod", " % "}, {"tir.FloorDiv", " // "}, {"tir.FloorMod", " % "},
  };
  for (const auto& [key, text] : kOperators) {
    if (key == type_key) return text;
  }
  return "";
}

class Namer {
 public:
  explicit Namer(const Context& context) : context_(context) {}

  auto Name(TypeId type) -> std::string {
    std::vector<Piece> work = {{type}};
    while (!work.empty()) {
      const Piece piece = work.back();
      work.pop_back();
      if (out_.size() > kLongestName) return out_ + "...";
      if (piece.type) {
        Expand(context_.type(piece.type), work);
      } else {
        out_ += piece.text;
      }
    }
    return out_;
  }

 private:
  // Work left to do: a type, or a text where there is none.
  struct Piece {
    TypeId type;
    std::string_view text = {};
  };

  // Writes the head of a type and leaves the rest as work, last first.
  void Expand(const Type& type, std::vector<Piece>& work) {
    const auto push_list = [&](std::span<const TypeId> items, std::string_view close) {
      work.push_back({TypeId(), close});
      for (size_t i = items.size(); i-- != 0;) {
        work.push_back({items[i]});
        if (i != 0) work.push_back({TypeId(), ", "});
      }
    };
    switch (type.kind) {
      case TypeKind::kTensor: AppendTensor(type); break;
      case TypeKind::kTuple:
        out_ += '(';
        push_list(type.args, type.args.size() == 1 ? ",)" : ")");
        break;
      case TypeKind::kFunction:
        out_ += "fn ";
        work.push_back(type.result ? Piece{type.result} : Piece{TypeId(), "?"});
        push_list(type.args, ") -> ");
        work.push_back({TypeId(), "("});
        if (type.type_params.empty()) break;
        push_list(type.type_params, "]");
        work.push_back({TypeId(), "["});
        break;
      case TypeKind::kVar: out_ += context_.text(type.name); break;
      case TypeKind::kCall:
        out_ += context_.text(type.name);
        if (type.args.empty()) break;
        out_ += '[';
        push_list(type.args, "]");
        break;
      case TypeKind::kRef:
        out_ += "ref(";
        work.push_back({TypeId(), ")"});
        work.push_back({type.result});
        break;
      case TypeKind::kIncomplete:
      case TypeKind::kNull: out_ += '?'; break;
    }
  }

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
      const Object& object = context_.object(part.object);
      const std::string_view op = object.kind == ObjectKind::kNode ? Operator(context_.text(object.type_key)) : "";
      if (op.empty()) {
        AppendLeaf(object);
        continue;
      }
      out_ += '(';
      work.push_back({ObjectId(), ")"});
      work.push_back({Child(object, "b")});
      work.push_back({ObjectId(), op});
      work.push_back({Child(object, "a")});
    }
  }

  void AppendLeaf(const Object& object) {
    if (object.kind == ObjectKind::kInt) {
      out_ += std::to_string(object.integer);
      return;
    }
    const ObjectId name = object.kind == ObjectKind::kNode ? Child(object, "name") : ObjectId();
    if (name && context_.object(name).text) {
      out_ += context_.text(context_.object(name).text);
    } else {
      out_ += '?';
    }
  }

  auto Child(const Object& node, std::string_view name) const -> ObjectId {
    for (const ObjectField& field : node.fields) {
      if (context_.text(field.name) == name) return field.object;
    }
    return {};
  }

  const Context& context_;
  std::string out_;
};

}  // namespace

auto TypeName(const Context& context, TypeId type) -> std::string { return Namer(context).Name(type); }

}  // namespace relayopt
