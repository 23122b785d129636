// npm run dev -- --check: starts a separate world, makes an exact and an up-to payment as a payer would, and checks the
// balances on chain after each.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '@svc-pay/core';
import { type LocalKey, newKey } from '@svc-pay/evm/local';
import type { Acceptance } from '@svc-pay/protocol';
import { SERVICE_NAMES, type Service } from '@svc-pay/runtime/process/find-service';
import {
  confirmUpto,
  requestIntent,
  settle,
  settleUpto,
  signAcceptance,
  type Wallet,
  waitForResult,
} from './pay-as-client.ts';
import { DEV_PAYOUT } from './register-payout.ts';
import { type LocalWorld, startWorld } from './start-world.ts';
import type { Step } from './steps.ts';

export type CheckOptions = {
  readonly api: Service;
  readonly settlement: Service;
  readonly webhooks: Service | undefined;
  readonly clock: Clock;
  readonly step: Step;
  /** Resolves when the user stops the command. */
  readonly stopped: Promise<NodeJS.Signals>;
};

const USD = 12.5;
const AMOUNT_ATOMIC = 12_500_000n;
/** Up-to payment: the cap, and the amount charged. */
const CAP_USD = 10;
const CAP_ATOMIC = 10_000_000n;
const CHARGE_USD = 3.21;
const CHARGE_ATOMIC = 3_210_000n;
const PATIENCE_MS = 60_000;
const LOG_LINES = 10;

