#include "systolic/datasets/drawn_flowers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "systolic/base/message.h"
#include "systolic/base/seed.h"
#include "systolic/base/thread_pool.h"
#include "systolic/datasets/flowers.h"
#include "systolic/image/encode.h"
#include "systolic/image/stateless.h"
#include "systolic/io/file_system.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/record_writer.h"

namespace systolic::datasets::flowers {

namespace {

using image::detail::StatelessNumbers;
using Color = std::array<float, 3>;

// What tells a class from the others: some petals more or less, and colours
// that vary, overlap between classes.
struct Kind {
  int petals;
  float notch;   // how deep the petals are cut
  float middle;  // how large the middle is, of the flower
  Color petal;
  Color centre;
};
constexpr Kind kKinds[] = {
    {13, 0.35f, 0.30f, {240, 240, 235}, {235, 190, 40}},  // daisy
    {21, 0.55f, 0.12f, {245, 205, 40}, {235, 170, 30}},   // dandelion
    {5, 0.15f, 0.22f, {200, 40, 70}, {160, 20, 50}},      // roses
    {17, 0.40f, 0.45f, {245, 190, 30}, {90, 55, 25}},     // sunflowers
    {6, 0.25f, 0.10f, {190, 60, 170}, {235, 210, 90}}};   // tulips

float between(StatelessNumbers& numbers, double lower, double upper) {
  return numbers.uniform(lower, upper);
}

// Smooth noise: random values at the points of a grid, interpolated.
class Noise {
 public:
  Noise(StatelessNumbers& numbers, int cells) : cells_(cells) {
    for (int i = 0; i < (cells + 2) * (cells + 2); ++i) {
      values_.push_back(between(numbers, -1, 1));
    }
  }

  // At a place from 0 to 1.
  float at(float y, float x) const {
    const float row = y * static_cast<float>(cells_);
    const float column = x * static_cast<float>(cells_);
    const int i = static_cast<int>(row), j = static_cast<int>(column);
    const float down = row - static_cast<float>(i);
    const float along = column - static_cast<float>(j);
    const float above = value(i, j) + (value(i, j + 1) - value(i, j)) * along;
    const float below =
        value(i + 1, j) + (value(i + 1, j + 1) - value(i + 1, j)) * along;
    return above + (below - above) * down;
  }

 private:
  float value(int i, int j) const {
    return values_[static_cast<size_t>(i * (cells_ + 2) + j)];
  }

  int cells_;
  std::vector<float> values_;
};

// A flower of one kind at one place.
class Flower {
 public:
  Flower(const Kind& kind, StatelessNumbers& numbers)
      : kind_(kind),
        y_(between(numbers, 0.35, 0.65)),
        x_(between(numbers, 0.35, 0.65)),
        radius_(between(numbers, 0.22, 0.42)),
        turn_(between(numbers, 0, 6.2832)),
        squash_(between(numbers, 0.75, 1)),
        light_(between(numbers, 0.75, 1.15)),
        ground_(numbers, 6),
        grain_(numbers, 40) {
    for (Color* color : {&petal_, &centre_, &leaf_}) {
      const Color& base = color == &petal_    ? kind.petal
                          : color == &centre_ ? kind.centre
                                              : kLeaf;
      for (size_t c = 0; c < 3; ++c) {
        (*color)[c] = base[c] + between(numbers, -25, 25);
      }
    }
  }

  Color at(float y, float x) const {
    const float down = (y - y_) / squash_, right = x - x_;
    const float distance = std::hypot(down, right) / radius_;
    const float angle = std::atan2(down, right) + turn_;
    const float wave =
        std::abs(std::cos(angle * static_cast<float>(kind_.petals) / 2));
    const float edge = 1 - kind_.notch * (1 - wave);
    const float shade = grain_.at(y, x);
    Color color = leaf_;
    float level = 0.8f + 0.35f * ground_.at(y, x) + 0.1f * shade;
    if (distance < edge) {
      color = distance < kind_.middle ? centre_ : petal_;
      level = 0.75f + 0.25f * distance + 0.15f * wave + 0.08f * shade;
    } else if (down > 0 && std::abs(right + 0.1f * down) < 0.02f) {
      color = {60, 130, 50};  // the stem
    }
    for (float& value : color) value *= level * light_;
    return color;
  }

