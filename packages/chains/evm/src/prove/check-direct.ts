// Compares direct payments with the tokens' logs, in both directions.
import {
  type BookedAuthorization,
  type BookedLogUse,
  type BookedPaymentRow,
  type Books,
  claimKey,
  type Findings,
  PAYMENT_STATUS,
  paymentSource,
} from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { directNonce, readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { examineDirect } from './examine-direct.ts';
import { type ChainLog, directPairAt, type Moved, transferOf } from './processor-logs.ts';
import { readLogs } from './read-logs.ts';
import { type MinedReceipt, readReceipts } from './read-receipts.ts';

const RECEIPTS_AT_ONCE = 50;
/** The payment took money. */
const PAID: ReadonlySet<string> = new Set([
  PAYMENT_STATUS.completed,
  PAYMENT_STATUS.refunded,
  PAYMENT_STATUS.mismatched,
]);

export type DirectToCheck = { readonly rpc: JsonRpc; readonly network: NetworkId };

/** Every direct payment that took money is proven by the token's two logs. `findings` has the check `direct`. */
export async function checkDirectPayments(
  books: Books,
  { rpc, network }: DirectToCheck,
  findings: Findings,
): Promise<void> {
  for await (const page of books.payments()) {
    const direct = page.filter(
      (row) => row.network === network && PAID.has(row.status) && paymentSource(row) === 'direct',
    );
    for (const rows of pagesOf(direct)) {
      const receipts = await readReceipts(
        rpc,
        rows.flatMap(({ transactionId }) => transactionId ?? []),
      );
      for (const row of rows) {
        findings.looked('direct');
        const problem = examineDirect(row, receipts.get(row.transactionId?.toLowerCase() ?? ''));
        if (problem !== undefined) findings.differs('direct', aboutOf(row), problem);
      }
    }
  }
}

const aboutOf = ({ paymentId, splitId }: BookedPaymentRow): readonly string[] => [paymentId, splitId ?? 'no log'];

export type IncomeToCheck = DirectToCheck & {
  /** The books must know every use up to this block. */
  readonly knownBlock: bigint;
  readonly toBlock: bigint;
};

/**
 * Every transfer to a wallet of ours by an authorization that was claimed or refused here, or whose nonce is bound to an
 * intent of ours, is a payment or an unattributed receipt. Any other transfer is the merchant's own business.
 */
export async function checkDirectIncome(books: Books, given: IncomeToCheck, findings: Findings): Promise<void> {
  const { rpc, network, knownBlock, toBlock } = given;
  const { wallets, firstBlock } = await books.directWallets(network);
  if (wallets.length === 0 || firstBlock === undefined) return;
  const range = { processors: [], tokens: [], wallets, fromBlock: firstBlock, toBlock };
  const cursors = await books.cursors(network);
  const installation = await books.installation();
  let waiting = 0;
  for await (const logs of readLogs(rpc, range)) {
    for (const page of pagesOf(logs)) {
      const known = new Map((await books.logUses(network, page)).map((use) => [keyOf(use), use]));
      const unknown = page.filter((log) => !isConcluded(known.get(keyOf(log))));
      const receipts = await readReceipts(
        rpc,
        unknown.map(({ transactionId }) => transactionId),
      );
      for (const { log, owner } of await ownUses(books, unknown, receipts, network, installation)) {
        findings.looked('direct');
        const isRead = log.blockNumber <= (cursors.get(log.address) ?? 0n) && log.blockNumber <= knownBlock;
        if (known.has(keyOf(log)) || owner.isPending || !isRead) waiting += 1;
        else findings.differs('direct', [owner.about, keyOf(log)], owner.problem);
      }
    }
  }
  if (waiting > 0) findings.note('direct', `${waiting} uses of authorizations wait for the chain reader`);
}

const LISTED = 20;

/** Their receipts are stored, and no log ends them: neither the chain reader nor a lane goes on with them. */
export async function listHeld(books: Books, network: NetworkId, findings: Findings): Promise<void> {
  const held = await books.heldForMerchant(network);
  if (held.length === 0) return;
  const listed = `${held.slice(0, LISTED).join(', ')}${held.length > LISTED ? ' …' : ''}`;
  const end = 'end each by `npm run svc -- payments resolve`';
  findings.note('direct', `${held.length} payments are held until the merchant says what was paid, ${end}: ${listed}`);
}

type OwnUse = {
  readonly log: ChainLog;
  readonly owner: { readonly about: string; readonly isPending: boolean; readonly problem: string };
};

/** Of the transfers those that used an authorization of ours. */
async function ownUses(
  books: Books,
  transfers: readonly ChainLog[],
  receipts: ReadonlyMap<string, MinedReceipt>,
  network: NetworkId,
  installation: string,
): Promise<readonly OwnUse[]> {
  const uses = transfers.flatMap((log) => {
    const pair = directPairAt(receipts.get(log.transactionId)?.logs ?? [], log.address, log.logIndex);
    if (pair === undefined) return [];
    const { payer, nonce } = pair.used;
    const key = Buffer.from(claimKey({ network, asset: log.address, payer, uniquePart: nonce })).toString('hex');
    return [{ log, nonce, key, moved: pair.moved }];
  });
  const known = new Map((await books.authorizations(uses.map(({ key }) => key))).map((one) => [one.claimKey, one]));
  return uses.flatMap(({ log, nonce, key, moved }): readonly OwnUse[] => {
    const authorization = known.get(key);
    if (authorization !== undefined) {
      if (!isPaidBy(authorization, log, moved)) return [];
      const { payment } = authorization;
      const problem = `its authorization was used, the books call it ${payment?.status ?? 'refused'}`;
      const isPending = payment?.status === PAYMENT_STATUS.pending;
      return [{ log, owner: { about: payment?.id ?? 'a refused authorization', isPending, problem } }];
    }
    const intentCode = boundTo(log, nonce, network, installation);
    if (intentCode === undefined) return [];
    const problem = 'an authorization bound to it was used, and the books have no payment of it';
    return [{ log, owner: { about: `intent code ${intentCode}`, isPending: false, problem } }];
  });
}

/** A payer may sign one nonce twice: a use with other terms, or before our claim, paid for something else. */
function isPaidBy(
  { recipient, amountAtomic, bound, unusedAtBlock }: BookedAuthorization,
  { blockNumber }: ChainLog,
  moved: Moved,
): boolean {
  const isSigned = recipient.toLowerCase() === moved.to && amountAtomic === moved.amountAtomic;
  return isSigned && (bound || (unusedAtBlock !== null && blockNumber > unusedAtBlock));
}

/** The intent code to which the nonce binds this transfer; undefined for any other nonce. */
function boundTo(log: ChainLog, nonce: string, network: NetworkId, installation: string): bigint | undefined {
  const [named, moved, chainId] = [readDirectNonce(nonce), transferOf(log), chainIdOf(network)];
  if (named === undefined || moved === undefined || chainId === undefined) return undefined;
  const { intentCode, attempt } = named;
  const isBound = (['test', 'live'] as const).some(
    (mode) =>
      nonce ===
      directNonce({
        installation,
        mode,
        chainId,
        token: moved.token,
        wallet: moved.to,
        amount: String(moved.amountAtomic),
        intentCode: String(intentCode),
        attempt,
      }),
  );
  return isBound ? intentCode : undefined;
}

const keyOf = ({ transactionId, logIndex }: Pick<BookedLogUse, 'transactionId' | 'logIndex'>): string =>
  `${transactionId}:${logIndex}`;

const isConcluded = (use: BookedLogUse | undefined): boolean => use !== undefined && use.use !== 'read';

function* pagesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += RECEIPTS_AT_ONCE)
    yield items.slice(start, start + RECEIPTS_AT_ONCE);
}
