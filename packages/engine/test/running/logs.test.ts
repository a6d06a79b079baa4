// Step logs: while they are written, afterwards, and when they are too long.

import { describe, expect, it } from "vitest";
import type { StoredLine } from "../../src/index.ts";
import { contract, ending, useFixture } from "./fixture.ts";

const fixture = useFixture();
const LINE_BYTES_MAX = 16 * 1024;

async function all(lines: AsyncIterable<StoredLine>): Promise<readonly StoredLine[]> {
  const found: StoredLine[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

describe("logs of steps", () => {
  it("EVENT-5 contain the output of commands, functions and threads, by step, attempt and stream, in order", async () => {
    fixture.current.write(
      "thread.mjs",
      "export default (_, { log }) => { log.warn({ n: 1 }, 'from a thread'); console.log('printed'); };\n",
    );
    const engine = await fixture.current.open({
      agents: { tell: (_, { log }) => log.child({ part: "x" }).info("from a function") },
    });
    const handle = await engine.start(
      contract(`
name: told
agents: { threaded: { module: ./thread.mjs, thread: true } }
steps:
  - { id: command, run: 'printf "one\\ntwo\\r\\nno end"; [ "$SEGNO_ATTEMPT" = 2 ] || { echo bad >&2; exit 75; }', retry: { attempts: 2, base: 1ms } }
  - { id: function, agent: tell, dependsOn: [command] }
  - { id: thread, agent: threaded, dependsOn: [function] }
`),
    );
    await handle.result();
    const lines = (await all(engine.logs(handle.id))).map(
      ({ step, attempt, stream, text }) => `${step} ${attempt} ${stream}: ${text}`,
    );
    expect(lines.filter((line) => line.startsWith("command"))).toEqual(
      expect.arrayContaining([
        "command 1 stdout: one",
        "command 1 stdout: two",
        "command 1 stdout: no end",
        "command 1 stderr: bad",
        "command 2 stdout: no end",
      ]),
    );
    expect(lines.filter((line) => !line.startsWith("command"))).toEqual([
      'function 1 log: from a function {"part":"x"}',
      'thread 1 log: warn: from a thread {"n":1}',
      "thread 1 stdout: printed",
    ]);
    const seqs = (await all(engine.logs(handle.id))).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(await all(engine.logs(handle.id, { step: "function" }))).toHaveLength(1);
  });
});

describe("logs that are followed", () => {
  it("EVENT-5 arrive in this engine and another one, each line once, until the execution ends", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(
      contract(
        "name: slow\nsteps:\n  - { id: a, run: 'echo one; while [ ! -e go ]; do sleep 0.01; done; echo two' }\n",
      ),
    );
    const live: string[] = [];
    engine.onLog({ executionId: handle.id }, (_, lines) => void live.push(...lines.map(({ text }) => text)));
    const reader = await fixture.current.open({ mode: "readOnly" });
    const texts = async (lines: AsyncIterable<StoredLine>): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { text } of lines) {
        found.push(text);
        fixture.current.write("go", "");
      }
      return found;
    };
    const followed = await Promise.all([
      texts(engine.logs(handle.id, { follow: true })),
      texts(reader.logs(handle.id, { follow: true })),
    ]);
    expect(followed).toEqual([
      ["one", "two"],
      ["one", "two"],
    ]);
    expect(live.at(-1)).toBe("two");
  });

  it("EVENT-5 stop on a signal without ending the execution", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(contract("name: f\nsteps:\n  - { id: a, run: 'echo one; sleep 1000' }\n"));
    const controller = new AbortController();
    for await (const { text } of engine.logs(handle.id, { follow: true, signal: controller.signal })) {
      expect(text).toBe("one");
      controller.abort();
    }
    expect((await handle.status()).status).toBe("running");
  });
});

describe("a step that writes too much", () => {
  it("JOURNAL-4 50 MB on one line leave a truncated line, a mark that says so, and the end of it in the output", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(
      contract(
        "name: wide\nsteps:\n  - { id: a, run: \"head -c 52428800 /dev/zero | tr '\\\\0' x; echo; echo after\" }\noutput: ${ steps.a.output }\n",
      ),
    );
    const before = process.memoryUsage().rss;
    const output = (await handle.result()) as { readonly stdout: string; readonly truncated?: boolean };
    expect(output.truncated).toBe(true);
    expect(output.stdout.endsWith("x\nafter")).toBe(true);
    expect(output.stdout.length).toBeLessThanOrEqual(1024 * 1024);
    const lines = await all(engine.logs(handle.id));
    const bytes = lines.reduce((sum, { text }) => sum + text.length, 0);
    const marks = lines.flatMap(({ cut }) => (cut === undefined ? [] : [cut]));
    expect(lines[0]!.text).toMatch(/^x+$/u);
    expect(lines[0]!.text.length).toBeLessThanOrEqual(LINE_BYTES_MAX * 8);
    expect(marks.map(({ kind }) => kind)).toContain("line");
    // Every byte is there or counted as dropped; a mark may count line breaks too.
    expect(marks.reduce((sum, cut) => sum + cut.bytes, bytes)).toBeGreaterThanOrEqual(52_428_800);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it("JOURNAL-4 more than the limit of an attempt leaves a mark at the end, and the step ends", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(
      contract(`name: flood
steps:
  - { id: a, run: 'yes "$(head -c 9999 /dev/zero | tr "\\0" y)" | head -c 60000000; echo the end' }
`),
    );
    expect(await ending(handle)).toBe("completed");
    const lines = await all(engine.logs(handle.id));
    expect(lines.at(-1)!.cut).toMatchObject({ kind: "attempt" });
    const kept = lines.reduce((sum, { text, cut }) => sum + (cut === undefined ? text.length + 1 : cut.bytes), 0);
    // The truncated line has no line break of its own.
    expect(kept - 60_000_000 - "the end\n".length).toBeOneOf([0, 1]);
  });
});
