#include "systolic/graph/storage.h"

#include "systolic/graph/planning.h"

namespace systolic::internal::graph {

std::shared_ptr<Storage> Storage::stand_in(const Placement* placement) {
  auto storage =
      std::make_shared<Storage>(placement, std::vector<runtime::BufferPtr>());
  storage->is_stand_in_ = true;
  return storage;
}

std::vector<runtime::BufferPtr> Storage::on(const Placement* placement) {
  if (is_stand_in_) refuse_read();
  const std::lock_guard lock(mutex_);
  if (placement == placement_) return buffers_;
  for (const Copy& copy : copies_) {
    if (copy.placement == placement) return copy.buffers;
  }
  copies_.push_back({placement, copy_to(placement)});
  return copies_.back().buffers;
}

std::vector<runtime::BufferPtr> Storage::copy_to(
    const Placement* placement) const {
  std::vector<runtime::BufferPtr> buffers;
  buffers.reserve(placement->devices().size());
  for (const runtime::Device& device : placement->devices()) {
    if (placement_ == nullptr) {
      buffers.push_back(runtime::to_device(*host_, device));
      continue;
    }
    const int here = placement_->find(device);
    const runtime::BufferPtr& source = buffers_[here < 0 ? 0 : here];
    buffers.push_back(here < 0 ? runtime::copy_to(source, device) : source);
  }
  return buffers;
}

void Storage::move_to(const Placement* placement) {
  if (is_stand_in_) refuse_read();
  const std::lock_guard lock(mutex_);
  if (placement != placement_) {
    buffers_ = copy_to(placement);
    placement_ = placement;
  }
  copies_.clear();
}

Array Storage::host() {
  if (is_stand_in_) refuse_read();
  const std::lock_guard lock(mutex_);
  if (!host_) host_ = runtime::to_host(*buffers_.front());
  return *host_;
}

std::vector<Array> Storage::replicas() {
  if (is_stand_in_) refuse_read();
  const std::lock_guard lock(mutex_);
  if (placement_ == nullptr) return {*host_};
  return runtime::to_host(buffers_);
}

bool Storage::is_donated() const {
  return !buffers_.empty() && buffers_.front()->is_donated();
}

bool Storage::restore() {
  const std::lock_guard lock(mutex_);
  if (!is_donated()) return true;
  // The host has the first replica's only.
  if (!host_ || placement_->num_replicas() > 1) return false;
  placement_ = nullptr;
  buffers_.clear();
  copies_.clear();
  return true;
}

}  // namespace systolic::internal::graph
