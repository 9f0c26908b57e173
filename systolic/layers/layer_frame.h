// LayerFrame: one layer that is being built or called on this thread. The
// frames of a thread say where in nested layers the code is.
#pragma once

#include <optional>
#include <string>

#include "systolic/base/error.h"
#include "systolic/graph/name_scope.h"
#include "systolic/layers/layer.h"

namespace systolic::internal {

class LayerFrame {
 public:
  enum class Kind : uint8_t { build, call };

  LayerFrame(const layers::LayerBase& layer, Kind kind,
             const SourceLocation& where, layers::CallContext context = {});
  ~LayerFrame();
  LayerFrame(const LayerFrame&) = delete;
  LayerFrame& operator=(const LayerFrame&) = delete;

  // The innermost frame of this thread; null outside all layers.
  static const LayerFrame* current();

  const layers::LayerBase& layer() const { return *layer_; }
  Kind kind() const { return kind_; }
  const SourceLocation& where() const { return where_; }
  layers::CallContext context() const { return context_; }
  const LayerFrame* outer() const { return outer_; }

 private:
  const layers::LayerBase* layer_;
  Kind kind_;
  SourceLocation where_;
  layers::CallContext context_;
  const LayerFrame* outer_;
  std::optional<graph::NameScope> scope_;
};

// Names of the layers around, `sequential/dense`; `skip` leaves that many
// outermost ones out. A build inside its own call counts once.
std::string frame_path(int skip = 0);

}  // namespace systolic::internal
