#!/usr/bin/env bash
# The custom training loop on real MNIST: prints the guide's lines, learns as
# far as Keras does, and goes on learning with the loop on the devices.
set -euo pipefail
out="$(mktemp)"
trap 'rm -f "$out"' EXIT
"${SYSTOLIC_BUILD_DIR:?}/bin/custom_training_loop" >"$out" 2>/dev/null
cat "$out"

number='[0-9.e-]*'
for epoch in 0 1 2 3 4; do
  grep -qx "Epoch: $epoch/5" "$out"
done
for steps in 300 600 900 1200 1500 1800; do
  line="Current step: $steps, training loss: $number, accuracy: $number%"
  if ! grep -qx "$line" "$out"; then
    echo "expected a line: $line" >&2
    exit 1
  fi
done

accuracy() { sed -n "s/^Current step: $1,.*accuracy: \(.*\)%/\1/p" "$out"; }
if ! awk -v five="$(accuracy 1500)" -v six="$(accuracy 1800)" \
  'BEGIN { exit !(five >= 98.4 && six >= five - 0.1 && six <= 100) }'; then
  echo "expected an accuracy of 98.4 % at step 1500, and more at 1800" >&2
  exit 1
fi
