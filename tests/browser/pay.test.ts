import { expect, test } from 'vitest';
import { browserWorld } from './browser-world.ts';

const open = browserWorld();

test('one wallet is gone straight on with, and the service’s word makes it paid', async () => {
  const { press, reaches, states, panel, wallet } = await open();
  expect(await press.innerText()).toBe('Pay $12.50');
  await press.click();
  await reaches('paid');
  expect(await panel.innerText()).toContain('Transaction 0x7f3a91');
  expect(await states()).toEqual(['finding', 'preparing', 'connect', 'sign', 'sending', 'paid']);
  expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
});
