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
  for (; bound_.size() > before.bindings; bound_.pop_back()) {
    Meaning& meaning = symbols_[bound_.back()];
    if (meaning.outer == 0) {
      meaning = {};
    } else {
      // Later ones have left.
      meaning = outer_.back();
      outer_.pop_back();
    }
  }
  object_ = before.object;
}

void LocalNames::Reset() {
  Leave({0, 0});
  depth_ = 0;
}

auto LocalNames::DeclaredName() -> std::string_view {
  Lexer& lexer = parsing_.lexer;
  const uint32_t begin = lexer.token().begin + 1;
  uint32_t end = lexer.OddNameEnd(begin);
  std::string_view name = lexer.text({begin, end});
  if (name.ends_with(':')) {
    // A colon before a blank or a bracket starts the annotation.
    --end;
  } else if (const size_t colon = name.rfind(':');
             colon != std::string_view::npos && colon != 0 && IsIdent(name.substr(colon + 1))) {
    // The name of a type starts it as well: `%x:int32`.
    end = begin + static_cast<uint32_t>(colon);
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

void LocalNames::AddSpelling(std::string_view name) {
  if (IsIdent(name)) return;
  const auto at = std::lower_bound(odd_lengths_.begin(), odd_lengths_.end(), name.size(), std::greater<>());
  if (at == odd_lengths_.end() || *at != name.size()) odd_lengths_.insert(at, name.size());
}

void LocalNames::Bind(StringId name, ExprId var, TypeId annotation, Binder binder, SourceRange range) {
  Symbol& symbol = symbols_[name];
  if (const std::string_view text = parsing_.context().text(name); !text.empty()) RecentOf(text) = {text, name};
  symbol.annotation = annotation;
  if (symbol.var && symbol.object == object_) {
    if (binder == Binder::kOther) {
      parsing_.reporter.Report(diag::kRepeatedParam, range, parsing_.context().text(name));
      return;
    }
    parsing_.reporter.Report(diag::kRebound, range, parsing_.context().text(name));
  }
  if (symbol.var) outer_.push_back(symbol);
  bound_.push_back(name);
  const uint32_t suspended = binder == Binder::kLet ? depth_ + 1 : 0;
  static_cast<Meaning&>(symbol) = {var, object_, suspended, symbol.var ? static_cast<uint32_t>(outer_.size()) : 0};
}

auto LocalNames::Look(uint32_t begin, uint32_t end) -> ExprId {
  const std::string_view text = parsing_.lexer.text({begin, end});
  const Symbol& symbol = symbols_[parsing_.context().Intern(text)];
  const Meaning* before = symbol.suspended == depth_ + 1 ? Outer(symbol) : nullptr;
  if (before == nullptr) return symbol.var;
  // Within one scope object TVM resolves the name to the earlier one, too.
  if (before->object != symbol.object) parsing_.reporter.Report(diag::kSelfReference, {begin - 1, end}, text);
  return before->var;
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
    for (size_t i = bound_.size(); i-- != 0 && known.size() < kMostKnown;) {
      const std::string_view candidate = parsing_.context().text(bound_[i]);
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
    if (number < dense_.size()) {
      dense_[number] = definition;
    } else {
      while (dense_.size() < number) dense_.push_back({});
      dense_.push_back(definition);
    }
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
