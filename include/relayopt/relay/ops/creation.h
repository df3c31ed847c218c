// Operators that make tensors from sizes and scalars, and those that ask for sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "relayopt/core/attrs.h"
#include "relayopt/core/context.h"

namespace relayopt {

// The attributes of `broadcast_to`, `collapse_sum_to`, `dyn.broadcast_to` and 6 more operators.
struct InitOpAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.InitOpAttrs";
  DimList shape = DimList::Null();
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&InitOpAttrs::shape>("shape of the result"),
        Field<&InitOpAttrs::dtype>("element type of the result"),
    };
  }
};

// The attributes of `arange`.
struct ArangeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ArangeAttrs";
  ObjectId start;
  ObjectId stop;
  ObjectId step;
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&ArangeAttrs::start>("the operand start once more"),
        Required<&ArangeAttrs::stop>("the operand end once more"),
        Required<&ArangeAttrs::step>("the operand step once more"),
        Required<&ArangeAttrs::dtype>("element type of the result"),
    };
  }
};

// Returns the attribute that repeats a constant operand of `arange`.
auto ConstantObject(Context& context, ConstantId constant) -> ObjectId;

// Returns the number of elements of `arange` between these bounds, or nothing if it is not from 1 to 2^31 - 1, which
// are those that its type may have.
auto ArangeLength(double start, double stop, double step) -> std::optional<int64_t>;

// The attributes of `dyn.one_hot` and `one_hot`.
struct OneHotAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.OneHotAttrs";
  int64_t depth = 1;
  int64_t axis = -1;
  DataType dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&OneHotAttrs::depth>("extent of the new axis"),
        Field<&OneHotAttrs::axis>("position of the new axis; -1: the end"),
        Field<&OneHotAttrs::dtype>("element type of the result"),
    };
  }
};

// The attributes of `shape_of` and `vm.shape_of`.
struct ShapeOfAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ShapeOfAttrs";
  DataType dtype;
  static constexpr auto Fields() { return std::array{Field<&ShapeOfAttrs::dtype>("element type of the result")}; }
};

// The attributes of `ndarray_size`.
struct NdarraySizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NdarraySizeAttrs";
  DataType dtype;
  static constexpr auto Fields() { return std::array{Field<&NdarraySizeAttrs::dtype>("element type of the result")}; }
};

}  // namespace relayopt
