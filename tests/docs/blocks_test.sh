#!/usr/bin/env bash
# The code in the documentation equals the sources that it names.
set -euo pipefail
exec scripts/check-docs
