// The room runtime: devices, values on them, transfers and launches.
#pragma once

#include "systolic/runtime/buffer.h"
#include "systolic/runtime/client.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/device.h"
#include "systolic/runtime/executable.h"
#include "systolic/runtime/memory.h"
#include "systolic/runtime/utilization.h"
