import { TABLES } from "./0001-tables.ts";
import { INDEXES } from "./0002-indexes.ts";

/** In order; the first is version 1. Once released, a migration never changes: a store remembers its checksum. */
export const MIGRATIONS: readonly string[] = [TABLES, INDEXES];
