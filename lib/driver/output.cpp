// Buffered writing, and replacing files as a whole.
#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cleanup.h"
#include "driver.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/files.h"
#include "relayopt/support/files_read.h"
#include "relayopt/support/process.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// Returns the descriptor that a path such as /dev/stdout or /dev/fd/3 refers to, or -1 if it refers to none.
auto DescriptorOf(std::string_view path) -> int {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  const std::filesystem::path place(path);
  const std::optional<int> number = ParseNumber<int>(place.filename().string());
  if (!number) return -1;
  // The folder is often a link, such as /dev/fd or /proc/self/fd.
  std::error_code error;
  const std::string folder = std::filesystem::canonical(place.parent_path(), error).string();
  const std::string own = fmt::format("/proc/{}/", ProcessId());
  const bool is_thread = folder.starts_with(own + "task/");
  if (folder == own + "fd" || (is_thread && folder.ends_with("/fd"))) return *number;
  return -1;
}

// The destination of an output: the file at the end of a chain of symbolic links, which need not exist yet; or a
// descriptor in the chain, which is written directly, because other processes may write to the same file.
struct Place {
  std::string path;
  int fd = -1;
};

auto Resolve(std::string path) -> Place {
  // As many links as the system follows.
  constexpr int kMaxLinks = 40;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (const int fd = DescriptorOf(path); fd >= 0) return {path, fd};
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = (std::filesystem::path(path).parent_path() / target).string();
  }
  return {path};
}

auto HoldTheSame(const std::string& a, const std::string& b) -> bool {
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  if (!first || !second) return false;
  return std::equal(std::istreambuf_iterator<char>(first), {}, std::istreambuf_iterator<char>(second), {});
}

}  // namespace

void FdSink::Write(std::string_view text) {
  if (text.size() >= buffer_size_) {
    Flush();
    WriteAll(text);
    return;
  }
  if (buffer_.size() + text.size() > buffer_size_) Flush();
  buffer_ += text;
}

void FdSink::Flush() {
  WriteAll(buffer_);
  buffer_.clear();
}

void FdSink::WriteAll(std::string_view text) {
  while (!text.empty() && error_ == 0) {
    const ssize_t written = ::write(fd_, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<size_t>(written));
    else if (errno != EINTR)
      error_ = errno;
  }
}

OutputFile::~OutputFile() {
  if (owned_ && fd_ >= 0) ::close(fd_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  ForgetTemporary(temporary_);
}

auto OutputFile::Open(const std::string& path) -> std::optional<std::string> {
  if (path == "-") {
    fd_ = STDOUT_FILENO;
    return std::nullopt;
  }
  const Place place = Resolve(path);
  if (place.fd >= 0) {
    fd_ = DuplicateDescriptor(place.fd);
    if (fd_ < 0) return std::strerror(errno);
    owned_ = true;
    return std::nullopt;
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  // Cyclic links cannot be replaced.
  if (!exists && errno == ELOOP) return std::strerror(ELOOP);
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) return std::strerror(errno);
    owned_ = true;
    return std::nullopt;
  }
  return OpenTemporary(place.path);
}

auto OutputFile::OpenTemporary(const std::string& path) -> std::optional<std::string> {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  // Replacing a file would bypass its write protection.
  if (exists && ::access(path.c_str(), W_OK) != 0) return std::strerror(errno);
  // A file that is write-protected for everybody is not replaced, even by a privileged user.
  constexpr mode_t kAnyWrites = 0222;
  if (exists && (info.st_mode & kAnyWrites) == 0) return std::strerror(EACCES);
  std::string temporary = path;
  fd_ = MakeTemporary(temporary);
  if (fd_ < 0) return std::strerror(errno);
  owned_ = true;
  temporary_ = temporary;
  path_ = path;
  if (!SetPermissions(fd_, exists ? static_cast<int>(info.st_mode & 0777) : -1)) return std::strerror(errno);
  return std::nullopt;
}

auto OutputFile::Commit(bool if_changed) -> std::optional<std::string> {
  if (!owned_) return std::nullopt;
  // Output that is not committed is removed.
  if (if_changed && !temporary_.empty() && HoldTheSame(temporary_, path_)) return std::nullopt;
  if (!temporary_.empty() && ::fsync(fd_) != 0) return std::strerror(errno);
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) return std::strerror(errno);
  if (temporary_.empty()) return std::nullopt;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return std::strerror(errno);
  ForgetTemporary(temporary_);
  temporary_.clear();
  return std::nullopt;
}

auto OutputFile::Fill(const std::string& path, const std::function<void(TextSink& sink)>& write)
    -> std::optional<std::string> {
  if (auto error = Open(path)) return error;
  FdSink sink(fd_);
  write(sink);
  sink.Flush();
  if (sink.error() != 0) return std::strerror(sink.error());
  return std::nullopt;
}

auto Companions::Add(const std::string& path, const std::function<void(TextSink& sink)>& write)
    -> std::optional<std::string> {
  paths_.push_back(path);
  const auto error = files_.emplace_back().Fill(path, write);
  return error ? std::optional(fmt::format("cannot write '{}': {}", Printable(path), *error)) : std::nullopt;
}

auto Companions::Commit() -> std::optional<std::string> {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (const auto error = files_[i].Commit())
      return fmt::format("cannot write '{}': {}", Printable(paths_[i]), *error);
  }
  return std::nullopt;
}

auto IsSameFile(const std::string& a, const std::string& b) -> bool {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

auto CannotReplaceRead(const std::string& path) -> std::optional<std::string> {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const std::vector<std::string> read = FilesRead();
  if (std::ranges::none_of(read, [&](const std::string& file) { return IsSameFile(file, path); })) return std::nullopt;
  return "the run has read this file";
}

auto WriteFile(const std::string& path, std::string_view text) -> std::optional<std::string> {
  return WriteFile(path, [text](TextSink& sink) { sink.Write(text); });
}

auto WriteFile(const std::string& path, const std::function<void(TextSink& sink)>& write)
    -> std::optional<std::string> {
  if (auto error = CannotReplaceRead(path)) return error;
  OutputFile file;
  if (auto error = file.Fill(path, write)) return error;
  return file.Commit();
}

namespace {

auto StatusOfPrinting(int error) -> int {
  if (error == 0) return kSuccess;
  if (error == EPIPE) return kClosedPipe;
  std::fprintf(stderr, "relayopt: error: cannot write to standard output: %s\n", std::strerror(error));
  return kFailure;
}

}  // namespace

void AddToAnswer(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

auto EndPrinting(int status) -> int {
  const bool had_error = std::ferror(stdout) != 0;
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && !had_error;
  if (is_written || status != kSuccess) return status;
  // The reason for an earlier failure is forgotten.
  return StatusOfPrinting(errno != 0 ? errno : EIO);
}

auto PrintText(std::string_view text) -> int {
  FdSink sink(STDOUT_FILENO);
  sink.Write(text);
  sink.Flush();
  return StatusOfPrinting(sink.error());
}

}  // namespace relayopt
