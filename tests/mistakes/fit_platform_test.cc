// Mistakes with compile, fit, evaluate, predict and what they are given.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using data::Dataset;
using models::Verbose;

Array rows(int64_t count = 8) { return Array::zeros({count, 4}); }
Array labels(int64_t count = 8) { return Array::zeros({count}, DType::int32); }
Dataset batches(int64_t count = 8) {
  return Dataset::from_tensor_slices(rows(count), labels(count)).batch(2);
}

models::Sequential classifier(
    const char* loss = "sparse_categorical_crossentropy") {
  models::Sequential model({layers::Dense(
      3, {.activation = "softmax", .input_shape = {4}, .name = "classes"})});
  model.compile({.optimizer = "sgd", .loss = loss});
  return model;
}

const models::FitOptions kSilent{.verbose = Verbose::silent};

void fit_rows(models::FitOptions options) {
  options.verbose = Verbose::silent;
  classifier().fit(rows(), labels(), options);
}

void fit_batches(const Dataset& data, models::FitOptions options) {
  options.verbose = Verbose::silent;
  classifier().fit(data, options);
}

// Looks at the first batch's values when the second has run.
struct KeepsLogs : callbacks::CallbackBase {
  void on_train_batch_end(int64_t batch, const callbacks::Logs& logs) override {
    if (batch == 0) {
      first = logs;
    } else {
      first.at("loss");
    }
  }
  callbacks::Logs first;
};

