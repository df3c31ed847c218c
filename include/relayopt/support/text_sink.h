// TextSink: where output text is written to.
#pragma once

#include <string>
#include <string_view>

namespace relayopt {

// Receives output in pieces, in order.
class TextSink {
 public:
  virtual void Write(std::string_view text) = 0;

 protected:
  ~TextSink() = default;
};

// A sink that collects a string.
class StringSink final : public TextSink {
 public:
  void Write(std::string_view text) override { text_ += text; }
  auto text() -> std::string& { return text_; }

 private:
  std::string text_;
};

}  // namespace relayopt
