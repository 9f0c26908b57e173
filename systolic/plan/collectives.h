// How long collectives take on a slice's links between chips.
//
//   Links links = links_of(parse_tpu("v3-8"));
//   double seconds = collective_seconds(work, links);
#pragma once

#include <string>
#include <vector>

#include "systolic/plan/operations.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::plan {

// What carries data between the chips of a slice.
struct Links {
  std::vector<int> grid = {};  // chips along each axis, those of one left out
  std::vector<bool> closed = {};  // whether an axis is a ring
  int chips = 1;
  int devices = 1;
  double link_bytes_per_second = 0;  // of one link, one way
  std::string link_source = {};      // where that is from, for people

  // Bytes a second that a chip can send over all its links at once: two links
  // along a ring, one along a line or to the only neighbour.
  double chip_bytes_per_second() const;
  // "a 4 x 4 torus, 70 GB/s a link and way (...)".
  std::string to_string() const;
};

// The links of a slice. Where the speed of a link is not published it is
// derived from that of all links of a chip, or the generation before or after
// it is taken; `link_source` says so.
Links links_of(const platforms::TpuSlice& slice);

// Seconds of a collective, all its times together: what a chip has to send at
// least, over all its links at once, or the hops' latency where that is more.
// The devices of a chip share its links and put together their values before.
double collective_seconds(const CollectiveWork& work, const Links& links);

}  // namespace systolic::internal::plan
