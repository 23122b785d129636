// A double of the service at its boundary: answers the facilitator routes and the up-to routes over HTTP by a script, and
// notes what it was asked. What it accepts says nothing of the real service; tests/interop runs against that.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { SellerOptions, SellerProblem } from '../facilitator/seller-options.ts';

type Step =
  | { readonly status?: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up';
type SeenCall = { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: unknown };

export const ASSET = `0x${'33'.repeat(20)}`;
export const PAY_TO = `0x${'22'.repeat(20)}`;
export const PAYER = `0x${'11'.repeat(20)}`;
export const TRANSACTION = `0x${'ab'.repeat(32)}`;

export const SUPPORTED = {
  kinds: [
    {
      x402Version: 2,
      scheme: 'exact',
      network: 'eip155:84532',
      extra: { tokens: [{ asset: ASSET, payTo: PAY_TO, decimals: 6, name: 'USDC', version: '2' }] },
    },
    { x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
  ],
  extensions: [],
  signers: {},
};
export const VALID = { body: { isValid: true, payer: PAYER } };
export const SETTLED = {
  body: { success: true, transaction: TRANSACTION, network: 'eip155:84532', payer: PAYER },
};
export const unsettled = (errorReason: string, transaction = '') => ({
  body: { success: false, errorReason, errorMessage: 'A sentence.', transaction, network: 'eip155:84532' },
});

/** Of each route one step per call, the last one for ever. */
export type Script = Readonly<Record<string, readonly Step[]>>;

export async function fakeFacilitator(script: Script = {}) {
  const steps: Script = {
    '/x402/supported': [{ body: SUPPORTED }],
    '/x402/verify': [VALID],
    '/x402/settle': [SETTLED],
    ...script,
  };
  const seen: SeenCall[] = [];
  const problems: SellerProblem[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '', headers } = request;
    const sent = await text(request);
    seen.push({ path, headers, body: sent === '' ? undefined : JSON.parse(sent) });
    const ofRoute = steps[path] ?? [];
    const step = ofRoute[Math.min(seen.filter((call) => call.path === path).length, ofRoute.length) - 1];
    if (step === undefined) response.writeHead(404).end('{}');
    else if (step === 'hang up') response.destroy();
    else {
      response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...step.headers });
      response.end(JSON.stringify(step.body));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const options: SellerOptions = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey: 'sk_test_key',
    accountId: 'acct_1',
    pause: async () => {},
    onProblem: (problem) => void problems.push(problem),
  };
  const callsOf = (route: string) => seen.filter(({ path }) => path === route);
  return { options, seen, problems, callsOf };
}
