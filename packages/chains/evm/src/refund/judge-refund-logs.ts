// Judges what a final receipt shows of a refund, by the token's own logs.
import { type OpenRefund, type RefundOutcome, sameAddress } from '@svc-pay/core';
import { AUTHORIZATION_USED, dataWord, hasTopics, TRANSFER, wordOf } from '../prove/settlement-logs.ts';
import type { LaneLog, Receipt } from '../rpc/read-receipt.ts';
import type { SignedRefund } from './find-refund-outcomes.ts';

const OPEN: RefundOutcome = { outcome: 'open' };
const CANCELED: RefundOutcome = { outcome: 'void', reason: 'canceled' };
const NO_TRANSFER: RefundOutcome = { outcome: 'void', reason: 'no_transfer' };

type TransferLog = {
  readonly from: string;
  readonly to: string;
  readonly amountAtomic: bigint;
  readonly logIndex: number;
};

/**
 * The receipt in which the nonce of the refund was used or canceled. The token's next log after the use is the transfer. A
 * refund is whatever the use moved to its recipient: the database may have lost it, or the wallet signed two amounts under
 * the nonce and the one that was not submitted was used. Where the transfer of a signed refund stands elsewhere in the
 * receipt nothing is concluded; else the nonce is used up without it.
 */
export function judgeUse(refund: SignedRefund, receipt: Receipt): RefundOutcome {
  const own = receipt.logs.filter(({ address }) => address === refund.asset.toLowerCase());
  const at = own.findIndex((log) => hasTopics(log, AUTHORIZATION_USED, wordOf(refund.wallet), wordOf(refund.nonce)));
  if (at < 0) return CANCELED;
  const next = transferIn(own[at + 1]);
  const moved =
    next !== undefined && sameAddress(next.from, refund.wallet) && next.amountAtomic > 0n ? next : undefined;
  if (moved !== undefined && sameAddress(moved.to, refund.recipient)) return transferred(receipt, moved);
  if (refund.signature === null) return CANCELED;
  return own.some((log) => isOf(refund, transferIn(log))) ? OPEN : CANCELED;
}

function isOf({ wallet, recipient, amountAtomic }: OpenRefund, transfer: TransferLog | undefined): boolean {
  if (transfer === undefined || transfer.amountAtomic !== amountAtomic) return false;
  return sameAddress(transfer.from, wallet) && sameAddress(transfer.to, recipient);
}

/**
 * A plain transfer of the token from a wallet of the merchant to the recipient, in a block after the payment's. One that an
 * authorization made does not count: it is a signed refund, which is watched by itself, or a direct payment of that wallet.
 */
export function judgeReported(refund: OpenRefund, receipt: Receipt, paidBlock: bigint | undefined): RefundOutcome {
  if (receipt.reverted) return { outcome: 'void', reason: 'reverted' };
  if (paidBlock === undefined) return OPEN;
  if (receipt.blockNumber <= paidBlock) return NO_TRANSFER;
  const { asset, recipient, wallets, reported } = refund;
  const own = receipt.logs.filter(({ address }) => address === asset.toLowerCase());
  const found = own.flatMap((log, index) => {
    const transfer = transferIn(log);
    const isPlain = own[index - 1]?.topics[0] !== AUTHORIZATION_USED;
    if (transfer === undefined || !isPlain || transfer.amountAtomic === 0n) return [];
    const isNamed = (reported?.logIndex ?? transfer.logIndex) === transfer.logIndex;
    const isOurs = wallets.some((wallet) => sameAddress(wallet, transfer.from));
    return isNamed && isOurs && sameAddress(transfer.to, recipient) ? [transfer] : [];
  });
  const [first, ...others] = found;
  if (first === undefined) return NO_TRANSFER;
  return others.length > 0 ? { outcome: 'void', reason: 'ambiguous' } : transferred(receipt, first);
}

function transferred(
  { transactionId, blockNumber }: Receipt,
  { from, to, amountAtomic, logIndex }: TransferLog,
): RefundOutcome {
  return { outcome: 'transferred', transactionId, logIndex, wallet: from, recipient: to, amountAtomic, blockNumber };
}

function transferIn(log: LaneLog | undefined): TransferLog | undefined {
  const [selector, from, to] = log?.topics ?? [];
  const amountAtomic = log && dataWord(log, 0);
  if (log === undefined || selector !== TRANSFER || from === undefined || to === undefined) return undefined;
  if (log.topics.length !== 3 || amountAtomic === undefined) return undefined;
  return { from: `0x${from.slice(26)}`, to: `0x${to.slice(26)}`, amountAtomic, logIndex: log.logIndex };
}