/** Returns a text about the payments; throws a readable error on any difference. Leaves no processes and no files. */
export async function check({ api, settlement, webhooks, clock, step, stopped }: CheckOptions): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-check-'));
  // PostgreSQL may run as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  try {
    const options = { folder, api, settlement, webhooks, fresh: true, port: undefined, freePorts: true, clock, step };
    const world = await startWorld(options);
    try {
      const interrupted = stopped.then(() => Promise.reject(new Error('it was stopped')));
      const broken = world.ended.then((name) => Promise.reject(new Error(`${name} ended by itself`)));
      return await Promise.race([payTwice(world, clock, step), interrupted, broken]);
    } catch (problem) {
      const reason = problem instanceof Error ? problem.message : 'no reason given';
      throw new Error(`${reason}${endOfLogs(folder)}`, { cause: problem });
    } finally {
      await step('everything stopped', world.stop);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Last lines of the services' logs, which may tell the cause: the folder is deleted afterwards. */
function endOfLogs(folder: string): string {
  return SERVICE_NAMES.map((name) => {
    const lines = readFileSync(path.join(folder, `${name}.log`), 'utf8')
      .trimEnd()
      .split('\n');
    const warnings = lines.filter((line) => /"level":[456]0/.test(line));
    return `\n\n${name}:\n${(warnings.length > 0 ? warnings : lines).slice(-LOG_LINES).join('\n')}`;
  }).join('');
}

async function payTwice(world: LocalWorld, clock: Clock, step: Step): Promise<string> {
  const exact = await payExact(world, clock, step);
  return `${exact}\n${await payUpto(world, clock, step)}`;
}

async function payExact(world: LocalWorld, clock: Clock, step: Step): Promise<string> {
  const { chain, baseUrl, account } = world;
  const merchant = { baseUrl, publishableKey: account.publishableKey };
  const payer = newKey();
  await step('payer has 12.50 USDC', () => chain.mint(chain.tokens.usdc, payer.account.address, AMOUNT_ATOMIC));
  const required = await step('402 with what to sign', () =>
    requestIntent(merchant, { usdAmount: USD, tokenShortcode: 'anvil_usdc' }),
  );
  const [acceptance] = required.accepts;
  if (acceptance === undefined) throw new Error('the 402 offers nothing');
  const header = await step('wallet signs', () => sign(acceptance, payer, clock));
  const { paymentIntentId } = required;
  const answer = await step('settle', () => settle(merchant, paymentIntentId, header, acceptance));
  if (answer.status === 'failed')
    throw new Error(`settle of intent ${paymentIntentId} answered failed: ${answer.error ?? 'without a reason'}`);
  const end = await step('intent has ended', () => waitForResult(merchant, paymentIntentId, PATIENCE_MS));
  if (end.paymentIntent.status !== 'completed')
    throw new Error(`intent ${paymentIntentId} is ${end.paymentIntent.status}, not completed`);
  await step('every unit is where it belongs', () => checkBalances(world, [AMOUNT_ATOMIC], payer, 0n));
  return `12.50 USD paid: intent ${paymentIntentId}, transaction ${end.payment?.transactionId}`;
}

async function payUpto(world: LocalWorld, clock: Clock, step: Step): Promise<string> {
  const { chain, baseUrl, account } = world;
  const merchant = { baseUrl, publishableKey: account.publishableKey };
  const backend = { baseUrl, secretKey: account.secretKey, accountId: account.id };
  const payer = newKey();
  await step('another payer has 10 USDC', () => chain.mint(chain.tokens.usdc, payer.account.address, CAP_ATOMIC));
  const { paymentIntentId, header, acceptance } = await step('a cap of 10 USD is signed', async () => {
    const required = await requestIntent(merchant, {
      usdAmount: CAP_USD,
      tokenShortcode: 'anvil_usdc',
      x402Upto: true,
    });
    const [offered] = required.accepts;
    if (offered === undefined) throw new Error('the 402 offers nothing');
    return { ...required, acceptance: offered, header: await sign(offered, payer, clock) };
  });
  await step('the cap is confirmed', () => confirmUpto(merchant, paymentIntentId, header, acceptance));
  const settled = await step('3.21 USD are charged', () => settleUpto(backend, paymentIntentId, CHARGE_USD));
  if (!settled.ok) throw new Error(`up-to settle answered ${settled.status}: ${settled.error ?? 'without a reason'}`);
  const end = await step('intent has ended', () => waitForResult(merchant, paymentIntentId, PATIENCE_MS));
  if (end.paymentIntent.status !== 'completed')
    throw new Error(`intent ${paymentIntentId} is ${end.paymentIntent.status}, not completed`);
  await step('the rest is back, all is in place', () =>
    checkBalances(world, [AMOUNT_ATOMIC, CHARGE_ATOMIC], payer, CAP_ATOMIC - CHARGE_ATOMIC),
  );
  return `3.21 USD of a cap of 10.00 paid: intent ${paymentIntentId}, transaction ${end.payment?.transactionId}`;
}

/** `paid`: all amounts settled so far in this world. */
async function checkBalances(
  { chain }: LocalWorld,
  paid: readonly bigint[],
  payer: LocalKey,
  leftToPayer: bigint,
): Promise<void> {
  const [split] = DEV_PAYOUT.splits;
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const shares = (bps: number) => sum(paid.map((amount) => (amount * BigInt(bps)) / 10_000n));
  const [fee, partner] = [shares(DEV_PAYOUT.feeBps), shares(split.bps)];
  const expected = [
    ['merchant', DEV_PAYOUT.merchant, sum(paid) - fee - partner],
    ['partner', split.to, partner],
    ['fee recipient', chain.plan.feeRecipient, fee],
    ['payer', payer.account.address, leftToPayer],
    ['processor', chain.record.processor, 0n],
  ] as const;
  for (const [name, address, wanted] of expected) {
    const balance = await chain.balanceOf(chain.tokens.usdc, address);
    if (balance !== wanted) throw new Error(`${name} has ${balance} units on chain, not ${wanted}`);
  }
}

const sign = (acceptance: Acceptance, payer: LocalKey, clock: Clock) =>
  signAcceptance(acceptance, walletOf(payer), Math.floor(clock.nowMs() / 1_000));

const walletOf = ({ account }: LocalKey): Wallet => ({
  address: account.address,
  signTypedData: (typedData) => account.signTypedData(typedData),
});
