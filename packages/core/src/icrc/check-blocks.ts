// Compares the payments and refunds of one network with the blocks of its token ledgers that they name.
import { ChainUnavailable } from '../lane/lane-chain.ts';
import type { BookedPaymentRow, BookedRefund, Books } from '../ledger/books.ts';
import type { Findings } from '../ledger/findings.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { type BlockName, readBlockName } from '../token/block-name.ts';
import type { BlocksAt, IcrcChain } from './icrc-chain.ts';
import type { TokenBlock } from './token-block.ts';
import { intentCodeIn } from './transfer-memo.ts';

export const TOKEN_LEDGER_CHECKS = ['blocks'] as const;

/** A ledger tells about as many blocks in one answer. */
const PER_CALL = 100;

/** The payment took money. */
const PAID: ReadonlySet<string> = new Set([
  PAYMENT_STATUS.completed,
  PAYMENT_STATUS.refunded,
  PAYMENT_STATUS.mismatched,
]);

/** What the books say of one block. */
type BookedTransfer = {
  /** Ids of the payment and the refund. */
  readonly about: readonly string[];
  readonly transactionId: string | null;
  readonly asset: string;
  readonly amountAtomic: bigint | null;
  readonly from: string | null;
  readonly to: readonly string[];
  /** The code that the memo names; null for a refund, which names none; undefined where the books no longer know it. */
  readonly intentCode: bigint | null | undefined;
};

type NamedTransfer = { readonly booked: BookedTransfer; readonly block: BlockName };

type CheckedChain = Pick<IcrcChain, 'network' | 'ledgers' | 'blocksAt'>;

/** `findings` has `TOKEN_LEDGER_CHECKS`. Throws `ChainUnavailable` when a ledger does not tell its blocks: nothing is proven then. */
export async function checkBlocks(books: Pick<Books, 'payments'>, chain: CheckedChain, findings: Findings) {
  for await (const page of books.payments()) {
    const transfers = page.filter(({ network }) => network === chain.network).flatMap(transfersOf);
    const named: NamedTransfer[] = [];
    for (const booked of transfers) {
      findings.looked('blocks');
      const block = readBlockName(booked.transactionId ?? '');
      if (block !== undefined && block.ledger === booked.asset && chain.ledgers.includes(block.ledger))
        named.push({ booked, block });
      else findings.differs('blocks', aboutOf(booked), `it names no block of the token ledger ${booked.asset}`);
    }
    for (const ledger of chain.ledgers)
      await checkLedgerBlocks(
        chain,
        ledger,
        named.filter(({ block }) => block.ledger === ledger),
        findings,
      );
  }
}

async function checkLedgerBlocks(
  chain: CheckedChain,
  ledger: string,
  named: readonly NamedTransfer[],
  findings: Findings,
): Promise<void> {
  for (let start = 0; start < named.length; start += PER_CALL) {
    const group = named.slice(start, start + PER_CALL);
    const told = await readBlocksAt(chain, ledger, new Set(group.map(({ block }) => block.index)));
    for (const { booked, block } of group) {
      const found = told.blocks.get(block.index);
      const problems =
        found === undefined ? [`the token ledger ends before it, with ${told.length} blocks`] : compare(booked, found);
      if (problems.length > 0) findings.differs('blocks', aboutOf(booked), problems.join('; '));
    }
  }
}

/** A ledger may tell fewer than it was asked for. Blocks past its end are absent. */
async function readBlocksAt(chain: CheckedChain, ledger: string, indexes: ReadonlySet<bigint>): Promise<BlocksAt> {
  const found = new Map<bigint, TokenBlock>();
  let open = [...indexes];
  for (;;) {
    const { length, blocks } = await chain.blocksAt(ledger, open);
    for (const [index, block] of blocks) found.set(index, block);
    const left = open.filter((index) => index < length && !found.has(index));
    if (left.length === 0) return { length, blocks: found };
    if (left.length === open.length) throw new ChainUnavailable(`${ledger} has block ${left[0]} and does not tell it`);
    open = left;
  }
}

const aboutOf = ({ about, transactionId }: BookedTransfer) => [...about, transactionId ?? 'no block'];

function transfersOf(row: BookedPaymentRow): readonly BookedTransfer[] {
  const refunds = row.refunds.map((refund) => refundOf(row, refund));
  return PAID.has(row.status) ? [paymentOf(row), ...refunds] : refunds;
}

function paymentOf({ paymentId, transactionId, asset, paidAtomic, payer, ...row }: BookedPaymentRow): BookedTransfer {
  const booked = row.entries.filter(
    (entry) => entry.accountName === 'merchant' && entry.transactionId === transactionId,
  );
  const merchants = [...booked.map(({ party }) => party), ...(row.terms === null ? [] : [row.terms.merchant])];
  return {
    about: [paymentId],
    transactionId,
    asset,
    amountAtomic: paidAtomic,
    from: payer,
    to: [...new Set(merchants)],
    intentCode: row.intent?.code,
  };
}

function refundOf({ paymentId, asset }: BookedPaymentRow, refund: BookedRefund): BookedTransfer {
  const { id, transactionId, amountAtomic, wallet, recipient } = refund;
  return {
    about: [paymentId, id],
    transactionId,
    asset,
    amountAtomic,
    from: wallet,
    to: [recipient],
    intentCode: null,
  };
}

/** Differences in words. */
function compare(booked: BookedTransfer, { transfer }: TokenBlock): readonly string[] {
  if (transfer === null) return ['its block is no transfer'];
  const { from, to, amountAtomic, memo } = transfer;
  const code = intentCodeIn(memo) ?? null;
  const said = (name: string, told: bigint | string, books: bigint | string) => [
    `its block has ${name} ${told}, the books ${books}`,
  ];
  return [
    ...(amountAtomic === booked.amountAtomic ? [] : said('amount', amountAtomic, booked.amountAtomic ?? 'none')),
    ...(from === booked.from ? [] : said('sender', from, booked.from ?? 'none')),
    ...(booked.to.length === 1 && booked.to[0] === to ? [] : said('recipient', to, booked.to.join(', ') || 'none')),
    ...(booked.intentCode === undefined || booked.intentCode === code
      ? []
      : said('intent code', code ?? 'none', booked.intentCode ?? 'none')),
  ];
}
