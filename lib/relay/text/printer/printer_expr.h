// Prints the lines of a function, which PrinterNumbering has laid out.
#pragma once

#include <string>
#include <vector>

#include "pieces.h"
#include "printer_numbering.h"
#include "relayopt/support/indentation_sink.h"

namespace relayopt {

// A buffer of text that is passed on to a sink.
class TextBuffer {
 public:
  explicit TextBuffer(TextSink& sink) : sink_(sink), indentation_(dynamic_cast<IndentationSink*>(&sink)) {
    text_.reserve(kFlushAt + kFlushAt / 4);
  }

  auto text() -> std::string& { return text_; }
  // Returns the size of all text so far.
  auto offset() const -> size_t { return flushed_ + text_.size(); }
  // Passes the text on if there is enough of it.
  void Flow() {
    if (text_.size() >= kFlushAt) Flush();
  }
  void Flush() {
    sink_.Write(text_);
    flushed_ += text_.size();
    text_.clear();
  }
  // Whether the sink takes indentation as numbers, and passes that of a line on, after the text before it.
  auto takes_indentation() const -> bool { return indentation_ != nullptr; }
  void PassIndentation(size_t blanks) {
    Flush();
    indentation_->Indent(blanks);
  }
  // Passes on a text of any size without copying it.
  void WriteThrough(std::string_view text) {
    Flush();
    sink_.Write(text);
    flushed_ += text.size();
  }

 private:
  static constexpr size_t kFlushAt = 64 << 10;

  TextSink& sink_;
  // The sink, if it takes indentation as numbers.
  IndentationSink* indentation_;
  std::string text_;
  size_t flushed_ = 0;
};

// Prints one function.
class ExprPrinter {
 public:
  ExprPrinter(PrinterState& state, const Function& function, TextBuffer& buffer, PrintTrace* trace = nullptr);

  // Prints `def @name(...) {...}`, without an end of line.
  void PrintGlobal(GlobalId id);

 private:
  enum class Step : uint8_t;
  struct Task {
    Step step;
    ExprId id;
    ExprId line;
    uint32_t arg = 0;
  };

  void Run();
  void Do(const Task& task);
  void Lines(ExprId line, ExprId let, uint32_t step);
  void Print(ExprId id);
  void PrintPlaced(ExprId id);
  void PrintLeaf(ExprId id);
  void PrintArm(ExprId match, uint32_t clause);
  // Prints the head of a function up to its brace, and pushes its body as work.
  void BeginFunction(ExprId id);

  // Records where the text of an expression begins, if a trace was requested.
  void TracePlace(ExprId id);
  // Prints the line of a graph variable that is a call of an operator, with its end.
  void CallLine(ExprId id);
  // The same for a let step whose value is such a call or a literal, printed in place. Returns false, with nothing
  // printed, if the variable has more than a type.
  auto StepLine(ExprId var, ExprId value) -> bool;
  // Returns the text of an annotation and of the comment with a type, of which both may be missing, or null if it is
  // not remembered.
  auto TypesText(TypeId annotation, TypeId type) -> const std::string*;
  // Prints a call of an operator, with its comment.
  void AppendOpCall(Pieces& line, ExprId id);
  void AppendIndent(Pieces& line);
  // Ends a line with a semicolon, and indents the next one.
  void AppendLineEnd(Pieces& line);
  // Returns the text of a literal with its comment, or null if the constant is not a literal, or has a span to show.
  auto LiteralText(ExprId id) -> const std::string*;
  void AppendNumber(ExprId id, bool is_definition);
  void AppendRef(ExprId id);
  void AppendConstant(ExprId id);
  void AppendDataflow(ExprId id);
  void AppendCall(ExprId id);
  void AppendArgs(std::span<const ExprId> args);
  // Prints the arguments and the attributes in `scratch_`, in parentheses.
  void AppendList(std::span<const ExprId> args);
  // Types of parameters are always written; other types can be inferred again.
  void AppendDeclaration(ExprId var, bool is_param = false);
  void AppendPattern(ExprId match, const MatchClause& clause);
  void AppendInfo(ExprId id);
  void Newline();

  void Push(Step step, ExprId id = {}, ExprId line = {}, uint32_t arg = 0) { work_.push_back({step, id, line, arg}); }
  void PushScope(ExprId owner, uint32_t region, ExprId result);

  PrinterState& state_;
  const Function& function_;
  Numbering numbering_;
  TextBuffer& buffer_;
  std::string& out_;
  // Null if no trace was requested.
  PrintTrace* trace_;
  GlobalId global_;
  std::vector<Task> work_;
  size_t indent_ = 0;
  std::string scratch_;
};

}  // namespace relayopt
