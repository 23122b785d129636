export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export type LogEventEntry = {
  readonly level: LogLevel;
  /** The message of the line: one sentence that is understood without context. */
  readonly message: string;
  /** For the operator who reads the line. Markdown, with links relative to docs/reference. */
  readonly whatToDo: string;
};

export type LogEventEntries = Readonly<Record<string, LogEventEntry>>;
