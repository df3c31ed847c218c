// The line of progress of a search.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace relayopt {

// Shows, on a terminal, what a search that takes long is doing, with the seconds since it began. Elsewhere, and in
// short searches, nothing is shown. A thread keeps the seconds moving.
class SearchProgress {
 public:
  SearchProgress();
  // Removes the line.
  ~SearchProgress();
  SearchProgress(const SearchProgress&) = delete;
  auto operator=(const SearchProgress&) -> SearchProgress& = delete;

  // Sets what is shown after the seconds.
  void Set(std::string text);

 private:
  void Show();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string text_;
  bool stopping_ = false;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace relayopt
