// From a program and a slice's name to its plan.
//
//   Plan plan = make_plan({.text = text, .topology = "v3-8", .replicas = 8});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/plan/plan.h"

namespace systolic::internal::plan {

// What is planned, and what the program's text does not say.
struct Request {
  // StableHLO. Locations are loc("layer/op"("file.cc":58:3)); the name of a
  // loop ends in "[trips=50]" where its length is known.
  std::string text = {};
  std::string program = {};   // "fit step of resnet50", for people
  std::string where = {};     // the user's line
  std::string topology = {};  // "v3-8"
  // How many the program is written for; 0: all devices of the slice.
  int replicas = 0;
  int64_t batch_size = 0;  // of all replicas; 0: not known
  int steps_per_execution = 1;
  // The steps that the text computes: 1, or steps_per_execution where the
  // loop is in it.
  int64_t steps_in_program = 1;
  int64_t input_bytes = 0;      // of one step, all replicas together
  int64_t weight_bytes = 0;     // of one device
  int64_t optimizer_bytes = 0;  // of one device
  bool trains = false;
  std::string matmul_dtype = {};  // of the activations: "float32", "bfloat16"
  double learning_rate = 0;       // 0: not known
  // The input rate that was measured.
  std::optional<double> examples_per_second = {};
};

// Compiles a program for a slice and says what it costs there. What the
// compiler said is remembered by the text, the slice, the replicas and
// libtpu's file in planned/ of cache_folder(). A program that needs more
// memory than there is gives a plan that does not fit. `progress` is told what
// goes on, now and then, from another thread while it compiles.
// Throws ValueError for an unknown slice (it lists the known ones) or replicas
// that are more than the slice's devices, NotFoundError where libtpu is not
// installed, PlatformError with the compiler's reason for a program that it
// refuses otherwise.
systolic::plan::Plan make_plan(
    const Request& request,
    const std::function<void(std::string_view)>& progress = {});

}  // namespace systolic::internal::plan
