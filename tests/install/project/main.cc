// Uses the installed library: prints the sum of two arrays.
#include <systolic/systolic.h>

int main() {
  using systolic::Array;
  const Array sum = Array::from({1, 2, 3}) + Array::from({10, 20, 30});
  std::cout << sum << "\n";
}
