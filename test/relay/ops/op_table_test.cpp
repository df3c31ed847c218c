// The table of operators: every row is complete, documented, readable from text and shown in a test of the tool.
#include "relayopt/relay/ops/op_table.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt {
namespace {

auto IsWord(std::string_view text) -> bool {
  const auto is_word_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_word_char);
}

auto DimText(const Dim& dim) -> std::string { return dim.is_null() ? "None" : ToString(dim); }

// Attributes in text are read as int32, so that a boxed bool comes from metadata only.
auto IsBoxedBool(const FieldInfo& field, const void* record) -> bool {
  return field.kind == FieldKind::kDim && field.Get<Dim>(record).is_int() && field.Get<Dim>(record).bits() == 1;
}

auto ListText(const DimList& list) -> std::string {
  if (list.null) return "None";
  std::string out;
  for (const Dim& dim : list) out += (out.empty() ? "" : ", ") + DimText(dim);
  return "[" + out + "]";
}

// The default of a field as an attribute value.
auto DefaultText(const FieldInfo& field, const void* record) -> std::string {
  switch (field.kind) {
    case FieldKind::kInt: return fmt::format("{}", field.Get<int64_t>(record));
    case FieldKind::kBool: return field.Get<bool>(record) ? "True" : "False";
    case FieldKind::kDouble: return fmt::format("{}f", field.Get<double>(record));
    case FieldKind::kString: return fmt::format("\"{}\"", field.Get<std::string>(record));
    case FieldKind::kDataType: return fmt::format("\"{}\"", ToString(field.Get<DataType>(record)));
    case FieldKind::kDim: return DimText(field.Get<Dim>(record));
    case FieldKind::kDimList: return ListText(field.Get<DimList>(record));
    case FieldKind::kDimLists: return "[]";
    case FieldKind::kObject: break;
  }
  if (field.default_floats.empty()) return "None";
  std::string out;
  for (const double value : field.default_floats) out += fmt::format("{}{}f", out.empty() ? "" : ", ", value);
  return "[" + out + "]";
}

// Some value for a field that has no default.
auto AnyText(FieldKind kind) -> std::string {
  switch (kind) {
    case FieldKind::kInt:
    case FieldKind::kDim: return "1";
    case FieldKind::kBool: return "True";
    case FieldKind::kDouble: return "1.5f";
    case FieldKind::kString: return "\"text\"";
    case FieldKind::kDataType: return "\"int32\"";
    case FieldKind::kDimList: return "[1]";
    case FieldKind::kDimLists: return "[[1, 2]]";
    case FieldKind::kObject: break;
  }
  return "None";
}

// A module that calls the operator, with attributes that have defaults or without.
auto CallText(const OpDef& op, bool with_defaults) -> std::string {
  std::string parameters;
  std::string arguments;
  for (size_t i = 0; i < Arity(op); ++i) {
    parameters += fmt::format("{}%a{}: int32", i == 0 ? "" : ", ", i);
    arguments += fmt::format("{}%a{}", i == 0 ? "" : ", ", i);
  }
  const auto add = [&](std::string_view name, std::string_view value) {
    arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", name, value);
  };
  if (op.attrs != nullptr) {
    const AttrsBuilder defaults(*op.attrs);
    for (const FieldInfo& field : op.attrs->fields) {
      if (field.required) {
        add(field.name, AnyText(field.kind));
      } else if (with_defaults && !IsBoxedBool(field, defaults.data())) {
        add(field.name, DefaultText(field, defaults.data()));
      }
    }
    if (op.attrs_undeclared) add("attrs_type_key", fmt::format("\"{}\"", op.attrs->type_key));
  }
  return fmt::format("#[version = \"0.0.5\"]\ndef @main({}) {{\n  {}({})\n}}\n", parameters, op.name, arguments);
}

// The text as it prints after reading; with the messages when it cannot be read.
auto ReadAndPrint(const std::string& text) -> std::string {
  DiagnosticSink sink;
  const auto module = ReadModule(SourceText::FromString("test", text), sink);
  if (module) return PrintModule(*module);
  std::string messages;
  for (const Diagnostic& diagnostic : sink.diagnostics()) messages += fmt::format("{}\n", diagnostic.kind->id);
  return messages;
}

// All files of the operators' tests, one after the other.
auto ToolTests() -> std::string {
  std::string all;
  const std::filesystem::path folder = std::filesystem::path(RELAYOPT_SOURCE_DIR) / "lit-tests" / "ops";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".relay") continue;
    std::ifstream file(entry.path());
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

// Whether some call of the operator is in the text.
auto HasCall(std::string_view text, std::string_view op) -> bool {
  const std::string call = std::string(op) + "(";
  for (size_t at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (!IsWord({&before, 1}) && before != '.' && before != '@') return true;
  }
  return false;
}

