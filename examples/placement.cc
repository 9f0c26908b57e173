// Manual device placement: a scope says where operations run; operands are
// copied there by themselves. Outside of scopes the first TPU core is meant.
//
//   build/bin/placement
//
// Expected:
//   c device: /job:localhost/replica:0/task:0/device:TPU:0
//   Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32)
//   without a scope: /job:localhost/replica:0/task:0/device:TPU:0
//   d device: /job:localhost/replica:0/task:0/device:TPU:5
//   d / 2 on the host: /job:localhost/replica:0/task:0/device:CPU:0
//   [[22. 28.]
//    [49. 64.]]
//   device: expected the name of a device, got "/TPU:8"
//     device: /job:localhost/replica:0/task:0/device:CPU:0
#include <systolic/systolic.h>

#include <iostream>
#include <string>

using namespace systolic;

namespace {

// The first two lines of a text.
std::string head(const std::string& text) {
  return text.substr(0, text.find('\n', text.find('\n') + 1));
}

}  // namespace

int main() {
  distribute::TPUClusterResolver::connect("virtual:v3-8");

  // [placement]
  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  {
    const auto on_tpu = device("/TPU:0");
    const Tensor c = matmul(a, b);
    std::cout << "c device: " << c.device() << "\n" << c << "\n";
  }
  // [placement]
  std::cout << "without a scope: " << a.device() << "\n";

  // [copies]
  Tensor d;
  {
    const auto on_another = device("/job:localhost/task:0/device:TPU:5");
    d = matmul(a, b) * 2;
  }
  const auto on_host = device("/CPU:0");
  const Tensor half = d / 2;
  std::cout << "d device: " << d.device() << "\n"
            << "d / 2 on the host: " << half.device() << "\n"
            << half.numpy() << "\n";
  // [copies]

  try {
    const auto nowhere = device("/TPU:8");
  } catch (const ValueError& error) {
    std::cout << head(error.what()) << "\n";
  }
}
