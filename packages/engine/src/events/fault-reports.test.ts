import { SegnoError } from "@segno/kernel";
import { beforeEach, describe, expect, it } from "vitest";
import { FaultReports } from "./fault-reports.ts";

let now: number;
let reported: string[];
let reports: FaultReports;

beforeEach(() => {
  now = 0;
  reported = [];
  reports = new FaultReports(
    (error, _, suppressed) => reported.push(`${(error as Error).message} ${suppressed}`),
    () => now,
  );
});

const fault = (message: string): SegnoError => new SegnoError("STORE_IO", message);
const report = (message: string): void => reports.report(fault(message), undefined);

describe("reports of faults", () => {
  it("tell each cause once a minute, and how often it came meanwhile", () => {
    for (let times = 0; times < 14_000; times++) report("full");
    report("gone");
    expect(reported).toEqual(["full 0", "gone 0"]);
    now = 59_999;
    report("full");
    now = 60_000;
    report("full");
    report("full");
    expect(reported.slice(2)).toEqual(["full 14000"]);
  });

  it("tell what was only counted when they are closed, and nothing twice", () => {
    for (let times = 0; times < 3; times++) report("full");
    report("gone");
    reports.close();
    reports.close();
    expect(reported).toEqual(["full 0", "gone 0", "full 2"]);
  });

  it("tell of what throws when it is looked at", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    reports.report(proxy, undefined);
    const broken = Object.defineProperty(new Error("x"), "message", { get: () => proxy.constructor });
    reports.report(broken, undefined);
    expect(reported).toEqual(["the error cannot be read 0"]);
  });

  it("tell of a hundred causes a minute, however many there are, and count the rest", () => {
    for (let execution = 0; execution < 10_000; execution++) report(`the execution ${execution} was set aside`);
    expect(reported).toHaveLength(101);
    now = 60_000;
    report("another");
    expect(reported).toHaveLength(102);
  });
});
