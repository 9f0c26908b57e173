// Everything of the room regularizers.
//   #include "systolic/regularizers/regularizers.h"
#pragma once

#include "systolic/regularizers/regularizer.h"
