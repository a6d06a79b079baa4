import { SegnoError, type ErrorCode } from "@segno/kernel";

export type StoreFaultCode = Extract<ErrorCode, `STORE_${string}`>;

/** The store could not do what it was asked, for a reason of the world. Nothing half-written remains (K1). */
export class StoreFault extends SegnoError {
  override readonly name: string = "StoreFault";
  declare readonly code: StoreFaultCode;
}
