// Knows which accounts' keys and settings have changed. While requests arrive, the process looks for changes every few hundredths
// of a second, for all requests together; while none arrives, it asks nothing.
//
// What was remembered is used only by a look that began at most `LONGEST_MS` before the request: a change is in effect for
// every request that arrives later than that after its commit. No announcement is involved that could be lost.
import { EVERY_ACCOUNT, type ReadChanges } from './read-changes.ts';

export type SettingChanges = {
  /** True when all changes up to `LONGEST_MS` ago are known; false when that can't be found out now: use nothing remembered. */
  readonly areKnown: () => boolean | Promise<boolean>;
  /** Counts the looks of this process that found changes. Take it before a question is sent. */
  readonly moment: () => number;
  /** Whether what was asked for at `moment` still holds. An undefined account may be any. */
  readonly holds: (account: string | undefined, moment: number) => boolean;
};

export type FollowChangesOptions = {
  readonly read: (above: number | undefined) => Promise<ReadChanges>;
  /** A clock that nobody sets back. */
  readonly nowMs: () => number;
  /** Accounts whose last change is remembered. */
  readonly maxAccounts: number;
  /** Called for the first of several failures in a row. */
  readonly onProblem: (problem: unknown) => void;
};

/** From this age on of the last look, the next request begins one and does not wait for it. */
export const LOOK_AFTER_MS = 40;
/** No request is answered from memory by an older look. */
export const LONGEST_MS = 80;
/** Requests do not wait longer for a look: they ask the database for what they need. */
const LATE_MS = 500;

type Look = { readonly beganMs: number; readonly ended: Promise<boolean> };

export function followChanges({ read, nowMs, maxAccounts, onProblem }: FollowChangesOptions): SettingChanges {
  const changedAt = new Map<string, number>();
  /** The database's version; undefined before the first look, and after one that failed. */
  let known: number | undefined;
  let moment = 0;
  /** What was asked for before this moment holds no more. */
  let floor = 0;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let running: Look | undefined;
  let failing = false;

  function startOver(version: number | undefined): void {
    changedAt.clear();
    known = version;
    moment += 1;
    floor = moment;
  }

  function apply({ version, changed }: ReadChanges): void {
    // The first look, or a database that was put back: nothing is known of what changed.
    if (known === undefined || version < known || changed.includes(EVERY_ACCOUNT)) return startOver(version);
    known = version;
    if (changed.length > 0) moment += 1;
    for (const account of changed) {
      changedAt.delete(account);
      changedAt.set(account, moment);
    }
    for (const [oldest, atMoment] of changedAt) {
      if (changedAt.size <= maxAccounts) break;
      changedAt.delete(oldest);
      floor = atMoment;
    }
  }

  async function look(beganMs: number): Promise<boolean> {
    let lateTimer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      lateTimer = setTimeout(() => reject(new Error(`no answer within ${LATE_MS} ms`)), LATE_MS);
    });
    try {
      apply(await Promise.race([read(known), late]));
      lookedMs = beganMs;
      failing = false;
      return true;
    } catch (problem) {
      // The database that answers next may be another one, which does not have the last changes of this one.
      startOver(undefined);
      if (!failing) onProblem(problem);
      failing = true;
      return false;
    } finally {
      clearTimeout(lateTimer);
    }
  }

  function start(): Look {
    const beganMs = nowMs();
    const ended = look(beganMs).finally(() => {
      running = undefined;
    });
    running = { beganMs, ended };
    return running;
  }

  async function wait(calledMs: number): Promise<boolean> {
    const first = running ?? start();
    if (first.beganMs >= calledMs - LONGEST_MS) return first.ended;
    await first.ended;
    // Begun after the call, by this caller or by another that waited for the same look.
    return (running ?? start()).ended;
  }

  return {
    areKnown() {
      const calledMs = nowMs();
      const ageMs = calledMs - lookedMs;
      if (running === undefined && (failing || ageMs > LOOK_AFTER_MS)) start();
      // After a look that failed nobody waits for the next one.
      if (failing) return false;
      return known !== undefined && ageMs <= LONGEST_MS ? true : wait(calledMs);
    },
    moment: () => moment,
    holds: (account, asked) =>
      asked >= floor && asked >= (account === undefined ? moment : (changedAt.get(account) ?? floor)),
  };
}
