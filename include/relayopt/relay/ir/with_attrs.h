// Rules that take the attributes of a call as an argument.
#pragma once

namespace relayopt {

namespace with_attrs_internal {

template <auto kRule>
struct Adapter;

template <typename Result, typename Call, typename Attrs, auto(*kRule)(Call& call, const Attrs& attrs)->Result>
struct Adapter<kRule> {
  static auto Apply(Call& call) -> Result {
    const auto* attrs = call.template attrs<Attrs>();
    return attrs == nullptr ? Result() : kRule(call, *attrs);
  }
};

}  // namespace with_attrs_internal

// In tables of rules: `WithAttrs<WriteLrn>` is the function WriteLrn(call, attrs) for calls that have attributes of its
// class; for others it gives nothing.
template <auto kRule>
// NOLINTNEXTLINE(readability-identifier-naming): it is called as a function.
inline constexpr auto* WithAttrs = &with_attrs_internal::Adapter<kRule>::Apply;

}  // namespace relayopt
