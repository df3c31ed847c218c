#include "relayopt/object/object.h"

#include <catch2/catch.hpp>

#include "relayopt/object/containers.h"
#include "relayopt/object/packed_func.h"

namespace relayopt::object {
namespace {

struct BaseObj : Object {
  static constexpr std::string_view kTypeKey = "test.Base";
  using Base = Object;
  explicit BaseObj(TypeIndex type = IndexOf<BaseObj>()) : Object(type) {}
};
struct LeafObj final : BaseObj {
  static constexpr std::string_view kTypeKey = "test.Leaf";
  using Base = BaseObj;
  explicit LeafObj(bool* died = nullptr) : BaseObj(IndexOf<LeafObj>()), died_(died) {}
  ~LeafObj() override {
    if (died_ != nullptr) *died_ = true;
  }

 private:
  bool* died_;
};

TEST_CASE("An object is an instance of its type and of every type above") {
  const Ref<Object> leaf = Make<LeafObj>();
  CHECK(leaf->IsInstance<LeafObj>());
  CHECK(leaf->IsInstance<BaseObj>());
  CHECK(leaf->IsInstance<Object>());
  CHECK(leaf.as<BaseObj>() == leaf.get());
  CHECK(leaf->GetTypeKey() == "test.Leaf");
}

TEST_CASE("An object is not an instance of a type below or beside its own") {
  const Ref<Object> base = Make<BaseObj>();
  CHECK_FALSE(base->IsInstance<LeafObj>());
  CHECK(base.as<LeafObj>() == nullptr);
  CHECK_FALSE(base->IsInstance<StringObj>());
}

TEST_CASE("A type that is registered twice keeps its index, and parents come first") {
  const TypeIndex again = RegisterType("test.Leaf", IndexOf<BaseObj>());
  CHECK(again == IndexOf<LeafObj>());
  CHECK(IndexOf<BaseObj>() < IndexOf<LeafObj>());
  CHECK(FindType("test.no such type") == nullptr);
}

TEST_CASE("The last reference deletes an object, and no earlier one") {
  bool died = false;
  Ref<Object> first = Make<LeafObj>(&died);
  Ref<Object> second = first;
  first = nullptr;
  CHECK_FALSE(died);
  CHECK(second->unique());
  second = nullptr;
  CHECK(died);
}

TEST_CASE("A chain of a million objects is taken apart without recursion") {
  const TypeIndex type = RegisterType("test.Link", 0, {{.name = "next"}});
  Ref<SlotObj> head = SlotObj::Create(type, 1);
  for (int i = 0; i < 1000000; ++i) {
    auto link = SlotObj::Create(type, 1);
    link->set(0, head);
    head = link;
  }
  head = nullptr;
  CHECK(head.get() == nullptr);
}

TEST_CASE("A map keeps the order of insertion, and the last value of a key") {
  std::vector<std::pair<Value, Value>> entries;
  entries.emplace_back("b", 1);
  entries.emplace_back("a", 2);
  entries.emplace_back("b", 3);
  const auto map = Make<MapObj>(std::move(entries));
  REQUIRE(map->size() == 2);
  CHECK(map->entries()[0].first.text() == "b");
  CHECK(map->Find(std::string_view("b"))->integer() == 3);
  CHECK(map->Find(std::string_view("c")) == nullptr);
}

TEST_CASE("A packed function converts its arguments as they are assigned") {
  const auto add = Make<PackedFuncObj>([](PackedArgs args) -> Result<Value> {
    const int a = args[0];
    const double b = args[1];
    return Value(static_cast<double>(a) + b);
  });
  const auto sum = (*add)(1, 2.5);
  REQUIRE(sum);
  CHECK(sum->real() == 3.5);
}

TEST_CASE("A typed function refuses too many arguments and wrong ones, with its signature") {
  const PackedFunc f =
      TypedPackedFunc("f", [](int64_t a, const std::string& b) { return a + static_cast<int64_t>(b.size()); });
  const auto right = (*f)(1, "ab");
  REQUIRE(right);
  CHECK(right->integer() == 3);
  const auto few = (*f)(1);
  REQUIRE_FALSE(few);
  CHECK(few.error().text == "Function f(0: int, 1: String) -> int expects 2 arguments, but 1 were provided.");
  const auto wrong = (*f)("x", "ab");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().text.find("error while converting argument 0: expected int, but got runtime.String") !=
        std::string::npos);
}

TEST_CASE("A registered function is found by its name until it is removed") {
  const PackedFunc hello = TypedPackedFunc("callhello", [] { return 1; });
  REQUIRE(Registry::Register("test.callhello", hello));
  CHECK_FALSE(Registry::Register("test.callhello", hello));
  CHECK(Registry::Register("test.callhello", hello, true));
  CHECK(Registry::Get("test.callhello") == hello);
  CHECK(Registry::Remove("test.callhello"));
  CHECK_FALSE(Registry::Get("test.callhello"));
}

}  // namespace
}  // namespace relayopt::object
