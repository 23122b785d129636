import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { reservePort } from './reserve-port.ts';

const program = `
  import { reservePort } from ${JSON.stringify(new URL('reserve-port.ts', import.meta.url).href)};
  const ports = [];
  for (let taken = 0; taken < 1_500; taken += 1) ports.push(await reservePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

test('four processes that draw half of all ports at the same time never draw the same one', async () => {
  const processes = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const drawn = await Promise.all(
    processes.map(async ({ stdout }) => {
      const [line] = await once(createInterface(stdout), 'line');
      return JSON.parse(line) as number[];
    }),
  );
  // Only now may a process end, which gives its ports back.
  for (const { stdin } of processes) stdin.end();
  const ports = drawn.flat();
  expect(ports).toHaveLength(6_000);
  expect(new Set(ports).size).toBe(6_000);
}, 60_000);

test('a reserved port can be bound', async () => {
  const port = await reservePort();
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  await new Promise((resolve) => server.close(resolve));
});
