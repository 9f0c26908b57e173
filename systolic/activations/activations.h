// Everything of the room activations.
//   #include "systolic/activations/activations.h"
#pragma once

#include "systolic/activations/activation.h"
#include "systolic/activations/catalog.h"
#include "systolic/activations/functions.h"
