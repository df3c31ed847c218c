// The metadata section: read, written, and refused.
#include "relayopt/relay/text/metadata.h"

#include <catch2/catch.hpp>

#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"
#include "relayopt/relay/text/reader.h"
#include "relayopt/support/base64.h"

namespace relayopt {

namespace {

constexpr std::string_view kTensor = "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA=";

// A module whose function adds a constant of two numbers to itself, as the reference prints it.
constexpr std::string_view kModule = R"(#[version = "0.0.5"]
def @main() -> Tensor[(2), float32] {
  add(meta[relay.Constant][0] /* ty=Tensor[(2), float32] */, meta[relay.Constant][0] /* ty=Tensor[(2), float32] */) /* ty=Tensor[(2), float32] */
}

#[metadata]
{
  "root": 1, 
  "nodes": [
    {
      "type_key": ""
    }, 
    {
      "type_key": "Map", 
      "keys": [
        "relay.Constant"
      ], 
      "data": [2]
    }, 
    {
      "type_key": "Array", 
      "data": [3]
    }, 
    {
      "type_key": "relay.Constant", 
      "attrs": {
        "_checked_type_": "6", 
        "data": "0", 
        "span": "0", 
        "virtual_device_": "4"
      }
    }, 
    {
      "type_key": "VirtualDevice", 
      "attrs": {
        "device_type_int": "-1", 
        "memory_scope": "5", 
        "target": "0", 
        "virtual_device_id": "-1"
      }
    }, 
    {
      "type_key": "runtime.String"
    }, 
    {
      "type_key": "relay.TensorType", 
      "attrs": {
        "dtype": "float32", 
        "shape": "7", 
        "span": "0"
      }
    }, 
    {
      "type_key": "Array", 
      "data": [8]
    }, 
    {
      "type_key": "IntImm", 
      "attrs": {
        "dtype": "int32", 
        "span": "0", 
        "value": "2"
      }
    }
  ], 
  "b64ndarrays": [
    "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA="
  ], 
  "attrs": {"tvm_version": "0.15.0"}
})";

struct MetadataReading {
  Context context;
  std::shared_ptr<const SourceText> source;
  DiagnosticSink sink;
  std::optional<MetaTable> table;

  // The id of the first diagnostic, with its place.
  auto Fault() const -> std::string {
    if (sink.diagnostics().empty()) return "";
    const Diagnostic& diagnostic = sink.diagnostics().front();
    const LineColumn at = source->Position(diagnostic.range.begin);
    return fmt::format("{}:{}: {}", at.line, at.column, diagnostic.kind->id);
  }
  auto Only(std::string_view key) const -> const Object& { return context.object(table->at(key)[0]); }
};

auto ReadJson(std::string json) -> std::unique_ptr<MetadataReading> {
  auto reading = std::make_unique<MetadataReading>();
  const auto size = static_cast<uint32_t>(json.size());
  reading->source = SourceText::FromString("test", std::move(json));
  reading->table = ReadMetadata(reading->context, *reading->source, {0, size}, reading->sink);
  CHECK(reading->table.has_value() == reading->sink.diagnostics().empty());
  return reading;
}

// A section with these nodes after the null object, the root and the list of KEY, whose only element is node 3.
auto Section(std::string_view key, std::string_view nodes, std::string_view tensors = "") -> std::string {
  return fmt::format(R"({{"root": 1, "nodes": [{{"type_key": ""}}, {{"type_key": "Map", "keys": ["{}"], "data": [2]}},
{{"type_key": "Array", "data": [3]}},
{}], "b64ndarrays": [{}]}})",
                     key, nodes, tensors);
}

auto TensorFault(std::string_view base64) -> std::string {
  return ReadJson(Section("relay.Constant", R"({"type_key": "relay.Constant", "attrs": {"data": "0"}})",
                          fmt::format("\n\"{}\"", base64)))
      ->Fault();
}

struct Header {
  uint64_t magic = 0xDD5E40F096B4A13F;
  uint64_t reserved = 0;
  int32_t device = 1;
  int32_t device_id = 0;
  int32_t rank = 1;
  uint8_t code = 2;
  uint8_t bits = 32;
  uint16_t lanes = 1;
};

auto Record(const Header& header, const std::vector<int64_t>& shape, int64_t size, std::string_view data)
    -> std::string {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(shape.data()), 8 * shape.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += data;
  return EncodeBase64(bytes);
}

}  // namespace

TEST_CASE("a section comes back as it was") {
  DiagnosticSink sink;
  auto module = ReadModule(SourceText::FromString("test", std::string(kModule)), sink);
  REQUIRE(module.has_value());
  REQUIRE(InferTypes(*module, sink));
  CHECK(PrintModule(*module) == kModule);
}

