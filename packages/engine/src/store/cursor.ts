import { SegnoError } from "@segno/kernel";

/** The position in the order of creation after which a page begins. A cursor is untrusted input. */
export function cursorOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const offset = /^[0-9]{1,15}$/u.test(cursor) ? Number(cursor) : Number.NaN;
  if (Number.isNaN(offset))
    throw new SegnoError("CURSOR_INVALID", "this is not a cursor; pass the `cursor` of the previous page");
  return offset;
}
