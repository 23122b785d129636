// Malicious payers burn the relayer's gas, or fill the queue with payments that cannot be sent. Honest payments beside
// and behind theirs must complete.
import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { chainTrouble } from './chain-trouble.ts';
import { ledgerCheck } from './ledger-check.ts';
import { prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { createIntent, type Payer, payerOf, post, prepare, type SettleCall, settle, signHeader } from './wallet.ts';

/** Finality takes 64 s, longer than an honest payment of these tests may take. */
const BLOCKS_TO_FINALITY = 64;
const world = await startWorld({
  blockTimeSeconds: 1,
  slotsInAnEpoch: BLOCKS_TO_FINALITY / 2,
  api: { SVC_SETTLE_WAIT_MS: '0' },
  // These tests show what holds before any budget is spent.
  settlement: { SVC_GAS_LOSS_HOUR_USD: '100000', SVC_GAS_LOSS_DAY_USD: '100000' },
});
const { chain, database } = world;
const trouble = chainTrouble(world);
const { node } = trouble;

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const completedOf = async (calls: readonly SettleCall[]): Promise<number> => {
  const { rowCount } = await database.pool.query(
    "select from svc.payments where intent_id = any ($1) and status = 'completed'",
    [calls.map(({ paymentIntentId }) => paymentIntentId)],
  );
  return rowCount ?? 0;
};
const allComplete = (calls: readonly SettleCall[], seconds: number) =>
  waitFor(async () => (await completedOf(calls)) === calls.length, seconds, `completed, all ${calls.length}`);

/** Relayer transactions that reverted. */
async function revertedTransactions(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ hash: Hex }>(
    'select transaction_id as hash from svc.batch_transactions',
  );
  const receipts = await Promise.all(
    rows.map(({ hash }) => node.getTransactionReceipt({ hash }).catch(() => undefined)),
  );
  return receipts.flatMap((receipt) => (receipt?.status === 'reverted' ? [receipt.transactionHash] : []));
}

test('an account that turns into gas-burning code undoes a batch: its 50 honest payments complete within their windows', async () => {
  const WINDOW_SECONDS = 40;
  const BURNERS = 12;
  const BURNS_GAS = '0x5b600056';
  const [burner, ...honest] = await richPayers(world, 51);
  if (burner === undefined) throw new Error('no payer');
  const signFor = async (payer: Payer): Promise<SettleCall> => {
    const { paymentIntentId, accepts } = await createIntent(world);
    const [acceptance] = accepts;
    if (acceptance === undefined) throw new Error('nothing is accepted');
    const paymentHeader = await signHeader(payer, acceptance, WINDOW_SECONDS);
    return { paymentIntentId, paymentRequirements: acceptance, paymentHeader };
  };
  await trouble.stopMining();
  const bad = await Promise.all(Array.from({ length: BURNERS }, () => signFor(burner)));
  const good = await Promise.all(honest.map(signFor));
  // All payments are queued before settlement starts, so that they share a transaction.
  await world.settlement.kill('SIGKILL');
  await settleAll(world, bad);
  await settleAll(world, good);
  await world.settlement.start();
  await waitFor(async () => (await trouble.pending()).length > 0, 20, 'in the pool');
  // Simulates an EIP-7702 delegation in the same block, ahead of the batch.
  await node.setCode({ address: burner.address, bytecode: BURNS_GAS });
  await trouble.startMining();
  await allComplete(good, WINDOW_SECONDS);
});

