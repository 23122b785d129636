// A wallet app that follows a Solana Pay link as the specification says: GET, POST, look at what it is to sign, sign, send. It
// knows nothing of the service but the link.
import {
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type KeyPairSigner,
} from '@solana/kit';
import { openNode } from '@svc-pay/solana';
import { signAsWallet } from '@svc-pay/solana/testing';

export type Followed = { readonly label: string; readonly message: string; readonly transactionId: string };

const JSON_HEADERS = { 'content-type': 'application/json', origin: 'https://wallet.example' };

/** A local chain answers late where many tests share the machine. */
export const NODE_PATIENCE_MS = 30_000;

/** The address in the link. */
export function addressIn(link: string): URL {
  const [, rest] = /^solana:(.+)$/.exec(link) ?? [];
  if (rest === undefined) throw new Error(`${link} is no Solana Pay link`);
  return new URL(/%3A/i.test(rest) ? decodeURIComponent(rest) : rest);
}

/** Undefined with the message of the service where it refuses. */
export async function askForTransaction(
  link: string,
  account: string,
): Promise<
  | { readonly ok: true; readonly wire: Uint8Array; readonly message: string }
  | { readonly ok: false; readonly message: string }
> {
  const response = await fetch(addressIn(link), {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ account }),
  });
  const body = (await response.json()) as { readonly transaction?: string; readonly message?: string };
  if (response.headers.get('access-control-allow-origin') !== '*')
    throw new Error('a wallet in a page can’t read this');
  if (typeof body.message !== 'string') throw new Error(`${response.status} without a message`);
  if (!response.ok || body.transaction === undefined) return { ok: false, message: body.message };
  return { ok: true, wire: Uint8Array.from(Buffer.from(body.transaction, 'base64')), message: body.message };
}

export async function followSolanaPay(link: string, payer: KeyPairSigner, rpcUrl: string): Promise<Followed> {
  const shown = await fetch(addressIn(link), { headers: JSON_HEADERS });
  const { label, icon } = (await shown.json()) as { readonly label: string; readonly icon: string };
  const image = await fetch(icon);
  if (!/^image\/(?:svg\+xml|png|webp)/.test(image.headers.get('content-type') ?? '')) throw new Error('no icon');
  const asked = await askForTransaction(link, payer.address);
  if (!asked.ok) throw new Error(asked.message);
  const { signatures, messageBytes } = getTransactionDecoder().decode(asked.wire);
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  // A wallet refuses to sign where anybody else must, and pays the fee of nobody else.
  if (Object.keys(signatures).join() !== payer.address || staticAccounts[0] !== payer.address)
    throw new Error('others must sign, or the fee is not the payer’s');
  const signed = Buffer.from(await signAsWallet(asked.wire, payer), 'base64');
  const transactionId = await sendSigned(rpcUrl, signed);
  return { label, message: asked.message, transactionId };
}

export async function sendSigned(rpcUrl: string, signed: Uint8Array): Promise<string> {
  const { outcome } = await openNode(rpcUrl, NODE_PATIENCE_MS).send(signed);
  if (outcome !== 'known') throw new Error(`the transaction was ${outcome}`);
  return getBase58Decoder().decode(signed.subarray(1, 65));
}
