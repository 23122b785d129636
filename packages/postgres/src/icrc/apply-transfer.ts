// Applies a transfer of a token ledger to the intent that its memo names. Its block is certified, so it is final.
import {
  type AppliedMovement,
  blockName,
  type IcrcTransfer,
  ownerOf,
  type PaidTerms,
  precedesIntent,
  type ReceiptRefusal,
  receiptIndex,
} from '@svc-pay/core';
import { timeOfId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlNotMoved } from '../database/not-moved.ts';
import { writeUnattributed } from '../payment/unattributed-receipts.ts';
import { loadStoredPayouts } from '../payout/transfer-terms.ts';
import { applyFoundMoney, findCounted, type PaidAcceptance } from '../reader/apply-found-money.ts';
import type { OwnedIntent } from '../reader/lock-for-apply.ts';

const EVENT = 'icrc_transfer';

export async function applyTransfer(
  client: pg.ClientBase,
  transfer: IcrcTransfer,
  nowMs: number,
): Promise<AppliedMovement> {
  const { network, index, intentCode, blockTimeMs } = transfer;
  const found = {
    network,
    intentCode,
    blockTimeMs,
    transactionId: blockName(transfer),
    blockNumber: index,
    event: EVENT,
    foundBy: 'memo',
    precedes: (intentId: OwnedIntent['intentId']) => precedesIntent(blockTimeMs, timeOfId(intentId)),
    isDecidedOnce: true,
    findPaid: (offered: readonly PaidTerms[], owner: OwnedIntent) => findPaid(client, transfer, offered, owner),
  } as const;
  const row = [network, transfer.ledger, index.toString()];
  const locked = await lockTransfer(client, row);
  if (locked === 'locked') return { outcome: 'waits', reason: 'locked' };
  if (locked === 'gone') return (await findCounted(client, found)) ?? { outcome: 'ignored', reason: 'not_kept' };
  const applied = await applyFoundMoney(client, found, nowMs);
  if (applied.outcome === 'waits') return applied;
  await client.query({ ...DROP, values: row });
  const reason = applied.outcome === 'ignored' ? UNATTRIBUTED[applied.reason] : undefined;
  return reason === undefined ? applied : await writeStray(client, transfer, reason, nowMs);
}

const OF_BLOCK = 'from svc.icrc_transfers where network = $1 and ledger = $2 and block_index = $3';
const LOCK = { name: 'lock-icrc-transfer', text: `select ${OF_BLOCK} for update skip locked` };
const FIND = { name: 'find-icrc-transfer', text: `select ${OF_BLOCK}` };
const DROP = { name: 'drop-icrc-transfer', text: `delete ${OF_BLOCK}` };

/** Of two processes that apply one block, one does. `gone`: it was applied, or its account is of no payout. */
async function lockTransfer(client: pg.ClientBase, values: readonly string[]): Promise<'ours' | 'locked' | 'gone'> {
  if ((await client.query({ ...LOCK, values: [...values] })).rowCount === 1) return 'ours';
  return (await client.query({ ...FIND, values: [...values] })).rowCount === 1 ? 'locked' : 'gone';
}

/** Money that reached a merchant with a memo of ours is shown, though it pays no intent. */
const UNATTRIBUTED: Readonly<Record<string, ReceiptRefusal>> = {
  unknown_intent: 'unknown_intent',
  nothing_paid: 'other_terms',
};

async function writeStray(
  client: pg.ClientBase,
  transfer: IcrcTransfer,
  reason: ReceiptRefusal,
  nowMs: number,
): Promise<AppliedMovement> {
  const { network, ledger, index, from, to, amountAtomic, intentCode } = transfer;
  const { rows } = await client.query<{ mode: 'test' | 'live' }>({
    name: 'load-mode-of-account',
    text: `select mode from svc.payouts p where network = $1 and processor = $2 and ${sqlNotMoved('p.account_id')} limit 1`,
    values: [network, to],
  });
  const [payout] = rows;
  if (payout === undefined) return { outcome: 'ignored', reason: 'no_payout' };
  const logIndex = receiptIndex(intentCode);
  await writeUnattributed(client, {
    network,
    mode: payout.mode,
    log: {
      event: EVENT,
      address: ledger,
      position: { transactionId: blockName(transfer), logIndex, blockNumber: index },
    },
    logIndex,
    reason,
    about: { intentCode: intentCode.toString(), payer: from, merchant: to, amountAtomic: amountAtomic.toString() },
    nowMs,
  });
  return { outcome: 'unattributed', reason };
}

/** The acceptance of the ledger and the account; of several that with the amount. Its payout decides whose account it is. */
async function findPaid(
  client: pg.ClientBase,
  { network, ledger, from, to, amountAtomic }: IcrcTransfer,
  offered: readonly PaidTerms[],
  owner: OwnedIntent,
): Promise<PaidAcceptance | undefined> {
  const fitting = offered.filter(
    (terms) =>
      terms.network === network && terms.token.address === ledger && terms.payTo === to && terms.scheme === 'exact',
  );
  const terms = fitting.find(({ amount }) => amount === amountAtomic) ?? fitting[0];
  if (terms === undefined) return undefined;
  const name = { network, payoutId: terms.payoutId, merchant: to, feeRecipient: to };
  const [payout] = await loadStoredPayouts(client, owner, name);
  if (payout === undefined || payout.feeBps !== 0 || payout.splits.length > 0) return undefined;
  const shares = { merchant: to, feeBps: 0, splits: [] };
  return {
    acceptance: { ...terms, shares },
    merchant: to,
    amountAtomic,
    feeAtomic: 0n,
    feeRecipient: '',
    withdrawn: payout.withdrawn,
    payer: from,
    sender: ownerOf(from),
  };
}
