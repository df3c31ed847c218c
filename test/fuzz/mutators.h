// How inputs of each form are mutated, so that mutated inputs pass the reader's first checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

// libFuzzer's own mutation of bytes in place; returns their new number.
extern "C" auto LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) -> size_t;

namespace relayopt::fuzz {

using Random = std::minstd_rand;

// Makes one change. The result may be longer than what it was given.
using Mutator = std::string (*)(const std::string& bytes, Random& random);
// Puts a piece of one input into another.
using Splicer = std::string (*)(const std::string& into, const std::string& from, Random& random);

// A form of inputs.
struct Form {
  Mutator mutate;
  Splicer splice;
};

// Programs, JSON, pipelines and options: tokens are changed, removed, repeated, swapped and replaced by others of their
// kind.
extern const Form kText;
// Protobuf: fields of messages, at any depth, with the lengths around them.
extern const Form kProtobuf;
// relayopt's binary form: its text as text, with a header that says where it ends; or any byte.
extern const Form kBinary;
// Any bytes.
extern const Form kBytes;
// Zip archives: any byte, with checksums that fit.
extern const Form kArchive;

}  // namespace relayopt::fuzz
