import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { hasOwnNonce, probedNonces } from './refund.ts';

test('lost refunds of two wallets are looked for in the order of their sequences', () => {
  const installation = '7f2c3d5e-1111-4222-8333-944455566677';
  const payment = {
    mode: 'test',
    network: evmNetwork(84_532),
    asset: `0x${'7'.repeat(40)}`,
    paymentId: newId('payment', 1_790_000_000_000),
  } as const;
  const wallets = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
  const probed = probedNonces({ ...payment, installation, nextSequence: 3, wallets });
  expect(probed.slice(0, 4).map(({ sequence, wallet }) => [sequence, wallet])).toEqual([
    [3, wallets[0]],
    [3, wallets[1]],
    [4, wallets[0]],
    [4, wallets[1]],
  ]);
  expect(probed).toHaveLength(16);
  expect(probed.every((one) => hasOwnNonce(installation, { ...payment, ...one }))).toBe(true);
});
