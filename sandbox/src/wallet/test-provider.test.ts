import { newKey } from '@svc-pay/evm/local';
import { recoverTypedDataAddress } from 'viem';
import { expect, test } from 'vitest';
import { describeQuestion } from './describe-question.ts';
import { createTestProvider, type SignQuestion } from './test-provider.ts';

const key = newKey();
const typedData = {
  domain: { name: 'USD Coin', version: '2', chainId: 31_337, verifyingContract: `0x${'aa'.repeat(20)}` },
  primaryType: 'TransferWithAuthorization',
  types: {
    TransferWithAuthorization: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
    ],
  },
  message: { to: `0x${'bb'.repeat(20)}`, value: '4200000', validBefore: '1800000000' },
} as const;
const asked: SignQuestion[] = [];
const wallet = (agrees: boolean) =>
  createTestProvider({
    privateKey: key.privateKey,
    rpcUrl: 'http://127.0.0.1:9',
    chainId: 31_337,
    confirm: async (question) => {
      asked.push(question);
      return agrees;
    },
  });
const sign = (agrees: boolean, signer: string) =>
  wallet(agrees).request({ method: 'eth_signTypedData_v4', params: [signer, JSON.stringify(typedData)] });

test('the wallet signs what it showed, and only after a yes', async () => {
  const message = { to: typedData.message.to, value: 4_200_000n, validBefore: 1_800_000_000n };
  const signature = (await sign(true, key.account.address)) as `0x${string}`;
  expect(await recoverTypedDataAddress({ ...typedData, message, signature })).toBe(key.account.address);
  expect(asked.at(-1)?.message).toEqual(typedData.message);
  await expect(sign(false, key.account.address)).rejects.toMatchObject({ code: 4001 });
  await expect(sign(true, `0x${'cc'.repeat(20)}`)).rejects.toMatchObject({ code: 4100 });
});

test('the wallet sends no transaction, and stays on its chain', async () => {
  const { request } = wallet(true);
  await expect(request({ method: 'eth_sendTransaction', params: [{}] })).rejects.toMatchObject({ code: 4200 });
  await expect(request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x1' }] })).rejects.toMatchObject({
    code: 4902,
  });
  expect(await request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x7a69' }] })).toBeNull();
});

test('a payer is told amount, recipient, token and end of what is signed, and sees all of it', () => {
  const { headline, rows, raw } = describeQuestion({ ...typedData, signer: key.account.address });
  expect(headline).toBe('Let 4.20 USD Coin be taken?');
  expect(Object.fromEntries(rows)).toMatchObject({
    From: key.account.address,
    To: typedData.message.to,
    Token: typedData.domain.verifyingContract,
    'Good until': 'Fri, 15 Jan 2027 08:00:00 GMT',
  });
  expect(JSON.parse(raw)).toMatchObject({ message: typedData.message, domain: typedData.domain });
});
