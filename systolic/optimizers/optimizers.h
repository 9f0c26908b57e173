// Everything of the room optimizers.
#pragma once

#include "systolic/optimizers/adagrad.h"
#include "systolic/optimizers/adam.h"
#include "systolic/optimizers/adamax.h"
#include "systolic/optimizers/catalog.h"
#include "systolic/optimizers/ftrl.h"
#include "systolic/optimizers/loss_scale_optimizer.h"
#include "systolic/optimizers/optimizer.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/optimizers/rate.h"
#include "systolic/optimizers/rmsprop.h"
#include "systolic/optimizers/schedules/learning_rate_schedule.h"
#include "systolic/optimizers/sgd.h"
