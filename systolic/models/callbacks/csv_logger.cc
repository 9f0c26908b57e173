#include "systolic/models/callbacks/csv_logger.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "systolic/array/number_text.h"
#include "systolic/base/message.h"
#include "systolic/models/callbacks/callback.h"

namespace systolic::callbacks {

namespace {

class CSVLoggerBase : public CallbackBase {
 public:
  CSVLoggerBase(std::filesystem::path filename, CSVLoggerOptions options)
      : filename_(std::move(filename)), options_(std::move(options)) {}

  void on_train_begin(const Logs&) override {
    keys_.clear();
    std::error_code none;
    const bool has_lines = std::filesystem::file_size(filename_, none) > 0;
    writes_header_ = !options_.append || none || !has_lines;
    file_.close();
    file_.clear();
    file_.open(filename_, options_.append ? std::ios::app : std::ios::trunc);
    require_file();
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    if (keys_.empty()) choose_keys(logs);
    if (std::exchange(writes_header_, false)) {
      file_ << "epoch";
      for (const std::string& key : keys_) file_ << options_.separator << key;
      file_ << "\r\n";
    }
    file_ << epoch;
    for (const std::string& key : keys_) {
      file_ << options_.separator
            << (logs.contains(key) ? text(logs.at(key)) : "NA");
    }
    file_ << "\r\n" << std::flush;
    require_file();
  }

  void on_train_end(const Logs&) override { file_.close(); }

 private:
  // As Python writes a float.
  static std::string text(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return internal::FloatText(value, DType::float64).alone();
  }

  // The first epoch may have no validation yet: its values get columns.
  void choose_keys(const Logs& logs) {
    for (const auto& [name, value] : logs) keys_.push_back(name);
    std::ranges::sort(keys_);
    const bool validates = std::ranges::any_of(
        keys_, [](const std::string& key) { return key.starts_with("val_"); });
    if (validates) return;
    const std::vector<std::string> own = keys_;
    for (const std::string& key : own) keys_.push_back("val_" + key);
  }

  void require_file() const {
    if (file_.good()) return;
    internal::Message("CSVLogger")
        .expected("a file that can be written")
        .got(filename_.string())
        .raise<ValueError>();
  }

  std::filesystem::path filename_;
  CSVLoggerOptions options_;
  std::ofstream file_;
  std::vector<std::string> keys_;
  bool writes_header_ = true;
};

}  // namespace

CSVLogger::CSVLogger(const std::string& filename, CSVLoggerOptions options)
    : Callback(std::make_shared<CSVLoggerBase>(filename, std::move(options))) {}

}  // namespace systolic::callbacks
