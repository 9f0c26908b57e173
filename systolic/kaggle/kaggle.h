// Notebooks of Kaggle: secrets, and where data sets are.
#pragma once

#include "systolic/kaggle/datasets.h"
#include "systolic/kaggle/secrets.h"
