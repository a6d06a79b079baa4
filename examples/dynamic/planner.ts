// The agent of tour.yaml: one step for each stop, each after the one before.

import { expand, type Expansion } from "segno";

export function plan(stops: readonly string[]): Expansion {
  return expand(
    stops.map((stop, index) => ({
      id: stop,
      run: 'echo "arrived in $STOP"',
      env: { STOP: stop },
      dependsOn: stops.slice(Math.max(0, index - 1), index),
    })),
  );
}