TEST_CASE("a constant made in memory is encoded, and without a type it has none") {
  Module module;
  Context& context = module.context();
  std::vector<std::byte> bytes(8);
  const float numbers[] = {1, 2};
  std::memcpy(bytes.data(), numbers, sizeof numbers);
  FunctionBuilder builder(context);
  const ExprId constant = builder.Constant(context.AddConstant(Constant(DataType::Float(32), {2}, bytes)));
  const ExprId root = builder.Lambda({}, {}, constant);
  module.SetFunction(module.NameGlobal("main"), std::make_shared<const Function>(builder.Finish(root)));
  const std::string text = PrintModule(module);
  CHECK(text.find("\n    \"" + std::string(kTensor) + "\"\n") != std::string::npos);
  CHECK(text.find("\"_checked_type_\": \"0\"") != std::string::npos);
  CHECK(text.find("TensorType") == std::string::npos);
}

TEST_CASE("members come in any order, and the optional ones may be missing") {
  const auto reading = ReadJson(R"({"nodes": [{"type_key": ""}, {"data": [2], "keys": ["K"], "type_key": "Map"},
{"data": [3, 0, 3], "type_key": "Array"}, {"repr_str": "a\"\\\n", "type_key": "runtime.String"}], "root": 1})");
  REQUIRE(reading->table.has_value());
  const auto& list = reading->table->at("K");
  REQUIRE(list.size() == 3);
  CHECK(list[0] == list[2]);
  CHECK(!list[1]);
  CHECK(reading->context.text(reading->context.object(list[0]).text) == "a\"\\\n");
}

TEST_CASE("objects of every kind") {
  const auto reading = ReadJson(Section("K", R"({"type_key": "Array", "data": [4, 5, 6, 7, 8, 10, 11]},
{"type_key": "IntImm", "attrs": {"dtype": "int64", "value": "-7", "span": "0"}},
{"type_key": "FloatImm", "attrs": {"dtype": "float32", "value": "0.5", "span": "0"}},
{"type_key": "runtime.String", "repr_b64": "AgAAAAAAAAD/AA=="},
{"type_key": "Map", "keys": ["b", "a"], "data": [4, 5]},
{"type_key": "GlobalVar", "attrs": {"name_hint": "9", "virtual_device_": "0", "span": "0", "_checked_type_": "0"}},
{"type_key": "runtime.String", "repr_str": "f"},
{"type_key": "Op", "repr_str": "add"},
{"type_key": "TupleType", "attrs": {"fields": "12", "span": "0"}},
{"type_key": "Array", "data": [13]},
{"type_key": "TypeVar", "attrs": {"name_hint": "9", "kind": "0", "span": "0"}})"));
  REQUIRE(reading->table.has_value());
  const Context& context = reading->context;
  const auto item = [&](size_t i) -> const Object& { return context.object(reading->Only("K").items[i]); };
  CHECK(item(0).integer == -7);
  CHECK(item(0).dtype == DataType::Int(64));
  CHECK(item(1).real == 0.5);
  CHECK(context.text(item(2).text) == std::string_view("\xff\0", 2));
  CHECK(context.text(context.object(item(3).items[0]).text) == "b");
  CHECK(item(4).kind == ObjectKind::kGlobalVar);
  CHECK(item(5).kind == ObjectKind::kOp);
  CHECK(TypeToString(context, item(6).type) == "(f,)");
}

TEST_CASE("constants stay encoded and may share their numbers") {
  const auto reading = ReadJson(Section("relay.Constant", R"({"type_key": "relay.Constant", "attrs": {"data": "0"}})",
                                        fmt::format("\"{}\"", kTensor)));
  REQUIRE(reading->table.has_value());
  const Constant& constant = reading->context.constant(reading->Only("relay.Constant").constant);
  CHECK(constant.encoded() == kTensor);
  CHECK(constant.num_elements() == 2);
}

TEST_CASE("malformed tensors are refused before anything is allocated") {
  CHECK(TensorFault(kTensor).empty());
  CHECK(TensorFault("") == "4:2: metadata-tensor");
  CHECK(TensorFault("P6G0lvBAXt0A") == "4:2: metadata-tensor");
  CHECK(TensorFault("P6G0lvBAXt0AA") == "4:2: metadata-tensor");
  std::string bad(kTensor);
  bad[9] = '!';
  CHECK(TensorFault(bad) == "4:11: metadata-tensor");
  const std::string two(8, '\0');
  CHECK(TensorFault(Record({}, {2}, 8, two)).empty());
  CHECK(TensorFault(Record({.magic = 1}, {2}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.device = 2}, {2}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.rank = -1}, {}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.rank = INT32_MAX}, {}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.bits = 0}, {2}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.lanes = 0}, {2}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.lanes = 65535}, {2}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({}, {-2}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({}, {3}, 8, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({}, {3}, 12, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({}, {1}, 4, two)) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.rank = 2}, {int64_t{1} << 32, int64_t{1} << 32}, 0, "")) == "4:2: metadata-tensor");
  CHECK(TensorFault(Record({.rank = 2}, {0, INT64_MAX}, 0, "")).empty());
}

