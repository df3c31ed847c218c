// Lays out a difference in lines.
//
//   def @main(%x, %c) {          owned by the function
//     if (%c) {                  owned by the conditional
//       exp(%x)                  owned by the call
//     } else {                   closes what the line of the conditional opens
//
// A line is owned by the first expression on it that is not a parameter. Lines that nothing owns close blocks: they are
// the same on both sides where the expressions that open the blocks correspond.
#include "diff_layout.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace relayopt {

namespace {

constexpr size_t kNoLine = SIZE_MAX;
// Longer lines of functions are cut: parameters may be weights by the hundred.
constexpr size_t kLongestHeader = 160;

auto IndentOf(std::string_view line) -> size_t { return std::min(line.find_first_not_of(' '), line.size()); }

// One of the two functions.
class Side {
 public:
  explicit Side(const FunctionView& view) : view_(view), lines_(view.Lines()), openers_(lines_.size(), {kNoLine, 0}) {}

  // Returns the line that the expression owns from now on, the `number`-th of the difference; nullopt if it owns none.
  auto Own(ExprId id, size_t number) -> std::optional<size_t> {
    const auto line = view_.LineOf(id);
    if (!line || view_.function().kind(id) == ExprKind::kVar) return std::nullopt;
    if (last_owned_ && *line <= *last_owned_) return std::nullopt;
    last_owned_ = line;
    openers_[*line] = {number, 0};
    return line;
  }

  // Numbers the lines that close blocks: by the expression that opens the block, and as its first, second, ... line.
  void FindClosers() {
    // By indentation: the last line that may have opened a block.
    std::vector<size_t> open;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const size_t indent = IndentOf(lines_[i]);
      if (open.size() <= indent) open.resize(indent + 1, kNoLine);
      open.resize(indent + 1);
      if (openers_[i].first == kNoLine && open[indent] != kNoLine) {
        const Opener& opener = openers_[open[indent]];
        openers_[i] = {opener.first, opener.second + 1};
      }
      open[indent] = i;
    }
  }

  using Opener = std::pair<size_t, size_t>;

  // The next line, if it closes a block.
  auto Closer() const -> std::optional<Opener> {
    if (next_ == lines_.size()) return std::nullopt;
    const Opener& opener = openers_[next_];
    return opener.first == kNoLine || opener.second != 0 ? std::optional(opener) : std::nullopt;
  }
  auto Line() const -> std::string { return Trimmed(lines_[next_]); }
  auto TakeLine() -> std::string { return Trimmed(lines_[next_++]); }
  void Skip(size_t line) { next_ = std::max(next_, line + 1); }
  auto next() const -> size_t { return next_; }

  auto Indented(size_t line, const std::string& text) const -> std::string {
    return std::string(IndentOf(lines_[line]), ' ') + text;
  }
  auto WholeLine(size_t line) const -> std::string { return Trimmed(lines_[line]); }

 private:
  static auto Trimmed(std::string_view line) -> std::string {
    return std::string(line.ends_with(';') ? line.substr(0, line.size() - 1) : line);
  }

  const FunctionView& view_;
  std::vector<std::string_view> lines_;
  std::vector<Opener> openers_;
  std::optional<size_t> last_owned_;
  size_t next_ = 0;
};

class DiffLayout {
 public:
  DiffLayout(const std::vector<PlacedExpr>& exprs, const FunctionView& before, const FunctionView& after)
      : exprs_(exprs), view_(after), before_(before), after_(after) {
    for (size_t i = 0; i < exprs.size(); ++i) {
      owned_.emplace_back(exprs[i].before ? before_.Own(*exprs[i].before, i) : std::nullopt,
                          exprs[i].after ? after_.Own(*exprs[i].after, i) : std::nullopt);
    }
    before_.FindClosers();
    after_.FindClosers();
  }

  auto Run() -> std::vector<ExprDiff> {
    for (size_t i = 0; i < exprs_.size(); ++i) {
      const auto [line_a, line_b] = owned_[i];
      Close(line_a, line_b);
      ExprDiff laid = exprs_[i].diff;
      if (!line_a && !line_b) {
        // A parameter, or a part of a line.
        if (laid.kind == DiffKind::kSame) continue;
        if (!laid.before.empty()) laid.before.insert(0, 4, ' ');
        if (!laid.after.empty()) laid.after.insert(0, 4, ' ');
      } else {
        if (line_a) laid.before = before_.Indented(*line_a, laid.before);
        if (line_b) laid.after = after_.Indented(*line_b, laid.after);
        if (IsHeader(i) && line_b && laid.kind == DiffKind::kSame && HasSameParams(i)) {
          const std::string whole = after_.WholeLine(*line_b);
          if (whole.size() <= kLongestHeader) laid.after = whole;
        }
        if (line_a) before_.Skip(*line_a);
        if (line_b) after_.Skip(*line_b);
      }
      result_.push_back(std::move(laid));
    }
    Close(kNoLine, kNoLine);
    return std::move(result_);
  }

 private:
  // Adds the lines before these lines that no expression owns.
  void Close(std::optional<size_t> line_a, std::optional<size_t> line_b) {
    while (true) {
      const auto a = before_.Closer();
      const auto b = after_.Closer();
      const bool may_remove = a && line_a && before_.next() < *line_a;
      const bool may_add = b && line_b && after_.next() < *line_b;
      // A constant by itself closes nothing.
      const bool removes_plain = may_remove && a->first == kNoLine;
      const bool adds_plain = may_add && b->first == kNoLine;
      const bool closes_same = a && b && *a == *b && a->first != kNoLine;
      const bool is_same = removes_plain && adds_plain ? before_.Line() == after_.Line() : closes_same;
      if (is_same && removes_plain == adds_plain) {
        std::string text = before_.TakeLine();
        result_.push_back({DiffKind::kSame, std::move(text), after_.TakeLine(), {}});
      } else if (removes_plain || (may_remove && !adds_plain)) {
        result_.push_back({DiffKind::kRemoved, before_.TakeLine(), "", {}});
      } else if (may_add) {
        result_.push_back({DiffKind::kAdded, "", after_.TakeLine(), {}});
      } else {
        return;
      }
    }
  }

  auto IsHeader(size_t i) const -> bool {
    return exprs_[i].after && view_.function().kind(*exprs_[i].after) == ExprKind::kFunction;
  }

  // Whether the parameters of a function, which follow it, are the same.
  auto HasSameParams(size_t i) const -> bool {
    for (++i; i < exprs_.size() && !owned_[i].first && !owned_[i].second; ++i) {
      if (exprs_[i].diff.kind != DiffKind::kSame) return false;
    }
    return true;
  }

  const std::vector<PlacedExpr>& exprs_;
  const FunctionView& view_;
  Side before_;
  Side after_;
  std::vector<std::pair<std::optional<size_t>, std::optional<size_t>>> owned_;
  std::vector<ExprDiff> result_;
};

}  // namespace

auto LayOut(const std::vector<PlacedExpr>& exprs, const FunctionView& before, const FunctionView& after)
    -> std::vector<ExprDiff> {
  return DiffLayout(exprs, before, after).Run();
}

}  // namespace relayopt
