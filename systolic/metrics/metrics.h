// Everything of the room metrics.
#pragma once

#include "systolic/metrics/accuracy.h"
#include "systolic/metrics/catalog.h"
#include "systolic/metrics/metric.h"
#include "systolic/metrics/probabilistic.h"
#include "systolic/metrics/reduction.h"
#include "systolic/metrics/regression.h"
