// The functions that each platform implements in its own way.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <string>

#include "relayopt/support/files.h"
#include "relayopt/support/process.h"
#include "relayopt/support/shared_library.h"
#include "relayopt/support/signals.h"

namespace relayopt {

namespace {

// A new file in the folder for temporary files, which is removed in the end.
class NewFile {
 public:
  explicit NewFile(const std::string& ending) : path("/tmp/relayopt-test-XXXXXX" + ending) {
    fd = CreateUniqueFile(path, ending.size());
  }
  ~NewFile() {
    ::close(fd);
    ::unlink(path.c_str());
  }
  NewFile(const NewFile&) = delete;
  auto operator=(const NewFile&) -> NewFile& = delete;

  std::string path;
  int fd = -1;
};

}  // namespace

TEST_CASE("unique files keep their ending and differ", "[platform]") {
  const NewFile first(".relay");
  const NewFile second(".relay");
  REQUIRE(first.fd >= 0);
  REQUIRE(second.fd >= 0);
  CHECK(first.path.ends_with(".relay"));
  CHECK(first.path != second.path);
  std::string missing = "/no/such/folder/XXXXXX";
  CHECK(CreateUniqueFile(missing) == -1);
}

TEST_CASE("mapped files are followed by zeros", "[platform]") {
  const NewFile file("");
  REQUIRE(::write(file.fd, "abc", 3) == 3);
  const char* bytes = MapFile(file.fd, 3, 64);
  REQUIRE(bytes != nullptr);
  CHECK(std::memcmp(bytes, "abc\0\0", 5) == 0);
  CHECK(bytes[66] == 0);
  UnmapFile(bytes, 67);
  CHECK(MapFile(-1, 3, 64) == nullptr);
}

TEST_CASE("new files get the permissions of others or those of new files", "[platform]") {
  const NewFile file("");
  struct stat info {};
  REQUIRE(SetPermissions(file.fd, 0640));
  REQUIRE(::fstat(file.fd, &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  REQUIRE(SetPermissions(file.fd, -1));
  REQUIRE(::fstat(file.fd, &info) == 0);
  CHECK((info.st_mode & 0600) == 0600);
  CHECK_FALSE(SetPermissions(-1, 0640));
}

TEST_CASE("a child that ends reports its note, one that crashes its signal", "[platform]") {
  const auto good = RunInChild([](uint64_t& note) { note = 7; }, 10);
  REQUIRE(good);
  CHECK(good->signal == 0);
  CHECK(good->note == 7);
  const auto bad = RunInChild(
      [](uint64_t& note) {
        note = 8;
        ::raise(SIGKILL);
      },
      10);
  REQUIRE(bad);
  CHECK(bad->crashed());
  CHECK(bad->note == 8);
}

TEST_CASE("children return their status and what they write to standard error", "[platform]") {
  const auto child = StartChild([] {
    const ssize_t written = ::write(STDERR_FILENO, "hello", 5);
    return static_cast<int>(written);
  });
  REQUIRE(child);
  const auto ended = WaitForChild();
  REQUIRE(ended);
  CHECK(ended->process == child->process);
  CHECK(ended->status == 5);
  char text[8] = {};
  ::lseek(child->messages, 0, SEEK_SET);
  CHECK(::read(child->messages, text, sizeof text) == 5);
  CHECK(std::string(text) == "hello");
  ::close(child->messages);
  CHECK_FALSE(WaitForChild());
}

TEST_CASE("programs return their exit status, missing ones a reason", "[platform]") {
  std::string error;
  CHECK(RunProgram({"sh", "-c", "exit 3"}, error) == 3);
  CHECK(RunProgram({"sh", "-c", "kill -TERM $$"}, error) == 128 + SIGTERM);
  CHECK(error.empty());
  CHECK_FALSE(RunProgram({"no-such-program-of-relayopt"}, error));
  CHECK_FALSE(error.empty());
}

TEST_CASE("a library that is missing gives a reason", "[platform]") {
  std::string error;
  CHECK(LoadSharedLibrary("./no-such-library.so", error) == nullptr);
  CHECK_FALSE(error.empty());
}

TEST_CASE("memory in use is at most the peak", "[platform]") {
  const ProcessUsage usage = MeasureProcess();
  CHECK(usage.resident > 0);
  CHECK(usage.peak >= usage.resident / 2);
  const NewFile file("");
  CHECK_FALSE(IsTerminal(file.fd));
}

}  // namespace relayopt
