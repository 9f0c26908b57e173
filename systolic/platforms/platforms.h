// The room platforms: which plugins there are, where they are found, and what
// is special about each.
#pragma once

#include "systolic/platforms/capability.h"
#include "systolic/platforms/fingerprint.h"
#include "systolic/platforms/kernels.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/report.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/settings.h"
#include "systolic/platforms/table.h"
#include "systolic/platforms/tpu_topology.h"
#include "systolic/platforms/verdict.h"
