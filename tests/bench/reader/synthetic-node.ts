// A node of a synthetic chain, as a process of its own: what it costs is not the reader's. Prints its URL.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSyntheticChain } from './synthetic-chain.ts';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

const answer = createSyntheticChain(BigInt(process.argv[2] ?? '1000'));
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    const calls = JSON.parse(text) as readonly Call[];
    response.end(JSON.stringify(calls.map(({ id, method, params }) => ({ id, result: answer(method, params) }))));
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
