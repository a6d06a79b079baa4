// The reasons why a step waits (SCHED-7).

/** A step as the scheduler knows it: its execution and its index. */
export interface ExecutionStep<Execution> {
  readonly execution: Execution;
  readonly step: number;
}

/** A step that holds an amount of a resource. */
export type ResourceHolder<Step> = Step & {
  /**
   * The step was released, and its attempt has not exited. The resource is freed when the attempt exits (CANCEL-2).
   */
  readonly isLingering: boolean;
};

/** `Step` identifies other steps: by index inside the scheduler, by name for users. */
export type WaitReason<Step> =
  /** The engine is closing and starts no more steps. */
  | { readonly kind: "closing" }
  /** All slots of the process are in use. */
  | { readonly kind: "slots"; readonly used: number; readonly max: number }
  /** The execution runs as many steps at once as its `concurrency` allows. */
  | { readonly kind: "execution-limit"; readonly used: number; readonly max: number }
  | ({ readonly kind: "agent"; readonly agent: string } & Occupied<Step>)
  | ({ readonly kind: "step-limit"; readonly step: string } & Occupied<Step>)
  | ({
      readonly kind: "resource";
      readonly resource: string;
      readonly wanted: number;
      readonly free: number;
    } & Occupied<Step>)
  | {
      readonly kind: "quota";
      readonly resource: string;
      /** When the amount fits if no other step goes first, on the wall clock; undefined if it never does. */
      readonly untilMs: number | undefined;
      readonly reservedFor?: Step;
    }
  | {
      readonly kind: "breaker";
      readonly agent: string;
      /** When the cooldown ends, on the wall clock. After that, one attempt probes the agent. */
      readonly untilMs: number;
    }
  | {
      /** Only a slot is missing; this many executions, and steps of the same execution, go first. */
      readonly kind: "position";
      readonly executions: number;
      readonly steps: number;
    };

/** A resource or limit that has no free amount for a waiting step. */
export interface Occupied<Step> {
  readonly used: number;
  readonly max: number;
  readonly holders: readonly ResourceHolder<Step>[];
  /** The step for which an active reservation keeps the free amount. */
  readonly reservedFor?: Step;
}
