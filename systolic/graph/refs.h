// Refs: the inputs of a node. Up to three lie in the node itself, where most
// operations need no memory of their own for them.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "systolic/graph/ref.h"

namespace systolic::internal::graph {

/// A Ref that somebody else keeps until the call it is given to is over.
class RefView {
 public:
  RefView(const Ref& ref) : ref_(&ref) {}
  const Ref& get() const { return *ref_; }

 private:
  const Ref* ref_;
};

class Refs {
 public:
  Refs() = default;
  Refs(std::initializer_list<RefView> refs) : size_(refs.size()) {
    if (size_ > kInline) more_.reserve(size_);
    size_t i = 0;
    for (const RefView& ref : refs) {
      if (size_ > kInline) {
        more_.push_back(ref.get());
      } else {
        few_[i++] = ref.get();
      }
    }
  }
  Refs(std::vector<Ref> refs) : size_(refs.size()) {
    if (size_ > kInline) {
      more_ = std::move(refs);
    } else {
      std::move(refs.begin(), refs.end(), few_.begin());
    }
  }
  Refs(Refs&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        few_(std::move(other.few_)),
        more_(std::move(other.more_)) {}
  Refs& operator=(Refs&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    few_ = std::move(other.few_);
    more_ = std::move(other.more_);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Ref* data() { return size_ > kInline ? more_.data() : few_.data(); }
  const Ref* data() const {
    return size_ > kInline ? more_.data() : few_.data();
  }
  Ref* begin() { return data(); }
  Ref* end() { return data() + size_; }
  const Ref* begin() const { return data(); }
  const Ref* end() const { return data() + size_; }
  Ref& operator[](size_t i) { return data()[i]; }
  const Ref& operator[](size_t i) const { return data()[i]; }

  void clear() {
    for (Ref& ref : few_) ref.node.reset();
    more_.clear();
    size_ = 0;
  }

 private:
  static constexpr size_t kInline = 3;

  size_t size_ = 0;
  std::array<Ref, kInline> few_;
  std::vector<Ref> more_;
};

}  // namespace systolic::internal::graph
