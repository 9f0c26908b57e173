// Everything of the room data: elements, data sets, iterators.
//   #include "systolic/data/data.h"
#pragma once

#include "systolic/data/dataset.h"
#include "systolic/data/dataset_base.h"
#include "systolic/data/element.h"
#include "systolic/data/element_spec.h"
#include "systolic/data/iterator.h"
#include "systolic/data/iterator_state.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/random_seed.h"
#include "systolic/data/sparse_array.h"
