// Dependencies that the parts of an engine share.

import { createSchemaCheck } from "@segno/contract";
import type { ExecutionId, World } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import { RecordedAges } from "../clock/recorded-ages.ts";
import type { EngineStore } from "../store/engine-store.ts";
import type { StoredOptions } from "./engine-options.ts";
import { Keys, storedKeys } from "../idempotency/keys.ts";
import { ProcessKeys } from "../idempotency/process-keys.ts";
import { Resumption } from "../inbox/resumption.ts";
import { KeyedMutex } from "../collections/keyed-mutex.ts";

export interface EnginePorts {
  readonly store: EngineStore;
  readonly environment: Environment;
  readonly ages: RecordedAges;
  readonly keys: Keys;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  readonly resumption: Resumption;
  /** Serialises starts with the same key or id. */
  readonly sequence: KeyedMutex;
  readonly check: World["check"];
}

export function enginePorts(
  { store, resume }: StoredOptions,
  environment: Environment,
  report: EnginePorts["report"],
): EnginePorts {
  const ages = new RecordedAges(environment);
  const keys = new Keys(store.keepsExecutions === false ? new ProcessKeys() : storedKeys(store), ages);
  const [resumption, sequence, check] = [new Resumption(resume), new KeyedMutex(), createSchemaCheck()];
  return { store, environment, ages, keys, report, resumption, sequence, check };
}
