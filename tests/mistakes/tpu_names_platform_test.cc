// Mistakes with names of TPUs and strategies.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using distribute::TPUClusterResolver;
using distribute::TPUStrategy;

const Mistake kMistakes[] = {
    {"no_generation", [] { TPUClusterResolver("virtual:"); },
     R"(ValueError: TPU name: expected <generation>-<number>, for example v3-8, got ''
  problem: there is no number behind a '-'
  generations: 'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e' or 'tpu7x')"},
    {"no_cores", [] { TPUClusterResolver("virtual:v3-0"); },
     R"(ValueError: TPU name: expected <generation>-<number>, for example v3-8, got 'v3-0'
  problem: '0' is no whole number of at least 1
  generations: 'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e' or 'tpu7x')"},
    {"cores_beyond_any_pod",
     [] { TPUClusterResolver("virtual:v3-99999999999999999999"); },
     R"(ValueError: TPU name: expected <generation>-<number>, for example v3-8, got 'v3-99999999999999999999'
  problem: '99999999999999999999' is no whole number of at least 1
  generations: 'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e' or 'tpu7x')"},
    {"another_case", [] { TPUClusterResolver("Virtual:V3-8"); },
     R"(ValueError: TPUClusterResolver: expected "", "local" or "virtual:v<generation>-<cores>", got "Virtual:V3-8"
  hint: for example "virtual:v3-8")"},
};

INSTANTIATE_MISTAKES(TpuNames, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
