// All ops.
#pragma once

#include "systolic/graph/tape.h"
#include "systolic/ops/arithmetic.h"
#include "systolic/ops/bitwise.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"
#include "systolic/ops/special.h"
#include "systolic/ops/trigonometry.h"
