#include "systolic/models/feed.h"

#include <algorithm>
#include <string>

#include "systolic/base/message.h"
#include "systolic/distribute/feed.h"

namespace systolic::internal::models {

using distribute::HostPart;
using distribute::narrowed;
using distribute::real_rows_of;
using distribute::rows_to_send;
using distribute::send_rows;
using distribute::send_stack;
using distribute::send_values;
using distribute::share_of;

namespace {

// In dtypes that devices take.
Arrays narrowed_all(const data::Element& element, std::string_view who,
                    std::string_view feature) {
  const Arrays all = Arrays::of(element, who, feature);
  std::vector<Array> narrow;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string name =
        all.names().empty()
            ? std::string(feature)
            : std::string(feature) + "[\"" + all.names()[i] + "\"]";
    narrow.push_back(narrowed(all[i], who, name));
  }
  return all.like(std::move(narrow));
}

HostPart part_of(const Array& array) { return {&array, 1}; }

Tensors named(const Arrays& source, std::vector<Tensor> tensors) {
  std::vector<Tensors::Entry> entries;
  if (source.names().empty()) return tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    entries.emplace_back(source.names()[i], std::move(tensors[i]));
  }
  return Tensors(entries);
}

Tensors send_feature(const Arrays& arrays, int64_t share,
                     const graph::Placement& placement) {
  std::vector<Tensor> sent;
  for (const Array& array : arrays) {
    sent.push_back(send_rows(part_of(array), share, placement));
  }
  return named(arrays, std::move(sent));
}

Tensors send_features(std::span<const HostBatch> batches,
                      Arrays HostBatch::*feature, int64_t capacity,
                      int64_t share, const graph::Placement& placement) {
  const Arrays& first = batches[0].*feature;
  std::vector<Tensor> sent;
  for (size_t i = 0; i < first.size(); ++i) {
    std::vector<HostPart> parts;
    parts.reserve(batches.size());
    for (const HostBatch& batch : batches) {
      parts.push_back(part_of((batch.*feature)[i]));
    }
    sent.push_back(send_stack(parts, capacity, share, placement));
  }
  return named(first, std::move(sent));
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
  const auto same = [](const Arrays& a, const Arrays& b) {
    return a.names() == b.names() &&
           std::ranges::equal(a, b, [](const Array& one, const Array& two) {
             return one.spec() == two.spec();
           });
  };
  return same(x, other.x) && same(y, other.y) &&
         same(sample_weight, other.sample_weight);
}

size_t HostBatch::nbytes() const {
  size_t total = 0;
  for (const Arrays* part : {&x, &y, &sample_weight}) {
    for (const Array& array : *part) total += array.nbytes();
  }
  return total;
}

std::vector<Tensor> DeviceBatch::leaves() const {
  std::vector<Tensor> all;
  for (const Tensors* part : {&x, &y, &sample_weight}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  for (const Tensor& one : {valid_rows, mean_rows, count}) all.push_back(one);
  return all;
}

namespace {

void check_rows(const HostBatch& batch, const Arrays& part,
                std::string_view feature, std::string_view who) {
  for (const Array& other : part) {
    if (other.rank() > 0 && other.shape()[0] == batch.rows) continue;
    Message message{std::string(who)};
    message.expected("as many rows in every part of a batch")
        .got(batch.rows, " in x and ", other.spec(), " in ", feature)
        .detail("x", batch.x[0].spec());
    if (other.rank() == 0) message.hint("call batch() on the data set");
    message.raise<ShapeError>();
  }
}

}  // namespace

HostBatch unpack(const data::Element& element, std::string_view who) {
  HostBatch batch = unpack_inputs(element, who);
  if (element.kind() != data::ElementKind::tuple) return batch;
  const auto items = element.items();
  if (items.size() > 1) batch.y = narrowed_all(items[1], who, "y");
  if (items.size() > 2) {
    batch.sample_weight = narrowed_all(items[2], who, "sample_weight");
  }
  check_rows(batch, batch.y, "y", who);
  check_rows(batch, batch.sample_weight, "sample_weight", who);
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
  batch.x = narrowed_all(is_tuple ? element.items()[0] : element, who, "x");
  if (!batch.x.is_set()) {
    Message(std::string(who))
        .expected("at least one Array as x")
        .got(element.spec().to_string())
        .raise<ValueError>();
  }
  const Array& first = batch.x[0];
  if (first.rank() == 0) {
    Message(std::string(who))
        .expected("batches, whose first axis is the batch")
        .got(first.spec(), " as x")
        .hint("call batch() on the data set")
        .raise<ShapeError>();
  }
  batch.rows = first.shape()[0];
  if (batch.rows == 0) {
    Message(std::string(who))
        .expected("batches of at least one row")
        .got(first.spec(), " as x")
        .raise<ValueError>();
  }
  check_rows(batch, batch.x, "x", who);
  return batch;
}

DeviceBatch send(const HostBatch& batch, const graph::Placement& placement) {
  const int64_t rows = rows_to_send(batch.rows);
  const int64_t share = share_of(rows, placement);
  DeviceBatch sent;
  sent.x = send_feature(batch.x, share, placement);
  sent.y = send_feature(batch.y, share, placement);
  sent.sample_weight = send_feature(batch.sample_weight, share, placement);
  add_valid_rows(sent, rows, share, placement);
  return sent;
}

DeviceBatch send(std::span<const HostBatch> batches, int64_t capacity,
                 const graph::Placement& placement) {
  const int64_t rows = rows_to_send(batches[0].rows);
  const int64_t share = share_of(rows, placement);
  DeviceBatch sent;
  sent.x = send_features(batches, &HostBatch::x, capacity, share, placement);
  sent.y = send_features(batches, &HostBatch::y, capacity, share, placement);
  sent.sample_weight = send_features(batches, &HostBatch::sample_weight,
                                     capacity, share, placement);
  add_valid_rows(sent, rows, share, placement);
  const Array count = Array::scalar(static_cast<int32_t>(batches.size()));
  sent.count = send_values(part_of(count), placement);
  return sent;
}

}  // namespace systolic::internal::models
