// Refunds as the watch asks a network about them: transfers that merchants made and named. A certified block is final.
import {
  blockName,
  type IcrcChain,
  type IcrcStore,
  intentCodeIn,
  isOverdueReport,
  mapConcurrent,
  type OpenRefund,
  type RefundChain,
  type RefundOutcome,
  readBlockName,
} from '@svc-pay/core';

const OPEN: RefundOutcome = { outcome: 'open' };
const NO_TRANSFER: RefundOutcome = { outcome: 'void', reason: 'no_transfer' };
const NOT_FOUND: RefundOutcome = { outcome: 'void', reason: 'not_found' };

const MOST_AT_ONCE = 4;
/** A block is one proof. */
const LOG_INDEX = 0;

export function createIcpRefundChain(chain: IcrcChain, icrc: Pick<IcrcStore, 'loadCursor'>): RefundChain {
  return {
    network: chain.network,
    limits: { refunds: { everyMs: 10_000, pageSize: 50, maxPages: 5 } },
    findRefundOutcomes: (refunds, nowMs) =>
      mapConcurrent(MOST_AT_ONCE, refunds, (refund) => judgeReported(chain, icrc, refund, nowMs)),
  };
}

export type ReportedRefund = Pick<
  OpenRefund,
  'reported' | 'asset' | 'recipient' | 'wallets' | 'payment' | 'submittedAtMs' | 'createdAtMs'
>;

/**
 * It counts when it is a transfer of the payment's ledger, after the payment, from an account of the merchant to the account
 * that paid. One whose memo names an intent pays that: the merchant may have bought something of the payer.
 */
export async function judgeReported(
  chain: IcrcChain,
  icrc: Pick<IcrcStore, 'loadCursor'>,
  refund: ReportedRefund,
  nowMs: number,
): Promise<RefundOutcome> {
  const { reported, asset, recipient, wallets, payment } = refund;
  const named = readBlockName(reported?.transactionId ?? '');
  const paid = readBlockName(payment.transactionId ?? '');
  const isOfLedger = named?.ledger === asset && paid?.ledger === asset && chain.ledgers.includes(asset);
  if (named === undefined || paid === undefined || !isOfLedger) return NO_TRANSFER;
  if (named.index <= paid.index || (reported?.logIndex ?? LOG_INDEX) !== LOG_INDEX) return NO_TRANSFER;
  // The ledger has become another: what its blocks say is for an operator to judge.
  if ((await icrc.loadCursor(chain.network, asset))?.isStopped) return OPEN;
  const [block] = (await chain.blocks(asset, named.index, 1)).blocks;
  // A ledger may be about to write the block.
  if (block === undefined) return isOverdueReport(refund, nowMs) ? NOT_FOUND : OPEN;
  const { transfer } = block;
  if (transfer === null || !wallets.includes(transfer.from) || transfer.to !== recipient) return NO_TRANSFER;
  if (intentCodeIn(transfer.memo) !== undefined) return NO_TRANSFER;
  return {
    outcome: 'transferred',
    transactionId: blockName(named),
    logIndex: LOG_INDEX,
    wallet: transfer.from,
    recipient,
    amountAtomic: transfer.amountAtomic,
    blockNumber: named.index,
  };
}
