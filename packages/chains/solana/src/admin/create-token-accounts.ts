// Creates token accounts of recipients once, at set-up, and never in a payment: the owner of an account may close it
// and keep its rent, so a relayer that created accounts in payments could be drained.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getSignatureFromTransaction,
  getTransactionEncoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { judgeMint } from '../transfer/judge-mint.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';

export type AccountsToCreate = {
  /** 32-byte secret key of the account that pays the rent. */
  readonly funderSecret: Uint8Array;
  readonly owners: readonly string[];
  readonly mints: readonly string[];
};

export type CreatedAccounts =
  /** Transaction ids; empty when every account existed. */
  | { readonly ok: true; readonly created: readonly string[]; readonly transactionIds: readonly string[] }
  | { readonly ok: false; readonly code: 'not_a_mint' | 'refused' | 'not_confirmed'; readonly reason: string };

type Missing = { readonly owner: string; readonly mint: string; readonly tokenProgram: string; readonly ata: string };

/** Fits one transaction with room to spare. */
const PER_TRANSACTION = 6;
const LOOKS = 120;
const LOOK_MS = 500;

/** Safe to repeat: existing accounts are left as they are. Throws `ChainUnavailable` when the node does not answer. */
export async function createTokenAccounts(node: SolanaNode, given: AccountsToCreate): Promise<CreatedAccounts> {
  const funder = await createKeyPairSignerFromPrivateKeyBytes(given.funderSecret);
  const wanted: Missing[] = [];
  const mintAccounts = await node.accounts(given.mints);
  for (const [index, mint] of given.mints.entries()) {
    const judged = judgeMint(mintAccounts[index] ?? null);
    if (!judged.ok) return { ok: false, code: 'not_a_mint', reason: `${mint}: ${judged.code}` };
    const { tokenProgram } = judged;
    for (const owner of new Set(given.owners)) {
      wanted.push({ owner, mint, tokenProgram, ata: await tokenAccountOf(owner, mint, tokenProgram) });
    }
  }
  const present = await node.accounts(wanted.map(({ ata }) => ata));
  const missing = wanted.filter((_, index) => !present[index]);
  const transactionIds: string[] = [];
  for (let at = 0; at < missing.length; at += PER_TRANSACTION) {
    const sent = await send(node, funder, missing.slice(at, at + PER_TRANSACTION));
    if (!sent.ok) return sent;
    transactionIds.push(sent.transactionId);
  }
  return { ok: true, created: missing.map(({ ata }) => ata), transactionIds };
}

type Sent = { readonly ok: true; readonly transactionId: string } | Extract<CreatedAccounts, { readonly ok: false }>;

async function send(node: SolanaNode, funder: KeyPairSigner, missing: readonly Missing[]): Promise<Sent> {
  const { blockhash, lastValidBlockHeight } = await node.latestLifetime();
  const instructions = missing.map(({ owner, mint, tokenProgram, ata }) =>
    getCreateAssociatedTokenIdempotentInstruction({
      payer: funder,
      ata: address(ata),
      owner: address(owner),
      mint: address(mint),
      tokenProgram: address(tokenProgram),
    }),
  );
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(funder.address, draft),
    (draft) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  const signed = await signTransaction([funder.keyPair], compileTransaction(message));
  const wire = Uint8Array.from(getTransactionEncoder().encode(signed));
  const played = await node.simulate(wire);
  if (!played.ok) return { ok: false, code: 'refused', reason: JSON.stringify(played.error, printed) };
  const transactionId: string = getSignatureFromTransaction(signed);
  for (let look = 0; look < LOOKS; look += 1) {
    // The same bytes land at most once, however often they are sent.
    if (look % 4 === 0) await node.send(wire);
    await sleep(LOOK_MS);
    const [status = null] = await node.statuses([transactionId]);
    if (status === null || status.commitment === 'processed') continue;
    if (status.error === null) return { ok: true, transactionId };
    return { ok: false, code: 'refused', reason: JSON.stringify(status.error, printed) };
  }
  return { ok: false, code: 'not_confirmed', reason: transactionId };
}

const printed = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
