import { RetryAfterError, type Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Masker } from "./masker.ts";
import { Secrets, type SecretsClock, type SecretsOptions } from "./secrets.ts";
import { environmentSecrets, firstSource, providedSecrets, type SecretProvider, type SecretSource } from "./source.ts";

/** A clock that the test controls. */
class TestClock implements SecretsClock {
  #now = 0;
  readonly #alarms = new Set<{ readonly dueAt: number; readonly ring: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): () => void {
    const alarm = { dueAt: this.#now + ms, ring };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  get pending(): number {
    return this.#alarms.size;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const alarm of this.#alarms) if (alarm.dueAt <= this.#now && this.#alarms.delete(alarm)) alarm.ring();
  }
}

interface Bench {
  readonly secrets: Secrets;
  readonly masker: Masker;
  readonly clock: TestClock;
}

function bench(source: SecretSource | SecretProvider, options: Partial<SecretsOptions> = {}): Bench {
  const [masker, clock] = [new Masker(), new TestClock()];
  const asSource = typeof source === "function" ? providedSecrets(source) : source;
  return { secrets: new Secrets({ source: asSource, masker, clock, ...options }), masker, clock };
}

async function readFailure(secrets: Secrets, ...names: readonly string[]): Promise<Failure> {
  const resolved = await secrets.resolve(names);
  if (resolved.kind === "values") throw new Error("there are values");
  return resolved.failure;
}

async function listValues(secrets: Secrets, ...names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const resolved = await secrets.resolve(names);
  if (resolved.kind === "failure") throw new Error(resolved.failure.message);
  return resolved.values;
}

describe("resolved secrets", () => {
  it("DATA-9 are the values of the names that were asked for, and cannot be changed", async () => {
    const { secrets } = bench(environmentSecrets({ a: "hunter22", b: "hunter23", c: "hunter24" }));
    const values = await listValues(secrets, "a", "b", "a");
    expect(values).toEqual({ a: "hunter22", b: "hunter23" });
    expect(Object.getPrototypeOf(values)).toBe(null);
    expect(Object.isFrozen(values)).toBe(true);
  });

  it("DATA-9 may have any name", async () => {
    const { secrets } = bench((name) => `value of ${name}`);
    const values = await listValues(secrets, "__proto__", "constructor");
    expect(Object.entries(values)).toEqual([
      ["__proto__", "value of __proto__"],
      ["constructor", "value of constructor"],
    ]);
  });

  it("DATA-9 of no names are asked of nobody", async () => {
    const { secrets } = bench(() => Promise.reject(new Error("asked")));
    expect(await listValues(secrets)).toEqual({});
  });

  it("K1 are known to the masker before anybody has them", async () => {
    const { secrets, masker } = bench(environmentSecrets({ a: "hunter22" }));
    expect(masker.text("hunter22")).toBe("hunter22");
    await listValues(secrets, "a");
    expect(masker.text("hunter22")).toBe("***");
  });
});

describe("asking a source", () => {
  it("K2 happens once for all who ask for a secret at the same time, and again for who asks later", async () => {
    const calls: string[][] = [];
    let version = 0;
    const source: SecretSource = {
      get: async (names) => {
        calls.push([...names]);
        version++;
        return new Map(names.map((name) => [name, `${name}-version-${version}`]));
      },
      where: () => "a test",
    };
    const { secrets, masker } = bench(source);
    const [one, two] = await Promise.all([listValues(secrets, "a", "b"), listValues(secrets, "b", "c")]);
    expect([one, two]).toEqual([
      { a: "a-version-1", b: "b-version-1" },
      { b: "b-version-1", c: "c-version-2" },
    ]);
    expect(await listValues(secrets, "a")).toEqual({ a: "a-version-3" });
    expect(calls).toEqual([["a", "b"], ["c"], ["a"]]);
    expect(masker.text("a-version-1 a-version-3")).toBe("*** ***");
  });

  it("K2 happens again only after a while when values may be kept so long", async () => {
    let version = 0;
    const { secrets, clock } = bench(() => `version-${++version}`, { cacheMs: 1000 });
    await listValues(secrets, "a");
    clock.pass(999);
    expect(await listValues(secrets, "a")).toEqual({ a: "version-1" });
    clock.pass(1);
    expect(await listValues(secrets, "a")).toEqual({ a: "version-2" });
  });

  it("K4 is given up after ten seconds, can be done again, and what comes late is masked all the same", async () => {
    const answers: ((value: string) => void)[] = [];
    const { secrets, masker, clock } = bench(() => new Promise((resolve) => answers.push(resolve)));
    const first = readFailure(secrets, "a");
    clock.pass(9999);
    clock.pass(1);
    expect(await first).toMatchObject({
      class: "transient",
      code: "SECRET_UNAVAILABLE",
      message: "secrets are not available at the moment: the source did not answer within 10 seconds",
    });
    const second = listValues(secrets, "a");
    answers[1]!("hunter23");
    expect(await second).toEqual({ a: "hunter23" });
    answers[0]!("hunter22");
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(masker.text("hunter22 hunter23")).toBe("*** ***");
    expect(clock.pending).toBe(0);
  });
});

