// Everything of the room constraints.
//   #include "systolic/constraints/constraints.h"
#pragma once

#include "systolic/constraints/constraint.h"
