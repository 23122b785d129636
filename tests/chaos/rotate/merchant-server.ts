// A merchant's server with the secrets that it knows now. It refuses a delivery whose two signatures it can't verify.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyByTheText, verifyStandard } from '@svc-pay/webhooks/testing/verify-by-the-text';

export type MerchantServer = {
  readonly url: string;
  /** Secret keys of the account and secrets of the endpoint that it verifies with. */
  readonly knows: { signingKeys: readonly string[]; endpointSecrets: readonly string[] };
  readonly taken: () => number;
  readonly refused: readonly string[];
  readonly close: () => void;
};

export async function startMerchantServer(): Promise<MerchantServer> {
  const knows: MerchantServer['knows'] = { signingKeys: [], endpointSecrets: [] };
  const refused: string[] = [];
  let taken = 0;
  const problemOf = (headers: IncomingHttpHeaders, body: Buffer): string | undefined => {
    const nowSeconds = Math.floor(Date.now() / 1_000);
    if (!knows.signingKeys.some((key) => verifyByTheText(headers, body, key, nowSeconds))) return 'x-svc-signature';
    return knows.endpointSecrets.some((secret) => verifyStandard(headers, body, secret, nowSeconds))
      ? undefined
      : 'webhook-signature';
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const problem = problemOf(request.headers, Buffer.concat(chunks));
      if (problem === undefined) taken += 1;
      else refused.push(`${problem} of ${String(request.headers['webhook-id'])}`);
      response.writeHead(problem === undefined ? 200 : 400).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    knows,
    taken: () => taken,
    refused,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
