import { ChainUnavailable, type LaneItem } from '@svc-pay/core';
import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { createTestClient, type Hex, http, padHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pauseProcessor } from '../admin/pause-processor.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { simulate } from './simulate-transaction.ts';

/** Runtime code of wallets: the first accepts any signature, the second loops for ever. */
const SAYS_YES = '0x631626ba7e60e01b60005260206000f3';
const BURNS_GAS = '0x5b600056';

let anvil: Anvil;
let world: LaneWorld;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

const setCode = (address: Hex, bytecode: Hex) =>
  createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).setCode({ address, bytecode });
const outcomesOf = async (...items: readonly LaneItem[]) => {
  const played = await world.lane.simulate(items);
  return played.ok ? played.outcomes : played.reason;
};
async function newWallet(code: Hex): Promise<Hex> {
  const { address } = privateKeyToAccount(generatePrivateKey());
  await setCode(address, code);
  await world.mint(address);
  return address;
}
const unknownPayout = { id: 999n, merchant: padHex('0x1', { size: 20 }), feeBps: 0, splits: [] };

describe('a batch', () => {
  test('tells every payment’s outcome in the queue’s order, whatever the groups', async () => {
    const { timestamp } = await world.deployer.getBlock();
    const other = await world.newPayout();
    const poor = privateKeyToAccount(generatePrivateKey());
    const used = await world.newItem();
    await world.mine([used]);
    const first = await world.newItem();
    const bound = boundNonce({
      chainId: world.record.chainId,
      processor: world.record.processor,
      token: world.token,
      payoutId: other.id.toString(),
      merchant: other.merchant,
      feeBps: 50,
      splits: [],
      intentCode: 1,
      attempt: 0,
    });
    const signedElse = { ...(await world.newItem()), capAtomic: 7n, settledAtomic: 7n };
    expect(
      await outcomesOf(
        first,
        await world.newItem({ payout: other }),
        await world.newItem({ intentCode: first.intentCode }),
        await world.newItem({ payout: unknownPayout }),
        await world.newItem({ payout: other, settledAtomic: 1_001n }),
        await world.newItem({ validAfterSeconds: timestamp + 1_000n, validBeforeSeconds: timestamp + 9_000n }),
        await world.newItem({ payout: other, validBeforeSeconds: timestamp - 1n }),
        await world.newItem({ payout: other, nonce: bound }),
        { ...used, intentCode: used.intentCode + 50_000n },
        await world.newItem({ payer: poor }),
        signedElse,
      ),
    ).toEqual([
      'settled',
      'settled',
      'intent_already_settled',
      'payout_inactive',
      'amount_out_of_range',
      'not_yet_valid',
      'expired',
      'nonce_not_bound',
      'authorization_used',
      'insufficient_funds',
      'pull_refused',
    ]);
  });

  test('takes a key’s signature in every spelling', async () => {
    const [plain, short, zero] = [await world.newItem(), await world.newItem(), await world.newItem()];
    const parity = (signature: string) => (BigInt(`0x${signature.slice(130)}`) === 27n ? 0n : 1n);
    const s = BigInt(`0x${short.signature.slice(66, 130)}`) | (parity(short.signature) << 255n);
    const compact = `${short.signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}`;
    const zeroV = `${zero.signature.slice(0, 130)}0${parity(zero.signature)}`;
    expect(await outcomesOf(plain, { ...short, signature: compact }, { ...zero, signature: zeroV })).toEqual(
      Array.from({ length: 3 }, () => 'settled'),
    );
  });

  test('is not stopped by payers whose accounts became contracts that burn all gas', async () => {
    const burners: LaneItem[] = [];
    for (let index = 0; index < 6; index += 1) {
      const burner = await world.newItem();
      await setCode(burner.payer as Hex, BURNS_GAS);
      burners.push(burner);
    }
    const sound = await world.newItem();
    expect(await outcomesOf(...burners, sound)).toEqual([...burners.map(() => 'pull_refused'), 'settled']);
  });

  test('knows the chain’s time', async () => {
    const { timestamp } = await world.deployer.getBlock();
    expect(await world.lane.simulate([await world.newItem({ validBeforeSeconds: timestamp + 99n })])).toMatchObject({
      chainTimeSeconds: expect.toSatisfy((time: bigint) => time >= timestamp && time < timestamp + 60n),
    });
  });
});

