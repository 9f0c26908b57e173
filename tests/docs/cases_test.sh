#!/usr/bin/env bash
# Every public bug report of tests/cases.csv has its test, or says what is
# missing.
set -euo pipefail
exec scripts/check-cases
