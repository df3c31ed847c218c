// Resolves names of local variables in their scopes.
#include "names.h"

#include <algorithm>
#include <functional>

namespace relayopt {

namespace {

auto IsIdent(std::string_view name) -> bool {
  return !name.empty() && CharClass::Is(name[0], CharClass::kIdentStart) &&
         std::all_of(name.begin(), name.end(), [](char c) { return CharClass::Is(c, CharClass::kIdent); });
}

}  // namespace

void LocalNames::Leave(Scope before) {
  while (undo_.size() > before.bindings) {
    const Undo& undo = undo_.back();
    SymbolInfo& symbol = symbols_[undo.symbol];
    static_cast<Meaning&>(symbol) = undo.before;
    symbol.undo = undo.undo;
    undo_.pop_back();
  }
  object_ = before.object;
}

void LocalNames::Reset() {
  Leave({0, 0});
  depth_ = 0;
}

auto LocalNames::SymbolOf(StringId name) -> Symbol {
  uint32_t& index = indices_[name];
  if (index != 0) return index - 1;
  symbols_.emplace_back().name = name;
  index = static_cast<uint32_t>(symbols_.size());
  if (const std::string_view text = parsing_.context().text(name); !IsIdent(text)) {
    const auto at = std::lower_bound(odd_lengths_.begin(), odd_lengths_.end(), text.size(), std::greater<>());
    if (at == odd_lengths_.end() || *at != text.size()) odd_lengths_.insert(at, text.size());
  }
  return index - 1;
}

auto LocalNames::DeclaredName() -> std::string_view {
  Lexer& lexer = parsing_.lexer;
  const uint32_t begin = lexer.token().begin + 1;
  uint32_t end = lexer.OddNameEnd(begin);
  std::string_view name = lexer.text({begin, end});
  if (name.ends_with(':')) {
    // A colon before a blank or a bracket starts the annotation.
    --end;
  } else if (const size_t colon = name.rfind(':'); colon != std::string_view::npos && colon != 0) {
    // The name of a type starts it as well: `%x:int32`.
    if (IsIdent(name.substr(colon + 1))) end = begin + static_cast<uint32_t>(colon);
  }
  lexer.SetEnd(end);
  return lexer.text({begin, end});
}

auto LocalNames::TakeMalformed(std::string_view& name) -> bool {
  constexpr std::string_view kMark = "-malformed-ir";
  if (name.size() <= kMark.size() || !name.ends_with(kMark)) return false;
  name.remove_suffix(kMark.size());
  return true;
}

auto LocalNames::Bind(StringId name, ExprId var, TypeId annotation, Repeated repeated, SourceRange range) -> uint32_t {
  const Symbol id = SymbolOf(name);
  SymbolInfo& symbol = symbols_[id];
  if (const std::string_view text = NameOf(id); !text.empty()) RecentOf(text) = {text, id};
  symbol.annotation = annotation;
  if (symbol.var && symbol.object == object_) {
    if (repeated == Repeated::kFirstCounts) {
      parsing_.reporter.Report(diag::kRepeatedParam, range, NameOf(id));
      return id;
    }
    parsing_.reporter.Report(diag::kRebound, range, NameOf(id));
  }
  undo_.push_back({id, symbol.undo, symbol});
  symbol.undo = static_cast<uint32_t>(undo_.size() - 1);
  static_cast<Meaning&>(symbol) = {var, object_, 0};
  return id;
}

auto LocalNames::Look(uint32_t begin, uint32_t end) -> ExprId {
  const Symbol found = FindSymbol(parsing_.lexer.text({begin, end}));
  if (found == kNoSymbol) return {};
  const SymbolInfo& symbol = symbols_[found];
  if (symbol.suspended != depth_ + 1) return symbol.var;
  const Meaning& before = undo_[symbol.undo].before;
  if (!before.var) return symbol.var;
  // Within one scope object TVM resolves the name to the earlier one, too.
  if (before.object != symbol.object) {
    parsing_.reporter.Report(diag::kSelfReference, {begin - 1, end}, NameOf(found));
  }
  return before.var;
}

auto LocalNames::Find() -> ExprId {
  Lexer& lexer = parsing_.lexer;
  const uint32_t begin = lexer.token().begin + 1;
  const uint32_t plain = lexer.token().end;
  if (!odd_lengths_.empty() && CharClass::Is(lexer.char_at(plain), CharClass::kOdd | CharClass::kIdent)) {
    const uint32_t run = lexer.OddNameEnd(begin) - begin;
    for (const size_t length : odd_lengths_) {
      if (length > run) continue;
      if (length <= plain - begin) break;
      const auto end = begin + static_cast<uint32_t>(length);
      const ExprId var = Look(begin, end);
      if (!var) continue;
      lexer.SetEnd(end);
      return var;
    }
  }
  if (const ExprId var = Look(begin, plain)) return var;
  // A slash belongs to the name, unless only the part before it was declared.
  const std::string_view name = lexer.text({begin, plain});
  // Trying every part of a very long name would take quadratic time.
  constexpr size_t kLongest = 200;
  if (name.size() > kLongest) return {};
  for (size_t at = name.rfind('/'); at != std::string_view::npos && at != 0; at = name.rfind('/', at - 1)) {
    const auto end = begin + static_cast<uint32_t>(at);
    for (const uint32_t cut : {end + 1, end}) {
      if (const ExprId var = cut < plain ? Look(begin, cut) : ExprId()) {
        lexer.SetEnd(cut);
        return var;
      }
    }
  }
  return {};
}

void LocalNames::ReportUnknown() {
  const std::string_view name = parsing_.lexer.text().substr(1);
  std::string help;
  if (parsing_.reporter.shows_errors()) {
    // Limits the candidates: comparing with every name of a huge text would take longer than parsing it.
    constexpr size_t kMostKnown = 10000;
    std::vector<std::string_view> known;
    for (auto undo = undo_.rbegin(); undo != undo_.rend() && known.size() < kMostKnown; ++undo) {
      const std::string_view candidate = NameOf(undo->symbol);
      if (known.empty() || known.back() != candidate) known.push_back(candidate);
    }
    help = DidYouMean(name, known);
  }
  parsing_.reporter.Report(diag::kUnknownLocal, parsing_.lexer.token().range(), name, help);
}

auto GraphNames::Find(uint64_t number) const -> Definition {
  if (number < dense_.size() && dense_[number].function != 0) return dense_[number];
  const auto found = sparse_.find(number);
  return found == sparse_.end() ? Definition() : found->second;
}

// Consecutive numbers take twelve bytes each; distant ones are stored in a hash table.
void GraphNames::Define(uint64_t number, ExprId value, uint32_t offset) {
  const Definition definition = {value, function_, offset};
  constexpr size_t kGap = 4096;
  if (number < dense_.size() + kGap) {
    if (number == dense_.size()) return dense_.push_back(definition);
    if (number > dense_.size()) dense_.resize(number + 1);
    dense_[number] = definition;
  } else {
    sparse_[number] = definition;
  }
}

auto GraphNames::IsRemarkable(uint64_t number) -> bool {
  // Most are new, and come in order.
  if (number == dense_.size() && sparse_.empty()) return false;
  const uint32_t before = Find(number).function;
  if (before == function_) return true;
  if (before == 0 || warned_) return false;
  warned_ = true;
  return true;
}

}  // namespace relayopt
