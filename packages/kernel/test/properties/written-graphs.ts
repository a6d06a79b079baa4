// Graphs in the notation of tests, random graphs, and simple algorithms over them.

import * as fc from "fast-check";
import { GraphBuilder, type GraphResult } from "../../src/graph/graph-builder.ts";
import type { EdgeKind } from "../../src/graph/graph.ts";

export interface Node {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly dependsOn: readonly (readonly [id: string, kind: EdgeKind])[];
}

export function build(nodes: readonly Node[]): GraphResult {
  const builder = new GraphBuilder();
  for (const { id, isEnabled, dependsOn } of nodes) {
    builder.add(id, isEnabled);
    for (const [dependency, kind] of dependsOn) builder.dependOn(dependency, kind);
  }
  return builder.build();
}

/** `a`, `b -> a` and the like, in declaration order: `b: a c` waits for a and c; `!b` is disabled. */
export function makeGraph(...lines: readonly string[]): GraphResult {
  return build(
    lines.map((line) => {
      const [name = "", rest = ""] = line.split(":");
      const dependsOn = rest.split(" ").filter((id) => id !== "");
      return {
        id: name.replace("!", "").trim(),
        isEnabled: !name.startsWith("!"),
        dependsOn: dependsOn.map((id) => [id.replace("~", ""), id.startsWith("~") ? "settled" : "succeeded"] as const),
      };
    }),
  );
}

/** Nodes with dependencies among themselves; with `acyclic`, along a hidden order that is not the declared one. */
export function graphs(options: { readonly acyclic: boolean; readonly most?: number }): fc.Arbitrary<Node[]> {
  const { acyclic, most = 12 } = options;
  return fc.integer({ min: 0, max: most }).chain((size) =>
    fc
      .record({
        rank: fc.shuffledSubarray(
          Array.from({ length: size }, (_, index) => index),
          { minLength: size },
        ),
        edges: fc.array(
          fc.tuple(fc.nat(most), fc.nat(most), fc.constantFrom<EdgeKind>("succeeded", "succeeded", "settled")),
          {
            maxLength: size * 2,
          },
        ),
        enabled: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: size, maxLength: size }),
      })
      .map(({ rank, edges, enabled }) =>
        rank.map((own, index) => ({
          id: `n${index}`,
          isEnabled: enabled[index]! > 0,
          dependsOn: edges
            .filter(([from, to]) => to === index && from < size && (!acyclic || rank[from]! < own))
            .map(([from, , kind]) => [`n${from}`, kind] as const),
        })),
      ),
  );
}
