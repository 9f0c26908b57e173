// PerReplica: one value for each replica, as Strategy::run gives them.
//
//   PerReplica z = strategy.run([](Tensor x) { return x * 2; }, a);
//   std::cout << z;               // PerReplica:{ 0: Tensor(...), 1: ... }
//   Tensor first = z[0];
//   Tensor total = strategy.reduce(ReduceOp::sum, z);
//
// All replicas' values have one shape in programs. Where a batch was filled
// up, what has a row for each of its rows is given out without the filling.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "systolic/graph/placement.h"
#include "systolic/graph/tensor.h"

namespace systolic {

namespace internal::distribute {

/// How many rows of a batch each replica has, and how many of them are real.
struct BatchRows {
  /// Rows of each replica, filling included.
  int64_t share = 0;
  /// Real rows of each replica.
  std::vector<int32_t> real;
  /// The same on the devices (int32); undefined where every row is real.
  Tensor valid_rows;

  bool is_padded() const { return valid_rows.is_defined(); }
  /// Real rows of all replicas.
  int64_t total() const;
  bool operator==(const BatchRows& other) const {
    return share == other.share && real == other.real;
  }
};
using BatchRowsPtr = std::shared_ptr<const BatchRows>;

}  // namespace internal::distribute

class PerReplica {
 public:
  /// No values; only assignment and is_defined() are allowed.
  PerReplica() = default;

  /// Whether it holds values.
  bool is_defined() const { return value_.is_defined(); }

  /// The number of replicas.
  int num_replicas() const;
  size_t size() const { return static_cast<size_t>(num_replicas()); }

  /// Dtype and shape of each replica's value in programs, filling included.
  const TensorSpec& spec() const { return value_.spec(); }
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }

  /// Each replica's value, on its device, without filling.
  std::vector<Tensor> values() const;

  /// One replica's value. Throws OutOfRangeError for a replica there is not.
  Tensor operator[](int replica) const;

  /// The value of the only replica. Throws ValueError where there are more.
  operator Tensor() const;

  /// The replicas' values one after the other along `axis`, without filling,
  /// on the host. Throws OutOfRangeError for an axis that they do not have.
  Array concat(int axis = 0) const;

  /// `PerReplica:{`, a line for each replica, `}`; with one replica the Tensor
  /// alone. Waits for the values; throws ValueError inside a step.
  std::string to_string(SourceLocation where = SourceLocation::current()) const;

  /// For this room: a value that lies on `placement`, with the rows of the
  /// batch that it belongs to, if any.
  PerReplica(Tensor value, const internal::graph::Placement* placement,
             internal::distribute::BatchRowsPtr rows = nullptr);
  const Tensor& whole() const { return value_; }
  const internal::graph::Placement* placement() const { return placement_; }
  const internal::distribute::BatchRowsPtr& rows() const { return rows_; }
  /// Whether it has a row for each row of a batch that was filled up.
  bool is_padded() const;

 private:
  void require_defined() const;
  std::vector<Array> arrays() const;

  Tensor value_;
  const internal::graph::Placement* placement_ = nullptr;
  internal::distribute::BatchRowsPtr rows_;
};

/// What operator<< takes: values and the line that prints them.
struct PrintedPerReplica {
  PrintedPerReplica(const PerReplica& v,
                    SourceLocation location = SourceLocation::current())
      : values(v), where(location) {}
  const PerReplica& values;
  SourceLocation where;
};

/// Prints to_string(). Throws as PerReplica::to_string.
std::ostream& operator<<(std::ostream& out, const PrintedPerReplica& printed);

namespace distribute {
using systolic::PerReplica;
}

}  // namespace systolic
