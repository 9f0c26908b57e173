#include "systolic/base/trace.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "systolic/base/log.h"

namespace systolic::internal {

namespace trace_detail {
constinit std::atomic<State> state{State::unknown};
}  // namespace trace_detail

namespace {

using trace_detail::State;

// A day's recording must not fill the memory: some 200 MB.
constexpr size_t kMostEvents = 1'000'000;

struct Event {
  std::string name;
  int64_t start, end;
  int track;
  std::string notes;  // members of a JSON object
};

// Work that a device was given.
struct Work {
  int64_t number;
  std::string name;
  int64_t since;
  std::optional<int64_t> end;
};

// A line of the picture: a thread or a device.
struct Track {
  std::string name;
  bool is_device;
  // Of a device: in the order it was given. Ends may be told in another.
  std::deque<Work> work;
  int64_t busy_until = 0;
};

// Never destroyed: threads may still record while the process ends.
struct Recording {
  std::mutex mutex;
  std::string path;
  int64_t start = 0;
  std::vector<Event> events;
  std::vector<Track> tracks;
  size_t dropped = 0;
  int64_t next_work = 0;
};

Recording& recording() {
  static auto& instance = *new Recording;
  return instance;
}

std::terminate_handler terminate_before = nullptr;

thread_local const char* thread_name = nullptr;
thread_local int thread_track = -1;

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_key(std::string& out, const char* key) {
  if (!out.empty()) out += ", ";
  append_escaped(out, key);
  out += ": ";
}

// Called with the lock held.
int track_of_thread(Recording& all) {
  if (thread_track < 0) {
    thread_track = static_cast<int>(all.tracks.size());
    std::string name = "thread " + std::to_string(thread_track);
    if (thread_name != nullptr) name = thread_name;
    if (thread_name == nullptr && gettid() == getpid()) name = "main";
    all.tracks.push_back({std::move(name), false, {}});
  }
  return thread_track;
}

int track_of_device(Recording& all, std::string_view device) {
  const auto it = std::ranges::find_if(all.tracks, [&](const Track& track) {
    return track.is_device && track.name == device;
  });
  if (it != all.tracks.end()) return static_cast<int>(it - all.tracks.begin());
  all.tracks.push_back({std::string(device), true, {}});
  return static_cast<int>(all.tracks.size()) - 1;
}

void add(Recording& all, Event event) {
  if (all.events.size() >= kMostEvents) {
    ++all.dropped;
    return;
  }
  all.events.push_back(std::move(event));
}

// Microseconds, which Chrome's format wants.
std::string microseconds(int64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f",
                static_cast<double>(nanoseconds) * 1e-3);
  return text;
}

std::string metadata(const char* kind, size_t track, const std::string& args) {
  return std::string(R"({"ph": "M", "pid": 1, "tid": )") +
         std::to_string(track) + R"(, "name": ")" + kind + R"(", "args": {)" +
         args + "}}";
}

void write_events(std::ostream& file, Recording& all) {
  file << "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"dropped\": "
       << all.dropped << "},\n\"traceEvents\": [\n";
  for (size_t i = 0; i < all.tracks.size(); ++i) {
    std::string name;
    append_escaped(name, all.tracks[i].name);
    file << metadata("thread_name", i, "\"name\": " + name) << ",\n";
    // Devices below the threads.
    const size_t order = i + (all.tracks[i].is_device ? all.tracks.size() : 0);
    file << metadata("thread_sort_index", i,
                     "\"sort_index\": " + std::to_string(order))
         << ",\n";
  }
  std::ranges::stable_sort(all.events, {}, &Event::start);
  for (const Event& event : all.events) {
    std::string name;
    append_escaped(name, event.name);
    file << R"({"ph": "X", "pid": 1, "tid": )" << event.track << R"(, "ts": )"
         << microseconds(event.start - all.start) << R"(, "dur": )"
         << microseconds(event.end - event.start) << R"(, "name": )" << name
         << R"(, "args": {)" << event.notes << "}},\n";
  }
  file << metadata("process_name", 0, R"("name": "systolic")") << "\n]}\n";
}

// Called with the lock held; an error is logged by the caller.
bool write(Recording& all) {
  const std::string aside = all.path + "." + std::to_string(getpid()) + ".part";
  std::ofstream file(aside);
  write_events(file, all);
  file.close();
  if (file && std::rename(aside.c_str(), all.path.c_str()) == 0) return true;
  std::remove(aside.c_str());
  return false;
}

void tell(bool written, const std::string& path, size_t dropped) {
  if (!written) {
    log(LogLevel::warning, "trace: can not write " + path);
  } else if (dropped > 0) {
    log(LogLevel::warning, "trace: " + path + " has the first " +
                               std::to_string(kMostEvents) + " events; " +
                               std::to_string(dropped) + " more were dropped");
  }
}

void write_at_exit() {
  if (trace_detail::state.load() == State::on) stop_trace();
}

// A program that ends by an exception has no exit; its trace is wanted most.
// The runtime ends the process when this returns.
void write_and_terminate() {
  Recording& all = recording();
  // The exception may come from a thread that holds the lock.
  if (trace_detail::state.load() == State::on && all.mutex.try_lock()) {
    write(all);
    all.mutex.unlock();
  }
  if (terminate_before != nullptr) terminate_before();
}

}  // namespace

