// Buffered writing, and replacing files as a whole.
#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace relayopt {

namespace {

// The file that a chain of symbolic links leads to, which is what has to be replaced.
auto Resolve(const std::string& path) -> std::string {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) == nullptr ? path : resolved;
}

auto Umask() -> mode_t {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
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
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

auto OutputFile::Open(const std::string& path) -> std::optional<std::string> {
  if (path == "-") {
    fd_ = STDOUT_FILENO;
    return std::nullopt;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) return std::strerror(errno);
    owned_ = true;
    return std::nullopt;
  }
  return OpenTemporary(Resolve(path));
}

auto OutputFile::OpenTemporary(const std::string& path) -> std::optional<std::string> {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  // Replacing a file would get round its being write-protected.
  if (exists && ::access(path.c_str(), W_OK) != 0) return std::strerror(errno);
  std::string temporary = path + ".XXXXXX";
  fd_ = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd_ < 0) return std::strerror(errno);
  owned_ = true;
  temporary_ = temporary;
  path_ = path;
  const mode_t mode = exists ? info.st_mode & 07777 : 0666 & ~Umask();
  if (::fchmod(fd_, mode) != 0) return std::strerror(errno);
  return std::nullopt;
}

auto OutputFile::Commit() -> std::optional<std::string> {
  if (!owned_) return std::nullopt;
  if (!temporary_.empty() && ::fsync(fd_) != 0) return std::strerror(errno);
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) return std::strerror(errno);
  if (temporary_.empty()) return std::nullopt;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return std::strerror(errno);
  temporary_.clear();
  return std::nullopt;
}

auto WriteFile(const std::string& path, std::string_view text) -> std::optional<std::string> {
  OutputFile file;
  if (auto error = file.Open(path)) return error;
  FdSink sink(file.fd());
  sink.Write(text);
  sink.Flush();
  if (sink.error() != 0) return std::strerror(sink.error());
  return file.Commit();
}

}  // namespace relayopt
