import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOKENS } from '@svc-pay/core';
import { type Acceptance, buildSignRequest } from '@svc-pay/protocol';
import { domainSeparator } from '@svc-pay/protocol/hash';
import { type Address, bytesToHex, type Hex, hexToBytes, parseAbi, toHex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminClient, openChain } from '../admin/open-chain.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { MOCK_TOKENS } from './mock-tokens.ts';
import { type LocalKey, newKey } from './role-keys.ts';
import { type LocalChain, startChain } from './start-chain.ts';

const tokenAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address owner) view returns (uint256)',
]);
const entry = (shortcode: string) => TOKENS.find((token) => token.shortcode === shortcode)!;
const merchant: Address = `0x${'71'.repeat(20)}`;
const partner: Address = `0x${'72'.repeat(20)}`;
let chain: LocalChain;
let relayer: AdminClient;
let startMs: number;

beforeAll(async () => {
  const beganMs = performance.now();
  chain = await startChain({ blockTimeSeconds: 0.1 });
  startMs = performance.now() - beganMs;
  relayer = await openChain({
    rpcUrl: chain.rpcUrl,
    account: chain.keys.relayers[0]!.account,
    pollingIntervalMs: 20,
  });
  const registered = await chain.registerPayout({
    payoutId: 1n,
    merchant,
    feeBps: 100,
    splits: [{ to: partner, bps: 1_000 }],
  });
  expect(registered).toMatchObject({ ok: true, alreadyRegistered: false });
});
afterAll(() => chain.stop());

/** Signed with the catalogue's data about the token only. */
async function signed(payer: LocalKey, shortcode: string, amountAtomic: bigint, nonce: Hex) {
  const { address, domain, signing } = entry(shortcode);
  const acceptance: Acceptance = {
    scheme: 'exact',
    network: chain.network,
    maxAmountRequired: amountAtomic.toString(),
    payTo: chain.record.processor,
    asset: address,
    extra: {
      name: domain!.name,
      eip3009Version: domain!.version,
      primaryType: signing === 'Permit' ? 'Permit' : 'TransferWithAuthorization',
    },
  };
  const nowSeconds = Number(await chain.nowSeconds());
  const request = buildSignRequest({ acceptance, payer: payer.account.address, nonce, nowSeconds });
  if (!request.ok) throw new Error(request.code);
  return { ...request.authorization, signature: await payer.account.signTypedData(request.typedData) };
}

const balances = (token: Address) =>
  Promise.all(
    [merchant, partner, chain.plan.feeRecipient, chain.record.processor].map((owner) => chain.balanceOf(token, owner)),
  );

test('the local chain is ready within seconds', () => {
  expect(startMs).toBeLessThan(10_000);
});

test.each(['anvil_usdc', 'anvil_vol'])('%s answers as the catalogue describes it', async (shortcode) => {
  const { address, unit, domain, symbol } = entry(shortcode);
  const read = { abi: tokenAbi, address: address as Address } as const;
  expect(await relayer.readContract({ ...read, functionName: 'decimals' })).toBe(unit.decimals);
  expect(await relayer.readContract({ ...read, functionName: 'symbol' })).toBe(symbol);
  expect(await relayer.readContract({ ...read, functionName: 'name' })).toBe(domain!.name);
  expect(await relayer.readContract({ ...read, functionName: 'DOMAIN_SEPARATOR' })).toBe(
    bytesToHex(domainSeparator({ ...domain!, chainId: chain.chainId, verifyingContract: address as Address })),
  );
});

describe('signed by the catalogue’s domain, settled by the processor to the unit', () => {
  test('a transfer with authorization, of a key and of a contract wallet', async () => {
    const { usdc } = chain.tokens;
    const key = newKey();
    const wallet = await chain.deployWallet(key.account.address);
    await Promise.all([chain.mint(usdc, key.account.address, 1_000_000n), chain.mint(usdc, wallet, 1_000_000n)]);
    const payers: LocalKey[] = [key, { ...key, account: { ...key.account, address: wallet } }];
    for (const [index, payer] of payers.entries()) {
      const nonce = generatePrivateKey();
      const { from, value, validAfter, validBefore, signature } = await signed(payer, 'anvil_usdc', 1_000_000n, nonce);
      const hash = await relayer.writeContract({
        abi: paymentProcessorAbi,
        address: chain.record.processor,
        functionName: 'payWithSignature',
        args: [
          usdc,
          BigInt(index + 1),
          1n,
          {
            kind: 0,
            from: from as Address,
            value: BigInt(value),
            validAfter: BigInt(validAfter),
            validBefore: BigInt(validBefore),
            nonce,
          },
          signature,
        ],
      });
      expect((await relayer.waitForTransactionReceipt({ hash })).status).toBe('success');
    }
    expect(await balances(usdc)).toEqual([1_780_000n, 200_000n, 20_000n, 0n]);
  });

  test('a permit', async () => {
    const { vol } = chain.tokens;
    const payer = newKey();
    const owner = payer.account.address;
    const value = 10n ** 18n;
    await chain.mint(vol, owner, value);
    const nonce = await relayer.readContract({ abi: tokenAbi, address: vol, functionName: 'nonces', args: [owner] });
    const permit = await signed(payer, 'anvil_vol', value, toHex(nonce, { size: 32 }));
    const bytes = hexToBytes(permit.signature);
    const hash = await relayer.writeContract({
      abi: paymentProcessorAbi,
      address: chain.record.processor,
      functionName: 'payWithPermit',
      args: [
        vol,
        3n,
        1n,
        {
          owner,
          value,
          nonce,
          deadline: BigInt(permit.validBefore),
          v: bytes[64]!,
          r: bytesToHex(bytes.slice(0, 32)),
          s: bytesToHex(bytes.slice(32, 64)),
        },
        value,
      ],
    });
    expect((await relayer.waitForTransactionReceipt({ hash })).status).toBe('success');
    expect(await balances(vol)).toEqual([89n * 10n ** 16n, 10n ** 17n, 10n ** 16n, 0n]);
  });
});

test('a wallet is emptied between signing and settlement', async () => {
  const { account } = await chain.newKey();
  await chain.mint(chain.tokens.vol, account.address, 5n);
  await chain.emptyWallet(chain.tokens.vol, account.address);
  expect(await chain.balanceOf(chain.tokens.vol, account.address)).toBe(0n);
});

test('blocks come by the clock, and finality follows two blocks behind', async () => {
  const [head, finalized] = await Promise.all([relayer.getBlock(), relayer.getBlock({ blockTag: 'finalized' })]);
  expect(head.number - finalized.number).toBeLessThanOrEqual(3n);
  await expect.poll(() => relayer.getBlockNumber({ cacheTime: 0 })).toBeGreaterThan(head.number);
});

test('a kept chain is the same after a restart: same processor, same money, nothing deployed again', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-chain-'));
  const options = { seed: generatePrivateKey(), stateFile: path.join(folder, 'chain.json'), blockTimeSeconds: 1 };
  const first = await startChain(options);
  await first.mint(MOCK_TOKENS.vol.address, merchant, 7n);
  await first.stop();
  const second = await startChain(options);
  expect(second.record.processor).toBe(first.record.processor);
  expect([first.newlyDeployed, second.newlyDeployed]).toEqual([true, false]);
  expect(await second.balanceOf(MOCK_TOKENS.vol.address, merchant)).toBe(7n);
  await second.stop();
  rmSync(folder, { recursive: true });
});
