// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/text/printer.h"

namespace relayopt {

// Writes to a file descriptor. After an error everything is dropped; see error().
class FdSink final : public TextSink {
 public:
  // An unbuffered sink is for output that must appear even if the process crashes afterwards.
  explicit FdSink(int fd, bool buffered = true) : fd_(fd), buffer_size_(buffered ? kBuffer : 0) {
    buffer_.reserve(buffer_size_);
  }

  void Write(std::string_view text) override;
  void Flush();

  // Returns the errno of the first write that failed, or 0 if all went well.
  auto error() const -> int { return error_; }

 private:
  static constexpr size_t kBuffer = size_t{256} << 10;

  void WriteAll(std::string_view text);

  int fd_;
  size_t buffer_size_;
  int error_ = 0;
  std::string buffer_;
};

// The target of -o. A regular file is written beside its final place and moved there by Commit, with the permissions of
// the file that it replaces; anything else (`-`, devices, pipes) is written directly.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  auto operator=(const OutputFile&) -> OutputFile& = delete;
  // Removes the output unless it was committed.
  ~OutputFile();

  // Returns the reason when it cannot be opened.
  auto Open(const std::string& path) -> std::optional<std::string>;
  // Opens a file and writes to it; it appears with Commit. Returns the reason on failure.
  auto Fill(const std::string& path, const std::function<void(TextSink& sink)>& write) -> std::optional<std::string>;
  auto fd() const -> int { return fd_; }
  // Puts the file into place; returns the reason on failure. With `if_changed`, a file with the same content is left
  // alone, including its time.
  auto Commit(bool if_changed = false) -> std::optional<std::string>;

 private:
  auto OpenTemporary(const std::string& path) -> std::optional<std::string>;

  int fd_ = -1;
  bool owned_ = false;
  std::string temporary_;
  std::string path_;
};

// Files beside an output. They come into their places when the output is complete: otherwise a model from an earlier
// run would have the weights of this one.
class Companions {
 public:
  // Writes a file, which appears with Commit. Returns an error that names it on failure.
  auto Add(const std::string& path, const std::function<void(TextSink& sink)>& write) -> std::optional<std::string>;
  auto Commit() -> std::optional<std::string>;
  auto paths() const -> const std::vector<std::string>& { return paths_; }

 private:
  std::vector<std::string> paths_;
  std::deque<OutputFile> files_;
};

// Whether two paths lead to the same file, or would.
auto IsSameFile(const std::string& a, const std::string& b) -> bool;

// Returns the reason when the run has read the file at a path, such as the external data of a model, so that only its
// owner may replace it.
auto CannotReplaceRead(const std::string& path) -> std::optional<std::string>;

// Writes a text, or what a function writes, to a file as OutputFile does, but to none that the run has read; returns
// the reason on failure.
auto WriteFile(const std::string& path, const std::function<void(TextSink& sink)>& write) -> std::optional<std::string>;
auto WriteFile(const std::string& path, std::string_view text) -> std::optional<std::string>;

// Adds a part of an answer to standard output. EndPrinting tells what could not be written.
void AddToAnswer(std::string_view text);

// Writes out what AddToAnswer has; returns the exit status of a run that has this one otherwise.
auto EndPrinting(int status) -> int;

// Writes an answer to standard output; returns the exit status. Errors are reported on standard error.
auto PrintText(std::string_view text) -> int;

}  // namespace relayopt
