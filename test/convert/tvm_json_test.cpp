// TVM's graph JSON.
#include "relayopt/convert/tvm_json/tvm_json.h"

#include <catch2/catch.hpp>
#include <string>

#include "relay_text.h"

namespace relayopt {

namespace {

// Graph JSON with these nodes, the first of which has the number 1.
auto Json(const std::string& nodes) -> std::string {
  return R"({"root": 1, "nodes": [{"type_key": ""}, )" + nodes +
         R"(], "b64ndarrays": [], "attrs": {"tvm_version": "0.15.0"}})";
}

}  // namespace

TEST_CASE("an expression with two users is one node and stays one", "[convert]") {
  TestSession session;
  const Module module = session.Read("m.relay",
                                     "#[version = \"0.0.5\"]\n"
                                     "def @main(%x: Tensor[(2), float32]) {\n"
                                     "  %0 = exp(%x);\n"
                                     "  add(%0, %0)\n"
                                     "}\n");
  const std::string json = session.Print(module, "tvm-json");
  CHECK(session.Print(session.Read("m.json", json)) == session.Print(module));
}

TEST_CASE("only an object with a root or nodes looks like graph JSON", "[convert]") {
  CHECK(LooksLikeTvmJson(Json("{}")));
  CHECK(LooksLikeTvmJson(" {\n\"nodes\": []}"));
  CHECK_FALSE(LooksLikeTvmJson("[1, 2]"));
  CHECK_FALSE(LooksLikeTvmJson("{\"version\": 1}"));
}

TEST_CASE("a root that is not a module or a function is an error", "[convert]") {
  CHECK(ReadingError("m.json", Json(R"({"type_key": "Array", "data": []})")) ==
        "the root must be an IRModule or a relay.Function, not Array");
}

TEST_CASE("a node that is part of itself is an error", "[convert]") {
  const std::string function =
      R"({"type_key": "relay.Function", "attrs": {"params": "2", "body": "3", "ret_type": "0", "type_params": "2"}},)"
      R"({"type_key": "Array", "data": []},)"
      R"({"type_key": "relay.Tuple", "attrs": {"fields": "4"}},)"
      R"({"type_key": "Array", "data": [3]})";
  CHECK(ReadingError("m.json", Json(function)) == "an expression is part of itself");
}

TEST_CASE("a number that names no node is an error", "[convert]") {
  const std::string function =
      R"({"type_key": "relay.Function", "attrs": {"params": "2", "body": "99", "ret_type": "0", "type_params": "2"}},)"
      R"({"type_key": "Array", "data": []})";
  CHECK(!ReadingError("m.json", Json(function)).empty());
}

TEST_CASE("JSON that ends anywhere early is an error", "[convert]") {
  TestSession session;
  const std::string json = session.Print(session.Read("m.relay", ModuleWithConstant()), "tvm-json");
  const size_t end = json.rfind('}');
  for (size_t size = 1; size < end; size += 37) {
    DiagnosticSink sink;
    INFO("the first " << size << " of " << json.size() << " bytes");
    CHECK(!ReadTvmJson(SourceText::FromString("m.json", json.substr(0, size)), sink));
    CHECK(sink.has_errors());
  }
}

}  // namespace relayopt
