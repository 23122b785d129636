// The merchant who gives money back: parts and wholes, of payments that are completed, pending, failed or given back
// already; it races two refunds, submits twice, and asks again until it has an answer. A stranger submits what it signed.
// What answers is the product: createRefund and submitRefund of core, with the family of EIP-3009 authorizations.
import {
  type AskedRefund,
  type Caller,
  createRefund,
  LANE_DRAIN,
  type RefundFamily,
  type RefundQuestions,
  type RefundStore,
  type SubmitRefundPorts,
  submitRefund,
} from '@svc-pay/core';
import { createMemoryRefundStore, type Tables } from '@svc-pay/core/testing';
import { createAuthorizationRefunds } from '@svc-pay/evm/verify';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { CreatedRefund } from '@svc-pay/protocol/merchant';
import type { ChainState } from '../chain/chain-state.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { createMortalProcess } from '../runtime/mortal-process.ts';
import { type Ask, createAsk } from './ask.ts';
import type { FakeEngine } from './fake-engine.ts';
import { ACCOUNT } from './merchant.ts';
import type { RefundPlan } from './plan-refunds.ts';
import { statementBy } from './settlement-process.ts';
import type { Simulation } from './simulation.ts';

export type RefundBug = (store: RefundStore, tables: Tables) => RefundStore;
export type RefundMerchant = {
  readonly areDone: () => boolean;
  /** Payments of which the merchant gave a signature away before it submitted it: a second one may be under way. */
  readonly leaked: ReadonlySet<string>;
};

const CALLER: Caller = { ...ACCOUNT, keyId: newId('key', 0, () => new Uint8Array(10)), kind: 'secret' };
const AGAIN_MS = 1_500;
/** The API freezes no longer than its caller waits. */
const FREEZE_MS = 2_000;
const MOST_TRIES = 20;

export function bringRefundMerchant(
  simulation: Simulation,
  network: NetworkId,
  chain: SimulatedChain,
  engines: readonly FakeEngine[],
  plan: RefundPlan,
  bug: RefundBug | undefined,
): RefundMerchant {
  const { timeline, clock, dice, tables, note, strikes } = simulation;
  const leaked = new Set<string>();
  let waiting = 0;
  let calls = 0;
  const later = (delayMs: number, action: () => Promise<void> | void) => {
    waiting += 1;
    timeline.after(delayMs, () => {
      void (async () => {
        await action();
        waiting -= 1;
      })();
    });
  };
  const pause = (ms: number) => new Promise<void>((resolve) => void timeline.after(ms, resolve));
  const wakeLanes = () => {
    for (const row of tables.relayers.values()) {
      if (row.awake || row.duty !== 'settle') continue;
      row.awake = true;
      if (!strikes('wake lost', 0.2)) dice.pick(engines).wake(LANE_DRAIN, `${row.network}/${row.address}`);
    }
  };

  /** One request to the API, in a process that may die: undefined when no answer comes. */
  const request = <Result>(
    what: string,
    validForSeconds: number,
    work: (ports: Ports) => Promise<Result>,
  ): Promise<Result | undefined> =>
    new Promise((resolve) => {
      calls += 1;
      const process = createMortalProcess(`api-${calls}`, () => resolve(undefined));
      const ask = createAsk(simulation, process, () => dice.roll() * FREEZE_MS);
      const ports = portsOf(ask, validForSeconds);
      work(ports).then(resolve, (problem: unknown) => {
        note(process.name, `${what} fails: ${problem instanceof Error ? problem.message : String(problem)}`);
        resolve(undefined);
      });
    });

  type Ports = SubmitRefundPorts & Parameters<typeof createRefund>[0];
  const portsOf = (ask: Ask, validForSeconds: number): Ports => {
    const store = createMemoryRefundStore(tables, statementBy(ask));
    const family = createAuthorizationRefunds(questionsOf(simulation, network, chain, ask));
    return {
      clock,
      refunds: bug?.(store, tables) ?? store,
      refundFamilies: [validFor(family, validForSeconds)],
      chainReadFailed: () => {},
      recallAnswer: async () => undefined,
      keepAnswer: async () => ({ outcome: 'recorded' }),
      isKeyReused: async () => false,
      bindKey: async () => {},
      wakeLanes,
    };
  };

  const create = async (asked: Pick<AskedRefund, 'paymentId' | 'amountAtomic'>, validForSeconds: number) => {
    const whole = { ...asked, caller: CALLER, refundTo: undefined, from: undefined, reason: null, reported: undefined };
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const answered = await request('createRefund', validForSeconds, (ports) =>
        createRefund(ports, { ...whole, claim: null }),
      );
      if (answered?.ok) return JSON.parse(answered.answer.body) as CreatedRefund;
      if (answered !== undefined) {
        note('merchant', `may not refund ${asked.paymentId}: ${answered.code}`);
        if (answered.code !== 'chain_unavailable') return undefined;
      }
      await pause(dice.roll() * AGAIN_MS);
    }
    return undefined;
  };

  /** Until there is an answer: what was submitted may be stored although nobody was told. */
  const submit = async ({ refund }: CreatedRefund, signature: string) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const answered = await request('submitRefund', 0, (ports) =>
        submitRefund(ports, { caller: CALLER, refundId: refund.id as never, claim: null, answer: { signature } }),
      );
      if (answered !== undefined) {
        note('merchant', `submits ${refund.id}: ${answered.ok ? answered.refund.status : answered.code}`);
        if (answered.ok || answered.code !== 'chain_unavailable') return answered.ok;
      }
      await pause(dice.roll() * AGAIN_MS);
    }
    return false;
  };

  const sign = () => `0x${Buffer.alloc(64, 1 + Math.floor(dice.roll() * 100)).toString('hex')}1b`;

  const submitByStranger = (id: string) => {
    const row = tables.askedRefunds.get(id)?.refund;
    const { amountAtomic, nonce, validBeforeSeconds } = row ?? {};
    if (row === undefined || !amountAtomic || !nonce || !validBeforeSeconds) return;
    if (!strikes('authorization submitted', 1)) return;
    note('stranger', `submits the refund ${id}`);
    chain.submit({
      payer: row.wallet,
      nonce,
      capAtomic: amountAtomic,
      validBeforeSeconds,
      to: row.recipient,
      gift: false,
    });
  };

  /** Asks for the payment as it is in that moment, whatever its status. */
  const refundOnce = async (): Promise<void> => {
    const ids = [...tables.settlements.values()].map(({ item }) => item.paymentId);
    const paid = ids.filter((id) => tables.payments.get(id)?.status === 'completed');
    const paymentId = dice.pick(paid.length > 0 && dice.roll() < 0.85 ? paid : ids);
    if (paymentId === undefined) return;
    const whole = tables.payments.get(paymentId)?.paidAmount ?? 1_000_000n;
    const part = () =>
      [undefined, whole / 2n, whole / 3n, whole, whole + 1n, (whole + 99n) / 100n][Math.floor(dice.roll() * 6)];
    const validFor = dice.roll() < plan.shortShare ? 5 + Math.floor(dice.roll() * 15) : plan.validForSeconds;
    const prepared = await Promise.all(
      Array.from({ length: dice.roll() < 0.3 ? 2 : 1 }, () => create({ paymentId, amountAtomic: part() }, validFor)),
    );
    const stranger = dice.roll();
    await Promise.all(
      prepared.map(async (created, index) => {
        if (created === undefined || dice.roll() < 0.05) return;
        const signature = sign();
        const { id } = created.refund;
        if (stranger < 0.08 && index === 0) {
          leaked.add(paymentId);
          submitByStranger(id);
        }
        const both =
          dice.roll() < 0.25 ? [submit(created, signature), submit(created, signature)] : [submit(created, signature)];
        const taken = await Promise.all(both);
        if (taken.includes(true) && index === 0 && stranger > 0.7)
          later(dice.roll() * 4_000, () => submitByStranger(id));
      }),
    );
  };

  for (const atMs of plan.atMs) later(atMs, refundOnce);
  return { areDone: () => waiting === 0, leaked };
}

