// Many merchants in one process: answers at once under /ok, never under /hang. What arrived is asked for over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let arrivals: [id: string, atMs: number][] = [];

const server = createServer((request, response) => {
  if (request.url === '/arrivals') {
    response.end(JSON.stringify(arrivals));
    arrivals = [];
    return;
  }
  if (request.url === '/count') {
    response.end(String(arrivals.length));
    return;
  }
  request.resume();
  if (request.url?.startsWith('/hang') === true) return;
  arrivals.push([String(request.headers['webhook-id'] ?? ''), performance.timeOrigin + performance.now()]);
  response.end();
}).listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: (server.address() as AddressInfo).port }));
});
