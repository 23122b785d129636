// What a rehearsal has begun, one line each, written before it is done: the next run in the same folder ends what a killed run
// left open, and counts what it may have spent.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';

export const FLOWS = ['exact', 'direct', 'upto'] as const;
export type PaymentFlow = (typeof FLOWS)[number];

const line = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('began'), at: z.string(), api: z.string(), network: z.string(), token: z.string() }),
  z.object({
    kind: z.literal('intent'),
    flow: z.enum(FLOWS),
    paymentIntentId: z.string(),
    /** Most that the payer's signature allows, in smallest units. */
    signs: z.string().check(z.regex(/^\d+$/)),
  }),
  /** Written before the payer signs. The token takes the signature in blocks before `validBefore`, in unix seconds. */
  z.object({
    kind: z.literal('signed'),
    paymentIntentId: z.string(),
    token: z.string(),
    amount: z.string().check(z.regex(/^\d+$/)),
    validBefore: z.int(),
  }),
  z.object({
    kind: z.literal('ended'),
    paymentIntentId: z.string(),
    how: z.enum(['completed', 'released', 'canceled', 'failed']),
  }),
  z.object({ kind: z.literal('finished'), ok: z.boolean() }),
]);
type Line = z.infer<typeof line>;
export type OpenIntent = { readonly flow: PaymentFlow; readonly paymentIntentId: string; readonly signs: bigint };

export type Journal = {
  /** Intents without an end. */
  readonly open: () => readonly OpenIntent[];
  /**
   * What every run in the folder signed for and what can still be taken or was taken. A released cap counts until its
   * signature has expired: the service gave it up, the token would still take it.
   */
  readonly spentAtomic: (nowMs: number) => bigint;
  /** API, network and token of the first run in the folder. */
  readonly began: () => Extract<Line, { kind: 'began' }> | undefined;
  readonly write: (next: Line) => void;
};

/** Clocks differ, and blocks carry the time at which their making began. */
const EXPIRY_GRACE_MS = 300_000;

/** Throws if the file is no journal. A last line that a kill cut is removed: what it would have said was not done yet. */
export function openJournal(file: string): Journal {
  const lines: Line[] = existsSync(file) ? readLines(file) : [];
  const endOf = (id: string) => lines.find((one) => one.kind === 'ended' && one.paymentIntentId === id);
  const intents = () =>
    lines.flatMap((one) =>
      one.kind === 'intent'
        ? [
            {
              flow: one.flow,
              paymentIntentId: one.paymentIntentId,
              signs: BigInt(one.signs),
              end: endOf(one.paymentIntentId),
            },
          ]
        : [],
    );
  return {
    open: () => intents().filter(({ end }) => end === undefined),
    spentAtomic: (nowMs) =>
      intents().reduce((sum, { paymentIntentId, signs, end }) => {
        const isTaken = end?.kind !== 'ended' || end.how === 'completed';
        return sum + (isTaken ? signs : validAtomic(lines, paymentIntentId, nowMs));
      }, 0n),
    began: () => lines.find((one) => one.kind === 'began'),
    write: (next) => {
      lines.push(next);
      const output = openSync(file, 'a', 0o600);
      writeSync(output, `${JSON.stringify(next)}\n`);
      fsyncSync(output);
      closeSync(output);
    },
  };
}

/** Signatures for an intent that the token still takes. */
function validAtomic(lines: readonly Line[], id: string, nowMs: number): bigint {
  return lines.reduce(
    (sum, one) =>
      one.kind === 'signed' && one.paymentIntentId === id && one.validBefore * 1_000 + EXPIRY_GRACE_MS > nowMs
        ? sum + BigInt(one.amount)
        : sum,
    0n,
  );
}

const LINE_START = '{"kind":"';

function readLines(file: string): Line[] {
  const bytes = readFileSync(file);
  const wholeBytes = bytes.lastIndexOf('\n') + 1;
  const cut = bytes.subarray(wholeBytes).toString();
  const lines = bytes
    .subarray(0, wholeBytes)
    .toString()
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => line.parse(JSON.parse(one)));
  if (cut === '') return lines;
  // Only what a rehearsal wrote is removed: the file may be somebody else's.
  if (!cut.startsWith(LINE_START) && !LINE_START.startsWith(cut)) throw new Error('no journal of a rehearsal');
  // Otherwise the next line would be written behind it, and the run after that could read neither.
  truncateSync(file, wholeBytes);
  return lines;
}
