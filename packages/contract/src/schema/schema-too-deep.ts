/** A check ends with this before the stack could overflow, because it is unknown whether the value fits. */
export class SchemaTooDeep extends Error {
  override readonly name: string = "SchemaTooDeep";
}
