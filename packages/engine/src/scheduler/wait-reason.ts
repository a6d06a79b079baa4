// The reasons why a step waits (SCHED-7).

/** A step that holds an amount of a resource. */
export interface ResourceHolder<Owner> {
  /** The execution that the step belongs to. */
  readonly owner: Owner;
  readonly step: number;
  /**
   * A public name: the attempt lingers. Its step was released, and the resources are freed when the attempt exits
   * (CANCEL-2).
   */
  readonly isAbandoned: boolean;
}

export interface Waiter<Owner> {
  readonly owner: Owner;
  readonly step: number;
}

export type WaitReason<Owner> =
  | { readonly kind: "closing" }
  | { readonly kind: "slots"; readonly used: number; readonly max: number }
  | { readonly kind: "execution"; readonly used: number; readonly max: number }
  | ({ readonly kind: "agent"; readonly agent: string } & Occupied<Owner>)
  | ({ readonly kind: "step-limit"; readonly step: string } & Occupied<Owner>)
  | ({
      readonly kind: "resource";
      readonly resource: string;
      readonly wanted: number;
      readonly free: number;
    } & Occupied<Owner>)
  | {
      readonly kind: "quota";
      readonly resource: string;
      /** When the amount fits if no other step goes first, on the wall clock; undefined if it never does. */
      readonly untilMs: number | undefined;
      readonly reservedFor?: Waiter<Owner>;
    }
  | {
      readonly kind: "breaker";
      readonly agent: string;
      /** When the cooldown ends, on the wall clock. After that, one attempt probes the agent. */
      readonly untilMs: number;
    }
  | {
      /** Only a slot is missing; this many executions, and steps of the same execution, go first. */
      readonly kind: "turn";
      readonly executions: number;
      readonly steps: number;
    };

export interface Occupied<Owner> {
  readonly used: number;
  readonly max: number;
  readonly holders: readonly ResourceHolder<Owner>[];
  /** The step for which an active reservation keeps the free amount. */
  readonly reservedFor?: Waiter<Owner>;
}
