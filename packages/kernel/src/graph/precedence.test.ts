// Who stands before whom.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { build, graphs, type Node } from "../../test/properties/written-graphs.ts";
import { GraphBuilder, type GraphResult } from "./graph-builder.ts";
import { endedBefore, Precedence } from "./precedence.ts";
import { ancestorsOf, dependantsOf, primaryOf } from "./reachability.ts";

it("CONTRACT-11 is a matter of enabled steps in between; the disabled one itself may be the end", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const { graph } = build(nodes);
      const precedence = new Precedence(graph);
      nodes.forEach((node, reader) => {
        const before = naiveBefore(nodes, node);
        expect(endedBefore(graph, reader).map((step) => graph.ids[step])).toEqual(before);
        const said = nodes.filter((_, step) => precedence.isBefore(step, reader)).map(({ id }) => id);
        expect(said).toEqual(before);
        const all = naiveBefore(nodes, node, true);
        const enabled = all.filter((id) => nodes.find((each) => each.id === id)!.isEnabled);
        expect(ancestorsOf(graph, reader).map((step) => graph.ids[step])).toEqual(enabled);
      });
    }),
    { numRuns: 200 },
  );
});

it("STATE-3 dependants are the same edges seen from the other end", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const { graph } = build(nodes.map((node) => ({ ...node, isEnabled: true })));
      for (let step = 0; step < graph.size; step++)
        for (const ancestor of ancestorsOf(graph, step)) expect(dependantsOf(graph, ancestor)).toContain(step);
    }),
    { numRuns: 100 },
  );
});

it("STATE-8 a fallback is before whatever its primary is before, and never before its primary", () => {
  const builder = new GraphBuilder();
  builder.add("first");
  builder.precede("second", "fallback");
  builder.add("second");
  builder.precede("third", "fallback");
  builder.add("third");
  builder.add("after");
  builder.dependOn("first");
  const { graph, problems } = builder.build();
  expect(problems).toEqual([]);
  expect(primaryOf(graph, 2)).toBe(1);
  expect(primaryOf(graph, 0)).toBeUndefined();
  const precedence = new Precedence(graph);
  const before = (reader: number): number[] => [0, 1, 2, 3].filter((step) => precedence.isBefore(step, reader));
  expect([0, 1, 2, 3].map(before)).toEqual([[], [0], [0, 1], [0, 1, 2]]);
  expect([0, 1, 2, 3].map((reader) => endedBefore(graph, reader))).toEqual([[], [0], [0, 1], [0, 1, 2]]);
});

it("GRAPH-1 fallbacks that go round are a cycle, and asking who is before whom ends all the same", () => {
  const builder = new GraphBuilder();
  builder.add("a");
  builder.precede("b", "fallback");
  builder.add("b");
  builder.precede("a", "fallback");
  builder.add("reader");
  builder.dependOn("a");
  const result = builder.build();
  expect(cyclesOf(result)).toEqual(["a -> b -> a"]);
  expect(new Precedence(result.graph).isBefore(0, 2)).toBe(true);
});

/** By hand: beyond a disabled step, and beyond one that only has to be settled, nothing is sure to have ended. */
function naiveBefore(nodes: readonly Node[], reader: Node, throughSettled = false): string[] {
  const found = new Set<string>();
  const walked = new Set<Node>([reader]);
  for (const node of walked) {
    for (const [id] of node.dependsOn) {
      found.add(id);
      const next = nodes.find((each) => each.id === id)!;
      const isStrict = node.dependsOn.some(([other, kind]) => other === id && kind === "succeeded");
      if (next.isEnabled && (isStrict || throughSettled)) walked.add(next);
    }
  }
  return nodes.filter(({ id }) => found.has(id)).map(({ id }) => id);
}

function cyclesOf({ graph, problems }: GraphResult): string[] {
  return problems.flatMap((problem) =>
    problem.kind === "cycle" ? [problem.path.map((step) => graph.ids[step]).join(" -> ")] : [],
  );
}
