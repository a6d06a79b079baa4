import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { HOSTILE_LABELS } from "../../test/hostile-labels.ts";
import { displayWidth } from "../terminal/text-layout.ts";
import { labelText, titleText, titleWithin } from "./step-title.ts";

// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe("the title of a step", () => {
  it("BEYOND-1 is its name, and the label of its item where it has one", () => {
    expect(titleText({ name: "build" })).toBe("build");
    expect(titleText({ name: "each/3/fetch", label: "cat.jpg" })).toBe("each/3/fetch (cat.jpg)");
    expect(labelText(undefined)).toBe("");
  });

  it("BEYOND-1 is one line that steers no terminal, whatever the label is", () => {
    for (const label of HOSTILE_LABELS) {
      const title = titleText({ name: "each/0", label });
      expect(title).not.toMatch(UNSAFE);
      expect(displayWidth(title)).toBeLessThanOrEqual("each/0 ()".length + 80);
    }
  });

  it("T1 the label is cut before the name, in its middle", () => {
    const step = { name: "each/3/fetch", label: "https://example.com/cat.jpg" };
    expect(titleWithin(step, 60)).toBe("each/3/fetch (https://example.com/cat.jpg)");
    expect(titleWithin(step, 26)).toBe("each/3/fetch (https…t.jpg)");
    expect(titleWithin(step, 18)).toBe("each/3/fetch");
    expect(titleWithin(step, 8)).toBe("each/3/…");
  });

  it("T1 has the name in it wherever there is room for the name, and never more than there is room for", () => {
    const label = fc.option(fc.string({ unit: "binary" }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9/]{1,20}$/u),
        label,
        fc.integer({ min: 1, max: 60 }),
        (name, of, columns) => {
          const title = titleWithin({ name, label: of }, columns);
          expect(displayWidth(title)).toBeLessThanOrEqual(columns);
          if (name.length <= columns) expect(title.startsWith(name)).toBe(true);
        },
      ),
    );
  });
});
