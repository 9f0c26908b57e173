// Files, local and remote.
#pragma once

#include "systolic/io/credentials.h"
#include "systolic/io/error.h"
#include "systolic/io/file_system.h"
#include "systolic/io/storage_options.h"
