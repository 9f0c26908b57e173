#include "systolic/models/batches.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "systolic/base/message.h"

namespace systolic::internal::models {

namespace {

constexpr int64_t kDefaultBatchSize = 32;

void require_batch_size(std::optional<int64_t> batch_size,
                        std::string_view who) {
  if (!batch_size || *batch_size >= 1) return;
  Message(std::string(who))
      .expected("batch_size of at least 1")
      .got(*batch_size)
      .raise<ValueError>();
}

// All parts have the same rows.
void check_rows(const DataSource& source, std::string_view who) {
  const Array& first = source.x()[0];
  if (first.rank() == 0) {
    Message(std::string(who))
        .expected("x with a first axis of rows")
        .got("a scalar")
        .detail("x", first.spec())
        .raise<ShapeError>();
  }
  const auto check = [&](const Arrays& parts, std::string_view name) {
    for (const Array& part : parts) {
      if (part.rank() > 0 && part.shape()[0] == first.shape()[0]) continue;
      Message(std::string(who))
          .expected("as many rows in ", name, " as in x")
          .got(part.rank() > 0 ? std::to_string(part.shape()[0]) : "a scalar",
               " and ", first.shape()[0])
          .detail("x", first.spec())
          .detail(name, part.spec())
          .raise<ShapeError>();
    }
  };
  check(source.x(), "every x");
  check(source.y(), "y");
  check(source.sample_weight(), "sample_weight");
}

}  // namespace

data::Element element_of(const Arrays& x, const Arrays& y,
                         const Arrays& sample_weight, std::string_view who) {
  if (!y.is_set()) {
    if (!sample_weight.is_set()) {
      // A tuple would be taken as (x, y).
      const bool is_list = x.size() > 1 && x.names().empty();
      return is_list ? data::Element::tuple({x.element()}) : x.element();
    }
    Message(std::string(who))
        .expected("y beside sample_weight")
        .got("x and sample_weight alone")
        .raise<ValueError>();
  }
  std::vector<data::Element> items{x.element(), y.element()};
  if (sample_weight.is_set()) items.push_back(sample_weight.element());
  return data::Element::tuple(std::move(items));
}

data::Dataset batches_of(const DataSource& source,
                         std::optional<int64_t> batch_size, bool shuffle,
                         std::string_view who) {
  if (!source.is_set()) {
    Message(std::string(who))
        .expected("data: a Dataset, or Arrays")
        .got("nothing")
        .raise<ValueError>();
  }
  if (source.dataset()) {
    if (batch_size) {
      Message(std::string(who))
          .rule("batch_size is for Arrays; a Dataset makes its own batches")
          .hint("leave .batch_size out, and call batch() on the Dataset")
          .raise<ValueError>();
    }
    return *source.dataset();
  }
  require_batch_size(batch_size, who);
  check_rows(source, who);
  data::Dataset dataset = data::Dataset::from_tensor_slices(
      element_of(source.x(), source.y(), source.sample_weight(), who));
  const int64_t rows = source.x()[0].shape()[0];
  if (shuffle && rows > 0) dataset = dataset.shuffle(rows);
  return dataset.batch(batch_size.value_or(kDefaultBatchSize));
}

DataSource with_weights(const DataSource& source, const Arrays& sample_weight,
                        std::string_view who) {
  if (!sample_weight.is_set()) return source;
  if (source.dataset()) {
    Message(std::string(who))
        .rule("sample_weight is for Arrays; a Dataset brings its own")
        .hint("make the Dataset's elements (x, y, sample_weight)")
        .raise<ValueError>();
  }
  return DataSource(source.x(), source.y(), sample_weight);
}

std::pair<DataSource, DataSource> split(const DataSource& source,
                                        double fraction) {
  if (source.dataset() || !(fraction > 0 && fraction < 1)) {
    Message("fit")
        .expected("validation_split in (0, 1), with Arrays")
        .got(fraction, source.dataset() ? " with a Dataset" : "")
        .hint("for a Dataset use take() and skip(), and .validation_data")
        .raise<ValueError>();
  }
  check_rows(source, "fit");
  const int64_t rows = source.x()[0].shape()[0];
  const auto at = static_cast<int64_t>(
      std::floor(static_cast<double>(rows) * (1 - fraction)));
  if (at == 0 || at == rows) {
    Message("fit")
        .expected("rows enough for training and validation")
        .got(rows, " with validation_split ", fraction)
        .detail("x", source.x()[0].spec())
        .raise<ValueError>();
  }
  const auto part = [&](const Slice& slice) {
    const auto of = [&](const Arrays& arrays) {
      std::vector<Array> cut;
      for (const Array& array : arrays) cut.push_back(array.slice({slice}));
      return arrays.like(std::move(cut));
    };
    return DataSource(of(source.x()), of(source.y()),
                      of(source.sample_weight()));
  };
  return {part(Slice(0, at)), part(Slice(at, rows))};
}

std::optional<int64_t> known_steps(const data::Dataset& dataset,
                                   std::optional<int64_t> asked,
                                   std::string_view who,
                                   std::string_view argument) {
  if (asked && *asked < 1) {
    Message(std::string(who))
        .expected(argument, " of at least 1")
        .got(*asked)
        .raise<ValueError>();
  }
  const int64_t cardinality = dataset.cardinality();
  if (cardinality == 0) raise_empty(dataset, who);
  if (!asked && cardinality == data::INFINITE_CARDINALITY) {
    Message(std::string(who))
        .expected(argument, ", since the data set has no end")
        .got("none")
        .hint("give .", argument, " = N, or leave out repeat()")
        .raise<ValueError>();
  }
  if (cardinality < 0) return asked;
  return asked ? std::min(*asked, cardinality) : cardinality;
}

void raise_empty(const data::Dataset& dataset, std::string_view who) {
  Message(std::string(who))
      .expected("at least one batch")
      .got("an empty data set")
      .detail("data set", dataset.name())
      .hint("with drop_remainder, a data set smaller than one batch is empty")
      .raise<ValueError>();
}

}  // namespace systolic::internal::models
