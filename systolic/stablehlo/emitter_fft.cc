// Tested by: systolic/ops/fft_platform_test.cc
// Fourier transforms. Complex values live only between these statements.
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {

std::pair<Value, Value> Emitter::fft(const Value& real, const Value& imag,
                                     bool inverse, int axes) {
  const TensorSpec& spec = real.spec;
  std::string complex_type = "tensor<";
  for (const int64_t size : spec.shape) {
    complex_type += std::to_string(size) + "x";
  }
  complex_type += "complex<" + std::string(element_type(spec.dtype)) + ">>";
  const std::string real_type = tensor_type(spec);
  const auto name = [](const Value& value) {
    std::string text = "%" + std::to_string(value.id);
    if (value.index >= 0) text += "#" + std::to_string(value.index);
    return text;
  };
  const auto write = [&](const std::string& text) {
    ++statements_;
    const int id = next_id_++;
    body_ += "%" + std::to_string(id) + " = " + text + "\n";
    return Value{id, -1, spec};
  };
  const Value both =
      write("\"stablehlo.complex\"(" + name(real) + ", " + name(imag) +
            ") : (" + real_type + ", " + real_type + ") -> " + complex_type);
  const auto lengths = spec.shape.dims().last(static_cast<size_t>(axes));
  const Value turned = write(
      "\"stablehlo.fft\"(" + name(both) + ") {fft_type = #stablehlo<fft_type " +
      (inverse ? "IFFT" : "FFT") + ">, fft_length = " + i64_array(lengths) +
      "} : (" + complex_type + ") -> " + complex_type);
  const std::string types = ") : (" + complex_type + ") -> " + real_type;
  const Value first = write("\"stablehlo.real\"(" + name(turned) + types);
  const Value second = write("\"stablehlo.imag\"(" + name(turned) + types);
  return {first, second};
}

}  // namespace systolic::internal::stablehlo
