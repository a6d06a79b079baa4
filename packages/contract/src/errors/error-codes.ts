// The error codes of contracts: problems of a document before it is a definition.

import "@segno/contract/node-version";
import type { KernelErrorCode } from "@segno/kernel";

export const CONTRACT_CODES = {
  CONTRACT_INVALID: {
    meaning: "A contract has problems; the error lists all of them.",
    remedy: "Correct each problem at the line and column that it names.",
  },
  PROBLEMS_OMITTED: {
    meaning: "The document has more problems than the error lists; the message says how many more.",
    remedy: "Correct the listed problems, then load the document again.",
  },
  CONTRACT_UNREADABLE: {
    meaning: "The contract's file cannot be read.",
    remedy: "Check the path and the permissions; name a file, not a folder.",
  },
  CONTRACT_TOO_LARGE: {
    meaning: "The document has too many bytes, tokens, values or aliases.",
    remedy: "Split the workflow, or move data out of it.",
  },
  CONTRACT_TOO_DEEP: {
    meaning: "Lists and maps are nested too deeply.",
    remedy: "Flatten the document; the limit is in the message.",
  },
  CONTRACT_ENCODING: {
    meaning: "The document is not UTF-8 text.",
    remedy: "Save it as UTF-8 without control characters.",
  },
  CONTRACT_EMPTY: { meaning: "The document has no content.", remedy: "Start with `name:` and `steps:`." },
  CONTRACT_SYNTAX: {
    meaning: "The document is not well-formed YAML or JSON.",
    remedy: "Correct the text at the position in the message; indentation and quotes are the usual causes.",
  },
  YAML_REFUSED: {
    meaning:
      "The document uses a feature of YAML that contracts do not support: tags, merge keys, directives, several documents, or an alias without a value.",
    remedy: "Write the value itself instead.",
  },
  DUPLICATE_KEY: { meaning: "A map has the same key twice.", remedy: "Remove one of them." },
  KEY_INVALID: {
    meaning: "A key is not text, or not a valid name.",
    remedy: "Put it in quotes, or rename it.",
  },
  VALUE_NOT_JSON: {
    meaning: "A value cannot be stored as JSON: an infinite number, a number that would be rounded, or invalid text.",
    remedy: "Write it as text, in quotes.",
  },
  UNKNOWN_KEY: {
    meaning: "The key does not exist at this place.",
    remedy: "Correct its spelling, or move it to its place.",
  },
  CONTRACT_IS_ONEX: {
    meaning: "The contract is an ONEX contract, but a native contract was expected.",
    remedy: "Load it with `loadOnexContract`; `loadContractFile` takes both kinds.",
  },
  KEY_PLANNED: {
    meaning: "A key is planned but not implemented, so it would have no effect.",
    remedy: "Remove it; the message says what happens without it.",
  },
  MISSING_KEY: { meaning: "A required key is missing.", remedy: "Add it." },
  WRONG_TYPE: {
    meaning: "A value has the wrong type for its key.",
    remedy: "Write a value of the type that the message names.",
  },
  WRONG_VALUE: {
    meaning: "A value has the right type but is not valid for its key.",
    remedy: "Write a value that the message allows.",
  },
  KEYS_CONFLICT: {
    meaning: "A key cannot be combined with another key, or needs a key that is missing.",
    remedy: "Add the missing key, or remove this one.",
  },
  ACTION_MISSING: {
    meaning: "A step, a wait or a compensation has no action.",
    remedy: "Add exactly one of the keys that the message lists.",
  },
  ACTION_AMBIGUOUS: {
    meaning: "A step, a wait or a compensation has two actions.",
    remedy: "Keep one; move the other to a second step.",
  },
  SCHEMA_INVALID: {
    meaning: "A schema in the contract is not a valid JSON Schema.",
    remedy: "Correct it. A schema is draft 2020-12 unless `$schema` names draft-07.",
  },
  SCHEMA_REFERENCE: {
    meaning: "A schema refers to a definition outside itself, or to one that does not exist.",
    remedy: "Copy the definition into `$defs` and refer to it as `#/$defs/name`.",
  },
  SCHEMA_PATTERN: {
    meaning: "A pattern in a schema is not a regular expression that always ends in linear time.",
    remedy: "Use RE2 syntax: no look-ahead and no back-references.",
  },
  SCHEMA_DEFAULT: {
    meaning: "A `default` in the schema of the input does not fit the schema beside it, or the defaults have no end.",
    remedy: "Correct the default or the schema; a default inside a part that refers to itself has no end.",
  },
  NODE_UNSUPPORTED: {
    meaning: "The Node.js that runs the program is too old, or comes without SQLite.",
    remedy: "Install Node.js 24 or newer, and remove `--no-experimental-sqlite` from `NODE_OPTIONS`.",
  },
} as const;

export type ContractErrorCode = keyof typeof CONTRACT_CODES;

/** The codes of a document's problems: those of contracts, and those of the definition in it. */
export type DocumentErrorCode = ContractErrorCode | KernelErrorCode;
