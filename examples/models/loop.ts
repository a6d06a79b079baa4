// examples/models/loop.ts
import { workflow } from "segno";
import { openTestEngine } from "segno/testing";

type Reply = { tool: "search"; query: string } | { answer: string };

/** Stands for a language model that wants two searches before it answers. */
let calls = 0;
async function askModel(question: string, notes: readonly string[]): Promise<Reply> {
  calls += 1;
  const query = ["population", "area"][notes.length];
  return query === undefined ? { answer: `${question} ${notes.join("; ")}` } : { tool: "search", query };
}

let isDown = true;
const search = async (query: string): Promise<string> => {
  if (query === "area" && isDown) throw new Error("the search engine is down");
  return `the ${query} is known`;
};

const research = workflow<{ question: string }>("research")
  .step("answer", { retry: { attempts: 5, base: "1m" } }, async ({ input, run }) => {
    const notes: string[] = [];
    for (let turn = 1; turn <= 10; turn++) {
      const reply = await run("model", () => askModel(input.question, notes), { timeout: "2m" });
      if ("answer" in reply) return reply.answer;
      notes.push(await run("search", () => search(reply.query)));
    }
    throw new Error("no answer after ten turns");
  })
  .output(({ outputs }) => outputs.answer);

await using test = await openTestEngine({ workflows: [research] });
const { id } = await test.start(research, { question: "Norway?" });
await test.untilIdle();
console.log("calls of the model before the crash:", calls);

isDown = false;
await test.crash(); // the process dies, and another one continues
await test.advance("1m"); // the retry is due
console.log(await (await test.get(id)).result());
console.log("calls of the model in all:", calls);