bool trace_detail::decide() {
  // Once, whichever thread comes first.
  static const bool has_path = [] {
    const char* path = std::getenv("SYSTOLIC_TRACE");
    if (path == nullptr || *path == '\0') {
      State unknown = State::unknown;
      state.compare_exchange_strong(unknown, State::off);
      return false;
    }
    start_trace(path);
    return true;
  }();
  return has_path && state.load() == State::on;
}

void start_trace(std::string path) {
  Recording& all = recording();
  {
    const std::lock_guard lock(all.mutex);
    all.path = std::move(path);
    all.start = trace_clock();
    all.events.clear();
    all.dropped = 0;
    for (Track& track : all.tracks) track.work.clear();
    trace_detail::state = State::on;
  }
  static const bool at_exit = [] {
    std::atexit(write_at_exit);
    terminate_before = std::set_terminate(write_and_terminate);
    return true;
  }();
  static_cast<void>(at_exit);
}

void stop_trace() {
  Recording& all = recording();
  std::string path;
  size_t dropped = 0;
  bool written = false;
  {
    const std::lock_guard lock(all.mutex);
    if (trace_detail::state.exchange(State::off) != State::on) return;
    written = write(all);
    path = all.path;
    dropped = all.dropped;
    all.events.clear();
  }
  tell(written, path, dropped);
}

int64_t trace_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void name_trace_thread(const char* name) { thread_name = name; }

void TraceScope::note(const char* key, std::string_view value) {
  if (!is_on()) return;
  append_key(notes_, key);
  append_escaped(notes_, value);
}

void TraceScope::note(const char* key, int64_t value) {
  if (!is_on()) return;
  append_key(notes_, key);
  notes_ += std::to_string(value);
}

void TraceScope::record() {
  const int64_t end = trace_clock();
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  if (trace_detail::state.load() == State::on) {
    add(all, {name_, start_, end, track_of_thread(all), std::move(notes_)});
  }
  name_ = nullptr;
}

int64_t begin_device_work(std::string_view device, std::string_view name,
                          int64_t since) {
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  const int track = track_of_device(all, device);
  const int64_t number = all.next_work++;
  all.tracks[static_cast<size_t>(track)].work.push_back(
      {number, std::string(name), since, std::nullopt});
  return number;
}

void end_device_work(std::string_view device, int64_t number) {
  const int64_t now = trace_clock();
  Recording& all = recording();
  const std::lock_guard lock(all.mutex);
  const int index = track_of_device(all, device);
  Track& track = all.tracks[static_cast<size_t>(index)];
  const auto ended = std::ranges::find(track.work, number, &Work::number);
  if (ended == track.work.end()) return;  // of a trace before this one
  ended->end = now;
  while (!track.work.empty() && track.work.front().end) {
    const Work& work = track.work.front();
    const int64_t start = std::max(work.since, track.busy_until);
    track.busy_until = std::max(start, *work.end);
    add(all, {work.name, start, track.busy_until, index, {}});
    track.work.pop_front();
  }
}

}  // namespace systolic::internal
