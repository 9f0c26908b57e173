#include "systolic/losses/crossentropy.h"

#include <atomic>
#include <string>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/op.h"
#include "systolic/losses/function_loss.h"
#include "systolic/losses/labels.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/reductions.h"

namespace systolic::losses {
namespace {

using internal::as_dtype;
using internal::Message;

// Keras's backend.epsilon(): keeps logarithms of probabilities finite.
constexpr double kEpsilon = 1e-7;

Tensor clip_probability(const Tensor& x) {
  return clip(x, kEpsilon, 1 - kEpsilon);
}

// A step is recorded again and again: one line is enough.
void warn_once(std::atomic_flag& said, std::string_view text) {
  if (!said.test_and_set()) log(LogLevel::warning, text);
}

// What `activation` was applied to, where `output` is its result; else the
// undefined Tensor. `axis` is the axis it must have worked on, if it has one.
Tensor pre_activation(const Tensor& output, std::string_view activation,
                      int axis) {
  const auto& node = *output.ref().node;
  if (node.kind != internal::graph::NodeKind::operation ||
      node.op->name != activation || node.inputs.size() != 1) {
    return {};
  }
  std::vector<uint64_t> words;
  internal::graph::KeyWriter writer(words);
  node.op->write_key(node.options.get(), writer);
  if (!words.empty() && static_cast<int64_t>(words[0]) != axis) return {};
  return Tensor(node.inputs[0]);
}

struct Scores {
  Tensor values;
  bool are_logits;
};

// As Keras on TensorFlow: the input of a last softmax (or sigmoid) is used in
// place of its result, since log(softmax(x)) loses digits.
Scores find_scores(const char* who, const Tensor& y_pred, bool from_logits,
                   std::string_view activation, int axis) {
  const Tensor logits = pre_activation(y_pred, activation, axis);
  if (!logits.is_defined()) return {y_pred, from_logits};
  static std::atomic_flag said;
  if (from_logits) {
    warn_once(said, std::string(who) +
                        ": from_logits = true, but y_pred is the result of a " +
                        std::string(activation) +
                        " and not logits; was this intended?");
  }
  return {logits, true};
}

void check_same_shape(const char* who, const Tensor& y_true,
                      const Tensor& y_pred, const char* hint) {
  if (y_true.rank() >= 1 && y_true.shape() == y_pred.shape()) return;
  Message(who)
      .expected("y_true and y_pred of one shape, with a last axis")
      .got(y_true.shape(), " and ", y_pred.shape())
      .detail("y_true", y_true.spec())
      .detail("y_pred", y_pred.spec())
      .hint(hint)
      .raise<ShapeError>();
}

// Class numbers as int32, without a last axis of size 1.
Tensor class_numbers(const char* who, const Arg& y_true, const Tensor& y_pred,
                     int axis) {
  Tensor labels = y_true.tensor();
  if (y_pred.rank() < 1) {
    Message(who)
        .expected("y_pred with a last axis of classes")
        .got("a scalar")
        .detail("y_pred", y_pred.spec())
        .raise<ShapeError>();
  }
  if (axis != -1 && axis != y_pred.rank() - 1) {
    Message(who)
        .expected("the classes along the last axis (axis = -1)")
        .got("axis = ", axis)
        .detail("y_pred", y_pred.spec())
        .raise<ValueError>();
  }
  if (labels.rank() == y_pred.rank() && labels.shape()[-1] == 1) {
    labels = squeeze(labels, -1);
  }
  Shape wanted = y_pred.shape();
  wanted.erase(-1);
  if (labels.shape() != wanted) {
    Message message(who);
    message.expected("y_true of shape ", wanted, ", one class number each")
        .got(labels.shape())
        .detail("y_true", labels.spec())
        .detail("y_pred", y_pred.spec());
    if (labels.shape() == y_pred.shape()) {
      message.hint("for one-hot labels use CategoricalCrossentropy");
    }
    message.raise<ShapeError>();
  }
  return as_dtype(labels, DType::int32);
}

LossFunction ignoring(std::optional<int64_t> ignore_class) {
  if (!ignore_class) return {};
  return [ignored = *ignore_class](const Tensor& y_true, const Tensor& y_pred) {
    Tensor labels = y_true;
    if (labels.rank() == y_pred.rank() && labels.shape()[-1] == 1) {
      labels = squeeze(labels, -1);
    }
    return not_equal(as_dtype(labels, DType::int32), ignored);
  };
}

}  // namespace

Tensor sparse_categorical_crossentropy(
    const Arg& y_true, const Arg& y_pred,
    const SparseCrossentropyOptions& options) {
  constexpr const char* kWho = "sparse_categorical_crossentropy";
  const Tensor predictions = y_pred.tensor();
  Tensor labels = class_numbers(kWho, y_true, predictions, options.axis);
  auto [scores, are_logits] =
      find_scores(kWho, predictions, options.from_logits, "softmax",
                  predictions.rank() - 1);
  if (const auto known = internal::graph::known_value(y_true.tensor())) {
    check_labels(*known, predictions.shape()[-1],
                 {.ignore_class = options.ignore_class, .who = kWho});
  }
  Tensor valid;
  if (options.ignore_class) {
    valid = not_equal(labels, *options.ignore_class);
    labels = where(valid, labels, 0);
    scores = where(expand_dims(valid, -1), scores, 0);
  }
  if (!are_logits) scores = log(clip_probability(scores));
  const Tensor values = nn::sparse_softmax_cross_entropy(labels, scores);
  return valid.is_defined() ? where(valid, values, 0) : values;
}

Tensor categorical_crossentropy(const Arg& y_true, const Arg& y_pred,
                                const CrossentropyOptions& options) {
  constexpr const char* kWho = "categorical_crossentropy";
  internal::check_smoothing(kWho, options.label_smoothing);
  const Tensor predictions = y_pred.tensor();
  Tensor labels = as_dtype(y_true.tensor(), predictions.dtype());
  check_same_shape(kWho, labels, predictions,
                   "for class numbers use SparseCategoricalCrossentropy");
  const int axis = resolve_axis(options.axis, predictions.rank(), kWho);
  if (predictions.shape()[-1] == 1) {
    static std::atomic_flag said;
    warn_once(said,
              "categorical_crossentropy: y_pred has one class only; use "
              "binary_crossentropy for two classes");
  }
  if (options.label_smoothing != 0) {
    const double share =
        options.label_smoothing / static_cast<double>(predictions.shape()[-1]);
    labels = labels * (1 - options.label_smoothing) + share;
  }
  const auto [scores, are_logits] =
      find_scores(kWho, predictions, options.from_logits, "softmax", axis);
  if (are_logits) {
    return -sum(labels * nn::log_softmax(scores, axis), {.axis = axis});
  }
  const Tensor total = sum(scores, {.axis = axis, .keepdims = true});
  return -sum(labels * log(clip_probability(scores / total)), {.axis = axis});
}

Tensor binary_crossentropy(const Arg& y_true, const Arg& y_pred,
                           const CrossentropyOptions& options) {
  constexpr const char* kWho = "binary_crossentropy";
  internal::check_smoothing(kWho, options.label_smoothing);
  const Tensor predictions = y_pred.tensor();
  Tensor labels = as_dtype(y_true.tensor(), predictions.dtype());
  check_same_shape(kWho, labels, predictions,
                   "one label for each output: a last layer of one unit goes "
                   "with labels of shape (batch, 1)");
  if (options.label_smoothing != 0) {
    labels =
        labels * (1 - options.label_smoothing) + 0.5 * options.label_smoothing;
  }
  const auto [x, are_logits] =
      find_scores(kWho, predictions, options.from_logits, "sigmoid", -1);
  Tensor values;
  if (are_logits) {
    // max(x, 0) - x * y + log(1 + exp(-|x|)), with the branches chosen so
    // that the gradient at 0 is sigmoid(0) - y.
    const Tensor positive = x >= 0;
    values =
        where(positive, x, 0) - x * labels + log1p(exp(where(positive, -x, x)));
  } else {
    const Tensor p = clip_probability(x);
    values = -(labels * log(p) + (1 - labels) * log(1 - p));
  }
  return mean(values, {.axis = options.axis});
}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyOptions& o)
    : Loss(internal::make_function_loss(
          {.class_name = "SparseCategoricalCrossentropy",
           .call =
               [o](const Tensor& y_true, const Tensor& y_pred) {
                 return sparse_categorical_crossentropy(
                     y_true, y_pred,
                     {.from_logits = o.from_logits,
                      .ignore_class = o.ignore_class,
                      .axis = o.axis});
               },
           .mask = ignoring(o.ignore_class),
           .casts_labels = false,
           .ignored_class = o.ignore_class},
          {.reduction = o.reduction, .name = o.name, .dtype = o.dtype})) {}

CategoricalCrossentropy::CategoricalCrossentropy(
    const CategoricalCrossentropyOptions& o)
    : Loss(internal::make_function_loss(
          {.class_name = "CategoricalCrossentropy",
           .call =
               [o](const Tensor& y_true, const Tensor& y_pred) {
                 return categorical_crossentropy(
                     y_true, y_pred,
                     {.from_logits = o.from_logits,
                      .label_smoothing = o.label_smoothing,
                      .axis = o.axis});
               }},
          {.reduction = o.reduction, .name = o.name, .dtype = o.dtype})) {
  internal::check_smoothing("CategoricalCrossentropy", o.label_smoothing);
}

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& o)
    : Loss(internal::make_function_loss(
          {.class_name = "BinaryCrossentropy",
           .call =
               [o](const Tensor& y_true, const Tensor& y_pred) {
                 return binary_crossentropy(
                     y_true, y_pred,
                     {.from_logits = o.from_logits,
                      .label_smoothing = o.label_smoothing,
                      .axis = o.axis});
               }},
          {.reduction = o.reduction, .name = o.name, .dtype = o.dtype})) {
  internal::check_smoothing("BinaryCrossentropy", o.label_smoothing);
}

}  // namespace systolic::losses
