// Several addresses of one chain, as if they were nodes that always agree: each is a port of its own that passes bytes to the
// chain and counts the JSON-RPC calls in them. Arguments: the chain's port, and how many. Prints the port that tells the rest.
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { createMethodCounter } from './method-counter.ts';

const [chainPort = 0, count = 1] = process.argv.slice(2).map((text) => Number.parseInt(text, 10));
const counts = new Map<string, number>();

const ports = await Promise.all(
  Array.from({ length: count }, async () => {
    const server = net.createServer((client) => {
      const chain = net.connect(chainPort, '127.0.0.1').setNoDelay(true);
      client.setNoDelay(true).on('data', createMethodCounter(counts));
      client.pipe(chain).pipe(client);
      const endBoth = () => {
        client.destroy();
        chain.destroy();
      };
      client.on('error', endBoth).on('close', endBoth);
      chain.on('error', endBoth).on('close', endBoth);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
    return (server.address() as AddressInfo).port;
  }),
);

const told = createServer((_, response) => {
  response.end(JSON.stringify({ ports, calls: Object.fromEntries(counts) }));
}).listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (told.address() as AddressInfo).port }));
});
