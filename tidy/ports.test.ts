// Ports are small: an internal object gets at most seven collaborators, each through an interface of at most seven
// members. One file composes the engine, so no constructor has to.

import { describe, expect, it } from "vitest";

import { Ports, type Construction, type Port } from "./ports.ts";
import { foldersIn, isTest, packageSources } from "./repository.ts";

const MEMBERS_MAX = 7;
const CONSTRUCTOR_LINES_MAX = 30;

/** Larger interfaces that a constructor gets, each with the reason why it may be larger. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ["Attempt", "the record of one attempt: runners read what they need of it, and report its end to it"],
  ["ExecutionHandle", "the public API of an execution"],
  ["ExecutorOptions", "options that users write"],
  ["Failure", "the record of what went wrong: data and no collaborator"],
  ["ParallelEngineOptions", "options that users write"],
  ["PlanOptions", "options that users write"],
  ["State", "the state of an execution, which a view folds events into: data and no collaborator"],
  ["StepContext", "the record that a user's function gets"],
  ["SystemPorts", "the clocks and the chance of a process: one collaborator, which tests replace as a whole"],
  ["TestEngineOptions", "options that users write"],
]);

const found = foldersIn("packages").map((name) => {
  const ports = new Ports(`packages/${name}`);
  try {
    const files = packageSources().filter((file) => file.startsWith(`packages/${name}/`) && !isTest(file));
    return {
      ports: files.flatMap((file) => ports.ports(file)),
      built: files.flatMap((file) => ports.constructions(file)),
    };
  } finally {
    ports.close();
  }
});
const ports: readonly Port[] = found.flatMap((each) => each.ports);
const constructions: readonly Construction[] = found.flatMap((each) => each.built);
const large = ports.filter(({ members }) => members > MEMBERS_MAX);

describe("ports", () => {
  it("are found by their names and as parameters of constructors, with their inherited members", () => {
    const members = new Map(ports.map((port) => [port.name, port.members]));
    expect(members.get("TurnListener")).toBe(5);
    expect(members.get("ProcessRunnerOptions")).toBe(4);
    expect(members.get("EngineMemory")).toBeUndefined();
    expect(members.get("TestEngineOptions")).toBeGreaterThan(20);
  });

  it(`have at most ${MEMBERS_MAX} members`, () => {
    const unexpected = large.filter(({ name }) => !EXCEPTIONS.has(name));
    expect(unexpected.map(({ name, file, members }) => `${name} in ${file} has ${members}`)).toEqual([]);
  });

  it("have no exception that is not needed", () => {
    const names = new Set(large.map(({ name }) => name));
    expect([...EXCEPTIONS.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});

describe("constructors", () => {
  it(`have at most ${CONSTRUCTOR_LINES_MAX} lines`, () => {
    const long = constructions.filter(({ lines }) => lines > CONSTRUCTOR_LINES_MAX);
    expect(long.map(({ name, file, lines }) => `${name} in ${file} has ${lines}`)).toEqual([]);
  });
});
