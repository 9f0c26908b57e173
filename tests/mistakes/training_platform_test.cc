// Mistakes with compile, fit, evaluate, predict, and custom loops.
#include <systolic/systolic.h>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using data::Dataset;
using layers::CallContext;

models::Sequential classifier(
    const char* loss = "sparse_categorical_crossentropy") {
  models::Sequential model({layers::Dense(
      3, {.activation = "softmax", .input_shape = {4}, .name = "classes"})});
  model.compile({.optimizer = "sgd", .loss = loss});
  return model;
}

const models::FitOptions kSilent{.verbose = models::Verbose::silent};

// Looks at a value while the step is recorded.
struct Curious : layers::LayerBase {
  Shape compute_output_shape(const Shape& shape) const override {
    return shape;
  }
  Tensor call(Tensor x, CallContext) override {
    if (x[{0, 0}].item<float>() > 0) return x;
    return x * 2;
  }
};

const Mistake kMistakes[] = {
    {"model_without_layers",
     [] {
       models::Sequential().predict(Array::zeros({2, 4}));
     },
     R"(ValueError: Sequential "sequential": expected at least one layer, got none
  hint: add layers before the model is used
  in: predict, step 1
  at: <line>)"},
    {"not_compiled",
     [] {
       models::Sequential({layers::Dense(3)})
           .fit(Array::zeros({2, 4}), Array::zeros({2, 3}), kSilent);
     },
     R"(ValueError: fit: model "sequential" is not compiled
  hint: call model.compile({.optimizer = ..., .loss = ...}) first
  at: <line>)"},
    {"unknown_optimizer",
     [] { classifier().compile({.optimizer = "adm", .loss = "mse"}); },
     R"(ValueError: optimizer: expected 'sgd', 'adam', 'adamw', 'rmsprop', 'adagrad', 'adadelta', 'adamax', 'nadam', 'lion' or 'ftrl', got 'adm'
  hint: did you mean 'adam'?)"},
    {"unknown_loss", [] { classifier("sparse_crossentropy"); },
     R"(ValueError: loss: expected a known loss, got 'sparse_crossentropy'
  known: 'SparseCategoricalCrossentropy', 'sparse_categorical_crossentropy', 'CategoricalCrossentropy', 'categorical_crossentropy', 'BinaryCrossentropy', 'binary_crossentropy', 'bce', 'BCE', 'MeanSquaredError', 'mean_squared_error', 'mse', 'MSE', 'MeanAbsoluteError', 'mean_absolute_error', 'mae' or 'MAE'
  hint: did you mean 'binary_crossentropy'?)"},
    {"unknown_metric",
     [] {
       classifier().compile(
           {.optimizer = "sgd", .loss = "mse", .metrics = {"acuracy"}});
     },
     R"(ValueError: metric: expected a known metric, got 'acuracy'
  known: 'acc', 'Accuracy', 'accuracy', 'BinaryAccuracy', 'binary_accuracy', 'CategoricalAccuracy', 'categorical_accuracy', 'SparseCategoricalAccuracy', 'sparse_categorical_accuracy', 'TopKCategoricalAccuracy', 'top_k_categorical_accuracy', 'SparseTopKCategoricalAccuracy', 'sparse_top_k_categorical_accuracy', 'BinaryCrossentropy', 'binary_crossentropy', 'CategoricalCrossentropy', 'categorical_crossentropy', 'SparseCategoricalCrossentropy', 'sparse_categorical_crossentropy', 'MeanSquaredError', 'mean_squared_error', 'MeanAbsoluteError', 'mean_absolute_error', 'RootMeanSquaredError', 'root_mean_squared_error', 'Mean', 'mean', 'Sum', 'sum', 'bce', 'BCE', 'mse', 'MSE', 'mae' or 'MAE'
  hint: did you mean 'Accuracy'?)"},
    {"steps_per_execution_0",
     [] { classifier().compile({.loss = "mse", .steps_per_execution = 0}); },
     R"(ValueError: compile: expected steps_per_execution of at least 1, got 0)"},
    {"no_loss",
     [] {
       models::Sequential model({layers::Dense(3)});
       model.compile({.optimizer = "sgd"});
       model.fit(Array::zeros({2, 4}), Array::zeros({2, 3}), kSilent);
     },
     R"(ValueError: compile: expected a loss, got none
  hint: compile({.loss = "..."}), or add_loss in a layer
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"no_labels",
     [] {
       classifier().fit(Array::zeros({2, 4}), kSilent);
     },
     R"(ValueError: fit: expected data with labels, since the model has a loss, got inputs alone
  hint: give pairs (x, y): Dataset::from_tensor_slices(x, y)
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"text_as_labels",
     [] {
       classifier().fit(Array::zeros({2, 4}), Array::from_strings({"a", "b"}),
                        kSilent);
     },
     R"(TypeError: fit: expected y of numbers or bool, got strings
  y: string[2]
  hint: turn strings into numbers in the pipeline, with map()
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"float_labels_out_of_range",
     [] {
       classifier().fit(Array::zeros({2, 4}), Array::from({0.f, 7.5f}),
                        {.verbose = models::Verbose::silent, .shuffle = false});
     },
     R"(ValueError: SparseCategoricalCrossentropy: expected labels in 0 ... 2, one of 3 classes, got 7.5 at position (1,)
  labels: float32[2]
  hint: the last layer needs a unit for every class
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"label_out_of_range",
     [] {
       classifier().fit(Array::zeros({4, 4}), Array::from({0, 1, 2, 3}),
                        {.verbose = models::Verbose::silent, .shuffle = false});
     },
     R"(ValueError: SparseCategoricalCrossentropy: expected labels in 0 ... 2, one of 3 classes, got 3 at position (3,)
  labels: int32[4]
  hint: class numbers start at 0: subtract 1 where yours start at 1, or give the last layer one unit more
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"labels_of_another_shape",
     [] {
       classifier("mse").fit(Array::zeros({2, 4}), Array::zeros({2, 5}),
                             kSilent);
     },
     R"(ShapeError: mean_squared_error: expected y_true and y_pred of shapes that broadcast together, got (2, 5) and (2, 3)
  y_true: float32[2, 5]
  y_pred: float32[2, 3]
  hint: the model's last layer gives y_pred: it has 3 values a row
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"more_labels_than_rows",
     [] {
       classifier().fit(Array::zeros({2, 4}), Array::from({0, 1, 2}), kSilent);
     },
     R"(ShapeError: fit: expected as many rows in y as in x, got 3 and 2
  x: float32[2, 4]
  y: int32[3]
  at: <line>)"},
    {"other_features_than_the_model",
     [] {
       classifier().fit(Array::zeros({2, 5}), Array::from({0, 1}), kSilent);
     },
     R"(ShapeError: Dense "classes": expected axis -1 of input shape to have value 4, got 5
  input: float32[2, 5]
  built for: (None, 4)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"empty_arrays",
     [] {
       classifier().fit(Array::zeros({0, 4}), Array::zeros({0}, DType::int32),
                        kSilent);
     },
     R"(ValueError: fit: expected at least one batch, got an empty data set
  data set: batch
  hint: with drop_remainder, a data set smaller than one batch is empty
  at: <line>)"},
    {"data_set_smaller_than_a_batch",
     [] {
       classifier().fit(Dataset::from_tensor_slices(Array::zeros({10, 4}),
                                                    Array::zeros({10}))
                            .batch(32, {.drop_remainder = true}),
                        kSilent);
     },
     R"(ValueError: fit: expected at least one batch, got an empty data set
  data set: batch
  hint: with drop_remainder, a data set smaller than one batch is empty
  at: <line>)"},
    {"steps_per_epoch_missing",
     [] {
       const Array labels = Array::zeros({10}, DType::int32);
       classifier().fit(
           Dataset::from_tensor_slices(Array::zeros({10, 4}), labels)
               .repeat()
               .batch(2),
           kSilent);
     },
     R"(ValueError: fit: expected steps_per_epoch, since the data set has no end, got none
  hint: give .steps_per_epoch = N, or leave out repeat()
  at: <line>)"},
    {"batch_size_for_a_data_set",
     [] {
       classifier().fit(
           Dataset::from_tensor_slices(Array::zeros({10, 4})).batch(2),
           {.batch_size = 2, .verbose = models::Verbose::silent});
     },
     R"(ValueError: fit: batch_size is for Arrays; a Dataset makes its own batches
  hint: leave .batch_size out, and call batch() on the Dataset
  at: <line>)"},
    {"data_set_without_batch",
     [] {
       classifier().fit(
           Dataset::from_tensor_slices(Array::zeros({10, 4}),
                                       Array::zeros({10}, DType::int32)),
           kSilent);
     },
     R"(ShapeError: fit: expected as many rows in every part of a batch, got 4 in x and int32[] in y
  x: float32[4]
  hint: call batch() on the data set
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"strings_as_input",
     [] {
       classifier().fit(Array::from_strings({"a", "b"}), Array::from({0, 1}),
                        kSilent);
     },
     R"(TypeError: fit: expected x of numbers or bool, got strings
  x: string[2]
  hint: turn strings into numbers in the pipeline, with map()
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"validation_split_of_a_data_set",
     [] {
       classifier().fit(
           Dataset::from_tensor_slices(Array::zeros({10, 4}),
                                       Array::zeros({10}, DType::int32))
               .batch(2),
           {.verbose = models::Verbose::silent, .validation_split = 0.1});
     },
     R"(ValueError: fit: expected validation_split in (0, 1), with Arrays, got 0.1 with a Dataset
  hint: for a Dataset use take() and skip(), and .validation_data
  at: <line>)"},
    {"evaluate_nothing",
     [] {
       classifier().evaluate(Array::zeros({0, 4}),
                             Array::zeros({0}, DType::int32),
                             {.verbose = models::Verbose::silent});
     },
     R"(ValueError: evaluate: expected at least one batch, got an empty data set
  data set: batch
  hint: with drop_remainder, a data set smaller than one batch is empty
  at: <line>)"},
    {"value_read_in_a_step",
     [] {
       models::Sequential model({layers::make<Curious>(), layers::Dense(3)});
       model.compile({.optimizer = "sgd", .loss = "mse"});
       model.fit(Array::zeros({2, 4}), Array::zeros({2, 3}), kSilent);
     },
     R"(ValueError: Tensor.numpy: a value can not be read inside train_step: code there runs when it is recorded, the value exists when it is launched
  tensor: float32[]
  hint: use where to decide on values, or return the Tensor and read it after the step
  at: <line>
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"optimizer_before_compile",
     [] { models::Sequential({layers::Dense(3)}).optimizer(); },
     R"(ValueError: Model.optimizer: model "sequential" is not compiled
  hint: call model.compile({.optimizer = ..., .loss = ...}) first)"},
    {"gradients_of_another_number",
     [] {
       Variable w(zeros({2}), {.name = "w"});
       optimizers::SGD().apply({zeros({2}), zeros({2})}, {w});
     },
     R"(ValueError: SGD "sgd": expected one gradient for each variable, got 2 gradients and 1 variables)"},
    {"no_gradient_at_all",
     [] {
       Variable w(zeros({2}), {.name = "w"});
       optimizers::SGD().apply({Tensor()}, {w});
     },
     R"(ValueError: SGD "sgd": no gradients provided for any variable
  variables: 'w'
  hint: compute the loss from the variables while the tape lives)"},
};

INSTANTIATE_MISTAKES(Training, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
