// Names, classes and types of members, which the compiler checks.
#include "relayopt/support/member.h"

#include <catch2/catch.hpp>
#include <concepts>
#include <string_view>

namespace relayopt {
namespace {

struct Base {
  int axis = 1;
};
struct Derived : Base {
  double keep_dims2 = 0;
  int (*function)(int) = nullptr;
};
template <typename T>
struct Generic {
  T value;
};

static_assert(kMemberName<&Base::axis> == "axis");
static_assert(kMemberName<&Derived::axis> == "axis");
static_assert(kMemberName<&Derived::keep_dims2> == "keep_dims2");
static_assert(kMemberName<&Derived::function> == "function");
static_assert(kMemberName<&Generic<Base>::value> == "value");
static_assert(std::same_as<MemberClass<&Derived::axis>, Base>);
static_assert(std::same_as<MemberClass<&Derived::keep_dims2>, Derived>);
static_assert(std::same_as<MemberType<&Derived::keep_dims2>, double>);

TEST_CASE("The address of a member is the one in the object") {
  Base object;
  CHECK(MemberAddress<&Base::axis>(&object) == &object.axis);
  struct Local {
    bool inside_function = false;
  };
  CHECK(kMemberName<&Local::inside_function> == "inside_function");
}

}  // namespace
}  // namespace relayopt
