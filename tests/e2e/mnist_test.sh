#!/usr/bin/env bash
# The main job on real input: the small model reaches Keras's accuracy on
# eight virtual cores, and a seed repeats itself to the last bit.
set -euo pipefail
mnist="${SYSTOLIC_BUILD_DIR:?}/bin/mnist"

# The last but one line: "loss 0.0440, ..., val_sparse_... 0.9870".
summary() { grep '^loss ' "$1" | tail -n 1; }

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

"$mnist" --model small --seed 1 >"$work/five" 2>"$work/log"
accuracy="$(summary "$work/five" |
  sed 's/.*val_sparse_categorical_accuracy \([0-9.]*\).*/\1/')"
echo "validation accuracy after five epochs: $accuracy"
if ! awk -v a="$accuracy" 'BEGIN { exit !(a >= 0.985 && a <= 1) }'; then
  echo "expected at least 0.985" >&2
  cat "$work/five" >&2
  exit 1
fi

for run in a b; do
  "$mnist" --model small --seed 7 --epochs 1 --steps-per-epoch 40 \
    >"$work/$run" 2>>"$work/log"
done
if [ "$(summary "$work/a")" != "$(summary "$work/b")" ]; then
  echo "the same seed gave two histories:" >&2
  summary "$work/a" >&2
  summary "$work/b" >&2
  exit 1
fi
echo "the same seed gave the same history: $(summary "$work/a")"

"$mnist" --model small --seed 7 --epochs 1 --steps-per-epoch 40 \
  --steps-per-execution 1 >"$work/one" 2>>"$work/log"
loss() { summary "$1" | sed 's/^loss \([0-9.e+-]*\),.*/\1/'; }
if ! awk -v a="$(loss "$work/a")" -v b="$(loss "$work/one")" \
  'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= 1e-4 * a) }'; then
  echo "50 steps a launch: $(summary "$work/a")" >&2
  echo " 1 step a launch:  $(summary "$work/one")" >&2
  exit 1
fi

if "$mnist" --model large >"$work/bad" 2>&1; then
  echo "an unknown model was accepted" >&2
  exit 1
fi
grep -q 'expected small or guide, got "large"' "$work/bad"
