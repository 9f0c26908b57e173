// Everything of the room models.
//   #include "systolic/models/models.h"
#pragma once

#include "systolic/models/arrays.h"
#include "systolic/models/callbacks/callback.h"
#include "systolic/models/callbacks/csv_logger.h"
#include "systolic/models/callbacks/early_stopping.h"
#include "systolic/models/callbacks/history.h"
#include "systolic/models/callbacks/lambda_callback.h"
#include "systolic/models/callbacks/learning_rate.h"
#include "systolic/models/callbacks/monitor.h"
#include "systolic/models/callbacks/progbar_logger.h"
#include "systolic/models/compile_options.h"
#include "systolic/models/model.h"
#include "systolic/models/model_base.h"
#include "systolic/models/options.h"
#include "systolic/models/sequential.h"
#include "systolic/models/tensors.h"
