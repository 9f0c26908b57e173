// Everything of the room distribute.
#pragma once

#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/distributed_values.h"
#include "systolic/distribute/one_device_strategy.h"
#include "systolic/distribute/per_replica.h"
#include "systolic/distribute/replica_context.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_cluster_resolver.h"
