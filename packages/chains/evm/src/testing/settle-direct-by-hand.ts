// Submits one direct authorization on a real chain without a lane, and returns the evidence that a lane would read from
// its receipt. The sender may be anybody.
import type { LaneItem, PayoutActivation } from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { type Address, encodeFunctionData, type Hex, parseEventLogs, parseSignature, toHex } from 'viem';
import type { AdminClient } from '../admin/open-chain.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import type { DeployedWorld, HandSettled } from './settle-by-hand.ts';
import type { Anvil } from './start-anvil.ts';

const BORN_MS = 1_794_744_000_000;
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;
let lastCode = 500_000n;

export type DirectWish = {
  readonly wallet: Address;
  readonly amountAtomic: bigint;
  readonly nonce?: Hex;
  readonly sender: AdminClient;
};

export async function settleDirectByHand(
  anvil: Anvil,
  { token, record, deployer }: DeployedWorld,
  { wallet, amountAtomic, nonce: wished, sender }: DirectWish,
): Promise<HandSettled> {
  const payer = await anvil.newAccount();
  const mint = encodeFunctionData({
    abi: mockUsdcAbi,
    functionName: 'mint',
    args: [payer.account.address, amountAtomic],
  });
  await deployer.waitForTransactionReceipt({ hash: await deployer.sendTransaction({ to: token, data: mint }) });
  lastCode += 1n;
  const { timestamp } = await deployer.getBlock();
  const nonce = wished ?? toHex(lastCode, { size: 32 });
  const message = {
    from: payer.account.address,
    to: wallet,
    value: amountAtomic,
    validAfter: timestamp - 60n,
    validBefore: timestamp + 3_600n,
    nonce,
  };
  const domain = { name: 'USD Coin', version: '2', chainId: record.chainId, verifyingContract: token };
  const signature = await payer.signTypedData({
    domain,
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const { r, s, yParity } = parseSignature(signature);
  const { from, to, value, validAfter, validBefore } = message;
  const sequence = BigInt(await sender.getTransactionCount({ address: sender.account.address }));
  const transactionId = await sender.writeContract({
    abi: mockUsdcAbi,
    address: token,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s],
  });
  const receipt = await sender.waitForTransactionReceipt({ hash: transactionId });
  const transfer = parseEventLogs({ abi: mockUsdcAbi, logs: receipt.logs }).find((log) => log.eventName === 'Transfer');
  if (transfer === undefined) throw new Error('the token moved nothing');
  const item: LaneItem = {
    accountId: newId('account', BORN_MS),
    mode: 'test',
    paymentId: newId('payment', BORN_MS),
    intentId: newId('paymentIntent', BORN_MS),
    intentCode: lastCode,
    number: lastCode,
    asset: token,
    processor: wallet,
    kind: 'transfer_with_authorization',
    byContract: false,
    payer: payer.account.address.toLowerCase(),
    capAtomic: amountAtomic,
    settledAtomic: amountAtomic,
    validAfterSeconds: message.validAfter,
    validBeforeSeconds: message.validBefore,
    nonce,
    signature,
    confirmations: 1,
    // The books do not look into an activation.
    payout: { id: 1n, merchant: wallet, feeBps: 0, splits: [], direct: {} as PayoutActivation },
  };
  const { logIndex } = transfer;
  return {
    lane: { network: evmNetwork(record.chainId), relayer: sender.account.address.toLowerCase() },
    nonce: sequence,
    transactionId,
    blockNumber: receipt.blockNumber,
    feeRecipient: record.feeRecipient,
    gasCostAtomic: receipt.gasUsed * receipt.effectiveGasPrice,
    failed: [],
    payments: [
      {
        item,
        mined: {
          paymentId: item.paymentId,
          outcome: 'settled',
          logIndex,
          transferLogIndex: logIndex,
          feeAtomic: 0n,
          escrowedFor: [],
        },
      },
    ],
  };
}
