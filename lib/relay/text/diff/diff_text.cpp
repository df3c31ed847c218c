// Prints differences between modules as text and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "relayopt/relay/text/module_diff.h"
#include "relayopt/support/json.h"

namespace relayopt {

namespace {

using Json = OrderedJson;

auto KindName(DiffKind kind) -> std::string_view {
  switch (kind) {
    case DiffKind::kSame: return "same";
    case DiffKind::kRemoved: return "removed";
    case DiffKind::kAdded: return "added";
    case DiffKind::kChanged: return "changed";
  }
  return "";
}

// An expression without text of its own still gets a line.
auto Shown(const std::string& text) -> std::string { return text.empty() ? "(an expression without a line)" : text; }
auto OrNone(const std::string& text) -> std::string { return text.empty() ? "none" : text; }

class TextWriter {
 public:
  explicit TextWriter(const DiffTextOptions& options) : options_(options) {}

  auto Run(const ModuleDiff& diff) -> std::string {
    if (diff.is_equal()) return "";
    for (const ItemDiff& item : diff.items) {
      if (item.kind == DiffKind::kAdded || item.kind == DiffKind::kRemoved) {
        Line(item.kind == DiffKind::kAdded ? '+' : '-', item.name);
        out_ += item.lines;
        continue;
      }
      Line(' ', item.name);
      WriteLines(item.lines);
      WriteExprs(item.layout);
      Count(item.exprs);
    }
    out_ += fmt::format("{} added, {} removed, {} changed in {} definition{}\n", added_, removed_, changed_,
                        diff.items.size(), diff.items.size() == 1 ? "" : "s");
    return std::move(out_);
  }

 private:
  void WriteLines(std::string_view lines) {
    out_ += lines;
    for (size_t at = 0; at < lines.size(); at = std::min(lines.find('\n', at), lines.size() - 1) + 1) {
      added_ += lines[at] == '+' ? 1 : 0;
      removed_ += lines[at] == '-' ? 1 : 0;
    }
  }

  // Lines that are not expressions, such as braces, do not count.
  void Count(const std::vector<ExprDiff>& exprs) {
    for (const ExprDiff& expr : exprs) {
      added_ += expr.kind == DiffKind::kAdded ? 1 : 0;
      removed_ += expr.kind == DiffKind::kRemoved ? 1 : 0;
      changed_ += expr.kind == DiffKind::kChanged ? 1 : 0;
    }
  }

  void WriteExprs(const std::vector<ExprDiff>& exprs) {
    // The expressions that have a line in the text.
    std::vector<const ExprDiff*> shown;
    for (const ExprDiff& expr : exprs) {
      if (expr.kind != DiffKind::kSame || !expr.after.empty()) shown.push_back(&expr);
    }
    size_t written = 0;
    for (size_t i = 0; i < shown.size(); ++i) {
      if (shown[i]->kind == DiffKind::kSame) continue;
      const size_t begin = std::max(written, i - std::min(i, options_.context));
      if (begin > written) out_ += "  ...\n";
      for (size_t k = begin; k < i; ++k) Line(' ', shown[k]->after);
      // Changes that are near each other and are printed together.
      size_t end = i + 1;
      for (size_t k = i; k < shown.size() && k <= end - 1 + 2 * options_.context + 1; ++k) {
        if (shown[k]->kind != DiffKind::kSame) end = k + 1;
      }
      for (; i < end; ++i) WriteExpr(*shown[i]);
      written = std::min(shown.size(), end + options_.context);
      for (; i < written; ++i) Line(' ', shown[i]->after);
      --i;
    }
    if (written < shown.size()) out_ += "  ...\n";
  }

  void WriteExpr(const ExprDiff& expr) {
    switch (expr.kind) {
      case DiffKind::kSame: Line(' ', expr.after); return;
      case DiffKind::kRemoved: Line('-', Shown(expr.before)); return;
      case DiffKind::kAdded: Line('+', Shown(expr.after)); return;
      case DiffKind::kChanged: break;
    }
    if (expr.before == expr.after) {
      Line('!', Shown(expr.after));
    } else {
      Line('-', Shown(expr.before));
      Line('+', Shown(expr.after));
    }
    for (const DiffDetail& detail : expr.details) {
      out_ += fmt::format("       {}: {} -> {}\n", detail.what, OrNone(detail.before), OrNone(detail.after));
    }
  }

  void Line(char sign, const std::string& text) {
    const bool colored = options_.color && (sign == '-' || sign == '+');
    if (colored) out_ += sign == '-' ? "\x1b[31m" : "\x1b[32m";
    out_ += sign;
    out_ += ' ';
    out_ += text;
    if (colored) out_ += "\x1b[0m";
    out_ += '\n';
  }

  const DiffTextOptions& options_;
  std::string out_;
  size_t added_ = 0;
  size_t removed_ = 0;
  size_t changed_ = 0;
};

}  // namespace

auto ToText(const ModuleDiff& diff, const DiffTextOptions& options) -> std::string {
  return TextWriter(options).Run(diff);
}

auto ToJson(const ModuleDiff& diff) -> std::string {
  Json items = Json::array();
  for (const ItemDiff& item : diff.items) {
    Json changes = Json::array();
    for (const ExprDiff& expr : item.exprs) {
      if (expr.kind == DiffKind::kSame) continue;
      Json details = Json::array();
      for (const DiffDetail& detail : expr.details) {
        details.push_back({{"what", detail.what}, {"before", detail.before}, {"after", detail.after}});
      }
      changes.push_back({{"kind", KindName(expr.kind)},
                         {"before", expr.before},
                         {"after", expr.after},
                         {"details", std::move(details)}});
    }
    Json entry = {{"name", item.name}, {"kind", KindName(item.kind)}, {"changes", std::move(changes)}};
    if (!item.lines.empty()) entry["lines"] = item.lines;
    items.push_back(std::move(entry));
  }
  const Json json = {{"version", 1}, {"equal", diff.is_equal()}, {"items", std::move(items)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace relayopt
