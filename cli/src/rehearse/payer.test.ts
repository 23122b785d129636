import { expect, test } from 'vitest';
import { createPayer } from './payer.ts';

const TOKEN = `0x${'3'.repeat(40)}`;
const TO = `0x${'2'.repeat(40)}`;
const NOW_SECONDS = 1_800_000_000;

const payer = createPayer({
  privateKey: `0x${'01'.repeat(32)}`,
  chainId: 84_532,
  token: TOKEN,
  ask: () => Promise.reject(new Error('not asked')),
  nowMs: () => NOW_SECONDS * 1_000,
});

function typedData(validBefore: unknown): string {
  const fields = {
    from: 'address',
    to: 'address',
    value: 'uint256',
    validAfter: 'uint256',
    validBefore: 'uint256',
    nonce: 'bytes32',
  };
  const domain = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' };
  const typed = (types: object) => Object.entries(types).map(([name, type]) => ({ name, type: String(type) }));
  return JSON.stringify({
    types: { EIP712Domain: typed(domain), TransferWithAuthorization: typed(fields) },
    primaryType: 'TransferWithAuthorization',
    domain: { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: TOKEN },
    message: { from: payer.address, to: TO, value: '7', validAfter: '0', validBefore, nonce: `0x${'00'.repeat(32)}` },
  });
}

async function sign(validBefore: unknown) {
  const told: number[] = [];
  payer.expect({ to: TO, amountAtomic: 7n, beforeSigning: (until) => told.push(until) });
  const call = { method: 'eth_signTypedData_v4', params: [payer.address, typedData(validBefore)] };
  const signature = await payer.provider.request(call).catch((problem: unknown) => (problem as Error).message);
  return { signature, told };
}

test('the end of a signature is told before it is made', async () => {
  expect(await sign(String(NOW_SECONDS + 3_600))).toEqual({
    signature: expect.stringMatching(/^0x[0-9a-f]{130}$/),
    told: [NOW_SECONDS + 3_600],
  });
});

test.each([String(NOW_SECONDS + 3_601), `${2n ** 256n - 1n}`, 'never'])(
  'a signature that is valid until %s is refused',
  async (validBefore) => {
    expect(await sign(validBefore)).toEqual({ signature: expect.stringContaining('more than an hour'), told: [] });
  },
);
