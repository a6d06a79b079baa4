import { expect, it } from "vitest";

import { checkNodeVersion, NODE_MAJOR_MIN } from "./node-version.ts";

it("NODE_UNSUPPORTED a Node.js that is too old is refused in one sentence, without a stack", () => {
  expect(() => checkNodeVersion("22.20.0")).toThrow(
    expect.objectContaining({
      code: "NODE_UNSUPPORTED",
      message: expect.stringContaining(`needs Node.js ${NODE_MAJOR_MIN} or newer, but this is Node.js 22.20.0`),
      stack: expect.not.stringContaining("\n"),
    }),
  );
});

it("the oldest Node.js that is supported passes, and newer ones do", () => {
  for (const version of [`${NODE_MAJOR_MIN}.0.0`, "26.1.0"]) expect(() => checkNodeVersion(version)).not.toThrow();
});
