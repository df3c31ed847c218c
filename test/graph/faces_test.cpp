// The two faces of a function: graph and table.
#include <catch2/catch.hpp>

#include "relayopt/graph/module_obj.h"
#include "relayopt/graph/structural.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt::graph {
namespace {

auto ReadText(const std::string& text) -> Ref<ModuleObj> {
  const auto lineage = std::make_shared<Lineage>(std::make_shared<Context>());
  DiagnosticSink sink;
  auto module = ReadModule(SourceText::FromString("test", text), lineage->shared_context(), sink);
  REQUIRE(module);
  return ModuleObj::FromCore(lineage, std::move(*module), nullptr);
}

auto MainOf(const ModuleObj& module) -> Ref<SlotObj> { return module.functions().at("main"); }

// The graph of `from` without its table, in a module of its own.
auto Rebuilt(const ModuleObj& from) -> Ref<ModuleObj> {
  auto module = object::Make<ModuleObj>(std::make_shared<Lineage>(std::make_shared<Context>()));
  for (const auto& [name, data] : from.type_defs()) module->SetTypeDef(from.lineage()->GlobalTypeVar(name), data);
  for (const auto& [name, function] : from.functions()) {
    const auto slots = SlotsOf(*function);
    auto copy = SlotObj::Create(function->type_index(), slots.size());
    for (size_t i = 0; i < kFaceSlot; ++i) copy->set(i, slots[i]);
    module->SetFunction(from.lineage()->GlobalVar(name), copy);
  }
  return module;
}

constexpr const char* kPrograms[] = {
    "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2, 3), float32]) {\n  %0 = nn.relu(%x);\n  add(%0, %0)\n}\n",
    "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {\n"
    "  nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3])\n}\n",
    "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2), float32]) {\n  let %a = exp(%x);\n  let %b = add(%a, %a);\n"
    "  (%b, %a).0\n}\n",
    "#[version = \"0.0.5\"]\ntype List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n\ndef @main[A](%l: List[A]) -> int32 {\n"
    "  match (%l) {\n    Cons(_, %r) => add(1, @main(%r)),\n    Nil => 0,\n  }\n}\n",
    "#[version = \"0.0.5\"]\ndef @main(%c: bool, %x: float32) {\n  if (%c) {\n    negative(%x)\n  } else {\n    %x\n  "
    "}\n}\n",
};

TEST_CASE("A graph thawed from a table freezes to a table that prints the same") {
  for (const char* text : kPrograms) {
    const auto module = ReadText(text);
    auto before = module->Core();
    auto after = Rebuilt(*module)->Core();
    REQUIRE(before);
    REQUIRE(after);
    CHECK(PrintModule(*after) == PrintModule(*before));
  }
}

TEST_CASE("A module that is never inspected never creates a graph") {
  const auto module = ReadText(kPrograms[0]);
  REQUIRE(module->Core());
  CHECK(MainOf(*module)->slot(slot::kBody).is_null());
  CHECK(SlotsOf(*MainOf(*module))[slot::kBody].is_object());
}

TEST_CASE("A function that was frozen keeps its table") {
  const auto module = Rebuilt(*ReadText(kPrograms[0]));
  REQUIRE(module->Core());
  const TableFaceObj* const face = FaceOf(*MainOf(*module));
  REQUIRE(face != nullptr);
  REQUIRE(module->Core());
  CHECK(FaceOf(*MainOf(*module)) == face);
}

TEST_CASE("A function with a free variable has no table, and the error names the variable") {
  const auto module = ReadText(kPrograms[0]);
  const auto slots = SlotsOf(*MainOf(*module));
  auto open = SlotObj::Create(TypeOf(Node::kFunction), slots.size());
  for (size_t i = 0; i < kFaceSlot; ++i) open->set(i, slots[i]);
  open->set(slot::kParams, object::MakeArray(size_t{0}));
  auto other = object::Make<ModuleObj>(std::make_shared<Lineage>(std::make_shared<Context>()));
  other->SetFunction(other->lineage()->GlobalVar("main"), open);
  const auto core = other->Core();
  REQUIRE_FALSE(core);
  CHECK(core.error().kind->id == "graph");
  CHECK(core.error().text.find("%x") != std::string::npos);
}

TEST_CASE("Equality of functions ignores names of variables and sees sharing") {
  const auto a = ReadText(kPrograms[0]);
  const auto b = ReadText(
      "#[version = \"0.0.5\"]\ndef @main(%y: Tensor[(2, 3), float32]) {\n  %0 = nn.relu(%y);\n  add(%0, %0)\n}\n");
  const auto c = ReadText(
      "#[version = \"0.0.5\"]\ndef @main(%y: Tensor[(2, 3), float32]) {\n  %0 = nn.relu(%y);\n  %1 = nn.relu(%y);\n  "
      "add(%0, %1)\n}\n");
  CHECK(StructuralEqual(Value(MainOf(*a)), Value(MainOf(*b)), false));
  CHECK(StructuralHash(Value(MainOf(*a)), false) == StructuralHash(Value(MainOf(*b)), false));
  CHECK_FALSE(StructuralEqual(Value(MainOf(*a)), Value(MainOf(*c)), false));
}

TEST_CASE("Functions that differ in an attribute differ, and the path leads there") {
  const auto a = ReadText(kPrograms[1]);
  std::string text = kPrograms[1];
  text.replace(text.find("channels=4"), 10, "channels=5");
  const auto b = ReadText(text);
  Mismatch mismatch;
  CHECK_FALSE(StructuralEqual(Value(MainOf(*a)), Value(MainOf(*b)), false, &mismatch));
  REQUIRE(mismatch.lhs.size() >= 3);
  CHECK(mismatch.lhs[0] == ".body");
  CHECK(mismatch.lhs[2] == ".channels");
}

TEST_CASE("Post-order gives operands before users, callee first") {
  const auto module = ReadText(kPrograms[0]);
  const auto order = PostOrder(SlotsOf(*MainOf(*module))[slot::kBody].ref());
  std::vector<std::string> keys;
  for (const auto& node : order) keys.push_back(node->type_key());
  CHECK(keys == std::vector<std::string>{"Op", "Op", "relay.Var", "relay.Call", "relay.Call"});
}

}  // namespace
}  // namespace relayopt::graph