test('a contract wallet that simulates well and burns gas in a block: a payment costs one transaction at most, and an honest one behind 40 completes', async () => {
  // YES is ERC-1271's magic value. YES_IN_SIMULATIONS returns it at gas price 0, else burns all gas (invalid opcode).
  const YES = '0x631626ba7e60e01b60005260206000f3';
  const YES_IN_SIMULATIONS = '0x3a601457631626ba7e60e01b60005260206000f35bfe';
  const [honest] = await richPayers(world, 1);
  if (honest === undefined) throw new Error('no payer');
  const wallet: Hex = `0x${randomBytes(20).toString('hex')}`;
  await node.setCode({ address: wallet, bytecode: YES });
  await chain.mint(chain.tokens.usdc, wallet, 1_500_000n);
  const before = new Set(await revertedTransactions());
  const [first, ...others] = (await prepareMany(world, [honest], 40)).map((call) => forge(call, wallet));
  if (first === undefined) throw new Error('nothing is forged');
  // The wallet's code changes after the first payment is simulated, so that no simulation can catch it.
  await trouble.stopMining();
  await attempt(first);
  await waitFor(() => isSent(first), 20, 'sent');
  await node.setCode({ address: wallet, bytecode: YES_IN_SIMULATIONS });
  await trouble.startMining();
  await Promise.all(others.map(attempt));
  const behind = await prepare(world, honest);
  await settle(world, behind);
  await allComplete([behind], 10);

  const burnt = (await revertedTransactions()).filter((hash) => !before.has(hash));
  expect(burnt.length).toBeGreaterThan(0);
  await node.mine({ blocks: BLOCKS_TO_FINALITY + 1 });
  // Each burnt transaction has one failed payment, and nothing of it is queued again.
  const failedWith = async () => {
    const { rows } = await database.pool.query<{ hash: string }>(
      "select transaction_id as hash from svc.payments where payer = $1 and status = 'failed' and transaction_id is not null",
      [wallet],
    );
    return new Set(rows.map(({ hash }) => hash));
  };
  const allFailed = async () => {
    const failed = await failedWith();
    return burnt.every((hash) => failed.has(hash));
  };
  await waitFor(allFailed, 20, `failed, all ${burnt.length} that burnt gas`);
});

test.each([40, 80])(
  '%d payments above the hourly cap of the relayer: five honest ones behind them complete',
  async (count) => {
    const HOURLY_CAP_USD = 1_000_000_000;
    const { account } = await chain.newKey();
    await chain.mint(chain.tokens.usdc, account.address, BigInt(HOURLY_CAP_USD + 1) * 1_000_000n);
    const whale = payerOf(account);
    const body = { usdAmount: String(HOURLY_CAP_USD + 1), tokenShortcode: 'anvil_usdc' };
    const honest = await prepareMany(world, await richPayers(world, 5), 5);
    for (let sent = 0; sent < count; sent += 25) {
      const some = Array.from({ length: Math.min(25, count - sent) }, () =>
        prepare(world, whale, body).then(attempt, refusedAtOffer),
      );
      await Promise.all(some);
    }
    await settleAll(world, honest);
    await allComplete(honest, 20);
  },
);

async function isSent({ paymentIntentId }: SettleCall): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `select from svc.settlements s join svc.batches b on b.id = s.batch_id
     where s.intent_id = $1 and b.status = 'broadcast'`,
    [paymentIntentId],
  );
  return rowCount === 1;
}

/** Pays the same intent in the name of a contract wallet that accepts any signature. */
function forge(call: SettleCall, wallet: Hex): SettleCall {
  const header = JSON.parse(Buffer.from(call.paymentHeader, 'base64').toString());
  header.payload.authorization.from = wallet;
  header.payload.signature = `0x${'11'.repeat(66)}`;
  return { ...call, paymentHeader: Buffer.from(JSON.stringify(header)).toString('base64') };
}

/** An attack may be accepted or refused, but must not cause a server error. */
async function attempt(call: SettleCall): Promise<void> {
  const response = await post(`${world.apiUrl}/sdk/public/payments/x402/settle`, world.shop.publishableKey, call);
  await response.text();
  expect(response.status).toBeLessThan(500);
}

function refusedAtOffer(problem: Error): void {
  expect(problem.message).toMatch(/^4\d\d: /);
}
