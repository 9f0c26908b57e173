// Everything of the room optimizers.
#pragma once

#include "systolic/optimizers/adam.h"
#include "systolic/optimizers/catalog.h"
#include "systolic/optimizers/optimizer.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/rmsprop.h"
#include "systolic/optimizers/sgd.h"
