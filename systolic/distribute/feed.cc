#include "systolic/distribute/feed.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "systolic/array/manipulation.h"
#include "systolic/array/unary.h"
#include "systolic/base/message.h"
#include "systolic/graph/planning.h"
#include "systolic/graph/step.h"
#include "systolic/graph/storage.h"
#include "systolic/runtime/buffer.h"
#include "systolic/runtime/utilization.h"

namespace systolic::internal::distribute {

using systolic::runtime::InputWait;

namespace {

// Batches that one launch takes at most, in number and in bytes.
constexpr int64_t kMaxStack = 64;
constexpr size_t kMaxStackBytes = size_t{256} << 20;

TensorSpec with_rows(const TensorSpec& spec, int64_t rows) {
  TensorSpec result = spec;
  result.shape.set(0, rows);
  return result;
}

// Of a stack of `capacity` batches with `share` rows each.
TensorSpec stack_spec(const TensorSpec& batch, int64_t capacity,
                      int64_t share) {
  Shape shape{capacity, share};
  for (int i = 1; i < batch.shape.rank(); ++i) shape.push_back(batch.shape[i]);
  return {batch.dtype, shape};
}

// The rows from `first`, `count` of them, zeros where the batch has ended.
Array rows_of(const Array& array, int64_t first, int64_t count) {
  const int64_t rows = array.shape()[0];
  if (first == 0 && count == rows) return array;
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

// One replica's rows of each batch, one after the other; a full stack of
// neighbouring slices needs no copy.
Array stack_rows(std::span<const HostPart> batches, int64_t capacity,
                 size_t replica, int64_t share) {
  if (std::ssize(batches) == capacity) {
    std::vector<Array> parts;
    parts.reserve(batches.size());
    for (const HostPart& batch : batches) {
      parts.push_back(rows_of_replica(batch, replica, share));
    }
    return stack(parts);
  }
  Array padded =
      Array::uninitialized(stack_spec(batches[0][0].spec(), capacity, share));
  std::byte* out = padded.mutable_data();
  const size_t part = padded.nbytes() / static_cast<size_t>(capacity);
  for (const HostPart& batch : batches) {
    const Array rows = rows_of_replica(batch, replica, share);
    std::memcpy(out, rows.data(), part);
    out += part;
  }
  std::memset(out, 0, padded.nbytes() - part * batches.size());
  return padded;
}

}  // namespace

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

Array rows_of_replica(HostPart part, size_t replica, int64_t share) {
  if (part.size() > 1) return rows_of(part[replica], 0, share);
  return rows_of(part[0], static_cast<int64_t>(replica) * share, share);
}

int64_t rows_to_send(int64_t rows) {
  graph::Planning* planning = graph::Planning::current();
  if (planning == nullptr) return rows;
  return planning->facts().batch_size = planning->batch_rows(rows);
}

int64_t share_of(int64_t rows, const graph::Placement& placement) {
  const int64_t n = placement.num_replicas();
  return (rows + n - 1) / n;
}

std::vector<int32_t> real_rows_of(int64_t rows, int64_t share,
                                  const graph::Placement& placement) {
  std::vector<int32_t> real;
  for (int64_t r = 0; r < placement.num_replicas(); ++r) {
    real.push_back(
        static_cast<int32_t>(std::clamp<int64_t>(rows - r * share, 0, share)));
  }
  return real;
}

namespace {

// A leaf of `spec`; `make` gives each replica its value. A plan needs none.
template <class Make>
Tensor send(const TensorSpec& spec, const graph::Placement& placement,
            const Make& make) {
  if (graph::Planning::current() != nullptr) {
    return graph::planned_input(placement, spec);
  }
  const InputWait waiting;
  std::vector<runtime::BufferPtr> buffers;
  for (const runtime::Device& device : placement.devices()) {
    buffers.push_back(runtime::to_device(make(buffers.size()), device));
  }
  return graph::step_input(
      std::make_shared<graph::Storage>(&placement, std::move(buffers)), spec);
}

}  // namespace

Tensor send_rows(HostPart part, int64_t share,
                 const graph::Placement& placement) {
  return send(with_rows(part[0].spec(), share), placement, [&](size_t replica) {
    return rows_of_replica(part, replica, share);
  });
}

Tensor send_stack(std::span<const HostPart> batches, int64_t capacity,
                  int64_t share, const graph::Placement& placement) {
  return send(stack_spec(batches[0][0].spec(), capacity, share), placement,
              [&](size_t replica) {
                return stack_rows(batches, capacity, replica, share);
              });
}

Tensor send_values(std::span<const Array> values,
                   const graph::Placement& placement) {
  return send(values[0].spec(), placement, [&](size_t replica) {
    return values[values.size() == 1 ? 0 : replica];
  });
}

int64_t stack_capacity(size_t nbytes, int64_t wanted) {
  // A plan looks at one step; the loop around it costs nothing.
  if (graph::Planning* planning = graph::Planning::current()) {
    int64_t& steps = planning->facts().steps_per_execution;
    steps = std::max(steps, wanted);
    return 1;
  }
  const auto by_memory =
      static_cast<int64_t>(kMaxStackBytes / std::max<size_t>(nbytes, 1));
  return std::clamp<int64_t>(std::min(wanted, by_memory), 1, kMaxStack);
}

}  // namespace systolic::internal::distribute
