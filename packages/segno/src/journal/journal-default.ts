/** The journal of commands without `--db`. */
export const JOURNAL_DEFAULT = ".segno/segno.db";
