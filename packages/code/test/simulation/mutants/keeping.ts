// Planted bugs that lose work, or the ownership of it (CODE-1, CODE-9).

import type { Mutant } from "@segno/engine/testing";

export const KEEPING: readonly Mutant[] = [
  {
    name: "branch deleted before landing",
    changes: [
      {
        file: "code/src/steps/merge-step.ts",
        from: `const result = await mergeWork(input, work, context, runtime);`,
        to: `await cleanUp(input, { ...work, hasLanded: true }, runtime.ports);
    const result = await mergeWork(input, work, context, runtime);`,
      },
      {
        file: "code/src/vcs/repository-branches.ts",
        from: `if (!hasLanded && !(await this.#hasNoWork(name, from, landedWith)))`,
        to: `if (!hasLanded && head === undefined)`,
      },
    ],
  },
  {
    name: "a branch is deleted although a person has moved it",
    changes: [
      {
        file: "code/src/steps/landed-work.ts",
        from: `if (head !== undefined && !heads.includes(head)) continue;`,
        to: `if (head !== undefined && heads.length === 0) continue;`,
      },
    ],
  },
  {
    name: "the work of an attempt that was lost is not kept",
    changes: [
      {
        file: "code/src/workspaces/memory-workspaces.ts",
        from: `if (head !== undefined && !this.repository.isAncestor(head, base)) this.#keep(workspaceId, head);`,
        to: `if (head === "") this.#keep(workspaceId, head);`,
      },
    ],
  },
  {
    name: "a claim asked after the session",
    changes: [
      {
        file: "code/src/steps/session-step.ts",
        from: `  if (!isFix && (await claim(input, runtime)) === "completed-elsewhere") return await landedElsewhere(input, runtime);
`,
        to: ``,
      },
      {
        file: "code/src/steps/session-step.ts",
        from: `  if (result.success) {
    for`,
        to: `  if (input.fix === undefined && (await claim(input, runtime)) === "completed-elsewhere")
    return await landedElsewhere(input, runtime);
  if (result.success) {
    for`,
      },
    ],
  },
  {
    name: "a process that goes on does not own the claims",
    changes: [
      {
        file: "code/src/steps/claim-step.ts",
        from: `settings.executorId ?? executorId`,
        to: `executorId`,
      },
    ],
  },
  {
    name: "a repair by a person is not collected",
    changes: [
      {
        file: "code/src/steps/merge-step.ts",
        from: `if (status.kind === "present" && status.branch === work.branch) {`,
        to: `if (status.kind === "present" && status.branch === "") {`,
      },
      {
        file: "code/src/steps/merge-step.ts",
        from: `return head === undefined || head === work.commit ? work`,
        to: `return head !== "" ? work`,
      },
    ],
  },
];
