// Precedence: which steps have ended when another one starts.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { build, graphs, type Node } from "../../test/properties/written-graphs.ts";
import { GraphBuilder, type GraphResult } from "./graph-builder.ts";
import { endedBefore, missingBefore } from "./precedence.ts";
import type { Graph } from "./graph.ts";
import { findAncestors, findDependants, findPrimary } from "./reachability.ts";

it("CONTRACT-11 is a matter of enabled steps in between; the disabled one itself may be the end", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const { graph } = build(nodes);
      nodes.forEach((node, reader) => {
        const before = naiveBefore(nodes, node);
        expect(endedBefore(graph, reader).map((step) => graph.ids[step])).toEqual(before);
        const said = beforeAlone(graph, reader).map((step) => graph.ids[step]);
        expect(said).toEqual(before);
        const all = naiveBefore(nodes, node, true);
        const enabled = all.filter((id) => nodes.find((each) => each.id === id)!.isEnabled);
        expect(findAncestors(graph, reader).map((step) => graph.ids[step])).toEqual(enabled);
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
        for (const ancestor of findAncestors(graph, step)) expect(findDependants(graph, ancestor)).toContain(step);
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
  expect(findPrimary(graph, 2)).toBe(1);
  expect(findPrimary(graph, 0)).toBeUndefined();
  expect([0, 1, 2, 3].map((reader) => beforeAlone(graph, reader))).toEqual([[], [0], [0, 1], [0, 1, 2]]);
  expect([0, 1, 2, 3].map((reader) => endedBefore(graph, reader))).toEqual([[], [0], [0, 1], [0, 1, 2]]);
});

it("GRAPH-1 fallbacks in a circle are a cycle, and no step behind it is reported as missing", () => {
  const builder = new GraphBuilder();
  builder.add("a");
  builder.precede("b", "fallback");
  builder.add("b");
  builder.precede("a", "fallback");
  builder.add("reader");
  builder.dependOn("a");
  const result = builder.build();
  expect(listCycles(result)).toEqual(["a -> b -> a"]);
  expect(missingBefore(result.graph, [{ reader: 2, steps: [0, 1] }], 8)).toEqual([[]]);
});

it("CONTRACT-11 queries that are answered together get the same answers as each alone", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const { graph } = build(nodes);
      const all = nodes.map((_, step) => step);
      const questions = all.map((reader) => ({ reader, steps: all }));
      const alone = all.map((reader) =>
        all.filter((step) => step !== reader && !beforeAlone(graph, reader).includes(step)),
      );
      expect(missingBefore(graph, questions, nodes.length)).toEqual(alone);
    }),
    { numRuns: 100 },
  );
});

it("CONTRACT-11 a later step is one that the reader precedes, and of two steps without an order one is reported", () => {
  fc.assert(
    fc.property(graphs({ acyclic: true }), (nodes) => {
      const { graph } = build(nodes);
      const all = nodes.map((_, step) => step);
      const isBefore = (step: number, reader: number): boolean => beforeAlone(graph, reader).includes(step);
      const unordered = all.map((reader) =>
        all.filter((step) => step !== reader && !isBefore(step, reader) && !isBefore(reader, step)),
      );
      const ask = (only: "unordered" | "unordered-earlier"): readonly (readonly number[])[] =>
        missingBefore(
          graph,
          all.map((reader) => ({ reader, steps: all, only })),
          nodes.length,
        );
      expect(ask("unordered")).toEqual(unordered);
      const told = ask("unordered-earlier");
      const pairs = told.flatMap((steps, reader) => steps.map((step) => [step, reader].toSorted((a, b) => a - b)));
      const wanted = unordered.flatMap((steps, reader) =>
        steps.filter((step) => step < reader).map((step) => [step, reader]),
      );
      expect(pairs.toSorted(byPair)).toEqual(wanted.toSorted(byPair));
    }),
    { numRuns: 100 },
  );
});

function byPair([a, b]: readonly number[], [c, d]: readonly number[]): number {
  return a! - c! || b! - d!;
}

/** The steps that have ended when the reader starts, each queried separately. */
function beforeAlone(graph: Graph, reader: number): readonly number[] {
  const others = Array.from({ length: graph.size }, (_, step) => step).filter((step) => step !== reader);
  const answers = missingBefore(
    graph,
    others.map((step) => ({ reader, steps: [step] })),
    1,
  );
  return others.filter((_, index) => answers[index]!.length === 0);
}

/**
 * The reference implementation: beyond a disabled step, and beyond one that only has to be settled, no step is certain to have
 * ended.
 */
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

function listCycles({ graph, problems }: GraphResult): string[] {
  return problems.flatMap((problem) =>
    problem.kind === "cycle" ? [problem.path.map((step) => graph.ids[step]).join(" -> ")] : [],
  );
}
