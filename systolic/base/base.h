// Everything of the room base: errors, names, log, output, threads.
//   #include "systolic/base/base.h"
#pragma once

#include "systolic/base/auto_name.h"
#include "systolic/base/choice.h"
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/base/out.h"
#include "systolic/base/seed.h"
#include "systolic/base/suggest.h"
#include "systolic/base/thread_pool.h"
