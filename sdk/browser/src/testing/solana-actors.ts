// Who takes part in a Solana payment, and the transactions that the service would make for them: its own code makes them.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Acceptance } from '@svc-pay/protocol';
import { base58FromBytes } from '@svc-pay/protocol/solana';
import { type Leg, prepareTransfer, type TransferTerms } from '@svc-pay/solana';
import type { SignTransaction, StandardAccount, StandardWallet } from '../solana/standard-wallet.ts';
import { INTENT_ID } from './fake-service.ts';

export const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const PRICE_ATOMIC = 12_500_000n;

export type SolanaKey = { readonly address: string; readonly publicKey: Uint8Array; readonly sign: Sign };
type Sign = (message: Uint8Array) => Uint8Array;

export function drawKey(): SolanaKey {
  const { publicKey: key, privateKey } = generateKeyPairSync('ed25519');
  const publicKey = Uint8Array.from(Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url'));
  return {
    publicKey,
    address: base58FromBytes(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, privateKey)),
  };
}

export const [RELAYER, MERCHANT, PLATFORM] = [drawKey().address, drawKey().address, drawKey().address];

const LEGS: readonly Leg[] = [
  { owner: MERCHANT, amountAtomic: PRICE_ATOMIC - 125_000n },
  { owner: PLATFORM, amountAtomic: 125_000n },
];

export async function preparedFor(payer: string, changes: Partial<TransferTerms> = {}): Promise<string> {
  const terms = { intentId: INTENT_ID, payer, relayer: RELAYER, mint: MINT, tokenProgram: TOKEN_PROGRAM };
  const lifetime = { blockhash: drawKey().address, lastValidBlockHeight: 1_000n, slot: 900n };
  const made = await prepareTransfer({ ...terms, decimals: 6, legs: LEGS, ...changes }, lifetime);
  if (!made.ok) throw new Error(made.code);
  return Buffer.from(made.prepared.wire).toString('base64');
}

export const solanaAcceptance = (extra: object = {}, changes: Partial<Acceptance> = {}): Acceptance => ({
  scheme: 'exact',
  network: 'solana:devnet',
  maxAmountRequired: PRICE_ATOMIC.toString(),
  payTo: MERCHANT,
  maxTimeoutSeconds: 60,
  asset: MINT,
  extra: { intentId: INTENT_ID, feePayer: RELAYER, ...extra },
  ...changes,
});

export type FakeSolanaWallet = StandardWallet & {
  readonly calls: readonly string[];
  /** What it was asked to sign. */
  readonly shown: readonly Uint8Array[];
  /** Takes away all accounts and says so. */
  readonly close: () => void;
  /** As when the person switches accounts. */
  readonly use: (key: SolanaKey) => void;
};

type Behaviour = { readonly connect?: () => Promise<void>; readonly sign?: SignTransaction };

/** Gives its account when it is asked to connect, and signs whatever it is shown, unless told otherwise. */
export function fakeSolanaWallet(first: SolanaKey = drawKey(), behaviour: Behaviour = {}): FakeSolanaWallet {
  let key = first;
  let accounts: readonly StandardAccount[] = [];
  const calls: string[] = [];
  const shown: Uint8Array[] = [];
  const listeners = new Set<(changed: { readonly accounts: readonly StandardAccount[] }) => void>();
  const chains = ['solana:devnet', 'solana:mainnet'];
  const tell = () => {
    for (const listener of listeners) listener({ accounts });
  };
  const accountOf = ({ address, publicKey }: SolanaKey): StandardAccount => ({ address, publicKey, chains });
  const signWith: SignTransaction = async ({ transaction }) => {
    const signed = transaction.slice();
    signed.set(key.sign(transaction.slice(1 + 2 * 64)), 1 + 64);
    return [{ signedTransaction: signed }];
  };
  return {
    name: 'Fake',
    icon: 'data:image/svg+xml,',
    chains,
    get accounts() {
      return accounts;
    },
    calls,
    shown,
    features: {
      'standard:connect': {
        async connect() {
          calls.push('connect');
          await behaviour.connect?.();
          accounts = [accountOf(key)];
          return { accounts };
        },
      },
      'standard:events': {
        on: (_: string, listener: () => void) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      'solana:signTransaction': {
        supportedTransactionVersions: ['legacy', 0],
        async signTransaction(input: Parameters<SignTransaction>[0]) {
          calls.push('sign');
          shown.push(input.transaction);
          return (behaviour.sign ?? signWith)(input);
        },
      },
    },
    close() {
      accounts = [];
      tell();
    },
    use(other) {
      key = other;
      accounts = [accountOf(other)];
      tell();
    },
  };
}
