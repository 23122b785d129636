// The parties of a payment, with keys that live as long as the test.
import {
  generateKeyPairSigner,
  getBase58Decoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { createLocalRelayer, type RelayerSigner } from '../signer/relayer-signer.ts';
import type { Leg } from '../transfer/legs.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';

export type Actors = {
  readonly relayer: RelayerSigner;
  readonly payer: KeyPairSigner;
  readonly merchant: string;
  /** Key of the merchant's wallet. */
  readonly wallet: KeyPairSigner;
  readonly platform: string;
  readonly stranger: KeyPairSigner;
  /** Terms of a payment to merchant and platform by default. */
  readonly terms: (intentId: string, legs?: readonly Leg[]) => TransferTerms;
};

export async function drawActors(): Promise<Actors> {
  const relayer = await createLocalRelayer(crypto.getRandomValues(new Uint8Array(32)));
  const [payer, merchant, platform, stranger] = await Promise.all([
    generateKeyPairSigner(),
    generateKeyPairSigner(),
    generateKeyPairSigner(),
    generateKeyPairSigner(),
  ]);
  const usual: readonly Leg[] = [
    { owner: merchant.address, amountAtomic: 990_000n },
    { owner: platform.address, amountAtomic: 10_000n },
  ];
  return {
    relayer,
    payer,
    merchant: merchant.address,
    wallet: merchant,
    platform: platform.address,
    stranger,
    terms: (intentId, legs = usual) => ({
      intentId,
      payer: payer.address,
      relayer: relayer.address,
      mint: DEVNET_USDC,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
      decimals: 6,
      legs,
    }),
  };
}

/** The wallet's signature of a text in each encoding that clients use, base64 first. */
export async function signTextAsWallet(text: string, { keyPair }: KeyPairSigner): Promise<readonly string[]> {
  const signature = await signBytes(keyPair.privateKey, new TextEncoder().encode(text));
  const bytes = Buffer.from(signature);
  return [bytes.toString('base64'), `0x${bytes.toString('hex')}`, getBase58Decoder().decode(signature)];
}

/** The transaction as a wallet returns it after signing: canonical base64. */
export async function signAsWallet(wire: Uint8Array, { keyPair }: KeyPairSigner): Promise<string> {
  const signed = await partiallySignTransaction([keyPair], getTransactionDecoder().decode(wire));
  return Buffer.from(getTransactionEncoder().encode(signed)).toString('base64');
}
