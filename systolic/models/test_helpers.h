// What the tests of models share: small data, a small model, one device and
// eight.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "systolic/array/reductions.h"
#include "systolic/array/unary.h"
#include "systolic/base/auto_name.h"
#include "systolic/base/seed.h"
#include "systolic/data/test_helpers.h"
#include "systolic/distribute/strategy.h"
#include "systolic/graph/program_cache.h"
#include "systolic/layers/layers.h"
#include "systolic/losses/losses.h"
#include "systolic/metrics/metrics.h"
#include "systolic/models/callbacks/history.h"
#include "systolic/models/sequential.h"
#include "systolic/optimizers/optimizers.h"

namespace systolic::models {

using data::LogCapture;
using data::text_of;

// One device, or eight virtual cores, made ready once: again would free the
// models that there are.
inline distribute::Strategy replicas(int count) {
  if (count == 1) return distribute::get_strategy();
  static std::map<int, distribute::TPUStrategy> all;
  const auto known = all.find(count);
  if (known != all.end()) return known->second;
  const distribute::TPUStrategy made(distribute::TPUClusterResolver::connect(
      "virtual:v3-" + std::to_string(count)));
  return all.emplace(count, made).first->second;
}

// Rows of four features and one of three labels; always the same.
inline std::pair<Array, Array> labelled_rows(int64_t count) {
  std::vector<float> x;
  std::vector<int32_t> y;
  uint64_t state = 1;
  for (int64_t row = 0; row < count; ++row) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto value = static_cast<float>(state >> 40) / (1 << 23) - 1;
      x.push_back(value);
      sum += value * static_cast<float>(i - 1);
    }
    y.push_back(sum < -0.3f ? 0 : sum < 0.3f ? 1 : 2);
  }
  return {Array::from(x, {count, 4}), Array::from(y)};
}

inline data::Dataset batches(int64_t rows, int64_t batch_size,
                             data::BatchOptions options = {}) {
  const auto [x, y] = labelled_rows(rows);
  return data::Dataset::from_tensor_slices(x, y).batch(batch_size, options);
}

struct ClassifierOptions {
  int64_t steps_per_execution = 1;
  double dropout = 0;
  std::vector<metrics::Identifier> metrics = {"accuracy"};
};

// A compiled model of labelled_rows; its weights and names are always the
// same.
inline Sequential classifier(const ClassifierOptions& options = {}) {
  set_random_seed(7);
  clear_session();
  Sequential model(
      {layers::Dense(8, {.activation = "relu", .input_shape = {4}})});
  if (options.dropout > 0) model.add(layers::Dropout(options.dropout));
  model.add(layers::Dense(3));
  model.compile(
      {.optimizer = optimizers::Adam(0.01),
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = options.metrics,
       .steps_per_execution = options.steps_per_execution});
  return model;
}

// The largest difference, as a part of the larger value.
inline double relative_difference(const std::vector<double>& a,
                                  const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double size = std::max({std::abs(a[i]), std::abs(b[i]), 1e-9});
    worst = std::max(worst, std::abs(a[i] - b[i]) / size);
  }
  return worst;
}

inline uint64_t compiles() {
  return internal::graph::ProgramCache::instance().statistics().compiles;
}

}  // namespace systolic::models
