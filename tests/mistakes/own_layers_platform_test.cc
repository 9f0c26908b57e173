// Mistakes in layers of one's own, and with functions that take none.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using layers::CallContext;

struct Empty : layers::LayerBase {
  Tensor call(Tensor, CallContext) override { return Tensor(); }
};

struct TracksTwice : layers::LayerBase {
  TracksTwice() {
    track("block", layers::Dense(2));
    track("block", layers::Dense(2));
  }
  Tensor call(Tensor x, CallContext) override { return x; }
};

struct NamesTwice : layers::LayerBase {
  void build(const Shape&) override {
    add_weight({.name = "scale", .shape = {2}});
    add_weight({.name = "scale", .shape = {2}});
  }
  Tensor call(Tensor x, CallContext) override { return x; }
};

struct AddsLate : layers::LayerBase {
  Tensor call(Tensor x, CallContext) override {
    return x + add_weight({.name = "late", .shape = {2}});
  }
};

struct AddsRows : layers::LayerBase {
  Tensor call(Tensor x, CallContext) override {
    add_loss(x);
    return x;
  }
};

struct MakesState : layers::LayerBase {
  Tensor call(Tensor x, CallContext) override {
    Variable start(zeros({2}), {.name = "start"});
    return x + start;
  }
};

const Mistake kMistakes[] = {
    {"call_gives_nothing", [] { layers::make<Empty>()(zeros({2})); },
     R"(ValueError: Empty "empty": its call returned an undefined Tensor (Tensor())
  at: <line>)"},
    {"two_sub_layers_of_one_name", [] { layers::make<TracksTwice>(); },
     R"(ValueError: TracksTwice: expected sub-layers under different names, got "block" twice)"},
    {"two_weights_of_one_name", [] { layers::make<NamesTwice>()(zeros({2})); },
     R"(ValueError: NamesTwice "names_twice": expected weights with different names, got "scale" twice
  at: <line>)"},
    {"weight_made_in_a_call",
     [] {
       layers::make<AddsLate>()(zeros({1, 2}));
     },
     R"(ValueError: AddsLate "adds_late": weight "late" is added after the layer was built: each call would make another
  hint: make weights in the constructor or in build()
  at: <line>)"},
    {"loss_for_each_row", [] { layers::make<AddsRows>()(zeros({2})); },
     R"(ShapeError: AddsRows "adds_rows": expected a loss that is one number, got float32[2]
  hint: take its mean or sum first
  at: <line>)"},
    {"state_from_values_of_a_step",
     [] {
       models::Sequential model({layers::make<MakesState>(), layers::Dense(3)});
       model.compile({.optimizer = "sgd", .loss = "mse"});
       model.fit(Array::zeros({4, 2}), Array::zeros({4, 3}),
                 {.verbose = models::Verbose::silent});
     },
     R"(ValueError: Variable "start": its first value is computed inside compute_output_shape, but state is made before the step runs
  hint: make it before the step, or give a function that makes the first value from constants
  at: <line>
  in: fit, epoch 1, step 1
  at: <line>)"},
    {"variable_without_a_function",
     [] { Variable v{std::function<Tensor()>()}; },
     R"(ValueError: Variable "": expected a function, got an empty one (a null pointer or std::function()))"},
    {"undefined_variable",
     [] {
       Variable v;
       v.assign(1);
     },
     R"(ValueError: Variable: expected a Variable that holds state, got an undefined one (Variable())
  hint: build the layer first, or give it an input shape)"},
    {"gradient_with_respect_to_nothing",
     [] {
       Variable w(ones({2}), {.name = "w"});
       GradientTape tape;
       tape.gradient(sum(w), Variable());
     },
     R"(ValueError: Tensor: expected a Tensor that holds a value, got an undefined one (Tensor()))"},
    {"watch_nothing",
     [] {
       GradientTape tape;
       tape.watch(Tensor());
     },
     R"(ValueError: Tensor: expected a Tensor that holds a value, got an undefined one (Tensor()))"},
    {"watched_too_late",
     [] {
       Tensor x = constant({1.0});
       GradientTape tape;
       Tensor y = x * x;
       tape.watch(x);
       tape.gradient(y, x);
     },
     R"(ValueError: GradientTape.gradient: nothing that depends on the sources was computed while the tape was recording
  target: float32[1]
  source: Tensor float32[1]
  hint: compute the target after the tape was made; call watch() for a Tensor that is not a trainable Variable
  at: <line>)"},
    {"gradient_of_integers",
     [] {
       Tensor x = constant({1.0, 2.0});
       GradientTape tape;
       tape.watch(x);
       tape.gradient(cast(sum(x), DType::int32), x);
     },
     R"(TypeError: GradientTape.gradient: expected a floating-point or complex target, got int32[]
  at: <line>)"},
    {"unset_array", [] { constant(Array()); },
     R"(ValueError: constant: expected an Array with elements, got an unset one (Array()))"},
};

INSTANTIATE_MISTAKES(OwnLayers, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
