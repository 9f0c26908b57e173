// class_weight: weights of classes as weights of rows. Inside of the room
// models.
#pragma once

#include <functional>
#include <string_view>

#include "systolic/models/feed.h"
#include "systolic/models/model_base.h"
#include "systolic/models/options.h"

namespace systolic::internal::models {

/// Gives each place of a batch's labels the weight of its class, times the
/// sample weight that it has; null where there are no weights. Labels are class
/// numbers, or one-hot along their last axis. Throws ValueError for a model of
/// several outputs.
std::function<void(HostBatch&)> class_weights(
    systolic::models::ModelBase& base,
    const systolic::models::ClassWeight& weights, std::string_view who);

}  // namespace systolic::internal::models
