// Modules that change the built-in functions of their thread: the main thread trusts no message of a thread (MG4).

import { describe, expect, it } from "vitest";
import { readMessage } from "../../src/runners/thread/read-message.ts";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

it.each(["'{not json'", "undefined", "() => 1", "5"])(
  "DATA-8 a module that replaces JSON.stringify by a function that returns %s harms no output",
  async (value) => {
    fixture.setUp({ size: 1 });
    const replacing = `() => { JSON.stringify = () => (${value}); return { a: 1 }; }`;
    expect(toOutput(await fixture.run(replacing))).toEqual({ a: 1 });
    expect(toOutput(await fixture.run("() => 'alive'"))).toBe("alive");
  },
);

describe("a module that marks an object by itself", () => {
  const marked = (kind: string, fields: string): string =>
    `() => Object.defineProperty(${fields}, Symbol.for("segno.${kind}"), { value: true })`;

  it.each(["{ reason: 5 }", "{ reason: () => 1 }", "{ reason: { toString() { throw 1; } } }", "{}"])(
    "STATE-5 as a skip with the fields %s skips its step without a reason",
    async (fields) => {
      expect(await fixture.run(marked("skip", fields))).toEqual({ kind: "skipped", message: "" });
    },
  );

  it("DATA-8 as a skip whose reason throws fails its step (OUTPUT_NOT_JSON)", async () => {
    const trap = "{ get reason() { throw new Error('hands off'); } }";
    expect(toFailure(await fixture.run(marked("skip", trap)))).toMatchObject({ code: "OUTPUT_NOT_JSON" });
  });

  it("STATE-9 as an expansion whose `toJSON` changes is read by its fields, once", async () => {
    const odd = "{ steps: [], n: 0, toJSON() { return this.n++ ? undefined : { steps: [] }; } }";
    expect(await fixture.run(marked("expansion", odd))).toMatchObject({ kind: "expanded", steps: [] });
  });

  it.each(["{ steps: 5 }", "{}", "{ steps: [], result: 5 }"])(
    "EXPANSION_INVALID as an expansion with the fields %s fails its step",
    async (fields) => {
      expect(toFailure(await fixture.run(marked("expansion", fields)))).toMatchObject({ code: "EXPANSION_INVALID" });
    },
  );
});

describe("a module that sends messages of its own", () => {
  const sending = (message: string): string => `(input, { log }) => {
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function () {
      MessagePort.prototype.postMessage = postMessage;
      postMessage.call(this, ${message});
    };
    log.info("a line");
    return new Promise(() => setInterval(() => undefined, 1000));
  }`;

  it.each([
    "null",
    "'text'",
    "{ kind: 'odd' }",
    "{ kind: 'line', level: 'constructor', fields: {}, message: 'x' }",
    "{ kind: 'line', level: 'info', fields: null, message: 'x' }",
    "{ kind: 'chunk', stream: 'stdout', chunk: 'text' }",
    "{ kind: 'completed' }",
    "{ kind: 'completed', result: { kind: 'returned', text: 5 } }",
    "{ kind: 'completed', result: { kind: 'skipped' } }",
    "{ kind: 'completed', result: { kind: 'threw', error: null } }",
    "{ kind: 'completed', result: { kind: 'refused', value: 'returned', reason: { kind: 'not-json' } } }",
  ])("FAIL-1 such as %s fails its attempt, and its thread is terminated (THREAD_EXITED)", async (message) => {
    const { attempt } = fixture.start(fixture.module(`export default ${sending(message)}`));
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "transient", code: "THREAD_EXITED" });
    await fixture.runner.idle();
    expect(attempt.calls.at(-1)).toBe("exited");
  });
});

describe("a module that sends a result of its own", () => {
  const sending = (result: string): string => `() => {
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function () {
      MessagePort.prototype.postMessage = postMessage;
      postMessage.call(this, { kind: "completed", isBroken: false, result: ${result} });
    };
  }`;

  it.each([
    ["OUTPUT_NOT_JSON", "{ kind: 'returned', text: '{not json' }"],
    ["OUTPUT_NOT_JSON", "{ kind: 'expanded', text: '' }"],
    ["EXPANSION_INVALID", "{ kind: 'expanded', text: 'null' }"],
    ["VALUE_TOO_LARGE", "{ kind: 'returned', text: '['.repeat(11_000_000) }"],
  ])("DATA-8 fails its step with %s: %s", async (code, result) => {
    expect(toFailure(await fixture.run(sending(result)))).toMatchObject({ class: "permanent", code });
  });
});

describe("reading a message", () => {
  it("MG4 keeps of a thrown error the fields that the engine reads", () => {
    const chain = [{ name: "Odd", cause: 1, stack: "x", message: 5, secret: "y" }, null, "text"];
    const message = { kind: "completed", isBroken: 1, result: { kind: "threw", error: { kind: "error", chain } } };
    expect(readMessage(message)).toEqual({
      kind: "completed",
      isBroken: false,
      result: { kind: "threw", error: { kind: "error", chain: [{ name: "Odd", stack: "x", message: 5 }] } },
    });
  });

  it("DATA-9 refuses bytes in shared memory, which could change after they are masked", () => {
    const chunk = new Uint8Array(new SharedArrayBuffer(4));
    expect(readMessage({ kind: "chunk", stream: "stdout", chunk })).toBeUndefined();
    expect(readMessage({ kind: "chunk", stream: "stdout", chunk: new Uint8Array(4) })).toBeDefined();
  });
});
