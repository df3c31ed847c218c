// What a pointer to a data member says: the class, the type and the name of the member. Tables whose rows refer to
// members (attributes of operators, options of passes, flags) need no further words for these.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace relayopt {

namespace member_internal {
template <typename C, typename T>
auto Split(T C::*) -> std::pair<C, T>;

// Returns the name of this function as the compiler writes it, which ends with the name of the member:
// `... [with auto kMember = &A::axis; std::string_view = ...]` (GCC), `... [kMember = &A::axis]` (Clang).
template <auto kMember>
consteval auto Signature() -> std::string_view {
  return __PRETTY_FUNCTION__;
}

template <auto kMember>
consteval auto FindName() -> std::string_view {
  constexpr std::string_view kMark = "kMember = &";
  std::string_view text = Signature<kMember>();
  text.remove_prefix(text.find(kMark) + kMark.size());
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

// A copy of the name, so that the whole signature does not get into the program.
template <auto kMember>
inline constexpr auto kCharacters = [] {
  std::array<char, FindName<kMember>().size()> copy{};
  std::ranges::copy(FindName<kMember>(), copy.begin());
  return copy;
}();
}  // namespace member_internal

// The class that declares the member.
template <auto kMember>
using MemberClass = typename decltype(member_internal::Split(kMember))::first_type;

// The type of the member.
template <auto kMember>
using MemberType = typename decltype(member_internal::Split(kMember))::second_type;

// The name of the member: `axis` for `&SoftmaxAttrs::axis`.
template <auto kMember>
inline constexpr std::string_view kMemberName = {member_internal::kCharacters<kMember>.data(),
                                                 member_internal::kCharacters<kMember>.size()};

// Returns the address of the member in an object of its class.
template <auto kMember>
auto MemberAddress(void* object) -> void* {
  return &(static_cast<MemberClass<kMember>*>(object)->*kMember);
}

}  // namespace relayopt
