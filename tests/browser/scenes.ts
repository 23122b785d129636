// Every stage of a button, and how to bring a page there. Tests look at each with axe; pictures are taken of them.
import { acceptance, fakeService, inEuros, offered, settled } from './fake-service.ts';
import type { PageOptions, ShopPage } from './start-browser.ts';
import { APPROVE_HASH, held, ICONS, NEVER, refuse, sendingAnswers, testWallet } from './test-wallet.ts';

export type Scene = {
  readonly name: string;
  /** The stage it ends in. */
  readonly state: string;
  /** Made anew for each page: services and wallets remember. */
  readonly options: () => PageOptions;
  readonly act: (shop: ShopPage) => Promise<void>;
};

const press = (shop: ShopPage) => shop.press.click();
const upto = { 'usd-amount': '5', mode: 'upto', order: 'tab-7' };
const uptoOffer = acceptance({ scheme: 'upto', maxAmountRequired: '5000000', maxTimeoutSeconds: 86_400 });
const walletThat = (answers: NonNullable<Parameters<typeof testWallet>[1]>) => ({
  wallets: [testWallet('Harbor', answers)],
});
const unheard = {
  status: 422,
  body: {
    error: 'service_unavailable',
    message: 'A sentence.',
    param: null,
    retryable: false,
    moneyMoved: 'unknown',
    requestId: 'req_1',
    docUrl: 'x',
  },
};

const scene = (name: string, state: string, options: () => PageOptions, act: Scene['act'] = press): Scene => ({
  name,
  state,
  options,
  act,
});

export const SCENES: readonly Scene[] = [
  scene(
    'ready',
    'ready',
    () => ({}),
    async () => {},
  ),
  scene(
    'ready-upto',
    'ready',
    () => ({ buttons: [upto] }),
    async () => {},
  ),
  scene('choose-wallet', 'choose-wallet', () => ({
    wallets: [
      testWallet('Fern', {}, ICONS.fern),
      testWallet('Harbor Wallet', {}, ICONS.harbor),
      testWallet('Lantern', {}, ICONS.lantern),
    ],
  })),
  scene('preparing', 'preparing', () => ({ service: fakeService({ intent: 'silence' }) })),
  scene('connect', 'connect', () => walletThat({ eth_requestAccounts: NEVER })),
  scene('choose-token', 'choose-token', () => ({ service: fakeService({ intent: offered(acceptance(), inEuros) }) })),
  scene('switch-network', 'switch-network', () =>
    walletThat({ eth_chainId: () => '0x1', wallet_switchEthereumChain: NEVER }),
  ),
  scene('sign', 'sign', () => walletThat({ eth_signTypedData_v4: NEVER })),
  scene('sign-upto', 'sign', () => ({
    buttons: [upto],
    service: fakeService({ intent: offered(uptoOffer) }),
    ...walletThat({ eth_signTypedData_v4: NEVER }),
  })),
  scene('approve', 'approve', () => walletThat({ ...sendingAnswers(), eth_sendTransaction: NEVER })),
  scene('approving', 'approving', () =>
    walletThat({ ...sendingAnswers(), eth_sendTransaction: () => APPROVE_HASH, eth_getTransactionReceipt: () => null }),
  ),
  scene('pay', 'pay', () =>
    walletThat({ ...sendingAnswers(), eth_call: () => held(100_000_000n), eth_sendTransaction: NEVER }),
  ),
  scene('confirming', 'confirming', () => walletThat(sendingAnswers())),
  scene('unknown-asked', 'unknown', () =>
    walletThat({
      ...sendingAnswers(),
      eth_call: () => held(100_000_000n),
      eth_sendTransaction: () => {
        throw Object.assign(new Error('oops'), { code: -32_603 });
      },
    }),
  ),
  scene('sending', 'sending', () => ({ service: fakeService({ settle: 'silence' }) })),
  scene('settling', 'settling', () => ({
    service: fakeService({ settle: settled('processing'), notify: settled('processing') }),
  })),
  scene('paid', 'paid', () => ({})),
  scene('authorized', 'authorized', () => ({ buttons: [upto], service: fakeService({ intent: offered(uptoOffer) }) })),
  scene('failed', 'failed', () => walletThat({ eth_signTypedData_v4: refuse })),
  scene('no-funds', 'failed', () => walletThat({ eth_call: () => held(1n) })),
  scene('no-wallet', 'failed', () => ({ wallets: [] })),
  scene('unknown', 'unknown', () => ({ service: fakeService({ settle: unheard }) })),
  scene('mismatched', 'mismatched', () => ({ service: fakeService({ settle: settled('mismatched') }) })),
  scene(
    'elsewhere',
    'elsewhere',
    () => ({
      buttons: [
        { 'usd-amount': '12.50', order: '1' },
        { 'usd-amount': '12.50', order: '1' },
      ],
      ...walletThat({ eth_signTypedData_v4: NEVER }),
    }),
    async ({ page, press: first, reaches }) => {
      const second = page.locator('svc-pay-button').nth(1);
      await second.locator('.press').click();
      await reaches('sign', 1);
      await first.click();
    },
  ),
  scene(
    'misconfigured',
    'misconfigured',
    () => ({ buttons: [{ 'usd-amount': 'twelve' }] }),
    async () => {},
  ),
  scene(
    'checking',
    'checking',
    () => ({ service: fakeService({ settle: 'silence', notify: 'silence' }) }),
    async (shop) => {
      await shop.press.click();
      await shop.reaches('sending');
      await shop.page.reload();
    },
  ),
];

export async function play(shop: ShopPage, { state, act }: Scene): Promise<void> {
  await act(shop);
  await shop.reaches(state);
}
