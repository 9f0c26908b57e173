// Tested by: systolic/kernels/convolution_test.cc
#include "systolic/kernels/onednn.h"

#include <optional>

#include "systolic/kernels/onednn_version.h"
#include "systolic/kernels/scratch.h"
#include "systolic/pjrt/ffi.h"

namespace systolic::internal::kernels {
namespace {

using dnnl::memory;

constexpr auto kFloat = memory::data_type::f32;

// Never destroyed: calls may still run while the process exits.
const dnnl::engine& engine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// oneDNN's own scratchpad is shared between concurrent calls, which makes them
// silently wrong; so every primitive takes ours.
dnnl::primitive_attr attributes(bool relu) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (relu) {
    dnnl::post_ops ops;
    append_relu(ops);
    attributes.set_post_ops(ops);
  }
  return attributes;
}

memory::desc activations(const std::array<int64_t, 4>& nhwc) {
  return {
      {nhwc[0], nhwc[3], nhwc[1], nhwc[2]}, kFloat, memory::format_tag::nhwc};
}

// The filter with oneDNN's dimensions, {groups, O, I, H, W} if there are
// groups, in a layout of oneDNN's choice.
memory::desc any_filter(const ConvolutionProblem& p) {
  const auto& f = p.filter;
  if (p.groups == 1) {
    return {{f[3], f[2], f[0], f[1]}, kFloat, memory::format_tag::any};
  }
  return {{p.groups, f[3] / p.groups, f[2], f[0], f[1]},
          kFloat,
          memory::format_tag::any};
}

// The same filter as the program stores it: HWIO, the groups side by side in O.
memory::desc program_filter(const ConvolutionProblem& p) {
  const auto& f = p.filter;
  const int64_t i = f[3];
  const int64_t w = i * f[2];
  const int64_t h = w * f[1];
  if (p.groups == 1) {
    return {{f[3], f[2], f[0], f[1]}, kFloat, memory::dims{1, i, h, w}};
  }
  const int64_t per_group = f[3] / p.groups;
  return {{p.groups, per_group, f[2], f[0], f[1]},
          kFloat,
          memory::dims{per_group, 1, i, h, w}};
}

memory::dims pair(const std::array<int64_t, 2>& values) {
  return {values[0], values[1]};
}

// The descriptors of a problem and, for each kind, the primitive's own one.
struct Descriptions {
  explicit Descriptions(const ConvolutionProblem& p)
      : source(activations(p.source)),
        filter(any_filter(p)),
        bias(p.bias ? memory::desc({p.filter[3]}, kFloat, memory::format_tag::a)
                    : memory::desc()),
        destination(activations(p.destination)),
        strides(pair(p.strides)),
        dilation{p.dilation[0] - 1, p.dilation[1] - 1},
        low(pair(p.padding_low)),
        high(pair(p.padding_high)) {}

  dnnl::convolution_forward::primitive_desc forward(
      dnnl::prop_kind kind, const dnnl::primitive_attr& attributes) const {
    return describe<dnnl::convolution_forward>(
        engine(), attributes, kind, algorithm, source, filter, bias,
        destination, strides, dilation, low, high);
  }

  dnnl::convolution_backward_data::primitive_desc input_gradient() const {
    auto attributes = kernels::attributes(false);
    return describe_gradient<dnnl::convolution_backward_data>(
        engine(), attributes,
        forward(dnnl::prop_kind::forward_training, attributes), algorithm,
        source, filter, destination, strides, dilation, low, high);
  }

  dnnl::convolution_backward_weights::primitive_desc filter_gradient() const {
    auto attributes = kernels::attributes(false);
    return describe_gradient<dnnl::convolution_backward_weights>(
        engine(), attributes,
        forward(dnnl::prop_kind::forward_training, attributes), algorithm,
        source, filter, destination, strides, dilation, low, high);
  }

  dnnl::algorithm algorithm = dnnl::algorithm::convolution_direct;
  memory::desc source;
  memory::desc filter;
  memory::desc bias;
  memory::desc destination;
  memory::dims strides;
  memory::dims dilation;
  memory::dims low;
  memory::dims high;
};

// Moves a filter between the program's layout and the primitive's.
struct FilterReorder {
  FilterReorder(const memory::desc& from, const memory::desc& to)
      : FilterReorder(dnnl::reorder::primitive_desc(engine(), from, engine(),
                                                    to, attributes(false))) {}

  explicit FilterReorder(const dnnl::reorder::primitive_desc& description)
      : primitive(description), scratchpad(description.scratchpad_desc()) {}