describe("secrets that cannot be had", () => {
  it("SECRET_MISSING K3 are named, with the places where they were looked for", async () => {
    const { secrets } = bench(environmentSecrets({ a: "hunter22" }));
    expect(await readFailure(secrets, "a", "npm-token", "b")).toEqual({
      class: "permanent",
      code: "SECRET_MISSING",
      message:
        "there is no secret `npm-token` in `SEGNO_SECRET_NPM_TOKEN` and `npm-token` of the environment; there is no secret `b` in `SEGNO_SECRET_B` and `b` of the environment",
    });
  });

  it("SECRET_TOO_SHORT K3 are named and not shown", async () => {
    const { secrets } = bench(environmentSecrets({ a: "hunter22", b: "12345", c: "  abc  " }));
    for (const name of ["b", "c"])
      expect(await readFailure(secrets, "a", name)).toEqual({
        class: "permanent",
        code: "SECRET_TOO_SHORT",
        message: `the secret \`${name}\` has fewer than 6 characters, not counting space and asterisks around them`,
      });
  });

  it("SECRET_INVALID K3 are too long, or no text", async () => {
    const long = await readFailure(bench(() => "x".repeat(32_769)).secrets, "a");
    expect(long).toEqual({
      class: "permanent",
      code: "SECRET_INVALID",
      message: "the secret `a` has more than 32768 characters",
    });
    const odd: SecretSource = { get: async () => new Map([["a", 12_345_678 as unknown as string]]), where: () => "" };
    const failure = await readFailure(bench(odd).secrets, "a");
    expect([failure.code, failure.cause?.code]).toEqual(["SECRET_UNAVAILABLE", "SECRET_INVALID"]);
    expect(JSON.stringify(failure)).not.toContain("12345678");
  });
});

describe("secrets of a source that fails", () => {
  it("SECRET_UNAVAILABLE says why, without what is secret in it, and when to try again", async () => {
    const { secrets, masker } = bench(() => {
      throw new RetryAfterError("no such token: hunter22", 5000);
    });
    masker.add("hunter22");
    const failure = await readFailure(secrets, "a");
    expect(failure).toMatchObject({ class: "transient", code: "SECRET_UNAVAILABLE" });
    expect([failure.message, failure.cause?.message]).toEqual([
      "secrets are not available at the moment: no such token: ***",
      "no such token: ***",
    ]);
    expect(failure.retryAfter).toBe(5000);
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [["hunter22"], "a list"],
    [{ a: "hunter22" }, "an object"],
    ["hunter22", "a string"],
  ])("SECRET_INVALID says what was expected and the kind of what came, and not what it was", async (answer, kind) => {
    const source: SecretSource = { get: async () => answer as never, where: () => "" };
    for (const each of [source, firstSource([source])]) {
      const { cause } = await readFailure(bench(each).secrets, "a");
      expect(cause).toMatchObject({
        code: "SECRET_INVALID",
        message: `expected \`get\` of a source of secrets to return a Map of names and values, but it returned ${kind}`,
      });
    }
  });

  it("SECRET_UNAVAILABLE whatever was thrown, and wherever", async () => {
    const hostile = {
      get message(): string {
        throw new Error("no");
      },
    };
    const sources: SecretSource[] = [
      {
        get: () => {
          throw hostile;
        },
        where: () => "",
      },
      { get: () => Promise.reject(hostile), where: () => "" },
      { get: async () => undefined as never, where: () => "" },
    ];
    for (const source of sources)
      expect(await readFailure(bench(source).secrets, "a")).toMatchObject({
        class: "transient",
        code: "SECRET_UNAVAILABLE",
      });
  });
});
