import { expect, it } from "vitest";

import { complainAboutNode } from "./node-version.ts";

it("an old Node is told what to do, a new one passes", () => {
  expect(complainAboutNode("22.18.0")).toContain("npm ci");
  expect(complainAboutNode("24.0.0")).toBeNull();
});
