// An op must say its gradient, or why it has none.
// first: systolic/graph/op.h: static assertion failed: an op needs .vjp: a gradient rule, or not_differentiable\("why"\)
#include "systolic/graph/op.h"

namespace {

using namespace systolic::internal::graph;

constexpr Op<> kForgotten{
    .name = "forgotten",
    .infer = [](Infer& in, const NoOptions&) { return Specs(in[0]); },
    .lower = [](Lower& l, const NoOptions&) { return Values{l[0]}; },
#ifdef SYSTOLIC_FIXED
    .vjp = not_differentiable("it is only here to compile"),
#endif
};

}  // namespace

systolic::Tensor forgotten(const systolic::Tensor& x) {
  return record<kForgotten>({x.ref()}, NoOptions{},  // here
                            std::source_location::current());
}
