// Everything a program needs: `#include <systolic/systolic.h>`.
#pragma once

#include <iostream>

#include "systolic/activations/activations.h"
#include "systolic/array/arrays.h"
#include "systolic/base/base.h"
#include "systolic/base/seed.h"
#include "systolic/constraints/constraints.h"
#include "systolic/data/dataset.h"
#include "systolic/datasets/mnist.h"
#include "systolic/distribute/distribute.h"
#include "systolic/graph/device.h"
#include "systolic/graph/function.h"
#include "systolic/graph/tape.h"
#include "systolic/image/image.h"
#include "systolic/initializers/initializers.h"
#include "systolic/io/io.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/mixed_precision.h"
#include "systolic/losses/losses.h"
#include "systolic/metrics/metrics.h"
#include "systolic/models/models.h"
#include "systolic/ops/debug.h"
#include "systolic/ops/ops.h"
#include "systolic/optimizers/optimizers.h"
#include "systolic/records/records.h"
#include "systolic/runtime/utilization.h"
