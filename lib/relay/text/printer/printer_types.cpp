// Prints types.
#include "printer_types.h"

#include <algorithm>
#include <utility>

#include "printer_literals.h"
#include "relayopt/arith/expr_object.h"

namespace relayopt {

namespace {

// Longer texts are created again each time: a chain of ever larger tuples would need quadratic memory.
constexpr size_t kLongestRemembered = 256;
constexpr size_t kMostRememberedTypes = 1 << 16;

struct RelayLeaves {
  static auto missing() -> std::string_view { return "(nullptr)"; }
  static auto has_empty_brackets() -> bool { return true; }
};

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
  if (type == long_type_ && long_text_.size() <= limit) {
    out += long_text_;
    return true;
  }
  const size_t start = out.size();
  const auto is_too_long = [&](TypeId piece) {
    return out.size() - start > limit || (limit == kLongestOptional && huge_.contains(piece)) ||
           (limit == kLong && long_types_.contains(piece));
  };
  std::vector<TypePiece> work = {{type}};
  bool fits = true;
  while (fits && !work.empty()) {
    const TypePiece piece = work.back();
    work.pop_back();
    if (is_too_long(piece.type)) {
      fits = false;
    } else if (!piece.type) {
      out += piece.text;
    } else if (const auto found = texts_.find(piece.type); found != texts_.end()) {
      out += found->second;
    } else if (piece.type == long_type_ && out.size() - start + long_text_.size() <= limit) {
      out += long_text_;
    } else {
      Expand(out, piece.type, work);
    }
  }
  fits = fits && !is_too_long({});
  if (!fits || out.size() - start > kLong) long_types_.insert(type);
  if (!fits) {
    out.resize(start);
    if (limit == kLongestOptional && huge_.insert(type).second) FindHuge(type);
    return false;
  }
  if (out.size() - start <= kLongestRemembered) {
    Remember(type, std::string_view(out).substr(start));
  } else {
    if (out.size() - start > kLongestOptional) return true;
    long_type_ = type;
    long_text_.assign(out, start);
  }
  return true;
}

// Types inside of types, each huge, would be written up to the limit one after the other. So the lengths of all are
// added up once, from the inside. A type that hands out metadata indices is left to Generate, which does so.
void TypePrinter::FindHuge(TypeId root) {
  struct Leaves : RelayLeaves {
    TypePrinter& printer;
    bool& needs_metadata;
    void AppendTensor(std::string& to, const Type& type) const {
      needs_metadata = std::ranges::any_of(type.shape, [](const Dim& dim) { return dim.kind() == Dim::Kind::kExpr; });
      if (!needs_metadata) printer.AppendTensor(to, type);
    }
    void AppendIncomplete(std::string&, TypeId) const { needs_metadata = true; }
  };
  struct Frame {
    TypeId type;
    size_t length;
    std::vector<TypePiece> work;
  };
  std::vector<Frame> stack;
  std::string text;
  const auto open = [&](TypeId type) {
    bool needs_metadata = false;
    text.clear();
    Frame& frame = stack.emplace_back(Frame{type, 0, {}});
    ExpandType(text, context_, type, frame.work, Leaves{{}, *this, needs_metadata});
    frame.length = needs_metadata ? kNeedsMetadata : text.size();
  };
  open(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.work.empty()) {
      lengths_[frame.type] = frame.length;
      if (frame.length > kLongestOptional && frame.length != kNeedsMetadata) huge_.insert(frame.type);
      stack.pop_back();
      continue;
    }
    const TypePiece piece = frame.work.back();
    size_t length = piece.text.size();
    if (piece.type) {
      const auto found = lengths_.find(piece.type);
      if (found == lengths_.end()) {
        open(piece.type);
        continue;
      }
      length = found->second;
    }
    frame.work.pop_back();
    // Shared parts count each time, so that a length may grow without end.
    if (length == kNeedsMetadata || frame.length == kNeedsMetadata) {
      frame.length = kNeedsMetadata;
    } else {
      frame.length = std::min(frame.length + length, kLongestOptional + 1);
    }
  }
}

void TypePrinter::Remember(TypeId type, std::string_view text) {
  if (texts_.size() >= kMostRememberedTypes) texts_.clear();
  texts_.emplace(type, text);
  remembered_last_.fill({});
}

// Expands the parts in the order of the text, each once, though types of a chain contain one another.
void TypePrinter::ReserveNew(TypeId type) {
  std::string text;
  std::vector<TypePiece> work = {{type}};
  while (!work.empty()) {
    const TypeId part = work.back().type;
    work.pop_back();
    if (!part || texts_.contains(part) || !reserved_.insert(part).second) continue;
    text.clear();
    Expand(text, part, work);
  }
}

// Writes the head of a type and pushes the rest as work.
void TypePrinter::Expand(std::string& out, TypeId id, std::vector<TypePiece>& work) {
  struct Leaves : RelayLeaves {
    TypePrinter& printer;
    void AppendTensor(std::string& to, const Type& type) const { printer.AppendTensor(to, type); }
    void AppendIncomplete(std::string& to, TypeId type) const {
      printer.meta_.Append(to, {MetaRef::Kind::kType, type.value()});
    }
  };
  ExpandType(out, context_, id, work, Leaves{{}, *this});
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
