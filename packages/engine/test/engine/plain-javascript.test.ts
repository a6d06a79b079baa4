// Invalid values of an untyped program, passed to an engine and to a test engine: refused with a code and the expected
// value.

import { describe, expect, it } from "vitest";
import { workflow, type ListFilter } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const STATUSES = "pending, validating, running, paused, parked, failing, cancelling, completed, failed, cancelled, and";

describe("JOURNAL-7 a list of plain JavaScript", () => {
  it.each<readonly [filter: unknown, message: string]>([
    [null, "`filter` is an object, not null"],
    ["running", '`filter` is an object, not "running"'],
    [["running"], "`filter` is an object, not a list"],
    [{ foo: 1 }, "a list has no option `foo`"],
    [{ statu: ["running"] }, "a list has no option `statu`; did you mean `status`?"],
    [{ status: "running" }, '`status` is a list of statuses, such as ["running"], not "running"'],
    [{ status: null }, '`status` is a list of statuses, such as ["running"], not null'],
    [{ status: ["nope"] }, `\`status\` is a list of ${STATUSES} "nope" is not one of them`],
    [
      { status: ["running", "Canceled"] },
      `\`status\` is a list of ${STATUSES} "Canceled" is not one of them; did you mean "cancelled"?`,
    ],
    [{ status: [undefined] }, `\`status\` is a list of ${STATUSES} undefined is not one of them`],
    [{ status: ["toString"] }, `\`status\` is a list of ${STATUSES} "toString" is not one of them`],
    [{ idempotencyKey: 5 }, "`idempotencyKey` is text, not 5"],
    [{ idempotencyKey: null }, "`idempotencyKey` is text, not null"],
    [{ limit: "10" }, '`limit` is a whole number from 1 to 1000, not "10"'],
  ])("with the filter %j is refused (OPTION_INVALID)", async (filter, message) => {
    await using test = await openTestEngine();
    const listed = test.engine.list(filter as ListFilter);
    await expect(listed).rejects.toMatchObject({ code: "OPTION_INVALID", message });
  });

  it("may leave everything out by `undefined`", async () => {
    await using test = await openTestEngine();
    await test.start(workflow("w").step("a", () => 1));
    const all = { status: undefined, workflow: undefined, idempotencyKey: undefined, limit: undefined };
    expect((await test.engine.list(all as unknown as ListFilter)).executions).toHaveLength(1);
  });
});

describe("JOURNAL-7 what is looked after by plain JavaScript", () => {
  it.each([
    [null, "null"],
    [undefined, "undefined"],
    [5, "5"],
    ["", '""'],
  ])("a copy to the file %j is refused (OPTION_INVALID)", async (file, shown) => {
    await using test = await openTestEngine();
    const message = `\`file\` is the path of a file, not ${shown}`;
    await expect(test.engine.backup(file as string)).rejects.toMatchObject({ code: "OPTION_INVALID", message });
  });

  it.each([
    [null, "null"],
    [{}, "an object"],
    ["{}", '"{}"'],
  ])("an import of %j is refused (OPTION_INVALID)", async (lines, shown) => {
    await using test = await openTestEngine();
    const message = `\`lines\` is a list, an iterable or an async iterable of the lines of an export, not ${shown}`;
    const imported = test.engine.import(lines as Iterable<string>);
    await expect(imported).rejects.toMatchObject({ code: "OPTION_INVALID", message });
  });
});

describe("the time of a test", () => {
  it.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [-5],
    [0.5],
    ["0.5ms"],
    [Number.MAX_SAFE_INTEGER],
    ["x"],
    ["-1h"],
    [null],
    [5n],
  ])("OPTION_INVALID does not pass by %s, and stands where it was", async (duration) => {
    await using test = await openTestEngine();
    const before = test.now;
    await expect(test.advance(duration as number)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(test.now).toBe(before);
  });

  it("OPTION_INVALID says which durations there are", async () => {
    await using test = await openTestEngine();
    await expect(test.advance(-5)).rejects.toThrow("`duration` is a whole number of milliseconds from 0 on");
    await expect(test.advance("x")).rejects.toThrow('a duration is milliseconds or text such as "500ms"');
  });

  it("CONTRACT-7 passes by whole milliseconds, also where a text says them in seconds", async () => {
    await using test = await openTestEngine();
    const before = test.now;
    await test.advance(0);
    await test.advance("1.001s");
    expect(test.now - before).toBe(1001);
  });
});

describe("a test engine of plain JavaScript", () => {
  it.each<readonly [options: unknown, message: string]>([
    [null, "`options` is an object, not null"],
    [{ agents: null }, "`agents` is an object of functions, agents or scripts, by their names, not null"],
    [{ agents: [] }, "`agents` is an object of functions, agents or scripts, by their names, not a list"],
    [{ store: "none" }, "a test engine has no option `store`: it provides its own store and clock"],
    [{ environment: {} }, "a test engine has no option `environment`: it provides its own store and clock"],
  ])("OPTION_INVALID is not opened with %j", async (options, message) => {
    await expect(openTestEngine(options as never)).rejects.toMatchObject({ code: "OPTION_INVALID", message });
  });

  it.each<readonly [options: unknown, message: string]>([
    [null, "`options` is an object, not null"],
    [{ staydead: true }, "a crash has no option `staydead`; did you mean `stayDead`?"],
    [{ stayDead: 1 }, "`stayDead` is true or false, not 1"],
  ])("OPTION_INVALID does not crash with %j, and goes on", async (options, message) => {
    await using test = await openTestEngine();
    const { engine } = test;
    await expect(test.crash(options as never)).rejects.toMatchObject({ code: "OPTION_INVALID", message });
    expect(test.engine).toBe(engine);
  });
});
