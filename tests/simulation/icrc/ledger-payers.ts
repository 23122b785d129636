// Brings the payers of a token ledger: each gets an intent, transfers, and may tell a settlement process which block it was. A
// liar tells blocks that are no payment of the intent that he names.
import { type Intent, memoOfIntent, type NotifiedTransfer, type NotifyTransfer } from '@svc-pay/core';
import { type MemoryIcrcPayout, ofNetwork, sampleIntent, seedLedgerIntent } from '@svc-pay/core/testing';
import { atomicAmount } from '@svc-pay/money';
import { newId } from '@svc-pay/protocol/ids';
import { ACCOUNT } from '../world/merchant.ts';
import type { Simulation } from '../world/simulation.ts';
import type { IcrcGround } from './icrc-process.ts';
import { type LedgerPayer, MERCHANT_ACCOUNT, type PlannedTransfer } from './plan-payers.ts';
import type { SimulatedTokenLedger } from './simulated-token-ledger.ts';

export type LedgerPayers = {
  readonly intents: readonly Intent[];
  readonly areDone: () => boolean;
  /** From now on nobody pays, and nobody tells a block. */
  readonly stop: () => void;
};

/** The code that the memo names, read without the product's help. */
export function codeIn(memo: Uint8Array | null): number | undefined {
  const [, digits] = /^svc:(\d+)$/.exec(Buffer.from(memo ?? []).toString()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const AGAIN_MS = 700;
const ANSWER_MS = 6_000;
const MOST_TRIES = 3;
const LIE_MS = 1_200;
const NO_INTENT = 900_000_000;
const FAR_ABOVE = 5_000_000_000n;

export function bringLedgerPayers(
  simulation: Simulation,
  { network, ledger: name }: IcrcGround,
  ledger: SimulatedTokenLedger,
  payout: MemoryIcrcPayout,
  planned: readonly LedgerPayer[],
  run: { readonly withinMs: number; readonly skewMs: number; readonly doors: () => readonly NotifyTransfer[] },
): LedgerPayers {
  const { timeline, clock, dice, tables, note, violate, strikes, isStorm } = simulation;
  const intents: Intent[] = [];
  let waiting = 0;
  let stopped = false;
  const later = (delayMs: number, action: () => void) => {
    waiting += 1;
    timeline.after(delayMs, () => {
      waiting -= 1;
      if (!stopped) action();
    });
  };

  const isTrueOf = ({ intentCode }: Intent, index: bigint): boolean => {
    const transfer = ledger.blocks[Number(index)]?.transfer;
    return transfer?.to === MERCHANT_ACCOUNT && codeIn(transfer.memo) === intentCode;
  };
  /** `wasTrue`: when it was told. */
  const judge = (intent: Intent, index: bigint, answer: NotifiedTransfer, wasTrue: boolean): void => {
    if (stopped) return;
    const what = `block ${index} for intent ${intent.intentCode} is ${answer.outcome}`;
    if (wasTrue && answer.outcome === 'refused') violate('a true block is not refused', what);
    if (!isTrueOf(intent, index) && (answer.outcome === 'applied' || answer.outcome === 'recorded'))
      violate('a lie changes nothing', what);
  };
  const tell = (intent: Intent, blockIndex: bigint, tries: number): void => {
    let isAnswered = false;
    const wasTrue = isTrueOf(intent, blockIndex);
    const again = () => {
      if (isAnswered || tries <= 1) return;
      isAnswered = true;
      tell(intent, blockIndex, tries - 1);
    };
    const ask = async () => {
      const notified = { ...ACCOUNT, intentId: intent.id, ledger: name, blockIndex };
      const answer = await dice.pick(run.doors())(notified);
      const refusal = answer.outcome === 'refused' ? `: ${answer.refusal}` : '';
      note('client', `block ${blockIndex} for intent ${intent.intentCode} is ${answer.outcome}${refusal}`);
      judge(intent, blockIndex, answer, wasTrue);
      if (answer.outcome === 'unknown') later(AGAIN_MS, again);
      else isAnswered = true;
    };
    void ask();
    later(ANSWER_MS, again);
  };

  const memoOf = (intent: Intent, memo: PlannedTransfer['memo']): Uint8Array => {
    if (memo === 'none') return Buffer.from(`order ${intent.intentCode}`);
    const other = intents.findLast(({ id }) => id !== intent.id)?.intentCode ?? NO_INTENT;
    const code = { own: intent.intentCode, other, unknown: NO_INTENT + intent.intentCode }[memo];
    return memoOfIntent(BigInt(code));
  };
  const pay = (intent: Intent, { from, to, amountAtomic, memo, notifies }: PlannedTransfer): void => {
    const index = ledger.add({ from, to, amountAtomic, memo: memoOf(intent, memo) }, clock.nowMs() + run.skewMs);
    note('payer', `block ${index}: ${amountAtomic} for intent ${intent.intentCode}, memo ${memo}`);
    if (notifies) later(dice.roll() * 500, () => tell(intent, index, MOST_TRIES));
  };
  /** As the API offers a ledger: one that is read. */
  const offer = (payer: LedgerPayer): void => {
    const cursor = tables.icrcCursors.get(ofNetwork(network, name));
    if (cursor === undefined || cursor.readAtMs === null || cursor.stoppedAtMs !== null)
      return later(AGAIN_MS, () => offer(payer));
    const nowMs = clock.nowMs();
    const { askedAtomic, lifetimeMs, expectedSender, transfers } = payer;
    const times = { createdAtMs: nowMs, expiresAtMs: nowMs + Math.round(lifetimeMs) };
    const named = { id: newId('paymentIntent', nowMs), ...ACCOUNT, intentCode: simulation.newIntentCode() };
    const intent = sampleIntent({ ...named, ...times, amount: atomicAmount(askedAtomic), expectedSender });
    seedLedgerIntent(tables, intent, payout);
    intents.push(intent);
    note('api', `intent ${intent.intentCode} asks for ${askedAtomic} until ${times.expiresAtMs}`);
    for (const transfer of transfers) later(transfer.afterMs, () => pay(intent, transfer));
  };
  for (const payer of planned) later(dice.roll() * run.withinMs, () => offer(payer));

  const disturb = () => {
    if (!isStorm()) return;
    if (strikes('block made up', 0.4) && intents.length > 0) {
      const near = BigInt(Math.floor(dice.roll() * (ledger.blocks.length + 3)));
      tell(dice.pick(intents), dice.roll() < 0.1 ? FAR_ABOVE : near, 1);
    }
    // A mint, a burn or an approval.
    if (dice.roll() < 0.3) ledger.add(null, clock.nowMs() + run.skewMs);
    later(LIE_MS, disturb);
  };
  later(LIE_MS, disturb);
  return {
    intents,
    areDone: () => stopped || waiting === 0,
    stop: () => {
      stopped = true;
    },
  };
}
