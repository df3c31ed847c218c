#include "relayopt/core/tensor_table.h"

#include <catch2/catch.hpp>

#include "relayopt/core/constant_view.h"

namespace relayopt {

namespace {

auto Bytes(size_t size, size_t at, uint8_t value) -> std::vector<std::byte> {
  std::vector<std::byte> bytes(size);
  bytes[at] = std::byte{value};
  return bytes;
}

auto Vector(std::vector<std::byte> bytes) -> Constant {
  const auto size = static_cast<int64_t>(bytes.size());
  return {DataType::UInt(8), {size}, std::move(bytes)};
}

}  // namespace

TEST_CASE("A tensor table tells tensors apart by type, shape and bytes", "[constant]") {
  TensorTable table;
  CHECK(table.FindOrAdd({DataType::UInt(8), {2, 2}, Bytes(4, 0, 1)}) == 0);
  CHECK(table.FindOrAdd({DataType::UInt(8), {4, 1}, Bytes(4, 0, 1)}) == 1);
  CHECK(table.FindOrAdd({DataType::Int(8), {2, 2}, Bytes(4, 0, 1)}) == 2);
  CHECK(table.FindOrAdd({DataType::UInt(8), {2, 2}, Bytes(4, 3, 1)}) == 3);
  CHECK(table.FindOrAdd({DataType::UInt(8), {2, 2}, Bytes(4, 0, 1)}) == 0);
  CHECK(table.size() == 4);
}

TEST_CASE("A tensor table finds large tensors that differ in any byte", "[constant]") {
  constexpr size_t kSize = 1 << 16;
  TensorTable table;
  for (size_t i = 0; i < 64; ++i) CHECK(table.FindOrAdd(Vector(Bytes(kSize, i * 1024 + 700, 1))) == i);
  for (size_t i = 0; i < 64; ++i) CHECK(table.FindOrAdd(Vector(Bytes(kSize, i * 1024 + 700, 1))) == i);
  CHECK(table.FindOrAdd(Vector(std::vector<std::byte>(kSize))) == 64);
}

TEST_CASE("A tensor table finds views and empty tensors", "[constant]") {
  TensorTable table;
  const std::vector<std::byte> bytes = Bytes(8, 0, 1);
  CHECK(table.FindOrAdd(ViewOfElements(DataType::UInt(8), {8}, bytes)) == 0);
  CHECK(table.FindOrAdd(Vector(bytes)) == 0);
  CHECK(table.FindOrAdd({DataType::UInt(8), {0}, std::vector<std::byte>()}) == 1);
  CHECK(table.FindOrAdd({DataType::UInt(8), {0}, std::vector<std::byte>()}) == 1);
}

}  // namespace relayopt
