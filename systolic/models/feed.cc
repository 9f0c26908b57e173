#include "systolic/models/feed.h"

#include "systolic/base/message.h"
#include "systolic/distribute/feed.h"

namespace systolic::internal::models {

using distribute::HostPart;
using distribute::narrowed;
using distribute::real_rows_of;
using distribute::send_rows;
using distribute::send_stack;
using distribute::send_values;
using distribute::share_of;

namespace {

const Array& single(const data::Element& element, std::string_view who,
                    std::string_view feature) {
  if (!element.is_array()) {
    Message(std::string(who))
        .expected("one Array as ", feature)
        .got(element.spec().to_string())
        .hint("map() the data set to pairs (x, y) of Arrays")
        .raise<ValueError>();
  }
  return element.array();
}

HostPart part_of(const Array& array) { return {&array, 1}; }

Tensor send_feature(const Array& array, int64_t share,
                    const graph::Placement& placement) {
  if (!array.is_set()) return {};
  return send_rows(part_of(array), share, placement);
}

Tensor send_features(std::span<const HostBatch> batches,
                     Array HostBatch::*feature, int64_t capacity, int64_t share,
                     const graph::Placement& placement) {
  if (!(batches[0].*feature).is_set()) return {};
  std::vector<HostPart> parts;
  parts.reserve(batches.size());
  for (const HostBatch& batch : batches) {
    parts.push_back(part_of(batch.*feature));
  }
  return send_stack(parts, capacity, share, placement);
}

void add_valid_rows(DeviceBatch& batch, int64_t rows, int64_t share,
                    const graph::Placement& placement) {
  const int64_t n = placement.num_replicas();
  if (share * n == rows) return;
  std::vector<Array> valid;
  for (const int32_t count : real_rows_of(rows, share, placement)) {
    valid.push_back(Array::scalar(count));
  }
  const Array mean =
      Array::scalar(static_cast<float>(rows) / static_cast<float>(n));
  batch.valid_rows = send_values(valid, placement);
  batch.mean_rows = send_values(part_of(mean), placement);
}

}  // namespace

bool HostBatch::same_specs(const HostBatch& other) const {
  const auto same = [](const Array& a, const Array& b) {
    return a.is_set() == b.is_set() && (!a.is_set() || a.spec() == b.spec());
  };
  return same(x, other.x) && same(y, other.y) &&
         same(sample_weight, other.sample_weight);
}

size_t HostBatch::nbytes() const {
  size_t total = x.nbytes();
  if (y.is_set()) total += y.nbytes();
  if (sample_weight.is_set()) total += sample_weight.nbytes();
  return total;
}

HostBatch unpack(const data::Element& element, std::string_view who) {
  HostBatch batch = unpack_inputs(element, who);
  if (element.kind() != data::ElementKind::tuple) return batch;
  const auto items = element.items();
  if (items.size() > 1) {
    batch.y = narrowed(single(items[1], who, "y"), who, "y");
  }
  if (items.size() > 2) {
    batch.sample_weight =
        narrowed(single(items[2], who, "sample_weight"), who, "sample_weight");
  }
  for (const Array* other : {&batch.y, &batch.sample_weight}) {
    if (!other->is_set()) continue;
    if (other->rank() > 0 && other->shape()[0] == batch.rows) continue;
    Message message{std::string(who)};
    message.expected("as many rows in every part of a batch")
        .got(batch.rows, " in x and ", other->spec(), " in ",
             other == &batch.y ? "y" : "sample_weight")
        .detail("x", batch.x.spec());
    if (other->rank() == 0) message.hint("call batch() on the data set");
    message.raise<ShapeError>();
  }
  return batch;
}

HostBatch unpack_inputs(const data::Element& element, std::string_view who) {
  const bool is_tuple = element.kind() == data::ElementKind::tuple;
  if (is_tuple && (element.items().empty() || element.items().size() > 3)) {
    Message(std::string(who))
        .expected("x, (x, y) or (x, y, sample_weight)")
        .got("a tuple of ", element.items().size(), " items")
        .detail("element", element.spec())
        .raise<ValueError>();
  }
  HostBatch batch;
  const data::Element& x = is_tuple ? element.items()[0] : element;
  batch.x = narrowed(single(x, who, "x"), who, "x");
  if (batch.x.rank() == 0) {
    Message(std::string(who))
        .expected("batches, whose first axis is the batch")
        .got(batch.x.spec(), " as x")
        .hint("call batch() on the data set")
        .raise<ShapeError>();
  }
  batch.rows = batch.x.shape()[0];
  if (batch.rows == 0) {
    Message(std::string(who))
        .expected("batches of at least one row")
        .got(batch.x.spec(), " as x")
        .raise<ValueError>();
  }
  return batch;
}

DeviceBatch send(const HostBatch& batch, const graph::Placement& placement) {
  const int64_t share = share_of(batch.rows, placement);
  DeviceBatch sent;
  sent.x = send_feature(batch.x, share, placement);
  sent.y = send_feature(batch.y, share, placement);
  sent.sample_weight = send_feature(batch.sample_weight, share, placement);
  add_valid_rows(sent, batch.rows, share, placement);
  return sent;
}

DeviceBatch send(std::span<const HostBatch> batches, int64_t capacity,
                 const graph::Placement& placement) {
  const int64_t share = share_of(batches[0].rows, placement);
  DeviceBatch sent;
  sent.x = send_features(batches, &HostBatch::x, capacity, share, placement);
  sent.y = send_features(batches, &HostBatch::y, capacity, share, placement);
  sent.sample_weight = send_features(batches, &HostBatch::sample_weight,
                                     capacity, share, placement);
  add_valid_rows(sent, batches[0].rows, share, placement);
  const Array count = Array::scalar(static_cast<int32_t>(batches.size()));
  sent.count = send_values(part_of(count), placement);
  return sent;
}

}  // namespace systolic::internal::models