describe('alone', () => {
  test('a contract wallet settles with its signature byte for byte, exact and up to', async () => {
    const address = await newWallet(SAYS_YES);
    for (const signature of [`0x${'ab'.repeat(300)}`, `0x${'01'.repeat(65)}`] as const) {
      const exact = await world.newItem({ wallet: { address, signature } });
      const upto = await world.newItem({ wallet: { address, signature }, settledAtomic: 300n });
      for (const item of [exact, upto]) {
        expect(await outcomesOf(item)).toEqual(['settled']);
        const [mined] = await world.lane.findMined([await world.mine([item])]);
        expect(mined?.items).toMatchObject([{ outcome: 'settled', escrowedFor: [] }]);
        expect(await outcomesOf(item)).toEqual(['intent_already_settled']);
        expect(await outcomesOf({ ...item, intentCode: item.intentCode + 90_000n })).toEqual(['authorization_used']);
      }
    }
  });

  test('a permit settles, exact and up to, and pays once', async () => {
    const [payer] = await world.newPayers(1);
    const first = await world.newItem({ payer: payer!, kind: 'permit', settledAtomic: 400n });
    expect(await outcomesOf(first)).toEqual(['settled']);
    const [mined] = await world.lane.findMined([await world.mine([first])]);
    expect(mined?.items).toMatchObject([{ outcome: 'settled', feeAtomic: 2n }]);
    expect(await outcomesOf(first)).toEqual(['authorization_used']);
    const second = await world.newItem({ payer: payer!, kind: 'permit', nonce: padHex('0x1') });
    expect(await outcomesOf(second)).toEqual(['settled']);
  });

  test('every other end of a permit has its name', async () => {
    const { timestamp } = await world.deployer.getBlock();
    const poor = privateKeyToAccount(generatePrivateKey());
    const [payer] = await world.newPayers(1);
    const permit = (wanted: Parameters<LaneWorld['newItem']>[0]) =>
      world.newItem({ payer: payer!, kind: 'permit', ...wanted });
    expect(await outcomesOf(await permit({ payer: poor }))).toEqual(['insufficient_funds']);
    expect(await outcomesOf(await permit({ validBeforeSeconds: timestamp - 1n }))).toEqual(['expired']);
    expect(await outcomesOf(await permit({ payout: unknownPayout }))).toEqual(['payout_inactive']);
    expect(await outcomesOf(await permit({ settledAtomic: 1_001n }))).toEqual(['amount_out_of_range']);
    expect(await outcomesOf(await permit({ nonce: padHex('0x5') }))).toEqual(['pull_refused']);
    expect(await outcomesOf({ ...(await permit({})), signature: '0x1234' })).toEqual(['pull_refused']);
  });

  test('every other end of a contract wallet has its name', async () => {
    const { timestamp } = await world.deployer.getBlock();
    const address = await newWallet(SAYS_YES);
    const signature: Hex = `0x${'ab'.repeat(80)}`;
    const pay = (wanted: Parameters<LaneWorld['newItem']>[0]) =>
      world.newItem({ wallet: { address, signature }, ...wanted });
    expect(await outcomesOf(await pay({ capAtomic: 10_000_000n }))).toEqual(['insufficient_funds']);
    expect(await outcomesOf(await pay({ validBeforeSeconds: timestamp - 1n }))).toEqual(['expired']);
    expect(
      await outcomesOf(await pay({ validAfterSeconds: timestamp + 900n, validBeforeSeconds: timestamp + 9_000n })),
    ).toEqual(['not_yet_valid']);
    expect(await outcomesOf(await pay({ payout: unknownPayout }))).toEqual(['payout_inactive']);
    const burner = { address: await newWallet(BURNS_GAS), signature };
    expect(await outcomesOf(await world.newItem({ wallet: burner }))).toEqual(['pull_refused']);
  });
});

describe('a node that cannot answer is nobody’s verdict', () => {
  const elsewhere: JsonRpc = async (calls) =>
    calls.map(({ method }) => ({ ok: true, result: method === 'eth_call' ? '0x' : { timestamp: '0x1' } }));
  const limited: JsonRpc = async (calls) =>
    calls.map(({ method }) =>
      method === 'eth_call'
        ? { ok: false, code: -32_005, message: 'limit exceeded', data: null }
        : { ok: true, result: { timestamp: '0x1' } },
    );
  const down: JsonRpc = async () => {
    throw new Error('ECONNREFUSED');
  };
  test.each<[string, JsonRpc]>([
    ['a node of another chain, where no processor stands', elsewhere],
    ['a node past its limit', limited],
    ['no node', down],
  ])('%s', async (_, rpc) => {
    const stage = { rpc, relayer: world.relayer.account.address, callGas: 200_000n };
    const wallet = { address: padHex('0x7', { size: 20 }), signature: '0x1234' } as const;
    await expect(simulate(stage, [await world.newItem()])).rejects.toBeInstanceOf(ChainUnavailable);
    await expect(simulate(stage, [await world.newItem({ wallet })])).rejects.toBeInstanceOf(ChainUnavailable);
  });
});

describe('what stops the transaction as a whole is blamed on nobody', () => {
  const both = async (): Promise<readonly LaneItem[]> => [
    await world.newItem({ capAtomic: 1_000n }),
    await world.newItem({ kind: 'permit' }),
  ];
  test('a relayer that may not settle', async () => {
    for (const item of await both()) {
      const stage = { rpc: world.rpc, relayer: world.stranger.account.address, callGas: 200_000n };
      expect(await simulate(stage, [item])).toMatchObject({
        ok: false,
        reason: expect.stringMatching(/^AccessControlUnauthorizedAccount\(/),
      });
    }
  });
  test('an hourly cap', async () => {
    const [payer] = await world.newPayers(1);
    const hash = await world.deployer.writeContract({
      address: world.token,
      abi: mockUsdcAbi,
      functionName: 'mint',
      args: [payer!.address, 1n << 100n],
    });
    await world.waitMined(hash);
    for (const kind of ['transfer_with_authorization', 'permit'] as const) {
      const item = await world.newItem({ payer: payer!, kind, capAtomic: 1n << 90n });
      expect(await outcomesOf(item)).toMatch(/^HourlyCapExceeded\(/);
    }
  });
  test('a token that is not enabled', async () => {
    const other = (await world.deployer.deployContract({
      abi: mockUsdcAbi,
      bytecode: (await import('../generated/mock-usdc-bytecode.ts')).mockUsdcBytecode,
      args: [6],
    })) satisfies Hex;
    await world.waitMined(other);
    const { contractAddress } = await world.deployer.getTransactionReceipt({ hash: other });
    for (const item of await both()) {
      expect(await outcomesOf({ ...item, asset: contractAddress!.toLowerCase() })).toMatch(/^TokenNotEnabled\(/);
    }
  });
  test('a pause', async () => {
    const items = await both();
    expect(await pauseProcessor(world.guardian, world.record.processor)).toMatchObject({ ok: true });
    for (const item of items) expect(await outcomesOf(item)).toBe('EnforcedPause()');
  });
});
