// Modules of Relay for tests of formats.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "relayopt/relayopt.h"

namespace relayopt {

// Returns the text of a function that adds the constant [1, 2] to its parameter and calls another function.
inline auto ModuleWithConstant() -> std::string {
  return R"(#[version = "0.0.5"]
def @double(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  add(%x, %x)
}

def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  %0 = add(%x, meta[relay.Constant][0]);
  @double(%0)
}

#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
 {"type_key": "Array", "data": [3]},
 {"type_key": "relay.Constant", "attrs": {"data": "0"}}],
 "b64ndarrays": ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA="],
 "attrs": {"tvm_version": "0.15.0"}}
)";
}

// A session that fails the test on errors.
class TestSession {
 public:
  auto Read(const std::string& name, const std::string& bytes) -> Module {
    std::optional<Module> module = session_.Read(name, bytes);
    for (const DiagnosticRecord& message : session_.diagnostics()) UNSCOPED_INFO(ToText(message));
    REQUIRE(module);
    return *std::move(module);
  }
  auto Run(Module module, std::string_view pipeline) -> Module {
    const bool done = session_.Run(module, pipeline);
    for (const DiagnosticRecord& message : session_.diagnostics()) UNSCOPED_INFO(ToText(message));
    REQUIRE(done);
    return module;
  }
  auto Print(const Module& module, std::string_view format = "text") -> std::string {
    std::string text = session_.Print(module, format);
    for (const DiagnosticRecord& message : session_.diagnostics()) UNSCOPED_INFO(ToText(message));
    REQUIRE(!text.empty());
    return text;
  }

 private:
  Session session_;
};

// Returns the first error of reading, or the empty text.
inline auto ReadingError(const std::string& name, const std::string& bytes) -> std::string {
  Session session;
  if (session.Read(name, bytes)) return "";
  REQUIRE(!session.diagnostics().empty());
  return session.diagnostics()[0].text;
}

}  // namespace relayopt
