// Everything of the room image: pictures on host Arrays.
//   #include "systolic/image/image.h"
#pragma once

#include "systolic/image/decode.h"
#include "systolic/image/encode.h"
