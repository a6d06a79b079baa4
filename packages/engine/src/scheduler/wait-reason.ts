// Why something waits: every reason that holds at the moment (SCHED-7).

/** Who holds something of a resource. */
export interface ResourceHolder<Owner> {
  readonly owner: Owner;
  readonly step: number;
  /** Its attempt was given up and runs on: what it has is free when it ends (CANCEL-2). */
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
      /** When it fits, if nobody comes before; nothing when it never does. */
      readonly untilMs: number | undefined;
      readonly reservedFor?: Waiter<Owner>;
    }
  | {
      readonly kind: "breaker";
      readonly agent: string;
      /** When it has cooled down; from then on one attempt tries whether the agent works again. */
      readonly untilMs: number;
    }
  | {
      /** Nothing but a slot is missing, and others come first: so many executions, and steps of its own. */
      readonly kind: "turn";
      readonly executions: number;
      readonly steps: number;
    };

export interface Occupied<Owner> {
  readonly used: number;
  readonly max: number;
  readonly holders: readonly ResourceHolder<Owner>[];
  /** What is free is kept for this one, who has waited long. */
  readonly reservedFor?: Waiter<Owner>;
}
