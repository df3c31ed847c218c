// Parses `key=value` lists.
#include "attributes.h"

#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

auto IsWord(TokenKind kind) -> bool {
  return kind == TokenKind::kIdent || (kind >= TokenKind::kTrue && kind <= TokenKind::kType);
}

// Returns the end of the key that starts at `begin`.
auto KeyEnd(const Lexer& lexer, uint32_t begin) -> uint32_t {
  uint32_t at = begin;
  while (IsKeyCharacter(lexer.char_at(at))) ++at;
  return at;
}

}  // namespace

auto AttrParser::AtAttr() -> bool {
  if (!IsWord(lexer_.kind())) return false;
  const Token word = lexer_.token();
  const uint32_t end = KeyEnd(lexer_, word.begin);
  uint32_t at = end;
  const char c = lexer_.char_at(at);
  if (c != '=') {
    if (!CharClass::Is(c, CharClass::kBlank) && c != '\r' && c != '/') return false;
    lexer_.SetEnd(end);
    at = lexer_.Ahead();
    lexer_.SetEnd(word.end);
  }
  return lexer_.char_at(at) == '=' && lexer_.char_at(at + 1) != '=' && lexer_.char_at(at + 1) != '>';
}

auto AttrParser::ReadKey(Attr& attr) -> bool {
  if (!IsWord(lexer_.kind())) {
    parsing_.ReportExpected("an attribute");
    return false;
  }
  const uint32_t begin = lexer_.token().begin;
  lexer_.SetEnd(KeyEnd(lexer_, begin));
  attr.key = lexer_.text();
  lexer_.Next();
  // There may be blanks around the dots.
  std::string parts;
  while (lexer_.is(TokenKind::kDot)) {
    lexer_.Next();
    if (!IsWord(lexer_.kind())) break;
    if (parts.empty()) parts = attr.key;
    parts += '.';
    parts += lexer_.text();
    lexer_.Next();
  }
  Context& context = parsing_.context();
  if (!parts.empty()) attr.key = context.text(context.Intern(parts));
  attr.key_range = {begin, lexer_.last_end()};
  return parsing_.Expect(TokenKind::kEqual);
}

auto AttrParser::ReadList(TokenKind close) -> bool {
  Clear();
  while (!lexer_.is(close)) {
    Attr attr;
    if (!ReadKey(attr)) return false;
    const auto value = ReadValue();
    if (!value) return false;
    attr.value = *value;
    attrs_.push_back(attr);
    if (!parsing_.Take(TokenKind::kComma) && !lexer_.is(close) && !AtAttr()) return parsing_.Expect(close);
  }
  ReportRepeated();
  return true;
}

void AttrParser::Clear() {
  attrs_.clear();
  items_.clear();
  arrays_.clear();
  array_objects_.clear();
}

void AttrParser::ReportRepeated() {
  if (attrs_.size() < 2) return;
  const auto report = [this](const Attr& attr) {
    parsing_.reporter.Report(diag::kDuplicateAttr, attr.key_range, attr.key);
  };
  constexpr size_t kFew = 16;
  if (attrs_.size() <= kFew) {
    for (size_t i = 1; i < attrs_.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (attrs_[i].key != attrs_[k].key) continue;
        report(attrs_[i]);
        break;
      }
    }
    return;
  }
  absl::flat_hash_set<std::string_view> seen;
  for (const Attr& attr : attrs_) {
    if (!seen.insert(attr.key).second) report(attr);
  }
}

auto AttrParser::TakeAttr(std::string_view key) -> std::optional<Attr> {
  for (auto at = attrs_.begin(); at != attrs_.end(); ++at) {
    if (at->key != key) continue;
    const Attr attr = *at;
    attrs_.erase(at);
    return attr;
  }
  return std::nullopt;
}

auto AttrParser::ReadValue() -> std::optional<AttrValue> {
  open_.clear();
  pending_.clear();
  while (true) {
    AttrValue value;
    const uint32_t begin = lexer_.token().begin;
    const bool list = lexer_.is(TokenKind::kLSquare);
    if (list || lexer_.is(TokenKind::kLParen)) {
      lexer_.Next();
      open_.push_back(
          {list, false, static_cast<uint32_t>(pending_.size()), static_cast<uint32_t>(arrays_.size()), begin});
      if (!list || !lexer_.is(TokenKind::kRSquare)) continue;
    } else {
      if (!ReadSimple(value)) return std::nullopt;
      value.range = {begin, lexer_.last_end()};
      if (open_.empty()) return value;
      pending_.push_back(value);
    }
    bool closed = true;
    while (closed) {
      if (!Append(value, closed)) return std::nullopt;
      if (!closed) break;
      if (open_.empty()) return value;
      pending_.push_back(value);
    }
  }
}

