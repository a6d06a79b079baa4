import { inspect } from "node:util";
import { SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Masker } from "../secrets/masker.ts";
import { maskedError } from "./masked-error.ts";

const SECRET = "long-enough-by-far";
const mask = new Masker();
mask.add(SECRET);

describe("a fault that is told", () => {
  it("DATA-9 is the error itself where no secret shows in it, or none is known", () => {
    const error = new Error("plain", { cause: new Error("as well") });
    expect(maskedError(error, mask)).toBe(error);
    const open = new Error(SECRET);
    expect(maskedError(open, new Masker())).toBe(open);
  });

  it("DATA-9 is a copy without the secret, wherever the secret stands", () => {
    const faults: readonly unknown[] = [
      new Error(`no ${SECRET}`),
      new Error("no", { cause: new Error(SECRET) }),
      new AggregateError([new Error(SECRET)], "no"),
      Object.assign(new Error("no"), { detail: { token: SECRET } }),
      Object.assign(new Error("no"), { stack: `Error: no\n    at ${SECRET}` }),
      new SegnoError("CALLBACK_FAILED", `no ${SECRET}`),
      { token: SECRET },
      SECRET,
    ];
    for (const fault of faults) expect(inspect(maskedError(fault, mask), { depth: 9 })).not.toContain(SECRET);
    expect(maskedError(faults[5], mask)).toMatchObject({ code: "CALLBACK_FAILED", message: "no ***" });
    expect(maskedError(faults[5], mask)).toBeInstanceOf(SegnoError);
  });

  it("DATA-9 is told also where it throws when it is read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => maskedError(proxy, mask)).not.toThrow();
  });
});
