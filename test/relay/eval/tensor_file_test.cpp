// Tensors in files, whole ones and damaged ones.
#include "relayopt/relay/eval/tensor_file.h"

#include <cstring>

#include "eval_harness.h"
#include "lib/relay/eval/npy.h"

namespace relayopt::testing {
namespace {

auto SameTensor(const Tensor& a, const Tensor& b) -> bool {
  return a.dtype() == b.dtype() && Extents(a) == Extents(b) && std::ranges::equal(a.bytes(), b.bytes());
}

auto Samples() -> std::vector<NamedTensor> {
  return {{"floats", Floats({2, 3}, {1, -2, 3.5F, 4, 5, 6})},
          {"none", Floats({0, 4}, {})},
          {"scalar", Ints({}, {-7})},
          {"bytes", Make<int8_t>(DataType::Int(8), {3}, {1, -1, 127})},
          {"bools", Make<Bool>(DataType::Bool(), {2}, {true, false})},
          {"halves", Make<Half>(DataType::Float(16), {1}, {Half(0.5F)})}};
}

TEST_CASE("an archive gives back what was written") {
  const std::vector<NamedTensor> samples = Samples();
  const auto archive = WriteNpz(samples);
  REQUIRE(archive.has_value());
  const auto read = ReadTensors(*archive);
  REQUIRE(read.has_value());
  REQUIRE(read->size() == samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    CHECK((*read)[i].name == samples[i].name);
    CHECK(SameTensor((*read)[i].tensor, samples[i].tensor));
  }
}

TEST_CASE("bfloat16 is written as float32, types without a counterpart not at all") {
  const Tensor wide = Make<BFloat>(DataType::BFloat(16), {1}, {BFloat(1.5F)});
  const auto read = ReadNpz(*WriteNpz(std::vector<NamedTensor>{{"x", wide}}));
  REQUIRE(read.has_value());
  CHECK(SameTensor((*read)[0].tensor, Floats({1}, {1.5F})));
  CHECK_FALSE(WriteNpz(std::vector<NamedTensor>{{"x", Tensor(DataType::Int(4), {2})}}).has_value());
}

TEST_CASE("no part of an archive is an archive") {
  const std::string archive = *WriteNpz(Samples());
  for (size_t size = 0; size < archive.size(); ++size) {
    INFO("of " << archive.size() << " bytes the first " << size);
    CHECK_FALSE(ReadNpz(std::string_view(archive).substr(0, size)).has_value());
  }
}

TEST_CASE("a changed byte is found, or changes no element") {
  const std::vector<NamedTensor> samples = Samples();
  const std::string archive = *WriteNpz(samples);
  for (size_t i = 0; i < archive.size(); ++i) {
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      std::string damaged = archive;
      damaged[i] = static_cast<char>(damaged[i] ^ bits);
      const auto read = ReadNpz(damaged);
      if (!read) continue;
      INFO("byte " << i);
      CHECK(std::ranges::all_of(*read, [&](const NamedTensor& tensor) {
        return std::ranges::any_of(samples,
                                   [&](const NamedTensor& sample) { return SameTensor(tensor.tensor, sample.tensor); });
      }));
    }
  }
}

// A .npy array with this header, of version 1.
auto Npy(std::string_view header, std::string_view elements) -> std::string {
  std::string text = "\x93NUMPY\x01";
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  return text.append(header).append(elements);
}

TEST_CASE("arrays in either order of axes") {
  const std::string elements("\x01\x02\x03\x04\x05\x06", 6);
  const auto rows = ReadNpy(Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }", elements));
  REQUIRE(rows.has_value());
  CHECK(SameTensor(*rows, Make<int8_t>(DataType::Int(8), {2, 3}, {1, 2, 3, 4, 5, 6})));
  const auto columns = ReadNpy(Npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }", elements));
  REQUIRE(columns.has_value());
  CHECK(SameTensor(*columns, Make<int8_t>(DataType::Int(8), {2, 3}, {1, 3, 5, 2, 4, 6})));
}

TEST_CASE("headers that say nothing or too much") {
  const std::string elements(8, '\0');
  const auto reads = [&](std::string_view header) { return ReadNpy(Npy(header, elements)).has_value(); };
  CHECK(reads("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"));
  CHECK(reads("{'shape': (), 'descr': '<f8'}"));
  for (const std::string_view header :
       {"", "{}", "{'descr': '>i4', 'shape': (2,)}", "{'descr': '<i3', 'shape': (2,)}",
        "{'descr': '<f1', 'shape': (2,)}", "{'descr': '<c8', 'shape': (1,)}", "{'descr': '|O', 'shape': (1,)}",
        "{'descr': '<i', 'shape': (1,)}", "{'descr': [('a', '<i4')], 'shape': (2,)}", "{'descr': '<i4",
        "{'descr': '<i4', 'shape': 2}", "{'descr': '<i4', 'shape': (2", "{'descr': '<i4', 'shape': (-2,)}",
        "{'descr': '<i4', 'shape': (x,)}", "{'descr': '<i4', 'shape': (3,)}",
        "{'descr': '<i4', 'shape': (99999999999999999999,)}",
        "{'descr': '<i4', 'shape': (4294967296, 4294967296, 4)}"}) {
    INFO(header);
    CHECK_FALSE(reads(header));
  }
}

template <typename T>
void Append(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A parameter file with one vector of two float32.
struct ParamsFile {
  uint64_t magic = 0xF7E58D4F05049CB7;
  uint64_t names = 1;
  std::string name = "w";
  uint64_t tensors = 1;
  uint64_t tensor_magic = 0xDD5E40F096B4A13F;
  uint32_t rank = 1;
  uint8_t code = 2;
  uint8_t bits = 32;
  uint16_t lanes = 1;
  int64_t extent = 2;

  auto Text() const -> std::string {
    std::string text;
    Append(text, magic);
    Append(text, uint64_t{0});
    Append(text, names);
    Append(text, static_cast<uint64_t>(name.size()));
    text += name;
    Append(text, tensors);
    Append(text, tensor_magic);
    Append(text, uint64_t{0});
    Append(text, int32_t{1});
    Append(text, int32_t{0});
    Append(text, rank);
    Append(text, code);
    Append(text, bits);
    Append(text, lanes);
    Append(text, extent);
    Append(text, int64_t{8});
    Append(text, 1.5F);
    Append(text, -2.0F);
    return text;
  }
};

TEST_CASE("parameter files hold names and tensors") {
  const auto read = ReadTensors(ParamsFile().Text());
  REQUIRE(read.has_value());
  REQUIRE(read->size() == 1);
  CHECK((*read)[0].name == "w");
  CHECK(SameTensor((*read)[0].tensor, Floats({2}, {1.5F, -2})));
}

TEST_CASE("no part of a parameter file is one") {
  const std::string text = ParamsFile().Text();
  for (size_t size = 0; size < text.size(); ++size) {
    INFO("of " << text.size() << " bytes the first " << size);
    CHECK_FALSE(ReadParams(std::string_view(text).substr(0, size)).has_value());
  }
}

TEST_CASE("every format gives back what was written, and is recognized by its first bytes") {
  std::vector<NamedTensor> samples = Samples();
  for (const TensorFormat& format : TensorFormats()) {
    INFO(format.name);
    const auto file = format.write(samples);
    REQUIRE(file.has_value());
    const auto read = ReadTensors(*file);
    REQUIRE(read.has_value());
    REQUIRE(read->size() == samples.size());
    for (size_t i = 0; i < samples.size(); ++i) {
      CHECK((*read)[i].name == samples[i].name);
      CHECK(SameTensor((*read)[i].tensor, samples[i].tensor));
    }
    CHECK(TensorFormatOf("a/b" + std::string(format.ending)) == &format);
  }
  CHECK(TensorFormatOf("a.txt") == nullptr);
}

TEST_CASE("bfloat16 keeps its type in .safetensors and parameter files") {
  const std::vector<NamedTensor> wide = {{"x", Make<BFloat>(DataType::BFloat(16), {1}, {BFloat(1.5F)})}};
  CHECK(SameTensor((*ReadTensors(*WriteSafetensors(wide)))[0].tensor, wide[0].tensor));
  CHECK(SameTensor((*ReadTensors(*WriteParams(wide)))[0].tensor, wide[0].tensor));
  CHECK_FALSE(WriteSafetensors(std::vector<NamedTensor>{{"x", Tensor(DataType::Int(4), {2})}}).has_value());
  // There are several kinds of floats of 8 bits, and this is none of them.
  const std::vector<NamedTensor> narrow = {{"x", Tensor(DataType::Float(8), {2})}};
  CHECK_FALSE(WriteNpz(narrow).has_value());
  CHECK_FALSE(WriteParams(narrow).has_value());
  const NamedTensor one = {"x", Tensor(DataType::Int(32), {2})};
  CHECK_FALSE(WriteSafetensors(std::vector<NamedTensor>{one, one}).has_value());
  // The header is JSON, which has no such names: both would become one.
  CHECK_FALSE(WriteSafetensors(std::vector<NamedTensor>{{"\xff", one.tensor}, {"\xfe", one.tensor}}).has_value());
}

TEST_CASE("no part of a .safetensors file is one") {
  const std::string file = *WriteSafetensors(Samples());
  for (size_t size = 0; size < file.size(); ++size) {
    INFO("of " << file.size() << " bytes the first " << size);
    CHECK_FALSE(ReadSafetensors(std::string_view(file).substr(0, size)).has_value());
  }
  CHECK_FALSE(ReadSafetensors(file + "x").has_value());
}

// A .safetensors file with this header and eight bytes of elements.
auto Safetensors(std::string_view header) -> std::string {
  std::string text;
  Append(text, static_cast<uint64_t>(header.size()));
  text += header;
  return text + "12345678";
}

TEST_CASE("headers of .safetensors files that cannot be") {
  CHECK(ReadTensors(Safetensors(R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})")).has_value());
  CHECK(ReadTensors(Safetensors(R"({"__metadata__":{"a":"b"},"w":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})"))
            .has_value());
  for (const char* header : {
           R"([])",
           R"({"w":1})",
           R"({"w":{"shape":[2],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I33","shape":[2],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I32","data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I32","shape":[-2],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I32","shape":[2.0],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I32","shape":[3],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]}})",
           R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[8,0]}})",
           R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[1,9]}})",
           R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[0]}})",
           R"({"w":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[0,8]})",
       }) {
    INFO(header);
    CHECK_FALSE(ReadSafetensors(Safetensors(header)).has_value());
  }
}

TEST_CASE("parameter files whose numbers cannot be") {
  const auto reads = [](auto change) {
    ParamsFile file;
    change(file);
    return ReadParams(file.Text()).has_value();
  };
  CHECK(reads([](ParamsFile&) {}));
  CHECK_FALSE(reads([](ParamsFile& file) { file.magic ^= 1; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.names = UINT64_MAX; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.tensors = 2; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.tensor_magic = 0; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.rank = UINT32_MAX; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.extent = -1; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.extent = INT64_MAX; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.extent = 3; }));
  CHECK_FALSE(reads([](ParamsFile& file) { file.lanes = UINT16_MAX; }));
}

TEST_CASE("any changed byte of a parameter file is survived") {
  const std::string text = ParamsFile().Text();
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const auto read = ReadTensors(damaged);
      // What is read has no more elements than the file has bytes.
      if (read) CHECK((*read)[0].tensor.num_bytes() <= 8);
    }
  }
}

}  // namespace
}  // namespace relayopt::testing
