// Typed 32-bit ids. An id names a record in one table; two kinds of id never mix.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace relayopt {

// The name of an interned record. Compares only for equality: which of two records was interned first depends on
// timing, so nothing may sort by it.
template <typename Tag>
class Id {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t value) : value_(value) {}

  constexpr auto value() const -> uint32_t { return value_; }
  constexpr auto has_value() const -> bool { return value_ != kNone; }
  constexpr explicit operator bool() const { return has_value(); }

  friend constexpr auto operator==(Id, Id) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, Id id) -> H {
    return H::combine(static_cast<H&&>(h), id.value_);
  }

 private:
  uint32_t value_ = kNone;
};

// The position of a record in an ordered table, such as an expression in its function.
template <typename Tag>
class Index {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  constexpr Index() = default;
  constexpr explicit Index(uint32_t value) : value_(value) {}
  constexpr explicit Index(size_t value) : value_(static_cast<uint32_t>(value)) {}

  constexpr auto value() const -> uint32_t { return value_; }
  constexpr auto has_value() const -> bool { return value_ != kNone; }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr auto operator++() -> Index& {
    ++value_;
    return *this;
  }

  friend constexpr auto operator<=>(Index, Index) = default;
  template <typename H>
  friend auto AbslHashValue(H h, Index id) -> H {
    return H::combine(static_cast<H&&>(h), id.value_);
  }

 private:
  uint32_t value_ = kNone;
};

using StringId = Id<struct StringTag>;          // an interned string
using TypeId = Id<struct TypeTag>;              // an interned type
using ObjectId = Id<struct ObjectTag>;          // an attribute value; none is the null object
using AttrsId = Id<struct AttrsTag>;            // an interned attribute record
using ConstantId = Id<struct ConstantTag>;      // a constant tensor
using OpInstanceId = Id<struct OpInstanceTag>;  // an operator with its attributes
using SpanId = Id<struct SpanTag>;              // a position in the original model

using ExprId = Index<struct ExprTag>;        // an expression of one function
using GlobalId = Index<struct GlobalTag>;    // a global function of one module
using TypeDefId = Index<struct TypeDefTag>;  // a type definition of one module
using CtorId = Index<struct CtorTag>;        // a constructor of one module

}  // namespace relayopt
