// All ops.
#pragma once

#include "systolic/graph/tape.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"