 private:
  static constexpr Color kLeaf{55, 105, 50};

  const Kind& kind_;
  float y_, x_, radius_, turn_, squash_, light_;
  Noise ground_, grain_;
  Color petal_, centre_, leaf_;
};

uint64_t seed_of(uint64_t seed, int64_t file, int64_t place) {
  return internal::mix_seed(
      internal::mix_seed(seed, static_cast<uint64_t>(file)),
      static_cast<uint64_t>(place));
}

// The labels of a file: each class as often, in random order.
std::vector<int> labels_of(const DrawnOptions& options, int64_t file) {
  std::vector<int> labels(static_cast<size_t>(options.per_file));
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = static_cast<int>(i % 5);
  for (size_t i = labels.size(); i > 1; --i) {
    const uint64_t drawn =
        seed_of(options.seed ^ 0x6f72646572u, file, static_cast<int64_t>(i));
    std::swap(labels[i - 1], labels[drawn % i]);
  }
  return labels;
}

std::string record_of(const DrawnOptions& options, int label, uint64_t seed) {
  std::vector<float> one_hot(5);
  one_hot[static_cast<size_t>(label)] = 1;
  return data::ExampleBuilder()
      .add("image", image::encode_jpeg(draw(label, options.size, seed),
                                       {.quality = options.quality}))
      .add("class", label)
      .add("label", class_names()[static_cast<size_t>(label)])
      .add("one_hot_class", one_hot)
      .add("size", std::vector<int64_t>{options.size, options.size})
      .serialize();
}

}  // namespace

Array draw(int label, int64_t size, uint64_t seed) {
  if (label < 0 || label > 4 || size < 8) {
    internal::Message("datasets::flowers::draw")
        .expected("a label 0 ... 4 and a size of at least 8")
        .got(label, " and ", size)
        .raise<ValueError>();
  }
  StatelessNumbers numbers({static_cast<int64_t>(seed), label});
  const Flower flower(kKinds[label], numbers);
  Array picture = Array::uninitialized({DType::uint8, {size, size, 3}});
  uint8_t* out = picture.mutable_span<uint8_t>().data();
  const auto side = static_cast<float>(size);
  for (int64_t y = 0; y < size; ++y) {
    for (int64_t x = 0; x < size; ++x, out += 3) {
      const Color color =
          flower.at(static_cast<float>(y) / side, static_cast<float>(x) / side);
      const float noise = between(numbers, -7, 7);
      for (size_t c = 0; c < 3; ++c) {
        out[c] = static_cast<uint8_t>(std::clamp(color[c] + noise, 0.f, 255.f));
      }
    }
  }
  return picture;
}

std::vector<std::string> write_drawn(const std::string& folder,
                                     const DrawnOptions& options) {
  if (options.files < 1 || options.per_file < 1) {
    internal::Message("datasets::flowers::write_drawn")
        .expected("at least one file, and one picture in it")
        .got(options.files, " and ", options.per_file)
        .raise<ValueError>();
  }
  io::make_dirs(folder);
  std::vector<std::string> paths;
  for (int64_t i = 0; i < options.files; ++i) {
    const std::string number = std::to_string(i);
    paths.push_back(io::join_path(
        folder, "flowers" + std::string(number.size() < 2 ? "0" : "") + number +
                    "-" + std::to_string(options.per_file) + ".tfrec"));
  }
  ThreadPool::global().parallel_for(
      options.files, 1, [&](int64_t begin, int64_t end) {
        for (int64_t file = begin; file < end; ++file) {
          data::TFRecordWriter writer(paths[static_cast<size_t>(file)]);
          const std::vector<int> labels = labels_of(options, file);
          for (size_t i = 0; i < labels.size(); ++i) {
            writer.write(record_of(
                options, labels[i],
                seed_of(options.seed, file, static_cast<int64_t>(i))));
          }
          writer.close();
        }
      });
  return paths;
}

}  // namespace systolic::datasets::flowers
