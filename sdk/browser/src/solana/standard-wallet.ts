// Wallet Standard, as far as paying uses it: a wallet that lists accounts, can be asked for them, and signs transactions.
import { fieldsOf } from '../read/fields.ts';

export type StandardAccount = {
  /** Base58. */
  readonly address: string;
  readonly publicKey: Readonly<Uint8Array>;
  /** Such as `solana:mainnet`. */
  readonly chains: readonly string[];
};

/** A wallet as it registers itself: https://github.com/wallet-standard/wallet-standard. */
export type StandardWallet = {
  readonly name: string;
  /** A data address of an image. */
  readonly icon: string;
  readonly chains: readonly string[];
  /** Those that the page may use; none before it has connected. */
  readonly accounts: readonly StandardAccount[];
  readonly features: Readonly<Record<string, unknown>>;
};

export type SignTransaction = (input: {
  readonly account: StandardAccount;
  readonly transaction: Uint8Array;
  readonly chain: string;
}) => Promise<readonly { readonly signedTransaction: Uint8Array }[]>;

type Connect = () => Promise<{ readonly accounts: readonly StandardAccount[] }>;
type Listen = (event: 'change', listener: (changed: { readonly accounts?: readonly unknown[] }) => void) => () => void;

const SIGN = 'solana:signTransaction';

/** What paying asks of a wallet; undefined when it can't sign such transactions. */
export function paymentFeatures({
  features,
}: StandardWallet):
  | { readonly sign: SignTransaction; readonly connect: Connect | undefined; readonly listen: Listen | undefined }
  | undefined {
  const sign = method(features[SIGN], 'signTransaction') as SignTransaction | undefined;
  if (sign === undefined || !signsVersionZero(features[SIGN])) return undefined;
  return {
    sign,
    connect: method(features['standard:connect'], 'connect') as Connect | undefined,
    listen: method(features['standard:events'], 'on') as Listen | undefined,
  };
}

/** True for a wallet that can pay on Solana. Whatever a page is handed: nothing is believed of it. */
export function isSolanaWallet(value: unknown): value is StandardWallet {
  const wallet = fieldsOf(value);
  return (
    typeof wallet?.['name'] === 'string' &&
    typeof wallet['icon'] === 'string' &&
    Array.isArray(wallet['chains']) &&
    wallet['chains'].some((chain) => typeof chain === 'string' && chain.startsWith('solana:')) &&
    Array.isArray(wallet['accounts']) &&
    fieldsOf(wallet['features']) !== undefined &&
    paymentFeatures(value as StandardWallet) !== undefined
  );
}

function signsVersionZero(feature: unknown): boolean {
  const versions = fieldsOf(feature)?.['supportedTransactionVersions'];
  return Array.isArray(versions) && versions.includes(0);
}

/** Called on the feature it belongs to: a wallet may look at `this`. */
function method(feature: unknown, name: string): unknown {
  const found = fieldsOf(feature)?.[name];
  return typeof found === 'function' ? found.bind(feature) : undefined;
}
