import { describe, expect, it } from "vitest";

import { logCall } from "./log-call.ts";

const error = new Error("broken");
const fields = { n: 1 };

describe("a call of a log method", () => {
  it.each([
    [["said"], {}, "said"],
    [["said", fields], fields, "said"],
    [[fields, "said"], fields, "said"],
    [[fields], fields, ""],
    [[error], { error }, "broken"],
    [[error, "said"], { error }, "said"],
    [["said", error], { error }, "said"],
    [["said", 7], { value: 7 }, "said"],
    [["said", "more"], { value: "more" }, "said"],
    [["said", [1, 2]], { value: [1, 2] }, "said"],
    [["said", undefined], {}, "said"],
    [[undefined, "said"], {}, "said"],
    [["said", fields, 7], { n: 1, more: [7] }, "said"],
    [[fields, 7], fields, "7"],
    [[fields, undefined], fields, ""],
    [[fields, { m: 2 }], { n: 1, more: [{ m: 2 }] }, ""],
    [[7], { value: 7 }, ""],
    [[], {}, ""],
  ])("EVENT-5 with %j has its fields and its message", (given, expected, message) => {
    expect(logCall(given)).toEqual({ fields: expected, message });
  });

  it("EVENT-5 may have arguments that refuse every question", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const given of [[proxy], [proxy, "said"], ["said", proxy], ["said", proxy, 1], [fields, proxy]])
      expect(() => logCall(given)).not.toThrow();
  });
});
