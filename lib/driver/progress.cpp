// The line of progress of a search.
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "cleanup.h"
#include "relayopt/support/process.h"

namespace relayopt {

namespace {

constexpr std::chrono::seconds kShownAfter{2};
constexpr std::chrono::milliseconds kShowPeriod{200};

}  // namespace

SearchProgress::SearchProgress() {
  if (IsTerminal(STDERR_FILENO)) thread_ = std::thread([this] { Show(); });
}

SearchProgress::~SearchProgress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (is_shown_) SayNow("\r\x1b[K");
}

void SearchProgress::Set(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void SearchProgress::Show() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kShowPeriod, [this] { return stopping_; })) {
    const auto passed = std::chrono::steady_clock::now() - start_;
    if (passed < kShownAfter) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    SayNow(fmt::format("\r\x1b[K[{} s] {}", seconds, text_));
    is_shown_ = true;
  }
}

}  // namespace relayopt
