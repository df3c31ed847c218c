// Prints Relay text with the users of each value.
#include "relayopt/relay/text/value_users.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

namespace {

// The expressions of a text that have a line of their own, and their users.
class LineUsers {
 public:
  LineUsers(const Module& module, std::string_view text, const PrintTrace& trace)
      : module_(module), text_(text), places_(trace.places), lines_(trace.places.size()) {
    FindLines();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (IsVar(i)) {
        AddAlias(i);
      } else {
        AddUses(i);
      }
    }
  }

  // Returns the text with the comments.
  auto Text() const -> std::string {
    std::string out;
    size_t at = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      const Line& line = lines_[i];
      if (line.label.empty()) continue;
      const size_t end = std::min(text_.find('\n', places_[i].begin), text_.size());
      out += text_.substr(at, end - at);
      out += line.users.empty() ? "  // no users" : "  // users: ";
      for (size_t k = 0; k < line.users.size(); ++k) {
        if (k != 0) out += ", ";
        out += line.users[k];
      }
      at = end;
    }
    out += text_.substr(at);
    return out;
  }

 private:
  using Key = std::pair<GlobalId, ExprId>;
  struct Line {
    // `%3` or `%x`; empty for an expression that is printed in place.
    std::string_view label;
    std::vector<std::string_view> users;
  };

  auto function(size_t place) const -> const Function& { return *module_.function<Function>(places_[place].function); }
  // Whether the position is that of a parameter, or of `let %a = %b`.
  auto IsVar(size_t place) const -> bool { return function(place).kind(places_[place].expr) == ExprKind::kVar; }

  void FindLines() {
    for (size_t i = 0; i < places_.size(); ++i) {
      if (IsVar(i)) continue;
      line_of_.try_emplace(Key(places_[i].function, places_[i].expr), i);
      lines_[i].label = LabelOf(places_[i]);
    }
    for (const GlobalId id : module_.SortedFunctions<Function>()) AddLetVars(id);
  }

  // Uses of a let-bound variable are uses of the line of its value.
  void AddLetVars(GlobalId id) {
    const Function& function = *module_.function<Function>(id);
    for (const ExprId let : function.ids_to_root()) {
      if (function.kind(let) != ExprKind::kLet) continue;
      for (size_t i = 0; i < function.let_size(let); ++i) {
        const auto line = line_of_.find(Key(id, function.let_value(let, i)));
        if (line == line_of_.end()) continue;
        // A copy, because the table moves its elements when it grows.
        const size_t at = line->second;
        line_of_.try_emplace(Key(id, function.let_var(let, i)), at);
      }
    }
  }

  auto LabelOf(const PrintTrace::Place& place) const -> std::string_view {
    std::string_view line = text_.substr(place.begin);
    line = line.substr(0, line.find('\n'));
    if (line.starts_with("let ")) line.remove_prefix(4);
    if (!line.starts_with('%')) return {};
    const std::string_view label = line.substr(0, line.find_first_of(" :"));
    const bool defines = line.substr(label.size()).starts_with(" = ") || line.substr(label.size()).starts_with(':') ||
                         text_.substr(place.begin).starts_with("let ");
    return defines ? label : std::string_view();
  }

  // A variable that is bound to another variable uses it, and has no line for a value of its own.
  void AddAlias(size_t place) {
    const auto line = line_of_.find(Key(places_[place].function, places_[place].expr));
    const bool is_alias = text_.substr(places_[place].begin).starts_with("let ");
    if (is_alias && line != line_of_.end()) AddUser(line->second, LabelOf(places_[place]));
  }

  // Visits the expressions that are printed as part of the line, and stops at those with a line of their own.
  void AddUses(size_t place) {
    const Function& from = function(place);
    const size_t own = line_of_.at(Key(places_[place].function, places_[place].expr));
    // Adds a use of a line as a result.
    if (own != place) return AddUser(own, "result");
    const std::string_view user = lines_[place].label.empty() ? "result" : lines_[place].label;
    std::vector<ExprId> left;
    PushOperands(from, places_[place].expr, left);
    while (!left.empty()) {
      const ExprId id = left.back();
      left.pop_back();
      const auto line = line_of_.find(Key(places_[place].function, id));
      if (line != line_of_.end()) {
        AddUser(line->second, user);
      } else {
        PushOperands(from, id, left);
      }
    }
  }

  // The values of a let have lines.
  static void PushOperands(const Function& from, ExprId id, std::vector<ExprId>& left) {
    if (from.kind(id) == ExprKind::kLet) return left.push_back(from.let_result(id));
    const auto operands = from.operands(id);
    left.insert(left.end(), operands.begin(), operands.end());
  }

  void AddUser(size_t line, std::string_view user) {
    std::vector<std::string_view>& users = lines_[line].users;
    if (users.empty() || users.back() != user) users.push_back(user);
  }

  const Module& module_;
  std::string_view text_;
  const std::vector<PrintTrace::Place>& places_;
  std::vector<Line> lines_;
  absl::flat_hash_map<Key, size_t> line_of_;
};

}  // namespace

auto PrintWithUsers(const Module& module, PrintOptions options) -> std::string {
  options.elide_constants_if_larger.reset();
  options.external_constants = nullptr;
  PrintTrace trace;
  const std::string relay = PrintRelay(module, options, trace);
  std::string text = PrintModule(module, options);
  // Sections of other kinds of functions, which may follow, are copied.
  if (!text.starts_with(relay)) return text;
  return LineUsers(module, relay, trace).Text() + text.substr(relay.size());
}

}  // namespace relayopt
