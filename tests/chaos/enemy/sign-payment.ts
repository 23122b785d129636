// Payers and what they sign. Keys are native, so that signing costs a fraction of a millisecond.
import { createHash, randomBytes } from 'node:crypto';
import { createLocalSigner, type TransactionSigner } from '@svc-pay/evm';
import { digest, domainSeparator } from '@svc-pay/protocol/hash';
import type { Address, Hex } from 'viem';
import type { Acceptance } from '../../e2e/wallet.ts';
import { nowMs } from '../harness/clock.ts';

/** `address` is the signer's own, or that of a contract wallet. */
export type EnemyPayer = { readonly address: Address; readonly signer: TransactionSigner };

export type SignedPayment = { readonly header: string; readonly nonce: string };

type Wish = {
  readonly windowSeconds?: number;
  readonly value?: string;
  /** Instead of a signature of the payer's. */
  readonly signature?: Hex;
};

const DAY_SECONDS = 86_400;
const WINDOW_SECONDS = 290;

/** The same name has the same key in every run of a seed. */
export function payerNamed(seed: number, name: string): EnemyPayer {
  const signer = createLocalSigner(createHash('sha256').update(`${seed} ${name}`).digest());
  return { address: signer.address, signer };
}

export async function signPayment(
  { address, signer }: EnemyPayer,
  { scheme, network, maxAmountRequired, payTo, asset, extra }: Acceptance,
  { windowSeconds = WINDOW_SECONDS, value = maxAmountRequired, signature: forged }: Wish = {},
): Promise<SignedPayment> {
  const nowSeconds = Math.floor(nowMs() / 1_000);
  const authorization = {
    from: address,
    to: payTo as Address,
    value,
    validAfter: String(nowSeconds - DAY_SECONDS),
    validBefore: String(nowSeconds + windowSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  } as const;
  const separator = domainSeparator({
    name: extra.name,
    version: extra.eip3009Version,
    chainId: Number.parseInt(extra.rpcChainId, 10),
    verifyingContract: (asset ?? payTo) as Address,
  });
  const signable = { primaryType: 'TransferWithAuthorization', message: authorization } as const;
  const signature = forged ?? (await signed(signer, digest(separator, signable)));
  const header = { x402Version: 1, scheme, network, payload: { authorization, signature } };
  return { header: Buffer.from(JSON.stringify(header)).toString('base64'), nonce: authorization.nonce };
}

async function signed(signer: TransactionSigner, bytes: Uint8Array): Promise<Hex> {
  const { r, s, yParity } = await signer.signDigest(bytes);
  return `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}` as Hex;
}
