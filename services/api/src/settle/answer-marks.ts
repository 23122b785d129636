// Marks of answers to sellers, written some at a time: a mark that is lost with its process counts as a lost answer.
import type { AnswerMark, LeasedCall, LeaseStore } from '@svc-pay/core';

export type AnswerMarksOptions = {
  readonly write: LeaseStore['markAnswers'];
  /** Longest time that a mark waits. Well below the time after which an answer without a mark counts as lost. */
  readonly everyMs: number;
  readonly onProblem: (problem: unknown) => void;
};

export type AnswerMarks = {
  readonly note: (lease: LeasedCall, arrived: boolean) => void;
  /** Writes what is noted. */
  readonly stop: () => Promise<void>;
};

type Noted = LeasedCall & { readonly answer: AnswerMark };

export function createAnswerMarks({ write, everyMs, onProblem }: AnswerMarksOptions): AnswerMarks {
  let noted = new Map<string, Noted>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writeAll(): Promise<void> {
    timer = undefined;
    const marks = noted;
    if (marks.size === 0) return;
    noted = new Map();
    try {
      await write([...marks.values()]);
    } catch (problem) {
      onProblem(problem);
      // A later call of the same authorization has its own mark.
      for (const [key, mark] of marks) if (!noted.has(key)) noted.set(key, mark);
      later();
    }
  }

  function later(): void {
    timer ??= setTimeout(() => {
      writing = writing.then(writeAll);
    }, everyMs);
  }

  return {
    note({ claimKey, call }, arrived) {
      const key = Buffer.from(claimKey).toString('latin1');
      const known = noted.get(key);
      if (known === undefined || known.call <= call)
        noted.set(key, { claimKey, call, answer: arrived ? 'arrived' : 'lost' });
      later();
    },
    async stop() {
      clearTimeout(timer);
      await writing;
      await writeAll();
      clearTimeout(timer);
    },
  };
}
