#include "tools/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <ostream>

#include "systolic/base/out.h"

namespace systolic::tools {
namespace {

void write_all(int file, std::string_view text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0 && errno != EINTR) return;
    if (count > 0) done += static_cast<size_t>(count);
  }
}

// Plugins that log before they can be told not to: nobody wants to read that.
void silence_stderr() {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void be_child(int file,
                           const std::function<void(const Say&)>& work) {
  silence_stderr();
  int status = 0;
  try {
    work([file](std::string_view text) { write_all(file, text); });
  } catch (const std::exception& error) {
    write_all(file, error.what());
    status = 1;
  }
  close(file);
  _exit(status);  // a plugin's threads are not waited for
}

// Reads until the end or the time is up; says whether it was the end.
bool read_until_end(int file, int timeout_seconds, const Say& hear,
                    std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(timeout_seconds);
  std::array<char, 4096> part;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{file, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = read(file, part.data(), part.size());
    if (count <= 0) return true;
    text.append(part.data(), static_cast<size_t>(count));
    hear({part.data(), static_cast<size_t>(count)});
  }
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& describe,
                         int timeout_seconds) {
  return run_in_child([&](const Say& say) { say(describe()); },
                      [](std::string_view) {}, timeout_seconds);
}

ChildResult run_in_child(const std::function<void(const Say&)>& work,
                         const Say& hear, int timeout_seconds) {
  std::array<int, 2> ends;
  // What is not written yet would be written by both.
  output().flush();
  std::fflush(nullptr);
  if (pipe(ends.data()) != 0)
    return {.text = "", .problem = std::strerror(errno)};
  const pid_t child = fork();
  if (child < 0) return {.text = "", .problem = std::strerror(errno)};
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work);
  }
  close(ends[1]);
  ChildResult result;
  const bool in_time =
      read_until_end(ends[0], timeout_seconds, hear, result.text);
  close(ends[0]);
  if (!in_time) {
    kill(child, SIGKILL);
    result.problem =
        "took longer than " + std::to_string(timeout_seconds) + " s";
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (in_time && WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
    result.problem = "ended by signal " + std::to_string(result.signal);
  } else if (in_time && WEXITSTATUS(status) != 0) {
    result.problem = result.text;
    result.text.clear();
  }
  return result;
}

}  // namespace systolic::tools