TEST_CASE("malformed graphs") {
  CHECK(ReadJson(Section("K", R"({"type_key": "Array", "data": [3]})"))->Fault() == "3:1: metadata-cycle");
  CHECK(ReadJson(Section("K", R"({"type_key": "Array", "data": [4]}, {"type_key": "Array", "data": [3]})"))->Fault() ==
        "3:1: metadata-cycle");
  CHECK(ReadJson(Section("K", R"({"type_key": "Array", "data": [9]})"))->Fault() == "3:31: metadata-node");
  CHECK(ReadJson(Section("K", R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "1", "span": "77"}})"))
            ->Fault() == "3:75: metadata-node");
  CHECK(
      ReadJson(Section("K", R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "99999999999999999999"}})"))
          ->Fault() == "3:62: metadata-field");
  CHECK(ReadJson(Section("K", R"({"type_key": "IntImm", "attrs": {"dtype": "int32"}})"))->Fault() ==
        "3:1: metadata-missing");
  CHECK(ReadJson(Section("K", R"({"type_key": "IntImm", "attrs": {"dtype": "x", "dtype": "int32"}})"))->Fault() ==
        "3:49: metadata-duplicate");
  CHECK(ReadJson(Section("K", R"({"type_key": "Map", "keys": ["a", "a"], "data": [0, 0]})"))->Fault() ==
        "3:36: metadata-duplicate");
  CHECK(ReadJson(Section("K", R"({"type_key": "Map", "keys": ["a"], "data": [0, 0]})"))->Fault() ==
        "3:1: metadata-map");
  CHECK(ReadJson(Section("K", R"({"type_key": "relay.Constant", "attrs": {"data": "5"}})"))->Fault() ==
        "3:51: metadata-tensor-index");
  CHECK(ReadJson(Section("K", R"({"type_key": "runtime.String", "repr_str": "\u0041"})"))->Fault() ==
        "3:45: metadata-escape");
  CHECK(ReadJson(R"({"root": 0, "nodes": [{"type_key": ""}]})")->Fault() == "1:23: metadata-root");
  CHECK(ReadJson(R"({"root": 7, "nodes": [{"type_key": ""}]})")->Fault() == "1:10: metadata-node");
}

TEST_CASE("malformed JSON") {
  CHECK(ReadJson("")->Fault() == "1:1: metadata-syntax");
  CHECK(ReadJson(R"({"root": 1})")->Fault() == "1:1: metadata-missing");
  CHECK(ReadJson(R"({"root": 1, "root": 1})")->Fault() == "1:14: metadata-duplicate");
  CHECK(ReadJson(R"({"root": 1e9})")->Fault() == "1:11: metadata-syntax");
  CHECK(ReadJson(R"({"root": 99999999999})")->Fault() == "1:10: metadata-syntax");
  CHECK(ReadJson(R"({"rot": 1})")->Fault() == "1:3: metadata-unknown-member");
  CHECK(ReadJson(R"({"root": 1, "nodes": [{"type_key": "})")->Fault() == "1:38: metadata-syntax");
  CHECK(ReadJson(R"({"root": 1, "nodes": []} x)")->Fault() == "1:26: metadata-trailing");
  CHECK(ReadJson(std::string(1'000'000, '['))->Fault() == "1:1: metadata-syntax");
  CHECK(ReadJson(R"({"nodes": )" + std::string(1'000'000, '['))->Fault() == "1:12: metadata-syntax");
}

TEST_CASE("a graph hundreds of thousands of nodes deep") {
  constexpr int kDepth = 300'000;
  std::string nodes;
  for (int i = 3; i < kDepth; ++i) nodes += fmt::format(R"({{"type_key": "Array", "data": [{}]}},)", i + 1);
  nodes += R"({"type_key": "Array"})";
  CHECK(ReadJson(Section("K", nodes))->table.has_value());
}

}  // namespace relayopt
