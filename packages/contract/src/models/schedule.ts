import type { Json } from "@segno/kernel";
import type { z } from "zod";

import { choice, closed, json, list, text } from "./leaf.ts";

export interface ScheduleDocument {
  readonly cron: string;
  readonly timezone?: string;
  readonly input?: Json;
  readonly overlap?: "skip" | "queue" | "cancel" | "allow";
  readonly missed?: "skip" | "latest" | "all";
}

const scheduleModel: z.ZodType<ScheduleDocument> = closed(
  {
    cron: text("a cron expression such as `0 3 * * 1`").meta({
      description: "Five fields, or six with seconds first.",
    }),
    timezone: text("a time zone such as `Europe/Berlin`")
      .meta({ description: "A name of the IANA database.", default: "UTC" })
      .exactOptional(),
    input: json.meta({ description: "The input of the executions it starts." }).exactOptional(),
    overlap: choice("skip", "queue", "cancel", "allow")
      .meta({ description: "What to do while the last execution still runs.", default: "skip" })
      .exactOptional(),
    missed: choice("skip", "latest", "all")
      .meta({ description: "What to do about starts that were missed.", default: "latest" })
      .exactOptional(),
  },
  "a schedule: a map with `cron`",
).meta({ id: "Schedule" });

export const schedulesModel: z.ZodType<readonly ScheduleDocument[]> = list(scheduleModel, "a list of schedules");
