// The check of agents that are given to an engine.

import { SegnoError } from "@segno/kernel";
import { otherName, type GivenAgent } from "../agents/agent.ts";

export const AGENT_EXPECTED = "a function, an agent with `execute`, or the result of `agent(name, work)`";

export function checkAgentName(name: string, agent: GivenAgent): void {
  const own = otherName(agent, name);
  if (own === undefined) return;
  throw new SegnoError(
    "OPTION_INVALID",
    `the agent \`${own}\` is given under the name \`${name}\`; give it under its own name`,
  );
}
