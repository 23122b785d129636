// Receipts whose time is over give their rent back to the relayer that lent it. No payment hangs on this: a transaction
// that is lost, or sent twice, changes nothing but when the rent comes back.

import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { budgetInstructions } from '../transfer/compute-budget.ts';
import { closeInstruction } from './pay-instructions.ts';
import { type ReceiptName, receiptOf } from './program-accounts.ts';
import { compile, signAlone } from './sign-payment.ts';

export type OpenReceipt = ReceiptName;

/** Fits one transaction with room to spare. */
const PER_TRANSACTION = 8;
const BUDGET = { units: 80_000, microLamportsPerUnit: 10_000n };

/**
 * Sends what closes them, each by its own relayer, and answers those that are gone already: closed, or never made. Throws
 * `ChainUnavailable` when no node answers.
 */
export async function closeReceipts<Receipt extends OpenReceipt>(
  nodes: readonly SolanaNode[],
  receipts: readonly Receipt[],
  relayers: readonly RelayerSigner[],
): Promise<readonly Receipt[]> {
  const gone: Receipt[] = [];
  for (const [address, own] of Map.groupBy(receipts, ({ relayer }) => relayer)) {
    const relayer = relayers.find((one) => one.address === address);
    for (let at = 0; at < own.length; at += PER_TRANSACTION) {
      const some = own.slice(at, at + PER_TRANSACTION);
      const names = await Promise.all(some.map(async (receipt) => (await receiptOf(receipt)).address));
      const { accounts, lifetime } = await askFirst(nodes, async (node) => ({
        accounts: await node.accounts(names),
        lifetime: await node.latestLifetime(),
      }));
      const isThere = (receipt: Receipt) => accounts[some.indexOf(receipt)]?.owner === receipt.program;
      gone.push(...some.filter((receipt) => !isThere(receipt)));
      const open = some.filter(isThere);
      if (open.length === 0 || relayer === undefined) continue;
      const instructions = [...budgetInstructions(BUDGET), ...(await Promise.all(open.map(closeInstruction)))];
      const { wire } = await signAlone(compile(address, instructions, lifetime), relayer);
      await Promise.all(nodes.map((node) => node.send(wire)));
    }
  }
  return gone;
}
