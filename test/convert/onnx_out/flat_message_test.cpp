// Messages whose lengths are known at their end only.
#include <catch2/catch.hpp>
#include <string>

#include "lib/convert/onnx_out/flat_message.h"
#include "test/convert/onnx/wire.h"

namespace relayopt::onnx::out {

TEST_CASE("a message inside of another has a length of as many bytes as it needs", "[onnx-out]") {
  FlatMessage message;
  for (const size_t length : {0, 1, 120, 123, 124, 125, 126, 127, 128, 16000, 16379, 16380, 16384, 3000000}) {
    const std::string text(length, 'x');
    message.Clear();
    const size_t outer = message.Open(5);
    const size_t inner = message.Open(20);
    message.AddText(1, text);
    message.Close(inner);
    message.AddInt(3, -1);
    message.Close(outer);
    message.AddFloat(2, 1.5F);
    const std::string within = wire::Block(20, wire::Block(1, text)) + wire::Number(3, UINT64_MAX);
    CHECK((message.view() == wire::Block(5, within) + wire::Float(2, 1.5F)));
  }
}

TEST_CASE("an empty message is written, and leaves nothing behind", "[onnx-out]") {
  FlatMessage message;
  CHECK(message.view().empty());
  message.AddText(1, "gone");
  message.Clear();
  message.Close(message.Open(1));
  CHECK((message.view() == wire::Block(1, "")));
}

}  // namespace relayopt::onnx::out
