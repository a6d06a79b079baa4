// @segno/contract/document-models: the parts from which packages with documents of their own build their models.

import "./node-version.ts";

export { loadDocument, type DocumentModel } from "./load/load-document.ts";
export { durationSchema, toDuration, type RawDuration } from "./models/duration.ts";
export { nameSchema, secretNameSchema, workflowNameSchema } from "./models/name.ts";
export {
  anyText,
  boolean,
  json,
  list,
  number,
  oneOf,
  record,
  strictObject,
  string,
  union,
  wholeNumber,
} from "./models/zod-helpers.ts";
