// Elements of constants.
#include "relayopt/core/constant.h"

#include <catch2/catch.hpp>

#include "relayopt/core/constant_view.h"

namespace relayopt {

TEST_CASE("Elements of a view are where the file has them, and those of Bytes a copy", "[constant]") {
  // Not aligned: a file may hold tensors at any position.
  std::vector<std::byte> file(9);
  for (size_t i = 0; i < file.size(); ++i) file[i] = static_cast<std::byte>(i);
  const Constant view = ViewOfElements(DataType::Int(32), {2}, std::span(file).subspan(1));
  const ElementBytes elements = view.Elements();
  CHECK(elements.is_view());
  CHECK(elements.data() == file.data() + 1);
  CHECK(elements.ToVector<int32_t>() == std::vector{0x04030201, 0x08070605});
  CHECK(elements.At<int32_t>(1) == 0x08070605);
  CHECK(view.Bytes()->data() != file.data() + 1);
  CHECK(elements == Constant(DataType::Int(32), {2}, view.Bytes()).Elements());
}

TEST_CASE("Elements that are owned outlive their constant", "[constant]") {
  ElementBytes elements;
  {
    const Constant constant(DataType::UInt(8), {3}, std::vector(3, std::byte{7}));
    elements = constant.Elements();
  }
  CHECK_FALSE(elements.is_view());
  CHECK(elements.ToVector<uint8_t>() == std::vector<uint8_t>(3, 7));
}

}  // namespace relayopt
