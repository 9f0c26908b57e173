// Mistakes with the options of losses, metrics and optimizers, and with what
// they are given.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

const Mistake kMistakes[] = {
    {"unknown_reduction", [] { losses::reduction_from_name("average"); },
     R"(ValueError: reduction: expected 'none', 'sum', 'mean', 'sum_over_batch_size' or 'mean_with_sample_weight', got 'average')"},
    {"smoothing_above_1",
     [] { losses::CategoricalCrossentropy({.label_smoothing = 1.5}); },
     R"(ValueError: CategoricalCrossentropy: expected label_smoothing in 0 ... 1, got 1.5)"},
    {"smoothing_of_a_metric",
     [] { metrics::BinaryCrossentropy({.label_smoothing = 3}); },
     R"(ValueError: BinaryCrossentropy: expected label_smoothing in 0 ... 1, got 3)"},
    {"axis_of_the_classes",
     [] {
       losses::SparseCategoricalCrossentropy({.axis = 0})(constant({1, 2}),
                                                          zeros({2, 3}));
     },
     R"(ValueError: sparse_categorical_crossentropy: expected the classes along the last axis (axis = -1), got axis = 0
  y_pred: float32[2, 3])"},
    {"class_numbers_for_one_hot",
     [] {
       losses::CategoricalCrossentropy()(constant({1, 2}), zeros({2, 3}));
     },
     R"(ShapeError: categorical_crossentropy: expected y_true and y_pred of one shape, with a last axis, got (2,) and (2, 3)
  y_true: float32[2]
  y_pred: float32[2, 3]
  hint: for class numbers use SparseCategoricalCrossentropy)"},
    {"one_hot_for_class_numbers",
     [] {
       losses::SparseCategoricalCrossentropy()(zeros({2, 3}), zeros({2, 3}));
     },
     R"(ShapeError: sparse_categorical_crossentropy: expected y_true of shape (2,), one class number each, got (2, 3)
  y_true: float32[2, 3]
  y_pred: float32[2, 3]
  hint: for one-hot labels use CategoricalCrossentropy)"},
    {"label_without_a_class",
     [] {
       losses::SparseCategoricalCrossentropy({.from_logits = true})(
           constant({1, 7}), zeros({2, 3}));
     },
     R"(ValueError: sparse_categorical_crossentropy: expected labels in 0 ... 2, one of 3 classes, got 7 at position (1,)
  labels: int32[2]
  hint: the last layer needs a unit for every class)"},
    {"labels_of_other_rows",
     [] {
       losses::SparseCategoricalCrossentropy({.from_logits = true})(
           constant({1, 2, 0}), zeros({2, 3}));
     },
     R"(ShapeError: sparse_categorical_crossentropy: expected y_true of shape (2,), one class number each, got (3,)
  y_true: int32[3]
  y_pred: float32[2, 3])"},
    {"one_label_for_three_outputs",
     [] {
       losses::BinaryCrossentropy()(zeros({2}), zeros({2, 3}));
     },
     R"(ShapeError: binary_crossentropy: expected y_true and y_pred of one shape, with a last axis, got (2,) and (2, 3)
  y_true: float32[2]
  y_pred: float32[2, 3]
  hint: one label for each output: a last layer of one unit goes with labels of shape (batch, 1))"},
    {"weights_of_other_rows",
     [] {
       losses::MeanSquaredError()(zeros({4, 3}), zeros({4, 3}), zeros({5}));
     },
     R"(ShapeError: MeanSquaredError: expected sample_weight of a shape that broadcasts to (4,), got (5,)
  values: float32[4]
  sample_weight: float32[5]
  hint: one weight per example has the shape of the batch; add an axis with expand_dims(sample_weight, -1) where there is one value for each position of an example)"},
    {"loss_of_integers",
     [] {
       losses::MeanSquaredError({.dtype = DType::int32})(zeros({2, 2}),
                                                         zeros({2, 2}));
     },
     R"(TypeError: MeanSquaredError: expected a floating-point dtype, got int32)"},
    {"loss_without_a_function",
     [] { losses::LossFunctionWrapper(nullptr)(zeros({2}), zeros({2})); },
     R"(ValueError: LossFunctionWrapper: expected a function, got an empty one (a null pointer or std::function()))"},
    {"undefined_loss", [] { losses::Loss()(zeros({2}), zeros({2})); },
     R"(ValueError: Loss: expected a loss, got an undefined one (Loss()))"},
    {"best_of_0", [] { metrics::TopKCategoricalAccuracy({.k = 0}); },
     R"(ValueError: TopKCategoricalAccuracy: expected k of at least 1, got 0)"},
    {"threshold_that_is_no_number",
     [] { metrics::BinaryAccuracy({.threshold = NAN}); },
     R"(ValueError: BinaryAccuracy: expected a finite threshold, got nan)"},
    {"labels_for_a_mean",
     [] {
       metrics::Mean metric("m");
       metric.update_state(zeros({2}), zeros({3}));
     },
     R"(ShapeError: Mean "m": expected sample_weight of a shape that broadcasts to (2,), got (3,)
  values: float32[2]
  sample_weight: float32[3]
  hint: one weight per example has the shape of the batch; add an axis with expand_dims(sample_weight, -1) where there is one value for each position of an example)"},
    {"one_argument_for_an_accuracy",
     [] {
       metrics::Accuracy metric("m");
       metric.update_state(zeros({2}));
     },
     R"(TypeError: Accuracy "m": expected y_true and y_pred, got one argument
  hint: update_state(y_true, y_pred)
  at: <line>)"},
    {"predictions_of_other_rows",
     [] {
       metrics::SparseCategoricalAccuracy metric("m");
       metric.update_state(constant({1, 2}), zeros({3, 4}));
     },
     R"(ShapeError: sparse_categorical_accuracy: expected y_true of shape (...), y_pred of shape (..., classes), got (2,) and (3, 4)
  y_true: int32[2]
  y_pred: float32[3, 4])"},
    {"undefined_metric",
     [] {
       metrics::Metric metric;
       metric.update_state(zeros({2}));
     },
     R"(ValueError: Metric: expected a metric, got an undefined one (Metric()))"},
    {"negative_learning_rate", [] { optimizers::SGD optimizer(-0.1); },
     R"(ValueError: Optimizer: expected learning_rate >= 0, got -0.1)"},
    {"learning_rate_that_is_no_number", [] { optimizers::SGD optimizer(NAN); },
     R"(ValueError: Optimizer: expected learning_rate >= 0, got nan)"},
    {"learning_rate_set_to_less_than_0",
     [] { optimizers::SGD().set_learning_rate(-1); },
     R"(ValueError: SGD "sgd": expected learning_rate >= 0, got -1)"},
    {"momentum_above_1", [] { optimizers::SGD optimizer({.momentum = 1.5}); },
     R"(ValueError: SGD: expected momentum in 0 ... 1, got 1.5)"},
    {"average_that_never_moves",
     [] { optimizers::Adam optimizer({.beta_1 = 1.0}); },
     R"(ValueError: Adam: expected beta_1 in [0, 1), got 1)"},
    {"negative_epsilon", [] { optimizers::Adam optimizer({.epsilon = -1}); },
     R"(ValueError: Adam: expected epsilon >= 0, got -1)"},
    {"two_ways_of_clipping",
     [] { optimizers::SGD optimizer({.clipnorm = 1.0, .clipvalue = 1.0}); },
     R"(ValueError: Optimizer: expected at most one of clipnorm, clipvalue and global_clipnorm, got 2 of them)"},
    {"negative_clipnorm", [] { optimizers::SGD optimizer({.clipnorm = -1.0}); },
     R"(ValueError: Optimizer: expected clipnorm >= 0, got -1)"},
    {"negative_weight_decay",
     [] { optimizers::AdamW optimizer({.weight_decay = -1.0}); },
     R"(ValueError: Optimizer: expected weight_decay >= 0, got -1)"},
    {"optimizer_without_a_name", [] { optimizers::get(""); },
     R"(ValueError: optimizer: expected 'sgd', 'adam', 'adamw', 'rmsprop', 'adagrad', 'adadelta', 'adamax', 'nadam', 'lion' or 'ftrl', got none)"},
    {"gradients_alone", [] { optimizers::SGD().apply({zeros({2})}); },
     R"(ValueError: SGD "sgd": expected variables beside the gradients, got gradients alone, before build
  hint: apply(grads, variables), or build(variables) first)"},
    {"gradient_of_another_shape",
     [] {
       Variable w(zeros({2}), {.name = "w"});
       optimizers::SGD().apply({zeros({3})}, {w});
       w.numpy();
     },
     R"(ShapeError: SGD "sgd": expected a gradient of the shape of 'w', got (3,)
  variable: float32[2]
  gradient: float32[3]
  hint: gradients and variables go in the same order)"},
    {"variables_of_another_model",
     [] {
       Variable w(zeros({2}), {.name = "w"});
       Variable v(zeros({2}), {.name = "v"});
       optimizers::SGD optimizer;
       optimizer.apply({zeros({2})}, {w});
       optimizer.apply({zeros({2})}, {v});
     },
     R"(ValueError: SGD "sgd": expected the variables it was built with, got another one, 'v'
  variable: float32[2]
  hint: make a new optimizer for another set of variables)"},
    {"variable_of_integers",
     [] {
       Variable w(zeros({2}, DType::int32), {.name = "w"});
       optimizers::SGD().apply({zeros({2})}, {w});
       w.numpy();
     },
     R"(TypeError: SGD "sgd": expected variables of a floating-point dtype, got 'w' of int32
  hint: steps are fractions: an integer would stay as it is)"},
};

INSTANTIATE_MISTAKES(Options, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
