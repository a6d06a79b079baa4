// An agent loop with tools that may be killed at any moment. Run it from the root of the repository:
//
//   node examples/agent-loop/agent-loop.ts
//
// This line does the same, but the process kills itself with SIGKILL in the middle of the third turn. Run the first line afterwards: it
// goes on with the third turn, and no recorded call is made again.
//
//   node examples/agent-loop/agent-loop.ts --kill
//
// `npx segno show @last --db .segno/agent-loop.db` lists the turns, and `npx segno show @last turns/2 --db .segno/agent-loop.db` the
// recorded calls of the third turn. To start over: `npx segno rm @last --db .segno/agent-loop.db`.

import { setTimeout as sleep } from "node:timers/promises";
import { Engine, repeat, workflow } from "segno";

const isKilled = process.argv.includes("--kill");

type Message = { readonly role: "user" | "assistant" | "tool"; readonly text: string };

/** What the model says: it calls a tool, or it gives its answer. */
type Said =
  | { readonly kind: "call"; readonly tool: keyof typeof tools; readonly argument: string }
  | { readonly kind: "answer"; readonly text: string };

const tools = {
  search: async (words: string): Promise<string> => `two pages about ${words}`,
  read: async (page: string): Promise<string> => `${page} says that it rains a lot`,
};

/** Stands for a language model, which decides by the messages so far. Each call costs time and money. */
async function callModel(messages: readonly Message[]): Promise<Said> {
  const results = messages.filter(({ role }) => role === "tool").map(({ text }) => text);
  console.log(`model call ${results.length + 1}`);
  await sleep(100);
  const calls: readonly Said[] = [
    { kind: "call", tool: "search", argument: "Bergen" },
    { kind: "call", tool: "read", argument: "page 1" },
    { kind: "call", tool: "read", argument: "page 2" },
    { kind: "call", tool: "search", argument: "umbrellas" },
  ];
  return calls[results.length] ?? { kind: "answer", text: `Take an umbrella: ${results.join("; ")}.` };
}

interface Turn {
  readonly messages: readonly Message[];
  readonly answer: string | null;
}

const agentLoop = workflow<{ question: string }>("agent-loop")
  .step(
    "turns",
    repeat(
      {
        first: ({ input }): Turn => ({ messages: [{ role: "user", text: input.question }], answer: null }),
        until: ({ last }) => last.answer !== null,
        max: 20,
        retry: 5,
      },
      async ({ last, index, run }): Promise<Turn> => {
        // The answer of the model is in the journal when `run` returns. If the process dies afterwards, the turn starts again, and
        // `run` returns the recorded answer.
        const said = await run("model", () => callModel(last.messages));
        if (said.kind === "answer") return { ...last, answer: said.text };

        const found = await run(said.tool, async () => {
          console.log(`tool ${said.tool} ${said.argument}`);
          if (isKilled && index === 2) process.kill(process.pid, "SIGKILL");
          return tools[said.tool](said.argument);
        });
        const call: Message = { role: "assistant", text: `${said.tool} ${said.argument}` };
        return { messages: [...last.messages, call, { role: "tool", text: found }], answer: null };
      },
    ),
  )
  .output(({ outputs }) => outputs.turns.answer);

// An engine continues the unfinished executions of its workflows when it opens.
await using engine = await Engine.open({ file: ".segno/agent-loop.db", workflows: [agentLoop] });
const question = "What do I need in Bergen?";
const execution = await engine.get("bergen").catch(() => engine.start(agentLoop, { question }, { id: "bergen" }));
console.log(await execution.result());
