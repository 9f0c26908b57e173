// Everything of the room initializers.
//   #include "systolic/initializers/initializers.h"
#pragma once

#include "systolic/initializers/catalog.h"
#include "systolic/initializers/constant.h"
#include "systolic/initializers/initializer.h"
#include "systolic/initializers/random.h"
#include "systolic/initializers/variance_scaling.h"
