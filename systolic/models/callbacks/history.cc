#include "systolic/models/callbacks/history.h"

#include "systolic/base/message.h"

namespace systolic::callbacks {

void HistoryBase::on_train_begin(const Logs&) {
  epoch_.clear();
  history_.clear();
}

void HistoryBase::on_epoch_end(int epoch, const Logs& logs) {
  epoch_.push_back(epoch);
  for (const auto& [name, value] : logs) {
    std::vector<double>* values = nullptr;
    for (auto& [known, list] : history_) {
      if (known == name) values = &list;
    }
    if (values == nullptr) {
      values = &history_.emplace_back(name, std::vector<double>()).second;
    }
    values->push_back(value);
  }
}

const std::vector<int>& History::epoch() const {
  return static_cast<HistoryBase&>(base()).epoch();
}

const std::vector<std::pair<std::string, std::vector<double>>>&
History::history() const {
  return static_cast<HistoryBase&>(base()).history();
}

const std::vector<double>& History::operator[](std::string_view name) const {
  std::string names;
  for (const auto& [known, values] : history()) {
    if (known == name) return values;
    names += (names.empty() ? "" : ", ") + known;
  }
  internal::Message("History")
      .expected("one of: ", names.empty() ? "(no epoch has ended)" : names)
      .got("\"", name, "\"")
      .raise<NotFoundError>();
}

}  // namespace systolic::callbacks
