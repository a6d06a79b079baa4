// How a step moves when nothing goes wrong, and how its end reaches others (STATE-1, STATE-3, STATE-4; scenarios of 002).

import { scenario, type Scenario } from "./scenario.ts";

export const progress: readonly Scenario[] = [
  scenario(
    "STATE-2 (002 scenario 1) a step goes from waiting over ready and queued to running and succeeded",
    `
    given  a; s after a
    when   create          then  execution pending | a, s waiting | events execution.created
    when   begin           then  execution running | a queued | s waiting | s unmet 1
                           then  events execution.validating, execution.started | effects admit a
    when   granted a       then  a running | s waiting | events step.started | effects run a
    when   ended a ok "x"  then  a succeeded | s queued | s unmet 0
                           then  events step.completed | effects release a, admit s
    when   granted s       then  s running
    when   ended s ok "y"  then  s succeeded | s output "y" | execution completed
                           then  events step.completed, execution.completed
    `,
  ),
];
