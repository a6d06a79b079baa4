// `segno code run` is killed again and again, and `segno work` goes on. `npm run kills` does it at every moment.

import { expect, it } from "vitest";

import { KilledLanding } from "./kills/killed-landing.ts";
import { SCENARIOS } from "./kills/landing-scenario.ts";

it("CODE-6 CODE-7 CODE-9 CODE-10 CODE-11 lands each task once after kills at growing moments, and nothing is left", async () => {
  using landing = new KilledLanding(SCENARIOS.fix);
  const { moments, problems } = await landing.killOften(15, 14);
  expect(problems).toEqual([]);
  expect(moments.length).toBeGreaterThan(80);
});
