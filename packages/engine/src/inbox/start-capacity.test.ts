import { expect, it } from "vitest";
import { StartCapacity } from "./start-capacity.ts";

function openCapacity(liveMax: number): StartCapacity {
  return new StartCapacity({ live: { size: 0 }, evictor: { evictIdle: () => 0 }, liveMax });
}

it("S5 a start that waits, and one that comes after the close, are let through by the close", async () => {
  const capacity = openCapacity(1);
  await capacity.reserve();
  const waiting = capacity.reserve();
  capacity.close();
  await waiting;
  await capacity.reserve();
});

it("S4 S5 capacity that is given back goes to the start that waits longest", async () => {
  const capacity = openCapacity(1);
  await capacity.reserve();
  const order: string[] = [];
  const first = capacity.reserve().then(() => order.push("first"));
  const second = capacity.reserve().then(() => order.push("second"));
  capacity.onCapacity();
  expect(order).toEqual([]);
  capacity.release();
  capacity.onCapacity();
  await first;
  capacity.release();
  capacity.onCapacity();
  await second;
  expect(order).toEqual(["first", "second"]);
});