auto AttrParser::Append(AttrValue& value, bool& closed) -> bool {
  Open& open = open_.back();
  const TokenKind close = open.list ? TokenKind::kRSquare : TokenKind::kRParen;
  if (open.list && parsing_.Take(TokenKind::kComma)) open.comma = true;
  closed = lexer_.is(close);
  if (!closed) return open.comma || parsing_.Expect(close);
  lexer_.Next();
  if (open.list) {
    value = AttrValue();
    value.kind = AttrValue::Kind::kArray;
    value.array = static_cast<uint32_t>(arrays_.size());
    arrays_.push_back(
        {static_cast<uint32_t>(items_.size()), static_cast<uint32_t>(pending_.size() - open.base), open.first_inner});
    items_.insert(items_.end(), pending_.begin() + open.base, pending_.end());
  } else {
    value = pending_.back();
  }
  value.range = {open.begin, lexer_.last_end()};
  pending_.resize(open.base);
  open_.pop_back();
  return true;
}

auto AttrParser::ReadNumber(AttrValue& value) -> bool {
  const auto literal = ReadLiteral(parsing_);
  if (!literal) return false;
  value.kind = literal->is_float ? AttrValue::Kind::kFloat : AttrValue::Kind::kInt;
  value.bits = static_cast<uint8_t>(literal->bits);
  value.integer = literal->integer;
  value.real = literal->real;
  return true;
}

auto AttrParser::ReadSimple(AttrValue& value) -> bool {
  if (AtNumber(lexer_)) return ReadNumber(value);
  Context& context = parsing_.context();
  const Token token = lexer_.token();
  switch (token.kind) {
    case TokenKind::kTrue:
    case TokenKind::kFalse:
      value.kind = AttrValue::Kind::kBool;
      value.integer = token.kind == TokenKind::kTrue ? 1 : 0;
      break;
    case TokenKind::kString:
      value.kind = AttrValue::Kind::kString;
      value.text = context.Intern(lexer_.Decode(token));
      break;
    case TokenKind::kQuestion: value.kind = AttrValue::Kind::kAny; break;
    case TokenKind::kMeta: {
      value.kind = AttrValue::Kind::kObject;
      value.object = parsing_.FindMeta(token).value_or(ObjectId());
      if (!value.object) value.kind = AttrValue::Kind::kNull;
      break;
    }
    case TokenKind::kGlobal: {
      lexer_.SetEnd(lexer_.OddNameEnd(token.begin + 1));
      Object object;
      object.kind = ObjectKind::kGlobalVar;
      object.text = context.Intern(lexer_.text().substr(1));
      value.kind = AttrValue::Kind::kObject;
      value.object = context.Add(object);
      break;
    }
    case TokenKind::kIdent: return ReadName(value);
    case TokenKind::kLocal:
    case TokenKind::kGraph:
    case TokenKind::kFn:
    case TokenKind::kRef:
    case TokenKind::kRefRead:
    case TokenKind::kRefWrite:
    case TokenKind::kIf: parsing_.reporter.Report(diag::kAttrValue, token.range()); return false;
    default: parsing_.ReportExpected("an attribute value"); return false;
  }
  lexer_.Next();
  return true;
}

auto AttrParser::ReadName(AttrValue& value) -> bool {
  const uint32_t begin = lexer_.token().begin;
  if (lexer_.text() == "None" || lexer_.text() == "nullptr") {
    lexer_.Next();
    return true;
  }
  lexer_.SetEnd(KeyEnd(lexer_, begin));
  const std::string_view name = lexer_.text();
  if (FindOp(name) == nullptr) {
    parsing_.ReportExpected("an attribute value");
    return false;
  }
  lexer_.Next();
  Object object;
  object.kind = ObjectKind::kOp;
  object.text = parsing_.context().Intern(name);
  value.kind = AttrValue::Kind::kObject;
  value.object = parsing_.context().Add(object);
  return true;
}

auto AttrParser::ItemObject(const AttrValue& value) -> ObjectId {
  Context& context = parsing_.context();
  switch (value.kind) {
    case AttrValue::Kind::kNull: return {};
    case AttrValue::Kind::kInt: return context.AddInt(value.integer, DataType::Int(value.bits));
    // As TVM: attribute maps hold no booleans.
    case AttrValue::Kind::kBool: return context.AddInt(value.integer);
    case AttrValue::Kind::kFloat: return context.AddFloat(value.real, DataType::Float(value.bits));
    case AttrValue::Kind::kString: return context.AddString(context.text(value.text));
    case AttrValue::Kind::kAny: return AsObject(context, Dim::Any());
    case AttrValue::Kind::kArray: return array_objects_[value.array];
    case AttrValue::Kind::kObject: return value.object;
  }
  return {};
}

auto AttrParser::ObjectOf(const AttrValue& value) -> ObjectId {
  if (value.kind != AttrValue::Kind::kArray) return ItemObject(value);
  array_objects_.resize(arrays_.size());
  std::vector<ObjectId> objects;
  // Inner arrays come first.
  for (uint32_t i = arrays_[value.array].first_inner; i <= value.array; ++i) {
    objects.clear();
    for (uint32_t k = 0; k < arrays_[i].count; ++k) objects.push_back(ItemObject(items_[arrays_[i].first + k]));
    array_objects_[i] = parsing_.context().AddArray(objects);
  }
  return array_objects_[value.array];
}

}  // namespace relayopt
