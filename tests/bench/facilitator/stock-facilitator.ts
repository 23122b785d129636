// The stock x402 facilitator as a service: its own packages behind three routes, one worker process for each key. Prints
// its port when all of them listen. Its one argument is JSON: rpcUrl, chainId, keys.
import cluster from 'node:cluster';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { x402Facilitator } from '@x402/core/facilitator';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import type { Hex } from 'viem';
import { createTunedSigner } from './tuned-signer.ts';

export type StockFacilitatorOptions = {
  readonly rpcUrl: string;
  readonly chainId: number;
  /** Of relayers with gas, one for each process. */
  readonly keys: readonly Hex[];
};

/** Thousands connect at once. */
const BACKLOG = 4_096;

const options = JSON.parse(process.argv[2] ?? '{}') as StockFacilitatorOptions;

if (cluster.isPrimary) await startWorkers();
else await serve(options.keys[(cluster.worker?.id ?? 0) - 1] ?? '0x');

async function startWorkers(): Promise<void> {
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    listening += 1;
    if (listening === options.keys.length) console.log(JSON.stringify({ port }));
  });
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGKILL');
    process.exit(0);
  });
  for (const _ of options.keys) cluster.fork();
}

async function serve(key: Hex): Promise<void> {
  const { rpcUrl, chainId } = options;
  const signer = await createTunedSigner(rpcUrl, chainId, key);
  const facilitator = new x402Facilitator().register(`eip155:${chainId}`, new ExactEvmScheme(signer));
  const answerTo = async (request: IncomingMessage): Promise<object> => {
    if (request.url === '/supported') return facilitator.getSupported();
    const { paymentPayload, paymentRequirements } = (await json(request)) as Asked;
    if (request.url === '/verify') return facilitator.verify(paymentPayload, paymentRequirements);
    return facilitator.settle(paymentPayload, paymentRequirements);
  };
  const server = createServer((request, response) => {
    const answer = (code: number, text: string) =>
      response
        .writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    answerTo(request).then(
      (body) => answer(200, JSON.stringify(body)),
      (problem: unknown) => answer(500, JSON.stringify(String(problem))),
    );
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', BACKLOG);
}

type Asked = {
  readonly paymentPayload: Parameters<x402Facilitator['verify']>[0];
  readonly paymentRequirements: Parameters<x402Facilitator['verify']>[1];
};
