// The names of time zones in schedules.

import { expect, it, vi } from "vitest";

import { isTimeZone } from "./cron.ts";

it("CONTRACT-9 30,000 schedules of one time zone make one formatter", () => {
  const formatters = vi.spyOn(Intl, "DateTimeFormat");
  for (let round = 0; round < 10_000; round++)
    for (const name of ["America/Lima", "america/lima", "AMERICA/LIMA"]) expect(isTimeZone(name)).toBe(true);
  expect(formatters).toHaveBeenCalledTimes(1);
  formatters.mockRestore();
});

it.each(["", "Nowhere", "Europe/Berlin ", "Europe/\u212Aiev", "G".repeat(100_000)])(
  "CONTRACT-3 %.20s is no time zone",
  (name) => {
    expect(isTimeZone(name)).toBe(false);
  },
);
