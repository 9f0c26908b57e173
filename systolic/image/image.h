// Everything of the room image: pictures on host Arrays.
//   #include "systolic/image/image.h"
#pragma once

#include "systolic/image/colors.h"
#include "systolic/image/decode.h"
#include "systolic/image/encode.h"
#include "systolic/image/geometry.h"
#include "systolic/image/mixing.h"
#include "systolic/image/random.h"
#include "systolic/image/resize.h"
