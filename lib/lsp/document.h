// An open document: its text, the module that was read from it, and the names in it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "names.h"
#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

// Text and module are fixed; an edit makes a new document.
class Document {
 public:
  // `uri` decides the language: TVMScript if it ends in .py, else Relay text unless the text looks otherwise.
  Document(std::string uri, std::string text);

  auto uri() const -> const std::string& { return uri_; }
  auto text() const -> std::string_view { return source_->text(); }
  auto source() const -> const std::shared_ptr<const SourceText>& { return source_; }
  auto is_script() const -> bool { return is_script_; }
  // Returns the module with inferred types, or null if the text has errors.
  auto module() const -> const Module* { return module_ ? &*module_ : nullptr; }
  // Returns the module as it was read, with the types that its author wrote, or null if the text cannot be parsed.
  auto untyped() const -> const Module* { return untyped_ ? &*untyped_ : nullptr; }
  auto diagnostics() const -> const std::vector<Diagnostic>& { return sink_.diagnostics(); }
  auto names() const -> const TextNames& { return names_; }

  // Positions of the protocol count lines from 0 and UTF-16 code units from 0. An offset beyond the text is its end,
  // and a position beyond a line is the end of the line.
  auto PositionOf(size_t offset) const -> nlohmann::json;
  auto OffsetOf(const nlohmann::json& position) const -> size_t;
  auto RangeOf(SourceRange range) const -> nlohmann::json;
  // Returns the range of the whole text.
  auto WholeRange() const -> nlohmann::json;

 private:
  // An offset and its position: the line, and the UTF-16 code units before it.
  struct Mark {
    size_t offset = 0;
    size_t line = 0;
    size_t units = 0;
  };

  void SetMarks();

  std::string uri_;
  std::shared_ptr<const SourceText> source_;
  bool is_script_;
  // Where lines begin, and places within long ones.
  std::vector<Mark> marks_;
  DiagnosticSink sink_;
  std::optional<Module> untyped_;
  std::optional<Module> module_;
  TextNames names_;
};

}  // namespace relayopt
