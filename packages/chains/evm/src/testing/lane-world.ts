// A deployed processor, a relayer's lane on it, and payers with queued payments.
import { setTimeout } from 'node:timers/promises';
import type { ActivationTerms, LaneItem, PendingBatch, SequencedChain, SignedTransaction } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { type Address, concat, type Hex, hexToBytes, keccak256, numberToHex, padHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { DeploymentRecord } from '../admin/deployment-record.ts';
import { setPayout } from '../admin/set-payout.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { newKey } from '../local/role-keys.ts';
import { createActivationCheck } from '../payout/check-activation.ts';
import { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { createLaneChain } from '../send/create-lane-chain.ts';
import { createLocalSigner } from '../signer/local-signer.ts';
import { activatePayout, TEST_INSTALLATION } from './activate-payout.ts';
import { deployedWorld, type PlannedWorld } from './plan-world.ts';
import type { Anvil } from './start-anvil.ts';

export type WantedItem = {
  readonly payer?: PrivateKeyAccount;
  /** The paying contract wallet with its complete signature; without one, `payer` signs for it. */
  readonly wallet?: { readonly address: Address; readonly signature?: Hex };
  readonly kind?: keyof typeof PRIMARY;
  readonly intentCode?: bigint;
  readonly capAtomic?: bigint;
  readonly settledAtomic?: bigint;
  readonly validAfterSeconds?: bigint;
  readonly validBeforeSeconds?: bigint;
  readonly nonce?: Hex;
  /** A direct one makes the payment direct. */
  readonly payout?: LaneItem['payout'];
  /** Default: the world's mock of USDC. Must keep its balances in the same slot. */
  readonly token?: Address;
};

export type LaneWorld = PlannedWorld & {
  readonly record: DeploymentRecord;
  readonly rpc: JsonRpc;
  readonly lane: SequencedChain;
  readonly newPayout: (splits?: LaneItem['payout']['splits'], feeBps?: number) => Promise<LaneItem['payout']>;
  /** A soundly activated direct payout to a new wallet, or to the given one. */
  readonly newDirectPayout: (terms?: Partial<ActivationTerms>) => Promise<LaneItem['payout']>;
  /** Accounts with a million units of the token each. */
  readonly newPayers: (count: number) => Promise<readonly PrivateKeyAccount[]>;
  readonly mint: (...to: readonly Address[]) => Promise<void>;
  readonly mintOf: (token: Address, ...to: readonly Address[]) => Promise<void>;
  /** The token moves nothing from or to a blocked account. */
  readonly block: (account: string, on?: boolean) => Promise<void>;
  /** A signed payment of a payer who has the money. */
  readonly newItem: (wanted?: WantedItem) => Promise<LaneItem>;
  readonly mine: (items: readonly LaneItem[]) => Promise<PendingBatch>;
  readonly waitMined: (transactionId: string) => Promise<void>;
};

const MINTED = 1_000_000n;
const BALANCES_SLOT = padHex('0x2');
const fields = (...list: readonly (readonly [name: string, type: string])[]) =>
  list.map(([name, type]) => ({ name, type }));
const EIP3009 = fields(
  ['from', 'address'],
  ['to', 'address'],
  ['value', 'uint256'],
  ['validAfter', 'uint256'],
  ['validBefore', 'uint256'],
  ['nonce', 'bytes32'],
);
const PERMIT = fields(
  ['owner', 'address'],
  ['spender', 'address'],
  ['value', 'uint256'],
  ['nonce', 'uint256'],
  ['deadline', 'uint256'],
);
const PRIMARY = {
  transfer_with_authorization: 'TransferWithAuthorization',
  receive_with_authorization: 'ReceiveWithAuthorization',
  permit: 'Permit',
} as const;

export async function laneWorld(anvil: Anvil): Promise<LaneWorld> {
  const world = await deployedWorld(anvil);
  const { deployer, registrar, token, record, relayerKey } = world;
  const approver = newKey();
  const rpc = createJsonRpc({ urls: [anvil.rpcUrl], timeoutMs: 20_000 });
  const lane = createLaneChain({
    network: evmNetwork(record.chainId),
    rpc,
    endpoints: [rpc],
    signer: createLocalSigner(hexToBytes(relayerKey)),
    checkActivation: createActivationCheck({
      installation: async () => TEST_INSTALLATION,
      approvers: new Set([approver.account.address.toLowerCase()]),
      delayMs: 0,
      clock: { nowMs: () => Date.now() },
      log: () => {},
    }),
  });
  let count = 0;

  /** Written into the token's storage: hundreds of mints would need hundreds of blocks, and some would not be mined. */
  const mintOf = async (minted: Address, ...to: readonly Address[]) => {
    await rpc(
      to.map((account) => ({
        method: 'anvil_setStorageAt',
        params: [minted, keccak256(concat([padHex(account), BALANCES_SLOT])), numberToHex(MINTED, { size: 32 })],
      })),
    );
    const [last] = to.slice(-1);
    const args = [last ?? minted] as const;
    const held = await deployer.readContract({ address: minted, abi: mockUsdcAbi, functionName: 'balanceOf', args });
    if (last !== undefined && held !== MINTED) throw new Error('the mock token keeps its balances elsewhere');
  };
  const mint = (...to: readonly Address[]) => mintOf(token, ...to);
  /** Polls for the receipt: on a chain that mines on demand, a client that waits for a next block may wait for ever. */
  const waitMined = async (transactionId: string) => {
    for (let asked = 0; asked < 1_000; asked += 1) {
      const [answer] = await rpc([{ method: 'eth_getTransactionReceipt', params: [transactionId] }]);
      if (answer?.ok === true && answer.result !== null) return;
      await setTimeout(10);
    }
    throw new Error(`${transactionId} was not mined`);
  };
  const newPayers = async (many: number) => {
    const payers = Array.from({ length: many }, () => privateKeyToAccount(generatePrivateKey()));
    await mint(...payers.map(({ address }) => address));
    return payers;
  };
  const newPayout = async (splits: LaneItem['payout']['splits'] = [], feeBps = 50) => {
    const id = BigInt(++count);
    const { address: merchant } = privateKeyToAccount(generatePrivateKey());
    const terms = { payoutId: id, merchant, feeBps, splits: splits.map(({ to, bps }) => ({ to: to as Address, bps })) };
    const registered = await setPayout(registrar, record.processor, terms);
    if (!registered.ok) throw new Error(registered.code);
    return { id, merchant, feeBps, splits };
  };
  const newDirectPayout = async (terms: Partial<ActivationTerms> = {}): Promise<LaneItem['payout']> => {
    const id = BigInt(++count);
    const signed = { network: evmNetwork(record.chainId), asset: token.toLowerCase(), number: id, ...terms };
    const { activation } = await activatePayout(signed, { approver });
    return { id, merchant: activation.wallet, feeBps: 0, splits: [], direct: activation };
  };
  const standing = await newPayout();

  const newItem = async (wanted: WantedItem = {}): Promise<LaneItem> => {
    const own = ++count;
    const { kind = 'transfer_with_authorization', wallet, capAtomic = 1_000n } = wanted;
    const payer = wanted.payer ?? privateKeyToAccount(generatePrivateKey());
    const payout: LaneItem['payout'] = wanted.payout ?? standing;
    const asset = wanted.token ?? token;
    const recipient = payout.direct === undefined ? record.processor : (payout.direct.wallet as Address);
    if (wanted.payer === undefined && wallet === undefined) await mintOf(asset, payer.address);
    const timestamp = wanted.validBeforeSeconds === undefined ? (await deployer.getBlock()).timestamp : 0n;
    const validAfter = wanted.validAfterSeconds ?? 0n;
    const validBefore = wanted.validBeforeSeconds ?? timestamp + 3_600n;
    const nonce = wanted.nonce ?? (kind === 'permit' ? padHex('0x0') : keccak256(numberToHex(own)));
    const from = wallet?.address ?? payer.address;
    const primaryType = PRIMARY[kind];
    const signature =
      wallet?.signature ??
      (await payer.signTypedData({
        domain: { name: 'USD Coin', version: '2', chainId: record.chainId, verifyingContract: asset },
        types: { [primaryType]: kind === 'permit' ? PERMIT : EIP3009 },
        primaryType,
        message:
          kind === 'permit'
            ? { owner: from, spender: recipient, value: capAtomic, nonce: BigInt(nonce), deadline: validBefore }
            : { from, to: recipient, value: capAtomic, validAfter, validBefore, nonce },
      }));
    return {
      accountId: 'acct_1' as LaneItem['accountId'],
      mode: 'test',
      paymentId: `pay_${own}` as LaneItem['paymentId'],
      intentId: `pi_${own}` as LaneItem['intentId'],
      intentCode: wanted.intentCode ?? 1_000n + BigInt(own),
      number: BigInt(own),
      asset: asset.toLowerCase(),
      processor: recipient.toLowerCase(),
      kind,
      byContract: wallet !== undefined,
      payer: from.toLowerCase(),
      capAtomic,
      settledAtomic: wanted.settledAtomic ?? capAtomic,
      validAfterSeconds: validAfter,
      validBeforeSeconds: validBefore,
      nonce,
      signature,
      payout,
      confirmations: 1,
    };
  };
  const mine = async (items: readonly LaneItem[]): Promise<PendingBatch> => {
    const nonce = await lane.minedNonce();
    const signed: SignedTransaction = await lane.sign(items, nonce);
    const sent = await lane.broadcast(signed.raw);
    if (sent.outcome !== 'known') throw new Error(JSON.stringify(sent));
    await waitMined(signed.transactionId);
    return { id: `batch_${nonce}`, nonce, status: 'broadcast', sentAtMs: 0, transactions: [signed], items };
  };
  const block = async (account: string, on = true) => {
    const args = [account as Address, on] as const;
    await waitMined(
      await deployer.writeContract({ address: token, abi: mockUsdcAbi, functionName: 'setBlacklisted', args }),
    );
  };
  return { ...world, rpc, lane, newPayout, newDirectPayout, newPayers, mint, mintOf, newItem, mine, waitMined, block };
}
