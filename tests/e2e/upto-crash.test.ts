// A merchant's backend retries calls without a good answer, while the settlement service is killed.
import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, richPayers, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { confirm, prepareUpto, settleUpto } from './upto-calls.ts';
import type { Payer } from './wallet.ts';

const INTENTS = 60;
const CAP = 5_000_000n;

test(`kill -9 of settlement in the middle of ${INTENTS} up-to settles: repeated until answered, each is charged once`, async () => {
  const world = await startWorld({ blockTimeSeconds: 0.3, api: { SVC_SETTLE_WAIT_MS: '0' } });
  const payers = await richPayers(world, INTENTS);
  const calls = await Promise.all(payers.map((payer) => prepareUpto(world, payer, { capAtomic: CAP })));
  await Promise.all(calls.map((call) => confirm(world, call)));

  const unanswered: (string | undefined)[] = [];
  const charge = async (index: number) => {
    const body = { paymentIntentId: calls[index]?.paymentIntentId, settledAmount: String(1_000 + index) };
    await waitFor(
      async () => {
        const answer = await settleUpto(world, body);
        if (answer.httpStatus === 503) unanswered.push(answer.body.moneyMoved);
        return answer.body.status === 'succeeded';
      },
      60,
      `settled: ${index}`,
    );
  };
  // Half of the calls start before the kill, the other half run into it.
  const early = Array.from({ length: INTENTS / 2 }, (_, index) => charge(index));
  await waitFor(async () => Object.keys(await paymentStatuses(world)).length > 0, 30, 'begun');
  const killed = world.settlement.kill('SIGKILL');
  const late = Array.from({ length: INTENTS / 2 }, (_, index) => charge(INTENTS / 2 + index));
  await killed;
  await waitFor(async () => unanswered.length > 0, 30, 'unanswered');
  await world.settlement.start();
  await Promise.all([...early, ...late]);

  expect(await paymentStatuses(world)).toEqual({ completed: INTENTS });
  for (const [index, { address }] of (payers as Payer[]).entries()) {
    expect(await world.chain.balanceOf(world.chain.tokens.usdc, address)).toBe(1_500_000_000n - BigInt(1_000 + index));
  }
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