/** The merchant's wallet signs for that long. */
function validFor(family: RefundFamily, seconds: number): RefundFamily {
  return {
    ...family,
    draft: async (draft, nowMs) => {
      const drafted = await family.draft(draft, nowMs);
      if (!drafted.ok) return drafted;
      const validBeforeSeconds = BigInt(Math.floor(nowMs / 1_000) + seconds);
      return { ...drafted, validBeforeSeconds, expiresAtMs: Number(validBeforeSeconds) * 1_000 };
    },
  };
}

/** By a node that may lag. Every signature is the wallet's own. */
function questionsOf({ dice }: Simulation, network: NetworkId, chain: SimulatedChain, ask: Ask): RefundQuestions {
  const read = <Result>(what: string, answer: (state: ChainState) => Result): Promise<Result> =>
    ask(
      { to: 'node', what, changes: false },
      () => {
        const blocks = chain.blocks();
        const seen = blocks[Math.max(0, blocks.length - 1 - Math.floor(dice.roll() * 3))];
        if (seen === undefined) throw new Error('no block');
        return answer(seen.state);
      },
      () => new Error('reset'),
    );
  const isUsed = ({ used }: ChainState, { wallet, nonce }: { readonly wallet: string; readonly nonce: string }) =>
    used.has(`${wallet} ${nonce}`);
  const hasFunds = ({ balances }: ChainState, wallet: string, amountAtomic: bigint) =>
    (balances.get(wallet) ?? 0n) >= amountAtomic;
  return {
    owns: (asked) => asked === network,
    hasCode: async () => false,
    findUsedNonce: (_token, nonces) => read('findUsedNonce', (state) => nonces.find((nonce) => isUsed(state, nonce))),
    readRefundFacts: (transfer) =>
      read('readRefundFacts', (state) => ({
        recipientHasCode: false,
        nonceUsed: isUsed(state, transfer),
        transfer: hasFunds(state, transfer.wallet, transfer.amountAtomic) ? 'passes' : 'insufficient_funds',
      })),
    verifyRefund: (transfer) =>
      read('verifyRefund', (state) => {
        if (isUsed(state, transfer)) return { ok: false, code: 'nonce_used' };
        if (!hasFunds(state, transfer.wallet, transfer.amountAtomic)) return { ok: false, code: 'insufficient_funds' };
        return { ok: true, byContract: false };
      }),
  };
}
