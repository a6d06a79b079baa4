/** Where executions are kept unless somebody says otherwise. */
export const JOURNAL_DEFAULT = ".segno/segno.db";
