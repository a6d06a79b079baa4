import { SegnoError } from "@segno/kernel";

/** The position in the order of creation after which a page begins. A cursor is untrusted input. */
export function cursorOffset(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const place = /^[0-9]{1,15}$/u.test(cursor) ? Number(cursor) : Number.NaN;
  if (Number.isNaN(place))
    throw new SegnoError("CURSOR_INVALID", "this is not a cursor; pass the `cursor` of the previous page");
  return place;
}
