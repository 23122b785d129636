// A wallet that answers by method. It signs nothing real: what it was asked to sign is what tests look at.
import type { Eip1193Provider } from '../evm/eip1193.ts';

export const PAYER = '0x2222222222222222222222222222222222222222';
const SIGNATURE = `0x${'ab'.repeat(65)}`;

export type Answers = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

export type FakeWallet = Eip1193Provider & {
  readonly methods: () => readonly string[];
  readonly signed: () => readonly {
    primaryType: string;
    domain: { chainId: number };
    message: Record<string, string>;
  }[];
  readonly disconnect: () => void;
};

export const refusal = (code: unknown = 4001) => Object.assign(new Error('no'), { code });

export const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

/** On Base, with a hundred of every token, unless told otherwise. A method's answer may throw or never come. */
export function fakeWallet(answers: Answers = {}, chainId = 8453): FakeWallet {
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const listeners = new Set<() => void>();
  let chain = chainId;
  const usual: Answers = {
    eth_requestAccounts: () => [PAYER],
    eth_chainId: () => `0x${chain.toString(16)}`,
    eth_call: () => word(100_000_000n),
    eth_signTypedData_v4: () => SIGNATURE,
    wallet_switchEthereumChain: ([wanted]) => {
      chain = Number((wanted as { chainId: string }).chainId);
      return null;
    },
  };
  return {
    async request({ method, params = [] }) {
      calls.push({ method, params });
      const answer = answers[method] ?? usual[method];
      if (answer === undefined) throw Object.assign(new Error('unsupported'), { code: 4200 });
      return answer(params);
    },
    on: (_, listener) => listeners.add(listener),
    removeListener: (_, listener) => listeners.delete(listener),
    methods: () => calls.map(({ method }) => method),
    signed: () =>
      calls
        .filter(({ method }) => method === 'eth_signTypedData_v4')
        .map(({ params }) => JSON.parse(String(params[1]))),
    disconnect: () => {
      for (const listener of listeners) listener();
    },
  };
}
