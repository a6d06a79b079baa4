// Load contracts of 1,000 to 20,000 steps, in every shape that some check looks at.
//
// Baseline: the same shape with 1,000 steps. A check that looks at pairs of steps costs 20 times as much a step here.

import { ContractError, loadContract } from "@segno/contract";
import { figure, median, ms, type Figure } from "./figure.ts";

const FEW = 1000;
const MANY = 20_000;
const LIMIT = 1.5;

interface Shape {
  readonly text: (steps: number) => string;
  /** The code of the first problem, for contracts that are refused. */
  readonly refused?: string;
}

type Line = (index: number) => string;

const id = (index: number): string => index.toString(36);
const lines = (count: number, line: Line): string => Array.from({ length: count }, (_, index) => line(index)).join(",");
const contract = (...parts: readonly string[]): string => `name: w\nsteps: [${parts.join(",")}]`;
const list = (count: number, prefix: string): string =>
  `[${Array.from({ length: count }, (_, index) => prefix + id(index)).join(",")}]`;
const half = (steps: number): number => Math.floor(steps / 2);

const WRITER: Line = (index) => `{id: w${id(index)},run: a,output: {to: variables.x,merge: append}}`;

const SHAPES: Readonly<Record<string, Shape>> = {
  chain: {
    text: (steps) =>
      contract(
        "{id: s0,run: a}",
        lines(steps - 1, (at) => `{id: s${id(at + 1)},run: a,dependsOn: [s${id(at)}]}`),
      ),
  },
  "chain whose steps read the first one": {
    text: (steps) =>
      contract(
        "{id: s0,run: a}",
        lines(steps - 1, (at) => `{id: s${id(at + 1)},run: a,dependsOn: [s${id(at)}],when: steps.s0}`),
      ),
  },
  fan: {
    text: (steps) =>
      contract(
        "{id: first,run: a}",
        lines(steps - 2, (at) => `{id: s${id(at)},run: a,dependsOn: [first]}`),
        `{id: last,run: a,dependsOn: ${list(steps - 2, "s")}}`,
      ),
  },
  layers: {
    text: (steps) =>
      contract(
        lines(steps, (at) => {
          const above = at - 100;
          const needs = above < 1 ? "" : `,dependsOn: [s${id(above)},s${id(above - 1)}]`;
          return `{id: s${id(at)},run: a${needs}}`;
        }),
      ),
  },
  "writers, a barrier and readers": {
    text: (steps) =>
      contract(
        lines(half(steps), WRITER),
        `{id: b,barrier: true,dependsOn: ${list(half(steps), "w")}}`,
        lines(half(steps), (at) => `{id: r${id(at)},run: a,dependsOn: [b],when: variables.x}`),
      ),
  },
  "writers and readers without an order": {
    text: (steps) =>
      contract(
        lines(half(steps), WRITER),
        lines(half(steps), (at) => `{id: r${id(at)},run: a,when: variables.x}`),
      ),
    refused: "READ_TOO_EARLY",
  },
  "unknown dependencies": {
    text: (steps) => contract(lines(steps, (at) => `{id: s-${id(at)},run: a,dependsOn: [s_${id(at)}]}`)),
    refused: "UNKNOWN_DEPENDENCY",
  },
  "unknown reads": {
    text: (steps) => contract(lines(steps, (at) => `{id: s-${id(at)},run: a,when: steps.x${id(at)}}`)),
    refused: "UNKNOWN_STEP",
  },
  "one cycle": {
    text: (steps) => contract(lines(steps, (at) => `{id: s${id(at)},run: a,dependsOn: [s${id((at + 1) % steps)}]}`)),
    refused: "DEPENDENCY_CYCLE",
  },
  maps: {
    text: (steps) =>
      contract(lines(half(steps), (at) => `{id: m${id(at)},map: {over: input,steps: [{id: i,run: a,when: item}]}}`)),
  },
  "a map of many steps": {
    text: (steps) =>
      contract(
        "{id: w,run: a,output: {to: variables.x}}",
        `{id: m,dependsOn: [w],map: {over: input,steps: [${lines(steps, (at) => `{id: s${id(at)},run: a,when: variables.x}`)}]}}`,
      ),
  },
  fallbacks: {
    text: (steps) =>
      contract(lines(steps, (at) => `{id: s${id(at)},run: a${at < steps - 1 ? `,fallback: s${id(at + 1)}` : ""}}`)),
  },
  "schemas, one a step": {
    text: (steps) => contract(lines(steps, (at) => `{id: s${id(at)},run: a,inputSchema: {maxItems: ${at}}}`)),
  },
  "references in one schema": {
    text: (steps) =>
      `name: w\ninput:\n  $defs: {${lines(steps, (at) => `d${id(at)}: {$ref: "#/$defs/d${id(at + 1)}"}`)},d${id(steps)}: {}}\nsteps: []`,
  },
  "references in expressions": {
    text: (steps) =>
      contract(
        lines(
          Math.floor(steps / 100),
          (at) =>
            `{id: s${id(at)},run: a,when: "${Array.from({ length: 100 }, (_, field) => `input.f${id(at)}x${id(field)}`).join("||")}"}`,
        ),
      ),
  },
};

export async function benchLoad(): Promise<readonly Figure[]> {
  await Promise.resolve();
  return Object.entries(SHAPES).map(([name, shape]) => growth(name, shape));
}

/** Small and large ones by turns, so that whatever else the machine does meets both. */
function growth(name: string, { text, refused }: Shape): Figure {
  const [few, many] = [text(FEW), text(MANY)];
  const [fewTimes, manyTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) timed(few, refused);
  for (let round = 0; round < 3; round++) {
    for (let again = 0; again < 3; again++) fewTimes.push(timed(few, refused));
    manyTimes.push(timed(many, refused));
  }
  const [fewMs, manyMs] = [median(fewTimes), median(manyTimes)];
  return figure(
    `load: ${name}, a step of 20,000 against one of 1,000`,
    manyMs / MANY / (fewMs / FEW),
    LIMIT,
    `${ms(fewMs)} to ${ms(manyMs)}`,
  );
}

/** Processor time: loading waits for nothing, so what else the machine does need not count. */
function timed(text: string, refused: string | undefined): number {
  const start = process.threadCpuUsage();
  const found = outcome(text);
  const { user, system } = process.threadCpuUsage(start);
  if (found !== refused) throw new Error(`expected ${refused ?? "a contract that loads"}, found ${String(found)}`);
  return (user + system) / 1000;
}

function outcome(text: string): string | undefined {
  try {
    loadContract(text);
    return undefined;
  } catch (error) {
    if (error instanceof ContractError) return error.problems[0]!.code;
    throw error;
  }
}
