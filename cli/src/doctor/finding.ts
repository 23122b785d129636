/** Result of one check. A `problem` makes the doctor fail; a `warning` does not. */
export type Finding = {
  readonly area: 'configuration' | 'database' | 'network' | 'token';
  /** Subject of the check: a variable, a setting, a network or a token. */
  readonly subject: string;
  readonly status: 'ok' | 'warning' | 'problem';
  /** Finding as a sentence without secrets. */
  readonly message: string;
  readonly advice?: string;
};

type Area = Finding['area'];

/** Creates findings for one area and subject. */
export function findingsOf(area: Area, subject: string) {
  return {
    ok: (message: string): Finding => ({ area, subject, status: 'ok', message }),
    warning: (message: string, advice: string): Finding => ({ area, subject, status: 'warning', message, advice }),
    problem: (message: string, advice: string): Finding => ({ area, subject, status: 'problem', message, advice }),
  };
}
