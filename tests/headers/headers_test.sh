#!/usr/bin/env bash
# Each installed header compiles alone, and all of them with clang++, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
scripts/check-headers
