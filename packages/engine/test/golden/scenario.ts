// A scenario: one small execution, played by the real engine, whose journal is kept.

import { stepId, type Definition, type ExecutionStatus, type StepDefinition } from "@segno/kernel";
import type { AgentFunction } from "../../src/agents/agent.ts";
import type { Script } from "../../src/testing/script.ts";
import type { GoldenFixture } from "./fixture.ts";

export type Agents = Readonly<Record<string, AgentFunction | Script>>;

export interface Scenario {
  /** Also the id of its execution and the name of its files. */
  readonly name: string;
  readonly about: string;
  /** The expected final status: a play that ends otherwise is not kept. */
  readonly ends: ExecutionStatus;
  readonly workflows: readonly Definition[];
  /** Created for every play, because scripts count their calls. */
  agents(): Agents;
  play(fixture: GoldenFixture, id: string): Promise<unknown>;
}

export interface StepOptions extends Partial<Omit<StepDefinition, "id" | "dependsOn">> {
  /** Steps that must succeed before it. */
  readonly after?: readonly string[];
  /** Steps that must end before it, with any status. */
  readonly settled?: readonly string[];
}

/** A step that runs the agent with its own id, unless it defines other work. */
export function step(id: string, { after = [], settled = [], ...more }: StepOptions = {}): StepDefinition {
  const dependsOn = [
    ...after.map((each) => ({ step: stepId(each), on: "succeeded" as const })),
    ...settled.map((each) => ({ step: stepId(each), on: "settled" as const })),
  ];
  return {
    id: stepId(id),
    action: { kind: "agent", agent: id },
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...more,
  };
}
