// Workflows whose command is killed. Each has one landing or two, and few steps, because the campaign runs it for every moment.

import type { CodeFixture } from "../code-fixture.ts";

export interface LandingScenario {
  readonly policies: string;
  readonly tasks: readonly string[];
  /** The work of the agent; `$SEGNO_TASK_ID` is that of the task or of the fix. */
  readonly agent: string;
  /** The sessions of fixes that have to run: no more, and no fewer. */
  readonly fixes: readonly string[];
  /** Whether no fix has to run: after a kill, a task may begin when the other one has landed, and then they do not conflict. */
  readonly isFixOptional: boolean;
  /** Whether the work lands in the end; otherwise it waits for a person. */
  readonly lands: boolean;
  /** Whether a person has to approve the landing with `segno code land`. */
  readonly isApproved: boolean;
  /** Whether the user has the base branch checked out, without changes; otherwise another branch, with changes. */
  readonly isOnBase: boolean;
}

const FILES = 'echo "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"';
const ONE = {
  tasks: ["a"],
  agent: FILES,
  fixes: [],
  isFixOptional: false,
  lands: true,
  isApproved: false,
  isOnBase: false,
} as const;
const CHECK = 'checks: ["grep -q good state.txt"]';

export const SCENARIOS = {
  /** The user's folder moves with the landing. */
  landing: { ...ONE, policies: "step: auto, workflow: auto", isOnBase: true },
  /** `segno code land` lands the workflow. */
  notify: { ...ONE, policies: "step: pr_and_merge, workflow: pr_and_notify", isApproved: true },
  /** The first work fails the check, and a fix repairs it. */
  fix: {
    ...ONE,
    policies: `step: checks, workflow: auto, ${CHECK}`,
    agent: `case "$SEGNO_TASK_ID" in a) ${FILES}; echo bad > state.txt ;; *) echo good > state.txt ;; esac`,
    fixes: ["a.fix1"],
  },
  /** The fixes fail in new ways until the budget is used up. */
  budget: {
    ...ONE,
    policies: 'step: checks, workflow: auto, checks: ["cat state.txt; grep -q good state.txt"]',
    agent: 'echo "error $SEGNO_TASK_ID" | tr 0-9 a-j > state.txt',
    fixes: ["a.fix1", "a.fix2"],
    lands: false,
  },
  /** Two tasks change one line, and a fix resolves the conflict. */
  conflict: {
    ...ONE,
    tasks: ["a", "b"],
    policies: "step: auto, workflow: auto",
    agent: `case "$SEGNO_TASK_ID" in a|b) ${FILES}; echo "good $SEGNO_TASK_ID" > state.txt ;; *) echo good > state.txt ;; esac`,
    fixes: ["?.fix1"],
    isFixOptional: true,
  },
} as const satisfies Readonly<Record<string, LandingScenario>>;

export type ScenarioName = keyof typeof SCENARIOS;

/** Writes the template and the agent, and returns the file of the template. */
export function writeScenario(fixture: CodeFixture, { policies, tasks, agent }: LandingScenario): string {
  // A process that has left the group of the agent and ignores TERM has to end with the agent, too.
  const hidden = `setsid sh -c 'trap "" TERM; exec sleep 600' > /dev/null 2>&1 < /dev/null &`;
  const script = fixture.agent("agent.sh", `echo "$SEGNO_TASK_ID" >> ${fixture.root}/sessions\n${hidden}\n${agent}`);
  const lines = tasks.map((id) => `  - { id: ${id}, instructions: i }`);
  return fixture.write(
    "t.yaml",
    `name: killed\npolicies: { ${policies} }\nagent: worker\nagents: { worker: { command: ["${script}"] } }\ntasks:\n${lines.join("\n")}\n`,
  );
}
