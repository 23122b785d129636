// Describes a Solana transaction, only from the transaction itself and not from what the page says.
import type { ReadTransaction } from '@svc-pay/sdk/solana';
import { showAmount } from '../shop/show-amount.ts';
import type { Described } from './describe-question.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TRANSFER_CHECKED = 12;

export function describeTransfer(transaction: ReadTransaction): Described {
  const { signers, instructions } = transaction;
  const transfers = instructions.flatMap(({ program, accounts, data }) => {
    const [, mint = '', destination = ''] = accounts;
    if (program !== TOKEN_PROGRAM || data[0] !== TRANSFER_CHECKED) return [];
    return [{ mint, destination, amountAtomic: new DataView(data.buffer, data.byteOffset).getBigUint64(1, true) }];
  });
  const sumAtomic = transfers.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  const memo = instructions.find(({ program }) => program === MEMO_PROGRAM);
  const [feePayer = '', payer = ''] = signers;
  return {
    headline: `Send ${showAmount(sumAtomic)} USDC?`,
    rows: [
      ['From', payer],
      ...transfers.map(({ destination, amountAtomic }) => [`To, ${showAmount(amountAtomic)}`, destination] as const),
      ['Token', transfers[0]?.mint ?? '—'],
      ['Fee paid by', feePayer],
      ['Memo', memo === undefined ? '—' : new TextDecoder().decode(memo.data)],
    ],
    raw: JSON.stringify(
      instructions.map(({ program, accounts, data }) => ({ program, accounts, data: hexOf(data) })),
      null,
      2,
    ),
  };
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
