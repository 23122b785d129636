// The wallet is a contract: its own code says who may sign for it.
import { systemClock } from '@svc-pay/core';
import { afterAll, expect, test } from 'vitest';
import { newKey } from '../local/role-keys.ts';
import { walletCreation } from '../local/wallet-creation.ts';
import { createJsonRpc } from '../rpc/json-rpc.ts';
import { activatePayout, TEST_INSTALLATION } from '../testing/activate-payout.ts';
import { startAnvil } from '../testing/start-anvil.ts';
import { createActivationCheck } from './check-activation.ts';

const anvil = await startAnvil();
afterAll(() => anvil.stop());
const nodes = async () => [createJsonRpc({ urls: [anvil.rpcUrl], timeoutMs: 20_000 })];

test('a contract wallet activates by its owner’s signature, and only where it has code', async () => {
  const owner = newKey();
  const approver = newKey();
  const deployer = await anvil.newAccount();
  const data = walletCreation(owner.account.address);
  const { contractAddress } = await deployer.waitForTransactionReceipt({
    hash: await deployer.sendTransaction({ data }),
  });
  if (typeof contractAddress !== 'string') throw new Error('the wallet was not deployed');
  const check = createActivationCheck({
    installation: async () => TEST_INSTALLATION,
    approvers: new Set([approver.account.address.toLowerCase()]),
    delayMs: 0,
    clock: systemClock,
  });
  const checked = async (wallet: string, key = owner) => {
    const { activation } = await activatePayout({ wallet }, { wallet: key, approver });
    return check(activation, activation, nodes);
  };
  const invalid = { ok: false, code: 'activation_signature_invalid' };
  expect(await checked(contractAddress)).toEqual({ ok: true });
  expect(await checked(contractAddress, newKey())).toEqual(invalid);
  expect(await checked(`0x${'c0'.repeat(20)}`)).toEqual(invalid);
});
