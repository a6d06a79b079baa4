import { expect, it } from "vitest";
import { recordedLogger } from "../testing/recorded-logger.ts";
import { logFault } from "./event-log.ts";

it("EVENT-5 a fault that cannot be read, such as a revoked proxy, is logged and throws nothing", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const logger = recordedLogger();
  logFault(logger, proxy, "execution-1");
  expect(logger.lines).toMatchObject([{ level: "error", fields: { executionId: "execution-1" } }]);
});
