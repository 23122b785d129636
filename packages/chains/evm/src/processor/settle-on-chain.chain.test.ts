import { readFileSync } from 'node:fs';
import path from 'node:path';
import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { encodeFunctionData, type Hex, keccak256, numberToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setPayout } from '../admin/set-payout.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { provesStranding } from '../prove/proves-stranding.ts';
import { deployedWorld } from '../testing/plan-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { packBatchItem, readItemCodes } from './batch-item.ts';

let anvil: Anvil;
let world: Awaited<ReturnType<typeof deployedWorld>>;
let nonceCount = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployedWorld(anvil);
  const merchant = world.stranger.account.address;
  await setPayout(world.registrar, world.record.processor, { payoutId: 1n, merchant, feeBps: 50, splits: [] });
});

afterAll(async () => {
  await anvil.stop();
});

async function signedPayment(intentCode: bigint, capAtomic: bigint, nonce?: Hex) {
  const payer = await anvil.newAccount();
  const { token, record, deployer } = world;
  const mint = encodeFunctionData({
    abi: mockUsdcAbi,
    functionName: 'mint',
    args: [payer.account.address, capAtomic * 10n],
  });
  await deployer.waitForTransactionReceipt({ hash: await deployer.sendTransaction({ to: token, data: mint }) });
  const { timestamp } = await deployer.getBlock();
  const authorization = {
    from: payer.account.address,
    to: record.processor,
    value: capAtomic,
    validAfter: timestamp - 86_400n,
    validBefore: timestamp + 3_600n,
    nonce: nonce ?? keccak256(numberToHex(++nonceCount)),
  };
  const signature = await payer.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: record.chainId, verifyingContract: token },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  const item = packBatchItem({
    kind: 'transfer',
    payer: authorization.from,
    intentCode,
    capAtomic,
    settledAtomic: capAtomic,
    validAfterSeconds: authorization.validAfter,
    validBeforeSeconds: authorization.validBefore,
    nonce: authorization.nonce,
    signature,
  });
  const submission = { token, processor: record.processor, from: authorization.from, nonce: authorization.nonce };
  return { authorization, signature, item, submission: { ...submission, valueAtomic: capAtomic } };
}

const batchOf = (items: readonly ReturnType<typeof packBatchItem>[]) =>
  ({
    abi: paymentProcessorAbi,
    address: world.record.processor,
    functionName: 'settleBatch',
    args: [world.token, [{ payoutId: 1n, items }]],
  }) as const;

test('a packed batch is simulated, settled and is no stranding', async () => {
  const good = await signedPayment(1n, 1_000_000n);
  const twin = await signedPayment(1n, 1_000_000n);
  const batch = batchOf([good.item, twin.item]);
  const { result } = await world.relayer.simulateContract(batch);
  expect(readItemCodes(result)).toEqual(['settled', 'intent_already_settled']);
  const hash = await world.relayer.writeContract(batch);
  const { logs } = await world.relayer.waitForTransactionReceipt({ hash });
  expect(provesStranding(logs, good.submission)).toBe(false);
  expect(provesStranding(logs, twin.submission)).toBe(false);
});

test('a direct submission is proven by its receipt', async () => {
  const { authorization: a, signature, submission, item } = await signedPayment(2n, 1_000_000n);
  const hash = await world.stranger.writeContract({
    abi: mockUsdcAbi,
    address: world.token,
    functionName: 'transferWithAuthorization',
    args: [a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature],
  });
  const { logs } = await world.stranger.waitForTransactionReceipt({ hash });
  expect(provesStranding(logs, submission)).toBe(true);
  const { result } = await world.relayer.simulateContract(batchOf([item]));
  expect(readItemCodes(result)).toEqual(['authorization_used']);
});

test('the bound nonce computed here is the one that the processor derives', async () => {
  const { record, token, stranger, relayer } = world;
  const nonce = boundNonce({
    chainId: record.chainId,
    processor: record.processor,
    token,
    payoutId: 1,
    merchant: stranger.account.address,
    feeBps: 50,
    splits: [],
    intentCode: 3,
    attempt: 2,
  });
  const derived = await relayer.readContract({
    abi: paymentProcessorAbi,
    address: record.processor,
    functionName: 'boundNonce',
    args: [token, 1n, 3n, 2],
  });
  expect(nonce).toBe(derived);
  const bound = await signedPayment(3n, 1_000_000n, nonce);
  const elsewhere = { ...bound.item, head: bound.item.head ^ (8n << 32n) };
  const { result } = await relayer.simulateContract(batchOf([elsewhere, bound.item]));
  expect(readItemCodes(result)).toEqual(['nonce_not_bound', 'settled']);
});

test('the gas of a real receipt is what the committed figures say, within two percent', async () => {
  const snapshot = readFileSync(
    path.resolve(import.meta.dirname, '../../../../../contracts/evm/gas-snapshot.json'),
    'utf8',
  );
  const { batch100 } = JSON.parse(snapshot) as { batch100: number };
  const items = [];
  for (let index = 0; index < 100; index += 1) {
    items.push((await signedPayment(1_000n + BigInt(index), 1_000_000n)).item);
  }
  const hash = await world.relayer.writeContract({ ...batchOf(items), gas: 8_100_000n });
  const receipt = await world.relayer.waitForTransactionReceipt({ hash });
  const perPayment = receipt.gasUsed / 100n;
  expect(receipt.status).toBe('success');
  expect(Math.abs(Number(perPayment) - batch100)).toBeLessThan(batch100 / 50);
}, 30_000);
