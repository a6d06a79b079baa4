import { TABLES } from "./0001-tables.ts";
import { INDEXES } from "./0002-indexes.ts";
import { LOGS_AND_PROCESSES } from "./0003-logs-and-processes.ts";
import { INDEXES_FOR_CROWDS } from "./0004-indexes-for-crowds.ts";
import { PAYLOAD_REMOVAL } from "./0005-payload-removal.ts";
import { POSTED_STARTS } from "./0006-posted-starts.ts";
import { LABELS_AND_FAILURES } from "./0007-labels-and-failures.ts";
import { STEP_PROGRESS } from "./0008-step-progress.ts";
import { DOCUMENTS } from "./0009-documents.ts";

/** In order; the first is version 1. A released migration never changes, because stores record its checksum. */
export const MIGRATIONS: readonly string[] = [
  TABLES,
  INDEXES,
  LOGS_AND_PROCESSES,
  INDEXES_FOR_CROWDS,
  PAYLOAD_REMOVAL,
  POSTED_STARTS,
  LABELS_AND_FAILURES,
  STEP_PROGRESS,
  DOCUMENTS,
];
