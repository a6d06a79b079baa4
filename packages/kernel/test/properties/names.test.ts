// Names of steps, and back.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isTerminalPhase } from "../../src/state/phase.ts";
import { stepCount } from "../../src/state/state.ts";
import { stepName, stepNamed } from "../../src/index.ts";
import { bytes, Choices, runs } from "./choices.ts";
import { makeWorkflow } from "./definitions.ts";
import { Driver } from "./driver.ts";
import { disturb } from "./happenings.ts";

it("STATE-9 a name leads to the step that has it now, in whatever scope it is, and to no other", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const { state } = disturbed(shape, course);
      for (let step = 0; step < stepCount(state); step++) {
        const name = stepName(state, step);
        const found = stepNamed(state, name);
        // The children of an earlier round are history, and a newer step may have their name.
        if (!isTerminalPhase(state.columns.phase[step]!)) expect(found, name).toBe(step);
        else if (found !== undefined) expect(stepName(state, found)).toBe(name);
      }
    }),
    runs(300),
  );
});

it("STATE-9 an invalid name finds no step", () => {
  fc.assert(
    fc.property(bytes(400, 40), bytes(300, 40), (shape, course) => {
      const { state } = disturbed(shape, course);
      for (let step = 0; step < stepCount(state); step++) {
        const name = stepName(state, step);
        for (const wrong of [`${name}/`, `/${name}`, `${name}/0x1`, `${name}/-1`, `${name}/999999999`, ` ${name}`])
          expect(stepNamed(state, wrong), wrong).toBeUndefined();
      }
    }),
    runs(100),
  );
});

function disturbed(shape: Uint8Array, course: Uint8Array): Driver {
  const driver = new Driver(makeWorkflow(shape));
  driver.begin();
  disturb(driver, new Choices(course));
  return driver;
}
