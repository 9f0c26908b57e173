// Everything of the room datasets: public data sets, ready to train on.
//   #include "systolic/datasets/datasets.h"
#pragma once

#include "systolic/datasets/cifar.h"
#include "systolic/datasets/directories.h"
#include "systolic/datasets/drawn_flowers.h"
#include "systolic/datasets/fashion_mnist.h"
#include "systolic/datasets/flowers.h"
#include "systolic/datasets/idx.h"
#include "systolic/datasets/load.h"
#include "systolic/datasets/mnist.h"
