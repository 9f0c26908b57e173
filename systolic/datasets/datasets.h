// Everything of the room datasets: public data sets, ready to train on.
//   #include "systolic/datasets/datasets.h"
#pragma once

#include "systolic/datasets/idx.h"
#include "systolic/datasets/mnist.h"
