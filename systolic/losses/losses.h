// Everything of the room losses.
#pragma once

#include "systolic/losses/average_loss.h"
#include "systolic/losses/catalog.h"
#include "systolic/losses/crossentropy.h"
#include "systolic/losses/labels.h"
#include "systolic/losses/loss.h"
#include "systolic/losses/reduction.h"
#include "systolic/losses/regression.h"
