// Builds the nodes of the function that is being parsed, with their ranges in the text.
#pragma once

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "parsing.h"

namespace relayopt {

class SourceBuilder {
 public:
  explicit SourceBuilder(Parsing& parsing) : parsing_(parsing) {}

  // Begins a new function.
  void Start() {
    builder_.emplace(parsing_.context());
    leaves_.clear();
  }
  auto operator->() -> FunctionBuilder* { return &*builder_; }

  // Sets the range of a node. Its span is that of the comment before the current token, if there is one.
  void SetSource(ExprId id, SourceRange range) {
    builder_->SetRange(id, range);
    SetSpan(id);
  }
  void SetSpan(ExprId id) {
    if (!parsing_.lexer.span().empty()) builder_->SetSpan(id, parsing_.CommentSpan());
  }

  // Operators, globals, constructors and constants of the metadata section have one node per function. `begin` is where
  // it starts; it ends before the current token.
  auto Leaf(ExprKind kind, uint32_t id, uint32_t begin) -> ExprId;

 private:
  Parsing& parsing_;
  std::optional<FunctionBuilder> builder_;
  absl::flat_hash_map<std::pair<ExprKind, uint32_t>, ExprId> leaves_;
};

}  // namespace relayopt
