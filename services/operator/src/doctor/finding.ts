/** One thing that was looked at. `problem` makes the doctor fail; a `warning` deserves a look. */
export type Finding = {
  readonly area: 'configuration' | 'database' | 'network' | 'token';
  /** What was looked at: a variable, a setting, a network, a token. */
  readonly subject: string;
  readonly status: 'ok' | 'warning' | 'problem';
  /** What was found, as a sentence without secrets. */
  readonly message: string;
  readonly advice?: string;
};

type Area = Finding['area'];

/** Findings of one area and subject, so that each check only says what it saw. */
export function findingsOf(area: Area, subject: string) {
  return {
    ok: (message: string): Finding => ({ area, subject, status: 'ok', message }),
    warning: (message: string, advice: string): Finding => ({ area, subject, status: 'warning', message, advice }),
    problem: (message: string, advice: string): Finding => ({ area, subject, status: 'problem', message, advice }),
  };
}
