// The room pjrt: the C API of XLA's plugins, one file per noun, and the typed
// view of a custom call. Nothing else sees the C structs.
#pragma once

#include "systolic/pjrt/buffer.h"
#include "systolic/pjrt/client.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/pjrt/device.h"
#include "systolic/pjrt/error.h"
#include "systolic/pjrt/event.h"
#include "systolic/pjrt/executable.h"
#include "systolic/pjrt/ffi.h"
#include "systolic/pjrt/handle.h"
#include "systolic/pjrt/memory.h"
#include "systolic/pjrt/named_value.h"
#include "systolic/pjrt/plugin.h"
#include "systolic/pjrt/topology.h"
