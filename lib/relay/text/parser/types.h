// The parser of types.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "parsing.h"

namespace relayopt {

// Type parameters in scope by name.
class TypeVars {
 public:
  auto Here() const -> size_t { return undo_.size(); }
  void Leave(size_t before);
  void Bind(std::string_view name, TypeId var);
  auto Find(std::string_view name) const -> TypeId {
    const auto found = vars_.find(name);
    return found == vars_.end() ? TypeId() : found->second;
  }

 private:
  absl::flat_hash_map<std::string_view, TypeId> vars_;
  std::vector<std::pair<std::string_view, TypeId>> undo_;
};

// Reads types, however deep, with a stack of its own.
class TypeParser {
 public:
  explicit TypeParser(Parsing& parsing) : parsing_(parsing), lexer_(parsing.lexer) {}

  // Reads the type at the current token. The inner value is none for `_`. Returns nothing, with a diagnostic, after a
  // syntax error.
  auto Read() -> std::optional<TypeId>;
  // Returns the type at `at`, if it is a tensor type that was read before and a blank follows, and the position of the
  // blank; else nothing. Reads no token.
  auto FindKnown(uint32_t at) -> std::optional<std::pair<TypeId, uint32_t>>;
  // Reads `[A, B]`, if there is one, and brings the names into scope. Returns false after a syntax error.
  auto ReadParams(std::vector<TypeId>& params) -> bool;

  auto vars() -> TypeVars& { return vars_; }
  // Reports the types that were named but never defined. Must be called after all definitions have been read.
  void ReportUndefined();

 private:
  enum class FrameKind : uint8_t { kTuple, kArgs, kParams, kResult, kRef };
  struct Frame {
    FrameKind kind;
    // A comma has been seen.
    bool comma = false;
    // kArgs.
    StringId name;
    // The indices at which its parts start in `parts_`, and its type parameters in `params_`.
    uint32_t base = 0;
    uint32_t params = 0;
    // kParams, kResult: type variables to be kept in scope.
    size_t vars = 0;
  };

  auto Open(FrameKind kind) -> Frame&;
  // Starts a type at the current token. Returns true if it is complete already: see `done_`.
  auto Start() -> bool;
  auto StartName() -> bool;
  auto StartFunction() -> bool;
  auto StartTensor() -> bool;
  auto StartMeta() -> bool;
  // Returns the text of the tensor type that begins at `begin`, if it can be remembered by it; else empty.
  auto TensorText(uint32_t begin) const -> std::string_view;
  auto ReadShape(std::vector<Dim>& shape) -> bool;
  auto ReadDim(std::vector<Dim>& shape) -> bool;
  auto ReadMetaDim(std::vector<Dim>& shape) -> bool;
  auto ReadDataType() -> std::optional<DataType>;
  // Passes `done_` to the innermost frame. Returns true if that frame is complete, too.
  auto Continue() -> bool;
  // After an element of a list, returns true if another one follows, false at `close` (consumed) or after an error.
  auto More(Frame& frame, TokenKind close) -> bool;
  void CloseList(Frame frame);
  void Finish(TypeId type);
  auto Fail() -> bool;
  auto Parts(const Frame& frame) const -> std::span<const TypeId> { return std::span(parts_).subspan(frame.base); }

  Parsing& parsing_;
  Lexer& lexer_;
  TypeVars vars_;
  std::vector<Frame> frames_;
  std::vector<TypeId> parts_;
  std::vector<TypeId> params_;
  // The type that was just completed; invalid for `_`.
  TypeId done_;
  bool failed_ = false;
  // Tensor types by their text, as long as it refers to no metadata.
  absl::flat_hash_map<std::string_view, TypeId> tensors_;
  // The tensor type that was read last, which may be a scalar: annotations repeat.
  std::string_view last_text_;
  TypeId last_type_;
  absl::flat_hash_map<ObjectId, TypeId> incomplete_;
  // The first mention of each type definition.
  absl::flat_hash_map<StringId, SourceRange> mentioned_;
};

}  // namespace relayopt
