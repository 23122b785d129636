// A wallet that announces itself to the page (EIP-6963) and answers from here (EIP-1193). It really signs, with a key made
// for the test. What it is asked is kept, and any answer can be replaced: a refusal, a silence, another chain.
import type { BrowserContext } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

type Params = readonly unknown[];
export type WalletAnswers = Record<string, (params: Params) => unknown>;

export type TestWallet = {
  readonly name: string;
  readonly account: ReturnType<typeof privateKeyToAccount>;
  /** Methods in the order they were asked. */
  readonly asked: string[];
  readonly answers: WalletAnswers;
  readonly icon: string;
};

export const NEVER = (): Promise<never> => new Promise(() => {});
export const refuse = (): never => {
  throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
};
export const held = (atomic: bigint): string => `0x${atomic.toString(16).padStart(64, '0')}`;

export const unsupported = (): never => {
  throw Object.assign(new Error('The method is not supported.'), { code: 4200 });
};
type Call = { readonly data: string };
const isCallOf = (selector: string, [call]: Params): boolean => (call as Call).data.startsWith(selector);
const ALLOWANCE = '0xdd62ed3e';
const APPROVE = '0x095ea7b3';
export const APPROVE_HASH = `0x${'a1'.repeat(32)}`;
export const PAY_HASH = `0x${'b2'.repeat(32)}`;

/** Can't sign typed data, and sends transactions: what it approves is allowed, and what it sends is in a block. */
export function sendingAnswers(sent: string[] = []): WalletAnswers {
  let allowed = 0n;
  return {
    eth_signTypedData_v4: unsupported,
    eth_call: (params) => held(isCallOf(ALLOWANCE, params) ? allowed : 100_000_000n),
    eth_sendTransaction: (params) => {
      const { data } = params[0] as Call;
      const isApproval = isCallOf(APPROVE, params);
      sent.push(isApproval ? 'approve' : 'pay');
      if (isApproval) allowed = BigInt(`0x${data.slice(-64)}`);
      return isApproval ? APPROVE_HASH : PAY_HASH;
    },
    eth_getTransactionReceipt: () => ({ status: '0x1', blockNumber: '0x10' }),
    eth_blockNumber: () => '0x20',
  };
}

const icon = (colour: string, shape: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="${colour}"/>${shape}</svg>`)}`;
export const ICONS = {
  fern: icon('#1f6f54', '<path d="M12 28c0-9 6-15 16-16 0 10-6 16-14 15" fill="#d7f3e3"/>'),
  harbor: icon('#2b4acb', '<path d="M11 24h18l-4 6H15zM19 10v12h-7z" fill="#fff"/>'),
  lantern: icon('#e8823a', '<circle cx="20" cy="20" r="8" fill="#fff3e0"/>'),
};

export function testWallet(name: string, answers: WalletAnswers = {}, image = ICONS.harbor): TestWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  let chainId = 8453;
  return {
    name,
    account,
    asked: [],
    icon: image,
    answers: {
      eth_requestAccounts: () => [account.address],
      eth_chainId: () => `0x${chainId.toString(16)}`,
      eth_call: () => held(100_000_000n),
      wallet_switchEthereumChain: ([wanted]) => {
        chainId = Number((wanted as { chainId: string }).chainId);
        return null;
      },
      eth_signTypedData_v4: ([, text]) => {
        const { types, domain, primaryType, message } = JSON.parse(String(text));
        return account.signTypedData({ types, domain, primaryType, message });
      },
      ...answers,
    },
  };
}

type Outcome = { readonly value: unknown } | { readonly error: { readonly code: unknown; readonly message: string } };

/** Into every page of the context, from its next load on. */
export async function installWallets(context: BrowserContext, wallets: readonly TestWallet[]): Promise<void> {
  await context.exposeFunction('askTestWallet', async (index: number, method: string, params: Params) => {
    const wallet = wallets[index];
    wallet?.asked.push(method);
    const answer = wallet?.answers[method];
    try {
      if (answer === undefined) throw Object.assign(new Error('unsupported'), { code: 4200 });
      return { value: await answer(params) } satisfies Outcome;
    } catch (problem) {
      const { code, message } = problem as { code?: unknown; message: string };
      return { error: { code, message } } satisfies Outcome;
    }
  });
  const infos = wallets.map(({ name, icon: image }, index) => ({
    uuid: `wallet-${index}`,
    name,
    icon: image,
    rdns: `test.wallet${index}`,
  }));
  await context.addInitScript((announced) => {
    const page = window as unknown as {
      askTestWallet: (index: number, method: string, params: unknown) => Promise<Record<string, unknown>>;
    };
    const providers = announced.map((info, index) => ({
      info,
      provider: {
        async request({ method, params = [] }: { method: string; params?: unknown }) {
          const outcome = await page.askTestWallet(index, method, params);
          if ('error' in outcome) throw Object.assign(new Error(), outcome['error']);
          return outcome['value'];
        },
      },
    }));
    window.addEventListener('eip6963:requestProvider', () => {
      for (const detail of providers) window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    });
  }, infos);
}
