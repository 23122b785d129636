// What is outside of the deployment, on this machine: the RPC node, and the merchant's server on the internet.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { createReceiver } from '@svc-pay/server';
import type { PodmanHost } from '../../tools/containers/podman-host.ts';

/** Hands connections to a port of loopback on, under an address that containers reach. Answers its URL. */
export async function passOn(host: PodmanHost, loopbackUrl: string): Promise<{ url: string; close: () => void }> {
  const port = Number(new URL(loopbackUrl).port);
  const server = createTcpServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const [from, to] of [[socket, onward] as const, [onward, socket] as const]) {
      from.pipe(to);
      from.on('error', () => to.destroy());
    }
  });
  await once(server.listen(0, host.outside), 'listening');
  return { url: `http://${host.outside}:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/**
 * An address that webhooks take for one of the internet. Only the network of the containers has it, and there it is this
 * machine: nothing leaves.
 */
const MERCHANT = '192.31.196.7';

export type MerchantServer = {
  readonly url: string;
  /** From now on deliveries have to be signed by one of these secrets. */
  readonly expect: (secrets: readonly [string, ...string[]]) => void;
  readonly accepted: readonly { readonly type: string; readonly id: string; readonly paymentIntentId: string }[];
  readonly refused: readonly string[];
  readonly close: () => void;
};

export async function startMerchantServer(host: PodmanHost): Promise<MerchantServer> {
  let receivers: readonly ReturnType<typeof createReceiver>[] = [];
  const accepted: { type: string; id: string; paymentIntentId: string }[] = [];
  const refused: string[] = [];
  const take = async (headers: IncomingHttpHeaders, body: Buffer): Promise<number> => {
    const verdicts = await Promise.all(receivers.map((receiver) => receiver.verify(body, headers)));
    if (!verdicts.some(({ ok }) => ok)) {
      refused.push(JSON.stringify(verdicts));
      return 400;
    }
    const { type, id, data } = JSON.parse(body.toString());
    accepted.push({ type, id, paymentIntentId: data.object.paymentIntentId ?? data.object.id });
    return 200;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void take(request.headers, Buffer.concat(chunks)).then(
        (status) => response.writeHead(status).end(),
        (problem: unknown) => {
          refused.push(String(problem));
          response.writeHead(500).end();
        },
      );
    });
  });
  await once(server.listen(0, host.outside), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const rule of [
    'add table ip merchant',
    'add chain ip merchant incoming { type nat hook prerouting priority -150 ; }',
    `add rule ip merchant incoming ip daddr ${MERCHANT} tcp dport 8080 dnat to ${host.outside}:${port}`,
  ])
    await host.must(['nft', rule]);
  return {
    url: `http://${MERCHANT}:8080/hooks`,
    expect: (secrets) => {
      receivers = secrets.map((secret) => createReceiver({ secrets: [secret] }));
    },
    accepted,
    refused,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
