import { describe, expect, it } from "vitest";
import { environmentSecrets, firstSource, providedSecrets, type SecretSource } from "./source.ts";

async function got(source: SecretSource, ...names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await source.get(names));
}

describe("secrets of the environment", () => {
  it("DATA-9 are looked up with the prefix in capitals first, then by their very name", async () => {
    const source = environmentSecrets({
      SEGNO_SECRET_NPM_TOKEN: "prefixed",
      "npm-token": "plain",
      other: "plain",
      OTHER: "no",
    });
    expect(await got(source, "npm-token", "other")).toEqual({ "npm-token": "prefixed", other: "plain" });
    expect(source.where("npm-token")).toBe("`SEGNO_SECRET_NPM_TOKEN` and `npm-token` of the environment");
  });

  it("DATA-9 are left out when they are not there, or empty, or not the environment's own", async () => {
    const source = environmentSecrets({ EMPTY: "", SEGNO_SECRET_OTHER: "", other: "plain" });
    expect(await got(source, "EMPTY", "missing", "toString", "__proto__", "other")).toEqual({ other: "plain" });
  });

  it("DATA-9 may have another prefix, and are looked at anew each time", async () => {
    const environment: Record<string, string> = { CI_TOKEN: "one" };
    const source = environmentSecrets(environment, "CI_");
    expect(await got(source, "token")).toEqual({ token: "one" });
    environment["CI_TOKEN"] = "two";
    expect(await got(source, "token")).toEqual({ token: "two" });
  });
});

describe("secrets of a function", () => {
  it("DATA-9 may come at once or later, or not at all", async () => {
    const known: Readonly<Record<string, unknown>> = { now: "one", later: Promise.resolve("two"), none: null };
    const source = providedSecrets((name) => known[name] as string);
    expect(await got(source, "now", "later", "none", "missing")).toEqual({ now: "one", later: "two" });
  });

  it("SECRET_INVALID that are no text are refused without being shown", async () => {
    const source = providedSecrets(() => ({ password: "hunter22" }) as unknown as string);
    const error: unknown = await got(source, "token").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "SECRET_INVALID", message: expect.not.stringContaining("hunter22") as string });
  });
});

describe("secrets of several sources", () => {
  it("DATA-9 come from the first one that has them, and only what is missing is asked of the next", async () => {
    const asked: string[] = [];
    const noting = (name: string): string | undefined => void asked.push(name);
    const source = firstSource([
      environmentSecrets({ a: "1" }),
      providedSecrets(noting),
      environmentSecrets({ a: "2", b: "3" }),
    ]);
    expect(await got(source, "a", "b")).toEqual({ a: "1", b: "3" });
    expect(asked).toEqual(["b"]);
    expect(source.where("a")).toBe(
      "`SEGNO_SECRET_A` and `a` of the environment, then in the function that provides secrets, then in `SEGNO_SECRET_A` and `a` of the environment",
    );
    expect(firstSource([]).where("a")).toBe("no source");
  });

  it("Q3 do not come from the next one when one cannot be asked", async () => {
    const down = providedSecrets(() => Promise.reject(new Error("the vault is sealed")));
    await expect(got(firstSource([down, environmentSecrets({ a: "1" })]), "a")).rejects.toThrow("the vault is sealed");
    expect(await got(firstSource([environmentSecrets({ a: "1" }), down]), "a")).toEqual({ a: "1" });
  });
});
