// Repairs the store in a file. It owns the store but opens no engine, because a damaged execution must not run.

import { SegnoError } from "@segno/kernel";
import { repairStore, type RepairReport } from "./store-repair.ts";
import type { Codec } from "../../store/codec.ts";
import { StoreOwnership } from "../../store/sqlite/store-ownership.ts";
import { refuseForeignLog } from "../../store/sqlite/log-record.ts";
import { openSqliteStore } from "../../store/sqlite/open-sqlite-store.ts";

export async function repairFile(file: string, options: { readonly codec?: Codec } = {}): Promise<RepairReport> {
  const ownership = new StoreOwnership(file);
  if (!(await ownership.tryOwn()))
    throw new SegnoError("ENGINE_NOT_OWNER", `another process owns ${file}; stop that process, then repair the file`);
  try {
    refuseForeignLog(file);
    const store = await openSqliteStore(file, { ...options, writer: "main" });
    try {
      return await repairStore(store);
    } finally {
      await store.close();
    }
  } finally {
    ownership.release();
  }
}