  dnnl::reorder primitive;
  memory::desc scratchpad;
};

memory scratchpad_memory(const memory::desc& description) {
  return {description, engine(),
          scratch(ScratchSlot::primitive, description.get_size())};
}

class OneDnnConvolution : public Convolution {
 public:
  explicit OneDnnConvolution(const ConvolutionProblem& problem)
      : kind_(problem.kind),
        bias_(problem.bias),
        program_filter_(program_filter(problem)) {
    Descriptions d(problem);
    source_ = d.source;
    bias_description_ = d.bias;
    destination_ = d.destination;
    switch (kind_) {
      case ConvolutionKind::forward: {
        auto chosen = d.forward(dnnl::prop_kind::forward_inference,
                                attributes(problem.relu));
        take(chosen, chosen.weights_desc());
        primitive_ = dnnl::convolution_forward(chosen);
        break;
      }
      case ConvolutionKind::input_gradient: {
        auto chosen = d.input_gradient();
        take(chosen, chosen.weights_desc());
        primitive_ = dnnl::convolution_backward_data(chosen);
        break;
      }
      case ConvolutionKind::filter_gradient: {
        auto chosen = d.filter_gradient();
        take(chosen, chosen.diff_weights_desc());
        primitive_ = dnnl::convolution_backward_weights(chosen);
        break;
      }
    }
    if (filter_ == program_filter_) return;
    if (kind_ == ConvolutionKind::filter_gradient) {
      reorder_.emplace(filter_, program_filter_);
    } else {
      reorder_.emplace(program_filter_, filter_);
    }
  }

  size_t packed_bytes() const override {
    return reorder_ ? filter_.get_size() : 0;
  }

  bool packs_like(const Convolution& other) const override {
    return filter_ == static_cast<const OneDnnConvolution&>(other).filter_;
  }

  void pack(const void* filter, void* packed) const override {
    move_filter(program_filter_, filter, filter_, packed);
  }

  void unpack(const void* packed, void* filter) const override {
    move_filter(filter_, packed, program_filter_, filter);
  }

  void run(void* source, void* packed, void* bias,
           void* destination) const override {
    const bool gradient = kind_ == ConvolutionKind::filter_gradient;
    dnnl::stream stream(engine());
    std::unordered_map<int, memory> arguments = {
        {argument(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC,
                  kind_ == ConvolutionKind::input_gradient),
         memory(source_, engine(), source)},
        {argument(DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, gradient),
         memory(filter_, engine(), packed)},
        {argument(DNNL_ARG_DST, DNNL_ARG_DIFF_DST,
                  kind_ != ConvolutionKind::forward),
         memory(destination_, engine(), destination)},
        {DNNL_ARG_SCRATCHPAD, scratchpad_memory(scratchpad_)}};
    if (bias_) {
      arguments.emplace(DNNL_ARG_BIAS,
                        memory(bias_description_, engine(), bias));
    }
    primitive_.execute(stream, arguments);
    stream.wait();
  }

 private:
  static int argument(int value, int gradient, bool is_gradient) {
    return is_gradient ? gradient : value;
  }

  template <class Chosen>
  void take(const Chosen& chosen, const memory::desc& filter) {
    filter_ = filter;
    scratchpad_ = chosen.scratchpad_desc();
  }

  void move_filter(const memory::desc& from, const void* source,
                   const memory::desc& to, void* destination) const {
    dnnl::stream stream(engine());
    reorder_->primitive.execute(
        stream,
        {{DNNL_ARG_FROM, memory(from, engine(), const_cast<void*>(source))},
         {DNNL_ARG_TO, memory(to, engine(), destination)},
         {DNNL_ARG_SCRATCHPAD, scratchpad_memory(reorder_->scratchpad)}});
    stream.wait();
  }

  ConvolutionKind kind_;
  bool bias_;
  memory::desc program_filter_;
  memory::desc source_;
  memory::desc filter_;
  memory::desc bias_description_;
  memory::desc destination_;
  memory::desc scratchpad_;
  dnnl::primitive primitive_;
  std::optional<FilterReorder> reorder_;
};

// What a pooling is to oneDNN, whose windows may be dilated: 0 is dense.
struct PoolingDescriptions {
  explicit PoolingDescriptions(const Pooling& p)
      : source(activations(p.source)),
        destination(activations(p.destination)),
        strides(pair(p.strides)),
        window(pair(p.window)),
        low(pair(p.low)),
        high(pair(p.high)) {}

