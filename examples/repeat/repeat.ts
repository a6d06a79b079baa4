// examples/repeat/repeat.ts
// An agent loop: a model answers, a tool runs, and the next turn sees the result, until the model has its answer.

import { Engine, repeat, workflow } from "segno";

interface Turn {
  readonly notes: readonly string[];
  readonly answer: string | null;
}

const START: Turn = { notes: [], answer: null };

/** Stands for a language model: it asks for the weather of one city after the other. */
async function model(question: string, notes: readonly string[]): Promise<{ tool?: string; answer?: string }> {
  const cities = ["Oslo", "Rome"];
  const next = cities[notes.length];
  return next === undefined ? { answer: `${question} ${notes.join(", ")}` } : { tool: next };
}

const tools = { weather: async (city: string): Promise<string> => `sunny in ${city}` };

export const research = workflow<{ readonly question: string }>("research")
  .step(
    "turns",
    repeat(
      {
        first: START,
        until: ({ last }) => last.answer !== null,
        max: 20,
      },
      async ({ last, input, run }): Promise<Turn> => {
        const said = await run("model", () => model(input.question, last.notes));
        if (said.tool === undefined) return { ...last, answer: said.answer ?? "" };
        const found = await run("weather", () => tools.weather(said.tool!));
        return { ...last, notes: [...last.notes, found] };
      },
    ),
  )
  .output(({ outputs }) => outputs.turns.answer);

await using engine = await Engine.open({ store: "none" });
const execution = await engine.start(research, { question: "Where is it nice?" });
console.log(await execution.result());
