// Tested by: systolic/layers/layer_base_platform_test.cc
#include "systolic/layers/layer_frame.h"

#include <vector>

#include "systolic/layers/layer_base.h"

namespace systolic::internal {

namespace {

thread_local const LayerFrame* innermost = nullptr;

}  // namespace

LayerFrame::LayerFrame(const layers::LayerBase& layer, Kind kind,
                       const SourceLocation& where, layers::CallContext context)
    : layer_(&layer),
      kind_(kind),
      where_(where),
      context_(context),
      outer_(innermost) {
  innermost = this;
  // The outermost layer is the whole model.
  if (graph::NameScopes::are_noted()) scope_.emplace(frame_path(1), where);
}

LayerFrame::~LayerFrame() { innermost = outer_; }

const LayerFrame* LayerFrame::current() { return innermost; }

std::string frame_path(int skip) {
  std::vector<const layers::LayerBase*> layers;
  for (const LayerFrame* frame = innermost; frame != nullptr;
       frame = frame->outer()) {
    if (layers.empty() || layers.back() != &frame->layer()) {
      layers.push_back(&frame->layer());
    }
  }
  std::string path;
  for (auto it = layers.rbegin(); it != layers.rend(); ++it) {
    if (skip-- > 0) continue;
    if (!path.empty()) path += '/';
    path += (*it)->name();
  }
  return path;
}

}  // namespace systolic::internal