  PoolingForward::primitive_desc forward(dnnl::prop_kind kind) const {
    return describe<PoolingForward>(engine(), attributes(false), kind,
                                    algorithm, source, destination, strides,
                                    window, dilation, low, high);
  }

  PoolingBackward::primitive_desc gradient() const {
    return describe_gradient<PoolingBackward>(
        engine(), attributes(false), forward(dnnl::prop_kind::forward_training),
        algorithm, source, destination, strides, window, dilation, low, high);
  }

  dnnl::algorithm algorithm = dnnl::algorithm::pooling_avg_exclude_padding;
  memory::desc source;
  memory::desc destination;
  memory::dims strides;
  memory::dims window;
  memory::dims dilation{0, 0};
  memory::dims low;
  memory::dims high;
};

class OneDnnAveragePooling : public AveragePooling {
 public:
  OneDnnAveragePooling(const Pooling& pooling, bool gradient) {
    const PoolingDescriptions d(pooling);
    if (gradient) {
      const auto chosen = d.gradient();
      from_ = {DNNL_ARG_DIFF_DST, d.destination};
      to_ = {DNNL_ARG_DIFF_SRC, d.source};
      scratchpad_ = chosen.scratchpad_desc();
      primitive_ = PoolingBackward(chosen);
    } else {
      const auto chosen = d.forward(dnnl::prop_kind::forward_inference);
      from_ = {DNNL_ARG_SRC, d.source};
      to_ = {DNNL_ARG_DST, d.destination};
      scratchpad_ = chosen.scratchpad_desc();
      primitive_ = PoolingForward(chosen);
    }
  }

  void run(const float* from, float* to) const override {
    dnnl::stream stream(engine());
    primitive_.execute(stream,
                       {{from_.argument, memory(from_.description, engine(),
                                                const_cast<float*>(from))},
                        {to_.argument, memory(to_.description, engine(), to)},
                        {DNNL_ARG_SCRATCHPAD, scratchpad_memory(scratchpad_)}});
    stream.wait();
  }

 private:
  struct Images {
    int argument = 0;
    memory::desc description;
  };

  Images from_;
  Images to_;
  memory::desc scratchpad_;
  dnnl::primitive primitive_;
};

template <size_t N>
std::string list(const std::array<int64_t, N>& values) {
  std::string text;
  for (size_t i = 0; i < N; ++i) {
    text += (i == 0 ? "[" : ", ") + std::to_string(values[i]);
  }
  return text + "]";
}

template <size_t N>
void append(std::vector<int64_t>& key, const std::array<int64_t, N>& values) {
  key.insert(key.end(), values.begin(), values.end());
}

}  // namespace

std::vector<int64_t> ConvolutionProblem::key() const {
  std::vector<int64_t> key;
  key.reserve(26);
  key.push_back(static_cast<int64_t>(kind));
  append(key, source);
  append(key, filter);
  append(key, destination);
  append(key, strides);
  append(key, padding_low);
  append(key, padding_high);
  append(key, dilation);
  append(key, std::array<int64_t, 4>{groups, bias, relu, threads});
  return key;
}

std::string ConvolutionProblem::to_string() const {
  return "input " + list(source) + ", filter " + list(filter) + ", output " +
         list(destination) + ", strides " + list(strides) + ", padding_low " +
         list(padding_low) + ", padding_high " + list(padding_high) +
         ", dilation " + list(dilation) + ", groups " + std::to_string(groups);
}

std::shared_ptr<const Convolution> make_convolution(
    const ConvolutionProblem& problem) {
  try {
    return std::make_shared<OneDnnConvolution>(problem);
  } catch (const dnnl::error& error) {
    throw pjrt::FfiError(pjrt::ffi_abi::ErrorCode::invalid_argument,
                         "oneDNN does not take this convolution (" +
                             std::string(error.what()) + ")\n  " +
                             problem.to_string());
  }
}

std::shared_ptr<const AveragePooling> make_average_pooling(
    const Pooling& pooling, bool gradient) {
  try {
    return std::make_shared<OneDnnAveragePooling>(pooling, gradient);
  } catch (const dnnl::error& error) {
    throw pjrt::FfiError(
        pjrt::ffi_abi::ErrorCode::invalid_argument,
        "oneDNN does not take this pooling (" + std::string(error.what()) +
            ")\n  input " + list(pooling.source) + ", output " +
            list(pooling.destination) + ", window " + list(pooling.window) +
            ", strides " + list(pooling.strides) + ", padding_low " +
            list(pooling.low) + ", padding_high " + list(pooling.high));
  }
}

}  // namespace systolic::internal::kernels
