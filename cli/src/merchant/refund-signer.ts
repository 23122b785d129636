// Opens the wallet that signs a refund, from a file that is named on the command line. No key is ever on the command line.
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openKeystore, type TransactionSigner, typedDataSigner } from '@svc-pay/evm';
import { digest, domainSeparator } from '@svc-pay/protocol/hash';
import { base58FromBytes } from '@svc-pay/protocol/solana';
import type { EvmRefundSigner, RefundSigner } from '@svc-pay/server';
import { type Failure, failed, misused } from '../output/outcome.ts';

export type WalletFiles = {
  readonly keyFile?: string;
  readonly keystore?: string;
  readonly passwordFile?: string;
};

export type OpenedWallet =
  | { readonly ok: true; readonly signer: RefundSigner }
  | { readonly ok: false; readonly failure: Failure };

const refused = (failure: Failure): OpenedWallet => ({ ok: false, failure });

export async function openWallet({ keyFile, keystore, passwordFile }: WalletFiles): Promise<OpenedWallet> {
  if ((keyFile === undefined) === (keystore === undefined))
    return refused(misused('give --key-file or --keystore: the wallet that was paid signs the refund'));
  if (keyFile !== undefined) {
    const signer = signerOfKey(readText(keyFile));
    return signer === undefined
      ? refused(misused('--key-file: no readable file with 32 bytes in 0x-hex, or with a Solana key of 64 numbers'))
      : { ok: true, signer };
  }
  const file = readText(keystore);
  const password = readText(passwordFile);
  if (file === undefined || password === undefined)
    return refused(misused('--keystore needs a readable file, and --password-file one with its password'));
  const opened = await openKeystore(file, password);
  if (!opened.ok) return refused(failed(opened.code, 'The keystore can’t be opened with this password.'));
  return { ok: true, signer: digestSigner(opened.signer) };
}

/** Undefined for a file that can't be read; without the newline that editors add. */
function readText(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function signerOfKey(text: string | undefined): RefundSigner | undefined {
  if (text === undefined) return undefined;
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return typedDataSigner(text as `0x${string}`);
  return /^\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]$/.test(text)
    ? solanaSigner(JSON.parse(text) as number[])
    : undefined;
}

const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A file as `solana-keygen` writes it: 32 bytes of the key, then 32 of its address. */
function solanaSigner(numbers: readonly number[]): RefundSigner {
  const bytes = Uint8Array.from(numbers);
  const der = Buffer.concat([ED25519_PREFIX, bytes.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    address: base58FromBytes(bytes.slice(32)),
    signBytes: async (message) => Uint8Array.from(sign(null, message, key)),
  };
}

/** A keystore gives a signer of digests and never its key. */
function digestSigner({ address, signDigest }: TransactionSigner): EvmRefundSigner {
  return {
    address,
    signTypedData: async ({ domain, primaryType, message }) => {
      const texts = Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)]));
      const separator = domainSeparator(domain as Parameters<typeof domainSeparator>[0]);
      const signable = { primaryType, message: texts } as unknown as Parameters<typeof digest>[1];
      const { r, s, yParity } = await signDigest(digest(separator, signable));
      return `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`;
    },
  };
}