// The operators that come with relayopt; other tests add some.
auto TableOps() -> std::vector<const OpDef*> {
  std::vector<const OpDef*> ops = AllOps();
  std::erase_if(ops, [](const OpDef* op) { return FamilyOf(*op) == OpFamily::kNone; });
  return ops;
}

TEST_CASE("every operator has a name of its own and is found by it") {
  const auto ops = TableOps();
  REQUIRE(ops.size() == kNumOps);
  for (size_t i = 0; i < ops.size(); ++i) {
    INFO(kOpNames[i].name);
    CHECK(ops[i]->name == kOpNames[i].name);
    CHECK(ops[i]->number == i);
    CHECK(FindOp(ops[i]->name) == ops[i]);
  }
  CHECK(FindOp("nn.no_such_operator") == nullptr);
  CHECK(FindOp("") == nullptr);
}

TEST_CASE("a literal is the row of its name") {
  constexpr const OpDef* kRelu = "nn.relu"_op;
  CHECK(kRelu->name == "nn.relu");
  CHECK("abs"_op == FindOp("abs"));
  CHECK("zeros_like"_op->name == "zeros_like");
  CHECK(FamilyOf(*"nn.conv2d"_op) == OpFamily::kNnConv);
}

TEST_CASE("every operator is documented and has a type rule") {
  for (const OpDef* op : TableOps()) {
    INFO(op->name);
    CHECK(op->type != nullptr);
    CHECK(!op->doc.empty());
    CHECK(op->doc.find('\n') == std::string_view::npos);
    CHECK(!op->variadic);
  }
}

TEST_CASE("the inputs of an operator have different names") {
  for (const OpDef* op : TableOps()) {
    INFO(op->name);
    std::set<std::string_view> names;
    for (size_t i = 0; i < Arity(*op); ++i) {
      CHECK(IsWord(InputName(*op, i)));
      CHECK(names.insert(InputName(*op, i)).second);
    }
    CHECK((op->shape_function.size() <= 1 || op->shape_function.size() == Arity(*op)));
    CHECK(op->shape_function.find_first_not_of("sd") == std::string_view::npos);
    CHECK((op->element_types.size() == 1 || op->element_types.size() == Arity(*op)));
    CHECK(op->element_types.find_first_not_of("*bfinx") == std::string_view::npos);
  }
}

TEST_CASE("every attribute is documented and found by its name") {
  for (const OpDef* op : TableOps()) {
    INFO(op->name);
    CHECK(!(op->attrs_undeclared && op->attrs == nullptr));
    if (op->attrs == nullptr) continue;
    CHECK(op->attrs->type_key.ends_with("Attrs"));
    for (const FieldInfo& field : op->attrs->fields) {
      INFO(field.name);
      CHECK(IsWord(field.name));
      CHECK(!field.doc.empty());
      CHECK(op->attrs->Find(field.name) == &field);
    }
  }
}

TEST_CASE("attributes that say their default are as good as none") {
  for (const OpDef* op : TableOps()) {
    const std::string plain = ReadAndPrint(CallText(*op, false));
    const std::string full = CallText(*op, true);
    INFO(full);
    CHECK(plain.find("def @main(") != std::string::npos);
    CHECK(ReadAndPrint(full) == plain);
    CHECK(ReadAndPrint(plain) == plain);
  }
}

TEST_CASE("only operators that other passes lower first have no fusion pattern") {
  const std::set<std::string_view> expected = {"contrib.ethosu.binary_elementwise",
                                               "contrib.ethosu.conv2d",
                                               "contrib.ethosu.depthwise_conv2d",
                                               "contrib.ethosu.identity",
                                               "contrib.ethosu.pooling",
                                               "contrib.ethosu.unary_elementwise",
                                               "nn.group_norm",
                                               "nn.instance_norm",
                                               "nn.l2_normalize",
                                               "nn.layer_norm",
                                               "qnn.abs",
                                               "qnn.conv2d_transpose",
                                               "qnn.erf",
                                               "qnn.exp",
                                               "qnn.hardswish",
                                               "qnn.leaky_relu",
                                               "qnn.log",
                                               "qnn.rsqrt",
                                               "qnn.sigmoid",
                                               "qnn.softmax",
                                               "qnn.sqrt"};
  std::set<std::string_view> found;
  for (const OpDef* op : TableOps()) {
    if (op->fusion == Fusion::kNone) found.insert(op->name);
  }
  CHECK(found == expected);
}

TEST_CASE("every operator is shown in a test of the tool") {
  const std::string tests = ToolTests();
  REQUIRE(!tests.empty());
  for (const OpDef* op : TableOps()) {
    INFO(op->name);
    CHECK(HasCall(tests, op->name));
  }
}

}  // namespace
}  // namespace relayopt
