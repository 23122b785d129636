// Test wallet: Wallet Standard over a throw-away key. Signs transactions only after `confirm` accepts, and sends none.
// Works in a page and in Node.
import { bytesFromBase58 } from '@svc-pay/protocol/solana';
import { type ReadTransaction, readTransaction, type StandardAccount, type StandardWallet } from '@svc-pay/sdk/solana';
import { PKCS8_START } from './pkcs8.ts';

export type SolanaTestWalletOptions = {
  readonly address: string;
  /** The 32 secret bytes as hex. */
  readonly secret: string;
  readonly name: string;
  readonly icon: string;
  readonly confirm: (transaction: ReadTransaction) => Promise<boolean>;
};

type Input = { readonly account: StandardAccount; readonly transaction: Uint8Array };

const CHAINS = ['solana:devnet'];
const SIGNATURE_BYTES = 64;
const USER_REJECTED = 4001;

export function createSolanaTestWallet(options: SolanaTestWalletOptions): StandardWallet {
  const { address, secret, name, icon, confirm } = options;
  const publicKey = bytesFromBase58(address) ?? new Uint8Array();
  const account: StandardAccount = Object.freeze({ address, publicKey, chains: CHAINS });
  let accounts: readonly StandardAccount[] = [];

  async function sign({ transaction }: Input): Promise<Uint8Array> {
    const read = readTransaction(transaction);
    const place = read?.signers.indexOf(address) ?? -1;
    if (read === undefined || place === -1) throw new Error('this wallet has no part in that transaction');
    if (!(await confirm(read))) throw Object.assign(new Error('the payer said no'), { code: USER_REJECTED });
    const message = transaction.slice(1 + SIGNATURE_BYTES * read.signers.length);
    const bytes = Uint8Array.from([...PKCS8_START, ...bytesFromHex(secret)]);
    const key = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
    const signed = transaction.slice();
    signed.set(new Uint8Array(await crypto.subtle.sign('Ed25519', key, message)), 1 + SIGNATURE_BYTES * place);
    return signed;
  }

  return {
    name,
    icon,
    chains: CHAINS,
    get accounts() {
      return accounts;
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async () => {
          accounts = [account];
          return { accounts };
        },
      },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: [0],
        signTransaction: async (...inputs: readonly Input[]) => {
          const signed: { signedTransaction: Uint8Array }[] = [];
          for (const input of inputs) signed.push({ signedTransaction: await sign(input) });
          return signed;
        },
      },
    },
  };
}

const bytesFromHex = (hex: string): number[] => (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
