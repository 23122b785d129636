// Settles a batch on a real chain without a lane, and returns the evidence that a lane would read from its receipt.
import type { Lane, LaneItem, SettledItem } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { type Address, encodeFunctionData, type Hex, keccak256, parseEventLogs, toHex } from 'viem';
import type { OnChainPayoutTerms } from '../admin/set-payout.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { packBatchItem } from '../processor/batch-item.ts';
import type { deployedWorld } from './plan-world.ts';
import type { Anvil } from './start-anvil.ts';

export type DeployedWorld = Awaited<ReturnType<typeof deployedWorld>>;

export type HandSettled = {
  readonly lane: Lane;
  readonly nonce: bigint;
  readonly transactionId: Hex;
  readonly blockNumber: bigint;
  readonly feeRecipient: Address;
  readonly gasCostAtomic: bigint;
  readonly payments: readonly { readonly item: LaneItem; readonly mined: SettledItem }[];
  /** Payments whose payers had no money. */
  readonly failed: readonly LaneItem[];
};

export type PaymentWish = { readonly capAtomic: bigint; readonly settledAtomic: bigint; readonly unfunded?: true };

const BORN_MS = 1_794_744_000_000;
const accountId = newId('account', BORN_MS);
let lastCode = 0n;

/** Payments of one payout, each from a payer of its own. */
export async function settleByHand(
  anvil: Anvil,
  world: DeployedWorld,
  terms: OnChainPayoutTerms,
  wishes: readonly PaymentWish[],
): Promise<HandSettled> {
  const items: LaneItem[] = [];
  for (const wish of wishes) items.push(await signedItem(anvil, world, terms, wish));
  const { relayer, record, token } = world;
  const nonce = BigInt(await relayer.getTransactionCount({ address: relayer.account.address }));
  const packed = items.map((item) =>
    packBatchItem({
      ...item,
      kind: 'transfer',
      payer: item.payer as Address,
      nonce: item.nonce as Hex,
      signature: item.signature as Hex,
    }),
  );
  const transactionId = await relayer.writeContract({
    abi: paymentProcessorAbi,
    address: record.processor,
    functionName: 'settleBatch',
    args: [token, [{ payoutId: terms.payoutId, items: packed }]],
    gas: 5_000_000n,
  });
  const receipt = await relayer.waitForTransactionReceipt({ hash: transactionId });
  const logs = parseEventLogs({ abi: paymentProcessorAbi, logs: receipt.logs });
  const escrowedFor = logs.flatMap((log) => (log.eventName === 'Escrowed' ? [log.args.account.toLowerCase()] : []));
  return {
    lane: { network: evmNetwork(record.chainId), relayer: relayer.account.address.toLowerCase() },
    nonce,
    transactionId,
    blockNumber: receipt.blockNumber,
    feeRecipient: record.feeRecipient,
    gasCostAtomic: receipt.gasUsed * receipt.effectiveGasPrice,
    failed: items.filter((_, index) => wishes[index]?.unfunded),
    payments: items.flatMap((item, index) => {
      if (wishes[index]?.unfunded) return [];
      const settled = logs.find((log) => log.eventName === 'PaymentSettled' && log.args.intentCode === item.intentCode);
      if (settled?.eventName !== 'PaymentSettled') throw new Error(`intent ${item.intentCode} was not settled`);
      const mined = {
        paymentId: item.paymentId,
        outcome: 'settled',
        logIndex: settled.logIndex,
        transferLogIndex: settled.logIndex - 1,
        feeAtomic: settled.args.fee,
        escrowedFor,
      } as const;
      return [{ item, mined }];
    }),
  };
}

async function signedItem(
  anvil: Anvil,
  { deployer, token, record }: DeployedWorld,
  { payoutId, merchant, feeBps, splits }: OnChainPayoutTerms,
  { capAtomic, settledAtomic, unfunded }: PaymentWish,
): Promise<LaneItem> {
  const payer = await anvil.newAccount();
  const mint = encodeFunctionData({
    abi: mockUsdcAbi,
    functionName: 'mint',
    args: [payer.account.address, capAtomic * 2n],
  });
  if (!unfunded)
    await deployer.waitForTransactionReceipt({ hash: await deployer.sendTransaction({ to: token, data: mint }) });
  lastCode += 1n;
  const { timestamp } = await deployer.getBlock();
  const [validAfter, validBefore] = [timestamp - 60n, timestamp + 3_600n];
  const nonce = keccak256(toHex(`nonce ${lastCode}`));
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
    message: { from: payer.account.address, to: record.processor, value: capAtomic, validAfter, validBefore, nonce },
  });
  return {
    accountId,
    mode: 'test',
    paymentId: newId('payment', BORN_MS),
    intentId: newId('paymentIntent', BORN_MS),
    intentCode: lastCode,
    number: lastCode,
    asset: token,
    processor: record.processor,
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: payer.account.address.toLowerCase(),
    capAtomic,
    settledAtomic,
    validAfterSeconds: validAfter,
    validBeforeSeconds: validBefore,
    nonce,
    signature,
    confirmations: 1,
    payout: { id: payoutId, merchant, feeBps, splits },
  };
}
