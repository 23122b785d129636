// What a rehearsal has begun, one line each, written before it is done: the next run in the same folder ends what a killed run
// left open, and counts what it may have spent.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';

export const FLOWS = ['exact', 'direct', 'upto'] as const;
export type PaymentFlow = (typeof FLOWS)[number];

const line = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('began'), at: z.string(), api: z.string(), network: z.string() }),
  z.object({
    kind: z.literal('intent'),
    flow: z.enum(FLOWS),
    paymentIntentId: z.string(),
    /** Most that the payer's signature allows, in smallest units. */
    signs: z.string().check(z.regex(/^\d+$/)),
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
  /** What was signed for, and not given back, by every run in the folder. */
  readonly spentAtomic: () => bigint;
  /** API and network of the first run in the folder. */
  readonly began: () => Extract<Line, { kind: 'began' }> | undefined;
  readonly write: (next: Line) => void;
};

const GIVEN_BACK: ReadonlySet<string> = new Set(['released', 'canceled', 'failed']);

/** Throws if the file is no journal. */
export function openJournal(file: string): Journal {
  const lines: Line[] = existsSync(file) ? readLines(readFileSync(file, 'utf8')) : [];
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
    spentAtomic: () =>
      intents()
        .filter(({ end }) => end?.kind !== 'ended' || !GIVEN_BACK.has(end.how))
        .reduce((sum, { signs }) => sum + signs, 0n),
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

/** A kill may cut the last line: what it would have said was not done yet. */
function readLines(text: string): Line[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => line.parse(JSON.parse(one)));
}
