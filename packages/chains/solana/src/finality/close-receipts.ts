// Closes expired receipts, which returns their rent to the relayer that lent it. No payment depends on this: a
// transaction that is lost or sent twice only changes when the rent comes back.

import { closeInstruction } from '../message/pay-instructions.ts';
import { type ReceiptName, receiptOf } from '../message/program-accounts.ts';
import { compile, signSingle } from '../message/sign-payment.ts';
import { askFirst } from '../rpc/ask-nodes.ts';
import { printExact } from '../rpc/exact-json.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { budgetInstructions } from '../transfer/compute-budget.ts';

export type OpenReceipt = ReceiptName;

/** Fits one transaction with room to spare. */
const PER_TRANSACTION = 8;
const BUDGET = { units: 80_000, microLamportsPerUnit: 10_000n };

/**
 * Sends transactions that close the receipts, each by its own relayer, and returns the receipts that do not exist:
 * closed already, or never made. A receipt that cannot be closed goes to `onFailure` and does not stop the others.
 * Throws `ChainUnavailable` when no node answers.
 */
export async function closeReceipts<Receipt extends OpenReceipt>(
  nodes: readonly SolanaNode[],
  receipts: readonly Receipt[],
  relayers: readonly RelayerSigner[],
  onFailure: (receipt: Receipt, problem: unknown) => void,
): Promise<readonly Receipt[]> {
  const gone: Receipt[] = [];
  for (const [address, own] of Map.groupBy(await nameAll(receipts, onFailure), ({ receipt }) => receipt.relayer)) {
    const relayer = relayers.find((one) => one.address === address);
    for (let at = 0; at < own.length; at += PER_TRANSACTION) {
      const some = own.slice(at, at + PER_TRANSACTION);
      const accounts = await askFirst(nodes, (node) => node.accounts(some.map(({ name }) => name)));
      const open = some.filter(({ receipt }, index) => accounts[index]?.owner === receipt.program);
      gone.push(...some.filter((one) => !open.includes(one)).map(({ receipt }) => receipt));
      if (relayer !== undefined) await closeOpen(nodes, open, relayer, onFailure);
    }
  }
  return gone;
}

type Named<Receipt> = { readonly receipt: Receipt; readonly name: string };

async function nameAll<Receipt extends OpenReceipt>(
  receipts: readonly Receipt[],
  onFailure: (receipt: Receipt, problem: unknown) => void,
): Promise<readonly Named<Receipt>[]> {
  const named = await Promise.all(
    receipts.map(async (receipt): Promise<Named<Receipt>[]> => {
      try {
        return [{ receipt, name: (await receiptOf(receipt)).address }];
      } catch (problem) {
        onFailure(receipt, problem);
        return [];
      }
    }),
  );
  return named.flat();
}

/** Simulates first: one receipt that the program refuses would revert the whole transaction, each time at a fee. */
async function closeOpen<Receipt extends OpenReceipt>(
  nodes: readonly SolanaNode[],
  open: readonly Named<Receipt>[],
  relayer: RelayerSigner,
  onFailure: (receipt: Receipt, problem: unknown) => void,
): Promise<void> {
  const [first] = open;
  if (first === undefined) return;
  const closing = await Promise.all(open.map(({ receipt }) => closeInstruction(receipt)));
  const lifetime = await askFirst(nodes, (node) => node.latestLifetime());
  const transaction = compile(relayer.address, [...budgetInstructions(BUDGET), ...closing], lifetime);
  const { wire } = await signSingle(transaction, relayer);
  const played = await askFirst(nodes, (node) => node.simulate(wire));
  if (played.ok) {
    await Promise.all(nodes.map((node) => node.send(wire)));
    return;
  }
  if (open.length > 1) {
    for (const one of open) await closeOpen(nodes, [one], relayer, onFailure);
    return;
  }
  onFailure(first.receipt, new Error(`receipt ${first.name} can't be closed: ${printExact(played.error)}`));
}