const Mistake kMistakes[] = {
    {"fewer_than_no_epochs", [] { fit_rows({.epochs = -3}); },
     R"(ValueError: fit: expected epochs and initial_epoch of at least 0, got -3 and 0
  at: <line>)"},
    {"epoch_before_the_first",
     [] { fit_rows({.epochs = 2, .initial_epoch = -1}); },
     R"(ValueError: fit: expected epochs and initial_epoch of at least 0, got 2 and -1
  at: <line>)"},
    {"batch_size_0", [] { fit_rows({.batch_size = 0}); },
     R"(ValueError: fit: expected batch_size of at least 1, got 0
  at: <line>)"},
    {"no_steps", [] { fit_batches(batches(), {.steps_per_epoch = 0}); },
     R"(ValueError: fit: expected steps_per_epoch of at least 1, got 0
  at: <line>)"},
    {"split_of_everything", [] { fit_rows({.validation_split = 1.0}); },
     R"(ValueError: fit: expected validation_split in (0, 1), with Arrays, got 1
  hint: for a Dataset use take() and skip(), and .validation_data
  at: <line>)"},
    {"split_that_leaves_no_row", [] { fit_rows({.validation_split = 0.99}); },
     R"(ValueError: fit: expected rows enough for training and validation, got 8 with validation_split 0.99
  x: float32[8, 4]
  at: <line>)"},
    {"validation_without_end",
     [] { fit_batches(batches(), {.validation_data = batches().repeat()}); },
     R"(ValueError: fit (validation): expected validation_steps, since the data set has no end, got none
  hint: give .validation_steps = N, or leave out repeat()
  at: <line>)"},
    {"no_validation_steps",
     [] {
       fit_batches(batches(),
                   {.validation_data = batches(), .validation_steps = 0});
     },
     R"(ValueError: fit (validation): expected validation_steps of at least 1, got 0
  at: <line>)"},
    {"validation_steps_of_nothing", [] { fit_rows({.validation_steps = 3}); },
     R"(ValueError: fit: validation_steps is given, but nothing to validate with
  hint: give .validation_data, or .validation_split with Arrays
  at: <line>)"},
    {"validation_batch_size_0",
     [] {
       fit_rows(
           {.validation_data = {rows(), labels()}, .validation_batch_size = 0});
     },
     R"(ValueError: fit (validation): expected batch_size of at least 1, got 0
  at: <line>)"},
    {"never_validate",
     [] {
       fit_rows({.validation_data = {rows(), labels()}, .validation_freq = 0});
     },
     R"(ValueError: fit: expected validation_freq of at least 1, got 0
  at: <line>)"},
    {"validation_without_labels", [] { fit_rows({.validation_data = rows()}); },
     R"(ValueError: evaluate: expected data with labels, since the model has a loss, got inputs alone
  hint: give pairs (x, y): Dataset::from_tensor_slices(x, y)
  in: fit (validation), step 1
  at: <line>)"},
    {"validation_label_out_of_range",
     [] {
       fit_rows({.validation_data = {rows(),
                                     Array::from({0, 1, 2, 3, 0, 0, 0, 0})}});
     },
     R"(ValueError: SparseCategoricalCrossentropy: expected labels in 0 ... 2, one of 3 classes, got 3 at position (3,)
  labels: int32[8]
  hint: class numbers start at 0: subtract 1 where yours start at 1, or give the last layer one unit more
  in: fit (validation), step 1
  at: <line>)"},
    {"empty_validation",
     [] {
       fit_rows({.validation_data = {Array::zeros({0, 4}),
                                     Array::zeros({0}, DType::int32)}});
     },
     R"(ValueError: fit (validation): expected at least one batch, got an empty data set
  data set: batch
  hint: with drop_remainder, a data set smaller than one batch is empty
  at: <line>)"},
    {"undefined_callback",
     [] { fit_rows({.callbacks = {callbacks::Callback()}}); },
     R"(ValueError: callbacks: expected callbacks, got an undefined one (Callback())
  hint: make it with callbacks::make<YourCallback>()
  at: <line>)"},
    {"weights_of_other_rows",
     [] { fit_rows({.sample_weight = Array::zeros({3})}); },
     R"(ShapeError: fit: expected as many rows in sample_weight as in x, got 3 and 8
  x: float32[8, 4]
  sample_weight: float32[3]
  at: <line>)"},
    {"weights_beside_a_data_set",
     [] { fit_batches(batches(), {.sample_weight = Array::zeros({8})}); },
     R"(ValueError: fit: sample_weight is for Arrays; a Dataset brings its own
  hint: make the Dataset's elements (x, y, sample_weight)
  at: <line>)"},
    {"nothing_to_fit", [] { classifier().fit(models::DataSource(), kSilent); },
     R"(ValueError: fit: expected data: a Dataset, or Arrays, got nothing
  at: <line>)"},
    {"four_parts_of_a_batch",
     [] {
       classifier().fit(
           Dataset::from_tensor_slices(rows(), labels(), Array::zeros({8}),
                                       Array::zeros({8}))
               .batch(2),
           kSilent);
     },
     R"(ValueError: fit: expected x, (x, y) or (x, y, sample_weight), got a tuple of 4 items
  element: (float32[2, 4], int32[2], float32[2], float32[2])
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"dict_as_batch",
     [] {
       classifier().fit(
           Dataset::from_tensor_slices(
               data::Element::dict({{"x", rows()}, {"y", labels()}}))
               .batch(2),
           kSilent);
     },
     R"(ValueError: Sequential "sequential": expected one input, got 2
  hint: a layer of several inputs overrides call_all
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"two_inputs",
     [] {
       classifier().fit(Dataset::from_tensor_slices(
                            data::Element::tuple({rows(), rows()}), labels())
                            .batch(2),
                        kSilent);
     },
     R"(ValueError: Sequential "sequential": expected one input, got 2
  hint: a layer of several inputs overrides call_all
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"scalar_as_input",
     [] { classifier().fit(Array::scalar(1.f), Array::scalar(1), kSilent); },
     R"(ShapeError: fit: expected x with a first axis of rows, got a scalar
  x: float32[]
  at: <line>)"},
    {"label_beyond_int32",
     [] {
       classifier().fit(rows(2), Array::from({int64_t{1} << 40, int64_t{0}}),
                        kSilent);
     },
     R"(ValueError: fit: expected y that fits int32, which devices use, got 1099511627776
  y: int64[2]
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"label_below_0",
     [] {
       classifier().fit(rows(2), Array::from({-1, 0}),
                        {.verbose = models::Verbose::silent, .shuffle = false});
     },
     R"(ValueError: SparseCategoricalCrossentropy: expected labels in 0 ... 2, one of 3 classes, got -1 at position (0,)
  labels: int32[2]
  hint: ignore_class = -1 leaves such labels out of the loss
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"one_hot_for_class_numbers",
     [] {
       classifier().fit(rows(2), Array::zeros({2, 3}), kSilent);
     },
     R"(ShapeError: sparse_categorical_crossentropy: expected y_true of shape (2,), one class number each, got (2, 3)
  y_true: float32[2, 3]
  y_pred: float32[2, 3]
  hint: for one-hot labels use CategoricalCrossentropy
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"class_numbers_for_one_hot",
     [] {
       classifier("categorical_crossentropy")
           .fit(rows(2), Array::from({1, 2}), kSilent);
     },
     R"(ShapeError: categorical_crossentropy: expected y_true and y_pred of one shape, with a last axis, got (2,) and (2, 3)
  y_true: float32[2]
  y_pred: float32[2, 3]
  hint: for class numbers use SparseCategoricalCrossentropy
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"label_out_of_range_in_evaluate",
     [] {
       classifier().evaluate(rows(4), Array::from({0, 1, 2, 3}),
                             {.verbose = Verbose::silent});
     },
     R"(ValueError: SparseCategoricalCrossentropy: expected labels in 0 ... 2, one of 3 classes, got 3 at position (3,)
  labels: int32[4]
  hint: class numbers start at 0: subtract 1 where yours start at 1, or give the last layer one unit more
  in: evaluate, step 1
  at: <line>)"},
    {"label_out_of_range_in_one_batch",
     [] {
       classifier().train_on_batch(rows(4), Array::from({0, 1, 2, 3}));
     },
     R"(ValueError: SparseCategoricalCrossentropy: expected labels in 0 ... 2, one of 3 classes, got 3 at position (3,)
  labels: int32[4]
  hint: class numbers start at 0: subtract 1 where yours start at 1, or give the last layer one unit more
  in: train_on_batch
  at: <line>)"},
    {"labels_of_other_rows_in_one_batch",
     [] { classifier().train_on_batch(rows(4), labels(3)); },
     R"(ShapeError: train_on_batch: expected as many rows in every part of a batch, got 4 in x and int32[3] in y
  x: float32[4, 4]
  at: <line>)"},
    {"empty_batch", [] { classifier().predict_on_batch(rows(0)); },
     R"(ValueError: predict_on_batch: expected batches of at least one row, got float32[0, 4] as x
  at: <line>)"},
    {"predict_without_end",
     [] {
       classifier().predict(batches().repeat(), {.verbose = Verbose::silent});
     },
     R"(ValueError: predict: expected steps, since the data set has no end, got none
  hint: give .steps = N, or leave out repeat()
  at: <line>)"},
    {"predict_no_batch",
     [] {
       classifier().predict(batches(),
                            {.verbose = Verbose::silent, .steps = 0});
     },
     R"(ValueError: predict: expected steps of at least 1, got 0
  at: <line>)"},
    {"predict_a_dict",
     [] {
       classifier().predict(
           Dataset::from_tensor_slices(
               data::Element::dict({{"x", rows()}, {"z", rows()}}))
               .batch(2),
           {.verbose = Verbose::silent});
     },
     R"(ValueError: Sequential "sequential": expected one input, got 2
  hint: a layer of several inputs overrides call_all
  in: predict, step 1
  at: <line>)"},
    {"predict_rows_without_batch",
     [] {
       classifier().predict(Dataset::from_tensor_slices(rows()),
                            {.verbose = Verbose::silent});
     },
     R"(ShapeError: Dense "classes": expected input rank >= 2, got rank 1
  input: float32[4]
  hint: add a batch axis, for example expand_dims(x, 0)
  in: predict, step 1
  at: <line>)"},
    {"predict_other_features",
     [] {
       classifier().predict(Array::zeros({2, 7}), {.verbose = Verbose::silent});
     },
     R"(ShapeError: Dense "classes": expected axis -1 of input shape to have value 4, got 7
  input: float32[2, 7]
  built for: (None, 4)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs
  in: predict, step 1
  at: <line>)"},
    {"evaluate_before_compile",
     [] {
       models::Sequential({layers::Dense(3)})
           .evaluate(rows(), labels(), {.verbose = Verbose::silent});
     },
     R"(ValueError: evaluate: model "sequential" is not compiled
  hint: call model.compile({.optimizer = ..., .loss = ...}) first
  at: <line>)"},
    {"evaluate_without_labels",
     [] { classifier().evaluate(rows(), {.verbose = Verbose::silent}); },
     R"(ValueError: evaluate: expected data with labels, since the model has a loss, got inputs alone
  hint: give pairs (x, y): Dataset::from_tensor_slices(x, y)
  in: evaluate, step 1
  at: <line>)"},
    {"fewer_steps_than_none",
     [] { classifier().compile({.loss = "mse", .steps_per_execution = -5}); },
     R"(ValueError: compile: expected steps_per_execution of at least 1, got -5)"},
    {"undefined_metric",
     [] {
       classifier().compile({.loss = "mse", .metrics = {metrics::Metric()}});
     },
     R"(ValueError: metric: expected a known metric, got none
  known: 'acc', 'Accuracy', 'accuracy', 'BinaryAccuracy', 'binary_accuracy', 'CategoricalAccuracy', 'categorical_accuracy', 'SparseCategoricalAccuracy', 'sparse_categorical_accuracy', 'TopKCategoricalAccuracy', 'top_k_categorical_accuracy', 'SparseTopKCategoricalAccuracy', 'sparse_top_k_categorical_accuracy', 'BinaryCrossentropy', 'binary_crossentropy', 'CategoricalCrossentropy', 'categorical_crossentropy', 'SparseCategoricalCrossentropy', 'sparse_categorical_crossentropy', 'MeanSquaredError', 'mean_squared_error', 'MeanAbsoluteError', 'mean_absolute_error', 'RootMeanSquaredError', 'root_mean_squared_error', 'Mean', 'mean', 'Sum', 'sum', 'bce', 'BCE', 'mse', 'MSE', 'mae' or 'MAE')"},
    {"metric_of_values",
     [] {
       const auto model = classifier();
       model.compile({.loss = "mse", .metrics = {"mean"}});
       model.fit(rows(), Array::zeros({8, 3}), kSilent);
     },
     R"(TypeError: Mean "mean": expected a metric of y_true and y_pred, got one of values
  hint: update it yourself, for example in train_step, or wrap a function of y_true and y_pred in MeanMetricWrapper)"},
    {"metric_object_of_values",
     [] {
       const auto model = classifier();
       model.compile({.loss = "mse", .metrics = {metrics::Mean("mine")}});
       model.fit(rows(), Array::zeros({8, 3}), kSilent);
     },
     R"(TypeError: Mean "mine": expected a metric of y_true and y_pred, got one of values
  hint: update it yourself, for example in train_step, or wrap a function of y_true and y_pred in MeanMetricWrapper)"},
    {"optimizer_of_two_models",
     [] {
       optimizers::SGD shared(0.1);
       models::Sequential first({layers::Dense(3, {.input_shape = {4}})});
       models::Sequential second({layers::Dense(3, {.input_shape = {4}})});
       first.compile({.optimizer = shared, .loss = "mse"});
       second.compile({.optimizer = shared, .loss = "mse"});
       first.fit(rows(), Array::zeros({8, 3}), kSilent);
       second.fit(rows(), Array::zeros({8, 3}), kSilent);
     },
     R"(ValueError: SGD "sgd": expected the variables it was built with, got another one, 'sequential_1/dense_1/kernel'
  variable: float32[4, 3]
  hint: make a new optimizer for another set of variables
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"loss_of_many_numbers",
     [] {
       const auto model = classifier();
       model.compile({.optimizer = "sgd",
                      .loss = losses::MeanSquaredError(
                          {.reduction = losses::Reduction::none})});
       model.fit(rows(), Array::zeros({8, 3}), kSilent);
     },
     R"(ValueError: compile: expected a loss that gives one number, got float32[8] from mean_squared_error
  hint: use a reduction other than none
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"layer_added_after_fit",
     [] {
       const auto model = classifier();
       model.fit(rows(), labels(), kSilent);
       model.add(layers::Dense(2, {.name = "more"}));
       model.fit(rows(), labels(), kSilent);
     },
     R"(ValueError: SGD "sgd": expected the variables it was built with, got another one, 'sequential/more/kernel'
  variable: float32[3, 2]
  hint: make a new optimizer for another set of variables
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"layer_that_does_not_fit",
     [] {
       const auto model = classifier();
       model.add(layers::Conv2D(2, 3, {.name = "c"}));
     },
     R"(ShapeError: Conv2D "c": expected input rank 4, got rank 2
  input: (None, 3)
  hint: images are (batch, height, width, channels); add an axis, for example expand_dims(x, -1))"},
    {"layer_twice",
     [] {
       models::Sequential model;
       layers::Dense dense(3, {.name = "d"});
       model.add(dense);
       model.add(dense);
     },
     R"(ValueError: Sequential.add: expected layers with different names, got "d" twice
  hint: give one of them another .name)"},
    {"model_in_itself",
     [] {
       models::Sequential model({layers::Dense(3)});
       model.add(model);
     },
     R"(ValueError: Sequential.add: model "sequential" can not be a layer of itself)"},
    {"pop_from_nothing",
     [] {
       models::Sequential model;
       model.pop();
     },
     R"(ValueError: Sequential.pop: expected a layer to take off, got an empty model)"},
    {"layer_shared_between_other_inputs",
     [] {
       layers::Dense dense(3, {.name = "d"});
       models::Sequential first({layers::Input({4}), dense});
       models::Sequential second({layers::Input({5}), dense});
     },
     R"(ShapeError: Dense "d": expected axis -1 of input shape to have value 4, got 5
  input: (None, 5)
  built for: (None, 4)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs)"},
    {"narrow_summary", [] { classifier().summary_text({.line_length = 3}); },
     R"(ValueError: summary: expected line_length of at least 20, got 3)"},
    {"undefined_model",
     [] {
       models::Model model;
       model.predict(rows());
     },
     R"(ValueError: Layer: expected a layer, got an empty handle (Layer())
  hint: assign one, such as layers::Dense(10)
  at: <line>)"},
    {"history_of_what_was_not_logged",
     [] {
       const auto history = classifier().fit(rows(), labels(), kSilent);
       history["val_loss"];
     },
     R"(NotFoundError: History: expected one of: loss, got "val_loss")"},
    {"logs_kept_for_later",
     [] {
       fit_rows({.batch_size = 2, .callbacks = {callbacks::make<KeepsLogs>()}});
     },
     R"(ValueError: logs: the values of a batch are gone when its hook has returned
  hint: look at them inside of the hook, and keep the numbers
  at: <line>)"},
    {"model_of_a_callback_outside_fit", [] { KeepsLogs().model(); },
     R"(ValueError: Callback.model: a callback has a model only while fit, evaluate or predict runs)"},
    {"features_that_change",
     [] {
       const auto data = Dataset::range(6).map([](int64_t n) {
         return std::pair(Array::zeros({2, n < 3 ? 4 : 5}),
                          Array::zeros({2}, DType::int32));
       });
       classifier().fit(data, kSilent);
     },
     R"(ShapeError: Dense "classes": expected axis -1 of input shape to have value 4, got 5
  input: float32[2, 5]
  built for: (None, 4)
  hint: a layer keeps the shape that it was first called with: make another layer for other inputs
  in: fit, epoch 1, step 4
  at: <line>)"},
    {"filtered_to_nothing",
     [] {
       classifier().fit(batches().filter([](Array, Array) { return false; }),
                        kSilent);
     },
     R"(ValueError: fit: expected at least one batch, got an empty data set
  data set: filter
  hint: with drop_remainder, a data set smaller than one batch is empty
  at: <line>)"},
    {"filtered_to_nothing_for_ever",
     [] {
       classifier().fit(
           batches().filter([](Array, Array) { return false; }).repeat(),
           {.verbose = Verbose::silent, .steps_per_epoch = 2});
     },
     R"(DataError: repeat: expected an element in each pass of a repetition without end, got a pass with none
  input: filter
  hint: check that the files or Arrays are not empty, that a filter keeps something, and that drop_remainder leaves a batch
  in: fit, epoch 1, step 1
  at: <line>)"},
};

INSTANTIATE_MISTAKES(Fit, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
