// Buyers on Solana with the published packages: `fetch` is version 2, `older` is x402-fetch, whose transactions have no memo.
// Both answer status, headers and body of the last response, with the payments that went out. `sign` sends nothing.
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { wrapFetchWithPayment as wrapFetchV1 } from 'x402-fetch';
import { serveCommands, settings } from './serve-commands.mjs';

const { rpcUrl } = settings;
const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(settings.secret, 'hex'));
const scheme = new ExactSvmScheme(signer, { rpcUrl });

async function buy(wrap, { url, init }) {
  const paid = [];
  const observed = (input, given) => {
    const request = new Request(input, given);
    const payment = request.headers.get('payment-signature') ?? request.headers.get('x-payment');
    if (payment) paid.push(payment);
    return fetch(request);
  };
  const response = await wrap(observed)(url, init);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.json().catch(() => null),
    paid,
  };
}

serveCommands(
  {
    fetch: (given) => buy((base) => wrapFetchWithPayment(base, new x402Client().register('solana:*', scheme)), given),
    older: (given) => buy((base) => wrapFetchV1(base, signer, 2_000_000n, undefined, { svmConfig: { rpcUrl } }), given),
    sign: ({ requirements }) => scheme.createPaymentPayload(2, requirements),
  },
  { address: signer.address },
);
