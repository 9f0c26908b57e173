#include "systolic/models/callbacks/progbar_logger.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "systolic/base/out.h"

namespace systolic::callbacks {

namespace {

constexpr int kBarWidth = 20;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);

std::string format(const char* pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

// Keras's form of the time that is left: "7s", "1:05", "2:03:04".
std::string time_left(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  char buffer[64];
  if (whole > 3600) {
    std::snprintf(
        buffer, sizeof buffer, "%d:%02d:%02d", static_cast<int>(whole / 3600),
        static_cast<int>(whole % 3600 / 60), static_cast<int>(whole % 60));
  } else if (whole > 60) {
    std::snprintf(buffer, sizeof buffer, "%d:%02d",
                  static_cast<int>(whole / 60), static_cast<int>(whole % 60));
  } else {
    std::snprintf(buffer, sizeof buffer, "%ds", static_cast<int>(whole));
  }
  return buffer;
}

std::string per_step(double seconds) {
  if (seconds >= 1 || seconds == 0) return format(" %.0fs/step", seconds);
  if (seconds >= 1e-3) return format(" %.0fms/step", seconds * 1e3);
  return format(" %.0fus/step", seconds * 1e6);
}

std::string bar(int64_t done, int64_t target, bool colour) {
  const double part =
      target == 0 ? 1 : static_cast<double>(done) / static_cast<double>(target);
  const int full = std::clamp(static_cast<int>(kBarWidth * part), 0, kBarWidth);
  std::string text;
  if (colour && full > 0) text += "\x1b[32m";
  for (int i = 0; i < full; ++i) text += "\u2501";
  if (colour) text += full > 0 ? "\x1b[0m\x1b[37m" : "\x1b[37m";
  for (int i = full; i < kBarWidth; ++i) text += colour ? "\u2501" : " ";
  if (colour) text += "\x1b[0m";
  return text;
}

std::string bold(const std::string& text, bool colour) {
  return colour ? "\x1b[1m" + text + "\x1b[0m" : text;
}

// Characters that are seen: no colours, one for each UTF-8 sequence.
size_t visible_width(const std::string& text) {
  size_t width = 0;
  bool escape = false;
  for (const unsigned char c : text) {
    if (c == '\x1b') escape = true;
    if (!escape && (c & 0xC0) != 0x80) ++width;
    if (escape && c == 'm') escape = false;
  }
  return width;
}

}  // namespace

std::string ProgbarLoggerBase::line(int64_t done, std::optional<int64_t> target,
                                    double seconds, const Logs::Items& items,
                                    int verbose, bool colour,
                                    std::optional<double> seconds_per_step) {
  const double each = seconds_per_step.value_or(
      done > 0 ? seconds / static_cast<double>(done) : 0);
  const bool finished = target && done >= *target;
  std::string text;
  if (target) {
    const std::string total = std::to_string(*target);
    std::string count = std::to_string(done);
    count.insert(0, total.size() - std::min(total.size(), count.size()), ' ');
    text = bold(count + "/" + total, colour && verbose == 1);
    if (verbose == 1) text += " " + bar(done, *target, colour);
  } else {
    std::string count = std::to_string(done);
    count.insert(0, 7 - std::min<size_t>(7, count.size()), ' ');
    text = count + "/Unknown";
  }
  // The time that is left while it runs, the time it took afterwards.
  const std::string time =
      finished || !target
          ? format("%.0fs", seconds)
          : time_left(each * static_cast<double>(*target - done));
  if (verbose == 2) {
    text += " - " + time + " -" + per_step(each);
  } else {
    text += " " + bold(time, colour) + per_step(each);
  }
  for (const auto& [name, value] : items) {
    text += " - " + name + ": " +
            (std::abs(value) > 1e-3 ? format("%.4f", value)
                                    : format("%.4e", value));
  }
  return text;
}

void ProgbarLoggerBase::on_train_begin(const Logs&) {
  in_fit_ = true;
  known_steps_ = params().steps;
}

void ProgbarLoggerBase::on_train_end(const Logs&) { in_fit_ = false; }

void ProgbarLoggerBase::on_test_begin(const Logs&) {
  if (in_fit_) return;
  known_steps_ = params().steps;
  begin();
}

void ProgbarLoggerBase::on_predict_begin(const Logs&) {
  known_steps_ = params().steps;
  begin();
}

void ProgbarLoggerBase::on_epoch_begin(int epoch, const Logs&) {
  begin();
  if (params().epochs > 1) {
    output() << "Epoch " << epoch + 1 << "/" << params().epochs << "\n"
             << std::flush;
  }
}

void ProgbarLoggerBase::on_train_batch_end(int64_t batch, const Logs& logs) {
  update(batch + 1, logs);
}

void ProgbarLoggerBase::on_test_batch_end(int64_t batch, const Logs& logs) {
  if (!in_fit_) update(batch + 1, logs);
}

void ProgbarLoggerBase::on_predict_batch_end(int64_t batch, const Logs& logs) {
  update(batch + 1, logs);
}

void ProgbarLoggerBase::on_epoch_end(int, const Logs& logs) { finish(logs); }

void ProgbarLoggerBase::on_test_end(const Logs& logs) {
  if (!in_fit_) finish(logs);
}

void ProgbarLoggerBase::on_predict_end(const Logs& logs) { finish(logs); }

void ProgbarLoggerBase::on_compile(std::string_view) {
  // Small programs around the step compile too; one notice is enough.
  if (told_compile_ || seen_ > 0) return;
  told_compile_ = true;
  if (terminal_) {
    draw("Compiling the step ...");
  } else {
    output() << "Compiling the step ...\n" << std::flush;
  }
}

void ProgbarLoggerBase::begin() {
  terminal_ = output_is_terminal() && params().verbose == 1;
  seen_ = 0;
  first_seen_ = 0;
  width_ = 0;
  start_ = Clock::now();
  last_draw_ = start_ - kRedrawInterval;
}

double ProgbarLoggerBase::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::optional<double> ProgbarLoggerBase::seconds_per_step() const {
  if (seen_ <= first_seen_) return std::nullopt;
  return (elapsed() - first_seconds_) /
         static_cast<double>(seen_ - first_seen_);
}

void ProgbarLoggerBase::update(int64_t done, const Logs& logs) {
  if (seen_ == 0) {
    // Compiling belongs to the first execution, which does not count.
    first_seen_ = done;
    first_seconds_ = elapsed();
  }
  seen_ = done;
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - last_draw_ < kRedrawInterval) return;
  // Reading the values waits for the devices: the time comes afterwards.
  const auto& items = logs.items();
  draw(line(done, known_steps_, elapsed(), items, 1, true, seconds_per_step()));
  last_draw_ = Clock::now();
}

void ProgbarLoggerBase::finish(const Logs& logs) {
  // After the first epoch the number of steps is known.
  if (!known_steps_) known_steps_ = seen_;
  const auto& items = logs.items();
  const std::string text =
      line(seen_, seen_, elapsed(), items, params().verbose, terminal_,
           seconds_per_step());
  if (terminal_) {
    draw(text);
    output() << "\n" << std::flush;
  } else {
    output() << text << "\n" << std::flush;
  }
}

void ProgbarLoggerBase::draw(const std::string& text) {
  // Longer text from before is painted over.
  const size_t width = visible_width(text);
  const size_t gap = width_ > width ? width_ - width : 0;
  output() << "\r" << text << std::string(gap, ' ') << std::flush;
  width_ = width;
}

}  // namespace systolic::callbacks
