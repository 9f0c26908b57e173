#include "systolic/graph/tensor.h"

#include <ostream>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/device.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/node.h"
#include "systolic/graph/planning.h"
#include "systolic/graph/variable.h"

namespace systolic {

using internal::Message;
using internal::graph::NodeKind;
using internal::graph::Ref;

namespace {

void retain(const Ref& ref) {
  if (ref.node) {
    ref.node->output(ref.output)
        .handles.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace

Tensor::Tensor(Ref ref) : ref_(std::move(ref)) { retain(ref_); }

Tensor::Tensor(const Tensor& other) : ref_(other.ref_) { retain(ref_); }

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) {
    retain(other.ref_);
    reset();
    ref_ = other.ref_;
  }
  return *this;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this != &other) {
    reset();
    ref_ = std::move(other.ref_);
  }
  return *this;
}

void Tensor::reset() {
  if (!ref_.node) return;
  // The last holder takes the node along, and its count of handles.
  if (ref_.node.use_count() > 1) {
    ref_.node->output(ref_.output)
        .handles.fetch_sub(1, std::memory_order_relaxed);
  }
  ref_.node.reset();
}

const TensorSpec& Tensor::spec() const {
  if (!is_defined()) {
    Message("Tensor")
        .expected("a Tensor that holds a value")
        .got("an undefined one (Tensor())")
        .raise<ValueError>();
  }
  return ref_.spec();
}

namespace {

[[noreturn]] void raise_unreadable(const TensorSpec& spec, bool in_loop,
                                   const SourceLocation& where) {
  const auto* step = internal::graph::step_around();
  Message message("Tensor.numpy");
  if (step != nullptr) {
    message
        .rule("a value can not be read inside ", step->step_name,
              ": code there runs when it is recorded, the value exists when it "
              "is launched")
        .hint(
            "use where to decide on values, or return the Tensor and read it "
            "after the step");
  } else if (in_loop) {
    message
        .rule(
            "the Tensor was made inside a loop body: it has another value "
            "each time round")
        .hint("return it from the loop, or assign it to a Variable");
  } else {
    message.rule("the Tensor is symbolic: it has a shape but no value")
        .hint("call the model with data to get values");
  }
  message.detail("tensor", spec).at(where).raise<ValueError>();
}

}  // namespace

Array Tensor::numpy(SourceLocation where) const {
  const TensorSpec& known = spec();
  const auto& node = *ref_.node;
  const bool is_pending = node.is_pending(ref_.output);
  const bool in_loop = node.region != 0 && is_pending;
  const bool is_of_step =
      (is_pending || node.kind == NodeKind::data) && node.in_step;
  if (node.kind == NodeKind::parameter || node.symbolic || in_loop ||
      (is_of_step && internal::graph::step_around())) {
    raise_unreadable(known, node.region != 0, where);
  }
  const auto storage = internal::graph::storage_of(ref_);
  if (storage->is_stand_in()) internal::graph::refuse_read(where);
  return storage->host();
}

std::string Tensor::device() const {
  spec();
  const auto& node = *ref_.node;
  // No launch: where it will be is known when it is recorded.
  const auto* placement = node.placement;
  if (!node.is_pending(ref_.output)) {
    const auto& storage = node.output(ref_.output).storage;
    if (storage != nullptr && storage->placement() != nullptr) {
      placement = storage->placement();
    }
  }
  if (placement == nullptr) placement = internal::graph::Placement::host();
  return internal::graph::device_name(placement->devices().front());
}

std::string Tensor::to_string(SourceLocation where) const {
  if (!is_defined()) return "Tensor()";
  const bool symbolic =
      ref_.node->symbolic || (ref_.node->kind == NodeKind::parameter &&
                              internal::graph::step_around() == nullptr);
  std::string text = "Tensor(";
  if (symbolic) {
    text += "symbolic";
  } else {
    text += "\n" + numpy(where).to_string();
  }
  text += ", shape=" + shape().to_string() +
          ", dtype=" + std::string(name(dtype())) + ")";
  return text;
}

std::ostream& operator<<(std::ostream& out, const PrintedTensor& printed) {
  return out << printed.tensor.to_string(printed.where);
}

Arg::Arg(const Tensor& tensor, SourceLocation where)
    : named_(&tensor), where_(where) {}

Arg::Arg(Tensor&& tensor, SourceLocation where)
    : tensor_(std::move(tensor)), where_(where) {}

Arg::Arg(const Variable& variable, SourceLocation where)
    : tensor_(variable.value(where)), where_(where) {}

namespace {

// Devices hold numbers; an unset Array holds nothing.
const Array& require_numbers(const Array& array, const SourceLocation& where) {
  if (!array.is_set()) {
    Message("constant")
        .expected("an Array with elements")
        .got("an unset one (Array())")
        .at(where)
        .raise<ValueError>();
  }
  if (array.dtype() == DType::string) {
    Message("constant")
        .expected("numbers or bool")
        .got("strings")
        .detail("value", array.spec())
        .hint("strings stay on the host: keep them in an Array")
        .at(where)
        .raise<TypeError>();
  }
  return array;
}

}  // namespace

Arg::Arg(const Array& array, SourceLocation where)
    : tensor_(Ref{
          internal::graph::make_data(std::make_shared<internal::graph::Storage>(
                                         require_numbers(array, where)),
                                     array.spec()),
          0}),
      where_(where) {}

DType Arg::dtype() const {
  return is_scalar_ ? default_dtype(kind_) : held().dtype();
}

Tensor Arg::tensor() const { return is_scalar_ ? tensor(dtype()) : held(); }

Tensor Arg::tensor(DType dtype) const {
  if (!is_scalar_) return held();
  if (imag_ != 0) {
    // Literals are real.
    return Arg(systolic::cast(Array::scalar(std::complex<double>(real_, imag_)),
                              dtype),
               where_)
        .tensor();
  }
  if (kind_ == WeakKind::floating || kind_ == WeakKind::complex) {
    return Tensor(Ref{internal::graph::make_literal(dtype, real_), 0});
  }
  return Tensor(Ref{internal::graph::make_literal(dtype, integer_), 0});
}

Tensor Arg::fitting_tensor(DType dtype) const {
  if (!is_scalar_ || kind_ != WeakKind::integer || !is_integer(dtype)) {
    return tensor(dtype);
  }
  const int unused = 64 - static_cast<int>(size_of(dtype)) * 8;
  const auto upper = static_cast<uint64_t>(integer_) << unused;
  const bool fits =
      is_signed(dtype)
          ? !is_large_ && static_cast<int64_t>(upper) >> unused == integer_
          : (is_large_ ? unused == 0
                       : integer_ >= 0 && upper >> unused ==
                                              static_cast<uint64_t>(integer_));
  if (!fits) {
    Message message("scalar");
    message.expected("a number in the range of ", name(dtype));
    if (is_large_) {
      message.got(static_cast<uint64_t>(integer_));
    } else {
      message.got(integer_);
    }
    message.hint("cast the Tensor to a wider dtype first")
        .at(where_)
        .raise<ValueError>();
  }
  return tensor(dtype);
}

}  // namespace systolic
