#include "systolic/models/feed.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "systolic/array/unary.h"
#include "systolic/base/message.h"
#include "systolic/graph/node.h"
#include "systolic/runtime/buffer.h"

namespace systolic::internal::models {

namespace {

// In a dtype that every device takes.
Array narrowed(const Array& array, std::string_view who,
               std::string_view feature) {
  if (array.dtype() == DType::float64) return cast(array, DType::float32);
  if (array.dtype() == DType::int64) {
    for (int64_t value : array.span<int64_t>()) {
      if (value < std::numeric_limits<int32_t>::min() ||
          value > std::numeric_limits<int32_t>::max()) {
        Message(std::string(who))
            .expected(feature, " that fits int32, which devices use")
            .got(value)
            .detail(feature, array.spec())
            .raise<ValueError>();
      }
    }
    return cast(array, DType::int32);
  }
  if (array.dtype() == DType::string) {
    Message(std::string(who))
        .expected(feature, " of numbers or bool")
        .got("strings")
        .detail(feature, array.spec())
        .hint("turn strings into numbers in the pipeline, with map()")
        .raise<TypeError>();
  }
  return array;
}

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

// The leaf of buffers that were just sent.
Tensor leaf(std::vector<runtime::BufferPtr> buffers, const TensorSpec& spec,
            const graph::Placement& placement) {
  auto storage =
      std::make_shared<graph::Storage>(&placement, std::move(buffers));
  return Tensor(graph::Ref{graph::make_data(std::move(storage), spec), 0});
}

template <class T>
Tensor scalar_leaf(std::span<const T> values,
                   const graph::Placement& placement) {
  std::vector<runtime::BufferPtr> buffers;
  for (size_t i = 0; i < placement.devices().size(); ++i) {
    buffers.push_back(
        runtime::to_device(Array::scalar(values[values.size() == 1 ? 0 : i]),
                           placement.devices()[i]));
  }
  return leaf(std::move(buffers), {dtype_of<T>, Shape::scalar()}, placement);
}

// Rows that each replica gets.
int64_t share_of(int64_t rows, const graph::Placement& placement) {
  const int64_t n = placement.num_replicas();
  return (rows + n - 1) / n;
}

TensorSpec with_rows(const TensorSpec& spec, int64_t rows) {
  TensorSpec result = spec;
  result.shape.set(0, rows);
  return result;
}

// The rows from `first`, `count` of them, zeros where the batch has ended.
Array rows_of(const Array& array, int64_t first, int64_t count) {
  const int64_t rows = array.shape()[0];
  if (first + count <= rows) {
    return array.slice({Slice(first, first + count)});
  }
  const int64_t real = std::clamp<int64_t>(rows - first, 0, count);
  Array padded =
      Array::zeros(with_rows(array.spec(), count).shape, array.dtype());
  const size_t row = rows == 0 ? 0 : array.nbytes() / rows;
  if (real > 0) {
    std::memcpy(padded.mutable_data(), array.data() + first * row, real * row);
  }
  return padded;
}

Tensor send_rows(const Array& array, int64_t share,
                 const graph::Placement& placement) {
  if (!array.is_set()) return {};
  std::vector<runtime::BufferPtr> buffers;
  int64_t first = 0;
  for (const runtime::Device& device : placement.devices()) {
    buffers.push_back(runtime::to_device(rows_of(array, first, share), device));
    first += share;
  }
  return leaf(std::move(buffers), with_rows(array.spec(), share), placement);
}

// One replica's rows of each batch, one after the other.
Array stack_rows(std::span<const HostBatch> batches, Array HostBatch::*feature,
                 int64_t capacity, int64_t first, int64_t share) {
  const Array& model = batches[0].*feature;
  Shape shape{capacity, share};
  for (int i = 1; i < model.rank(); ++i) shape.push_back(model.shape()[i]);
  Array stack = Array::uninitialized({model.dtype(), shape});
  std::byte* out = stack.mutable_data();
  const size_t part = stack.nbytes() / static_cast<size_t>(capacity);
  for (const HostBatch& batch : batches) {
    const Array rows = rows_of(batch.*feature, first, share);
    std::memcpy(out, rows.data(), part);
    out += part;
  }
  std::memset(out, 0, stack.nbytes() - part * batches.size());
  return stack;
}

Tensor send_stack(std::span<const HostBatch> batches, Array HostBatch::*feature,
                  int64_t capacity, int64_t share,
                  const graph::Placement& placement) {
  if (!(batches[0].*feature).is_set()) return {};
  std::vector<runtime::BufferPtr> buffers;
  TensorSpec spec;
  int64_t first = 0;
  for (const runtime::Device& device : placement.devices()) {
    const Array stack = stack_rows(batches, feature, capacity, first, share);
    spec = stack.spec();
    buffers.push_back(runtime::to_device(stack, device));
    first += share;
  }
  return leaf(std::move(buffers), spec, placement);
}

void add_valid_rows(DeviceBatch& batch, int64_t rows, int64_t share,
                    const graph::Placement& placement) {
  const int64_t n = placement.num_replicas();
  if (share * n == rows) return;
  std::vector<int32_t> valid;
  for (int64_t r = 0; r < n; ++r) {
    valid.push_back(
        static_cast<int32_t>(std::clamp<int64_t>(rows - r * share, 0, share)));
  }
  const float mean = static_cast<float>(rows) / static_cast<float>(n);
  batch.valid_rows = scalar_leaf(std::span<const int32_t>(valid), placement);
  batch.mean_rows = scalar_leaf(std::span(&mean, 1), placement);
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
  sent.x = send_rows(batch.x, share, placement);
  sent.y = send_rows(batch.y, share, placement);
  sent.sample_weight = send_rows(batch.sample_weight, share, placement);
  add_valid_rows(sent, batch.rows, share, placement);
  return sent;
}

DeviceBatch send(std::span<const HostBatch> batches, int64_t capacity,
                 const graph::Placement& placement) {
  const int64_t share = share_of(batches[0].rows, placement);
  DeviceBatch sent;
  sent.x = send_stack(batches, &HostBatch::x, capacity, share, placement);
  sent.y = send_stack(batches, &HostBatch::y, capacity, share, placement);
  sent.sample_weight = send_stack(batches, &HostBatch::sample_weight, capacity,
                                  share, placement);
  add_valid_rows(sent, batches[0].rows, share, placement);
  const auto count = static_cast<int32_t>(batches.size());
  sent.count = scalar_leaf(std::span(&count, 1), placement);
  return sent;
}

}  // namespace systolic::internal::models
