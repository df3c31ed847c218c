// Source texts: mapped files, owned strings, lines and columns.
#include "relayopt/support/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "relayopt/support/files.h"
#include "relayopt/support/files_read.h"

namespace relayopt {

namespace {

// Offsets are 32 bits and the last value means "nowhere".
constexpr size_t kMaxSize = SourceRange::kNowhere - 1;

auto ReadAll(int fd, std::string& out) -> bool {
  // Devices such as /dev/zero have no end.
  constexpr size_t kMostOfDevice = size_t{1} << 26;
  struct stat status = {};
  const bool is_device = ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
  const size_t limit = is_device ? kMostOfDevice : kMaxSize;
  size_t used = 0;
  out.resize(1 << 16);
  while (true) {
    const ssize_t n = ::read(fd, out.data() + used, out.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    used += static_cast<size_t>(n);
    if (used > limit) {
      errno = EFBIG;
      return false;
    }
    if (used == out.size()) out.resize(out.size() * 2);
  }
  out.resize(used);
  return true;
}

// The mappings that are alive, for MappedFileAt. Those that find no place are not known.
struct Mapping {
  std::atomic<const char*> begin = nullptr;
  std::atomic<size_t> size = 0;
  std::atomic<const char*> name = nullptr;
};
Mapping g_mappings[64];

void Remember(const char* begin, size_t size, const char* name) {
  for (Mapping& mapping : g_mappings) {
    const char* free = nullptr;
    if (!mapping.begin.compare_exchange_strong(free, begin)) continue;
    mapping.size = size;
    mapping.name = name;
    return;
  }
}

// The files that were opened.
struct OpenedFiles {
  std::mutex mutex;
  std::vector<std::string> paths;
};

auto Opened() -> OpenedFiles& {
  static OpenedFiles opened;
  return opened;
}

void RememberFile(const std::string& path) {
  OpenedFiles& opened = Opened();
  const std::lock_guard lock(opened.mutex);
  if (std::find(opened.paths.begin(), opened.paths.end(), path) == opened.paths.end()) opened.paths.push_back(path);
}

void Forget(const char* begin) {
  for (Mapping& mapping : g_mappings) {
    if (mapping.begin != begin) continue;
    mapping.name = nullptr;
    mapping.size = 0;
    mapping.begin = nullptr;
    return;
  }
}

}  // namespace

auto FilesRead() -> std::vector<std::string> {
  const std::lock_guard lock(Opened().mutex);
  return Opened().paths;
}

auto MappedFileAt(const void* address) -> const char* {
  const auto* at = static_cast<const char*>(address);
  for (const Mapping& mapping : g_mappings) {
    const char* begin = mapping.begin;
    if (begin != nullptr && at >= begin && at < begin + mapping.size) return mapping.name;
  }
  return nullptr;
}

auto SourceText::FromString(std::string name, std::string text, uint32_t first_line)
    -> std::shared_ptr<const SourceText> {
  std::shared_ptr<SourceText> source(new SourceText());
  source->name_ = std::move(name);
  source->owned_ = std::move(text);
  source->first_line_ = first_line;
  source->Own();
  return source;
}

auto SourceText::Open(const std::string& path, std::string& error) -> std::shared_ptr<const SourceText> {
  std::shared_ptr<SourceText> source(new SourceText());
  const bool is_stdin = path == "-";
  source->name_ = is_stdin ? "<stdin>" : path;
  const int fd = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  if (!is_stdin) RememberFile(path);
  struct stat info {};
  const bool regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
  bool ok = true;
  if (regular && static_cast<size_t>(info.st_size) > kMaxSize) {
    errno = EFBIG;
    ok = false;
  } else if (regular && !is_stdin) {
    ok = source->Map(fd, static_cast<size_t>(info.st_size));
  } else {
    ok = ReadAll(fd, source->owned_);
    source->Own();
  }
  if (!ok) error = std::strerror(errno);
  if (!is_stdin) ::close(fd);
  return ok ? source : nullptr;
}

void SourceText::Own() {
  const size_t size = owned_.size();
  owned_.resize(size + kPadding);
  text_ = std::string_view(owned_).substr(0, size);
}

auto SourceText::Map(int fd, size_t size) -> bool {
  const char* bytes = MapFile(fd, size, kPadding);
  if (bytes == nullptr) return false;
  mapping_ = const_cast<char*>(bytes);
  mapping_size_ = size + kPadding;
  text_ = {bytes, size};
  Remember(bytes, mapping_size_, name_.c_str());
  return true;
}

SourceText::~SourceText() {
  if (mapping_ == nullptr) return;
  const auto* bytes = static_cast<const char*>(mapping_);
  Forget(bytes);
  UnmapFile(bytes, mapping_size_);
}

// Computes the starts of the lines once, also when several threads ask at the same time.
void SourceText::IndexLines() const {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!lines_.empty()) return;
  lines_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1)) {
    lines_.push_back(static_cast<uint32_t>(at + 1));
  }
}

auto SourceText::Position(uint32_t offset) const -> LineColumn {
  IndexLines();
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const auto line = static_cast<uint32_t>(after - lines_.begin());
  return {line + first_line_ - 1, offset - lines_[line - 1] + 1};
}

auto SourceText::Line(uint32_t line) const -> std::string_view {
  IndexLines();
  if (line < first_line_ || line - first_line_ >= lines_.size()) return {};
  line -= first_line_ - 1;
  const size_t begin = lines_[line - 1];
  size_t end = line < lines_.size() ? lines_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return text_.substr(begin, end - begin);
}

}  // namespace relayopt
