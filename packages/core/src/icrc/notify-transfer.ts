// Notify: somebody says that a block pays an intent. The block is read from its ledger, so that a lie changes nothing.
import type { NotifyRefusal } from '@svc-pay/protocol';
import { type TellApplied, tellApplied } from '../reference/tell-applied.ts';
import { blockName } from '../token/block-name.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import type { IcrcChain } from './icrc-chain.ts';
import type { IcrcStore, KnownBlock, NotifiedIntent, StoredCursor } from './icrc-store.ts';
import { transferIn } from './judge-blocks.ts';
import type { TokenBlock } from './token-block.ts';
import { intentCodeIn } from './transfer-memo.ts';

export type NotifiedBlock = NotifiedIntent & {
  /** Canister id of the token ledger. */
  readonly ledger: string;
  readonly blockIndex: bigint;
};

export type NotifiedTransfer =
  /** The block counted just now: the intent shows it. */
  | { readonly outcome: 'applied' }
  /** The block had counted for the intent before, or meanwhile; is kept and counts later; or is too little to count. */
  | { readonly outcome: 'recorded' }
  /** The block does not pay the intent. */
  | { readonly outcome: 'refused'; readonly refusal: NotifyRefusal }
  /** The ledger was not asked, or did not answer in time. Nothing is known. */
  | { readonly outcome: 'unknown' };

export type NotifyTransfer = (notified: NotifiedBlock) => Promise<NotifiedTransfer>;

export type NotifyDeps = Pick<WatchBase, 'clock'> &
  TellApplied & {
    readonly icrc: IcrcStore;
    readonly chains: readonly IcrcChain[];
    readonly pause: (milliseconds: number) => Promise<unknown>;
  };

/** Throws `ChainUnavailable` when the ledger does not answer. Nothing is written then. */
export async function notifyTransfer(deps: NotifyDeps, notified: NotifiedBlock): Promise<NotifiedTransfer> {
  const { icrc, chains, clock } = deps;
  const { ledger, blockIndex } = notified;
  const payable = await icrc.loadPayable(notified);
  const ways = payable?.ways.filter(({ token }) => token === ledger) ?? [];
  const chain = chains.find(
    ({ network, ledgers }) => ledgers.includes(ledger) && ways.some((way) => way.network === network),
  );
  if (payable === undefined || ways.length === 0) return refused('other_ledger');
  // This process does not read the network.
  if (chain === undefined) return { outcome: 'unknown' };
  const { network } = chain;
  const cursor = await icrc.loadCursor(network, ledger);
  // The ledger has become another: what its blocks say is for an operator to judge.
  if (cursor?.isStopped) return { outcome: 'unknown' };
  if (cursor !== undefined && isFarAbove(cursor, blockIndex, clock.nowMs())) return refused('block_not_found');
  const { intentCode } = payable;
  const { intentId } = notified;
  const accounts = ways.filter((way) => way.network === network).map(({ payTo }) => payTo);
  const find = () => icrc.findBlock({ network, ledger, index: blockIndex, intentId, intentCode, accounts });
  const isRead = cursor !== undefined && blockIndex < cursor.nextIndex;
  const known = isRead ? await untilOver(deps, find, (found) => found === 'kept') : undefined;
  if (known !== undefined) return KNOWN[known];
  const [block] = (await chain.blocks(ledger, blockIndex, 1)).blocks;
  const refusal = refusalOfBlock(block, { intentCode, accounts });
  const transfer = block && transferIn({ network, ledger }, block);
  if (refusal !== undefined || transfer === undefined) return refused(refusal ?? 'not_a_transfer');
  await icrc.keep(transfer, clock.nowMs());
  const applied = await untilOver(
    deps,
    () => icrc.apply(transfer, clock.nowMs()),
    ({ outcome }) => outcome === 'waits',
  );
  if (applied.outcome === 'waits') return { outcome: 'recorded' };
  tellApplied(deps, { network, source: ledger, transactionId: blockName(transfer) }, applied);
  if (applied.outcome === 'unattributed') return KNOWN[asideAs(applied.reason)];
  if (applied.outcome === 'ignored')
    return refused(applied.reason === 'refund' ? 'counted_elsewhere' : 'other_account');
  return { outcome: applied.outcome === 'completed' || applied.outcome === 'mismatched' ? 'applied' : 'recorded' };
}

/** The reader applies what it has read within a moment. What it can't apply then is not waited for. */
const MOMENTS = 20;
const MOMENT_MS = 100;

/** Asks again while the reader, or another notification, is at work on the block: who asks is told what came of it. */
async function untilOver<Found>(
  { pause }: Pick<NotifyDeps, 'pause'>,
  ask: () => Promise<Found>,
  isUnderWay: (found: Found) => boolean,
): Promise<Found> {
  let found = await ask();
  for (let moment = 0; moment < MOMENTS && isUnderWay(found); moment += 1) {
    await pause(MOMENT_MS);
    found = await ask();
  }
  return found;
}

const refused = (refusal: NotifyRefusal): NotifiedTransfer => ({ outcome: 'refused', refusal });

const KNOWN: Readonly<Record<KnownBlock, NotifiedTransfer>> = {
  of_intent: { outcome: 'recorded' },
  kept: { outcome: 'recorded' },
  of_another_intent: refused('other_memo'),
  refund: refused('counted_elsewhere'),
  too_little: { outcome: 'recorded' },
  set_aside: refused('counted_elsewhere'),
};

/** Of a block that is an unattributed receipt, by the reason of that. */
export const asideAs = (reason: string): Extract<KnownBlock, 'too_little' | 'set_aside'> =>
  reason === 'below_minimum' ? 'too_little' : 'set_aside';

/** Since then a ledger has not written as many blocks. */
const READ_LATELY_MS = 600_000;
const FAR_ABOVE = 100_000n;

/** The ledger is not asked about blocks that it can't have: whoever names them makes numbers up. */
function isFarAbove({ nextIndex, readAtMs }: StoredCursor, index: bigint, nowMs: number): boolean {
  return readAtMs !== null && nowMs - readAtMs < READ_LATELY_MS && index >= nextIndex + FAR_ABOVE;
}

/** Why the block does not pay the intent; undefined where it does. `accounts` are those that the intent may be paid to. */
export function refusalOfBlock(
  block: TokenBlock | undefined,
  { intentCode, accounts }: { readonly intentCode: bigint; readonly accounts: readonly string[] },
): NotifyRefusal | undefined {
  if (block === undefined) return 'block_not_found';
  const { transfer } = block;
  if (transfer === null) return 'not_a_transfer';
  if (!accounts.includes(transfer.to)) return 'other_account';
  return intentCodeIn(transfer.memo) === intentCode ? undefined : 'other_memo';
}
