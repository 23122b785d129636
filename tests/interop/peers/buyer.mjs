// Buyers with the published packages, configured as their users do. `fetch` and `axios` are version 2, `v1` is x402-fetch.
// Every call answers status, headers and body of the last response, and how many requests went out.

import { wrapAxiosWithPayment } from '@x402/axios';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import axios from 'axios';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { wrapFetchWithPayment as wrapFetchV1 } from 'x402-fetch';
import { serveCommands, settings } from './serve-commands.mjs';

const account = privateKeyToAccount(settings.privateKey);

function clientV2() {
  const client = new x402Client();
  registerExactEvmScheme(client, { signer: account });
  return client;
}

/** Counts requests, keeps what was paid, and lets a test change what goes out and what comes back. */
function observedFetch(seen, { repeat, lose, repeats = 0 }) {
  return async (input, init) => {
    const request = new Request(input, init);
    const paid = request.headers.get('payment-signature') ?? request.headers.get('x-payment');
    seen.requests += 1;
    if (paid) seen.paid.push(paid);
    const copy = request.clone();
    const others = paid ? Array.from({ length: repeats }, () => fetch(request.clone())) : [];
    let response = await fetch(request);
    if (paid && repeat) response = await fetch(copy);
    const alike = [response, ...(await Promise.all(others))];
    response = alike.find(({ status }) => status === 200) ?? response;
    if (paid && lose) throw new Error('connection lost after the payment was sent');
    return response;
  };
}

async function answerOf(response, seen) {
  const text = await response.text();
  let body = text;
  try {
    body = JSON.parse(text);
  } catch {}
  return { status: response.status, headers: Object.fromEntries(response.headers), body, ...seen };
}

async function call(wrap, { url, init, ...options }) {
  const seen = { requests: 0, paid: [] };
  const paying = wrap(observedFetch(seen, options));
  try {
    return await answerOf(await paying(url, init), seen);
  } catch (problem) {
    return { thrown: String(problem?.message ?? problem), ...seen };
  }
}

serveCommands({
  fetch: (given) => call((base) => wrapFetchWithPayment(base, clientV2()), given),
  v1: (given) => {
    const wallet = createWalletClient({ account, chain: baseSepolia, transport: http() });
    return call((base) => wrapFetchV1(base, wallet, BigInt(given.maxAtomic ?? 2_000_000)), given);
  },
  axios: async ({ url, init = {} }) => {
    const instance = wrapAxiosWithPayment(axios.create(), clientV2());
    try {
      const { method, headers, body: data } = init;
      const response = await instance.request({ url, method, headers, data });
      return { status: response.status, headers: { ...response.headers }, body: response.data };
    } catch (problem) {
      const { response } = problem;
      return {
        thrown: problem.message,
        status: response?.status,
        headers: { ...response?.headers },
        body: response?.data,
      };
    }
  },
});
