// The payer: a wallet as the browser SDK uses it (EIP-1193), over a key from a file. It signs one transfer at a time, of
// exactly the token, amount and recipient that the rehearsal expects, valid for an hour at most.
import { type SignableTypedData, typedDataSigner } from '@svc-pay/evm';
import type { AskProvider } from './ask-node.ts';

type ExpectedTransfer = {
  readonly to: string;
  readonly amountAtomic: bigint;
  /** Called before the signature is made, with its end in unix seconds. */
  readonly beforeSigning: (validBefore: number) => void;
};

export type Payer = {
  readonly address: string;
  /** Allows one signature. */
  readonly expect: (transfer: ExpectedTransfer) => void;
  /** EIP-1193. */
  readonly provider: {
    readonly request: (call: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;
  };
  /** When the last signature was given, on the clock of `performance.now`. */
  readonly signedAtMs: () => number | undefined;
};

export type PayerOptions = {
  readonly privateKey: `0x${string}`;
  readonly chainId: number;
  readonly token: string;
  readonly ask: AskProvider;
  readonly nowMs: () => number;
};

const SIGNED: ReadonlySet<string> = new Set(['TransferWithAuthorization', 'ReceiveWithAuthorization']);

/** Signatures count against the limit until they expire: a service that asks for longer ones is refused. */
const LONGEST_SECONDS = 3_600;

export function createPayer({ privateKey, chainId, token, ask, nowMs }: PayerOptions): Payer {
  const signer = typedDataSigner(privateKey);
  let expected: ExpectedTransfer | undefined;
  let signedAtMs: number | undefined;
  const sign = async (text: unknown): Promise<string> => {
    const data = JSON.parse(String(text)) as SignableTypedData;
    const { domain, primaryType, message } = data;
    const wanted = expected;
    expected = undefined;
    const fits =
      wanted !== undefined &&
      SIGNED.has(primaryType) &&
      isSame(domain['chainId'], chainId) &&
      isSame(domain['verifyingContract'], token) &&
      isSame(message['from'], signer.address) &&
      isSame(message['to'], wanted.to) &&
      isSame(message['value'], wanted.amountAtomic);
    if (!fits) throw new Error('the payer was asked to sign something else than the rehearsal pays');
    const validBefore = Number(message['validBefore']);
    if (!Number.isSafeInteger(validBefore) || validBefore > nowMs() / 1_000 + LONGEST_SECONDS)
      throw new Error('the payer was asked for a signature that is valid for more than an hour');
    wanted.beforeSigning(validBefore);
    signedAtMs = performance.now();
    return signer.signTypedData(data);
  };
  return {
    address: signer.address,
    expect: (transfer) => {
      expected = transfer;
    },
    signedAtMs: () => signedAtMs,
    provider: {
      request: async ({ method, params = [] }) => {
        if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [signer.address];
        if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
        if (method === 'eth_call') return (await ask([{ method, params }]))[0];
        if (method === 'eth_signTypedData_v4') return sign(params[1]);
        throw Object.assign(new Error('the payer does not know this method'), { code: 4200 });
      },
    },
  };
}

const isSame = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase();
