// Everything of the room layers.
//   #include "systolic/layers/layers.h"
#pragma once

#include "systolic/layers/activations/activation.h"
#include "systolic/layers/catalog.h"
#include "systolic/layers/convolutional/conv2d.h"
#include "systolic/layers/core/dense.h"
#include "systolic/layers/core/input_layer.h"
#include "systolic/layers/dtype_policy.h"
#include "systolic/layers/layer.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/layer_options.h"
#include "systolic/layers/options.h"
#include "systolic/layers/pooling/max_pooling2d.h"
#include "systolic/layers/regularization/dropout.h"
#include "systolic/layers/reshaping/flatten.h"
