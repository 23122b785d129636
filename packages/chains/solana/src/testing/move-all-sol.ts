// Empties the wallet of a key, as an operator does with a relayer that is retired.
import {
  address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getTransactionEncoder,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  blockhash as toBlockhash,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { SolanaNode } from '../rpc/solana-node.ts';

const SIGNATURE_LAMPORTS = 5_000n;

export async function moveAllSol(node: SolanaNode, secret: Uint8Array, to: string): Promise<void> {
  const source = await createKeyPairSignerFromPrivateKeyBytes(secret);
  const held = (await node.accounts([source.address]))[0]?.lamports ?? 0n;
  const { blockhash, lastValidBlockHeight } = await node.latestLifetime();
  const lifetime = { blockhash: toBlockhash(blockhash), lastValidBlockHeight };
  const amount = lamports(held - SIGNATURE_LAMPORTS);
  const transfer = getTransferSolInstruction({ source, destination: address(to), amount });
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(source, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstruction(transfer, living),
  );
  const signed = await signTransactionMessageWithSigners(message);
  const { outcome } = await node.send(Uint8Array.from(getTransactionEncoder().encode(signed)));
  if (outcome !== 'known') throw new Error(`the transfer was ${outcome}`);
}
