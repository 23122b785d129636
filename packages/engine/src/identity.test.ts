import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type EngineWork, serveEngineWork } from './serve.ts';
import { freePorts, startRestate } from './server/start-restate.ts';
import { newIdentityKey } from './testing/identity-key.ts';

async function until(isTrue: () => boolean): Promise<void> {
  const endMs = performance.now() + 15_000;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error('it did not happen in 15 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a process with both keys works for either server key, and with the new one alone only for the new one', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'svc-identity-'));
  const ports = await freePorts();
  const [old, next] = [
    newIdentityKey(path.join(directory, 'old.pem')),
    newIdentityKey(path.join(directory, 'next.pem')),
  ];
  const start = ({ environment }: typeof old) =>
    startRestate({ dataDirectory: path.join(directory, 'data'), ports, environment });
  let server = await start(old);
  const works: EngineWork[] = [];
  onTestFinished(async () => {
    await Promise.all(works.map((work) => work.stop()));
    await server.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  let runs = 0;
  const serve = async (port: number, identityKeys: readonly string[]) => {
    const work = await serveEngineWork({
      drains: [],
      jobs: [{ name: 'heart', everyMs: 50, run: async () => void (runs += 1) }],
      host: '127.0.0.1',
      port,
      identityKeys,
      adminUrls: [server.adminUrl],
      ingressUrls: [server.ingressUrl],
      log: () => {},
    });
    works.push(work);
    return work;
  };
  const beats = async () => {
    const before = runs;
    await until(() => runs > before + 3);
  };

  const refused = await serve(0, [next.publicKey]);
  await expect(refused.register()).rejects.toThrow();
  expect(runs).toBe(0);

  const both = await serve(0, [old.publicKey, next.publicKey]);
  await both.register();
  await beats();
  const port = Number.parseInt(new URL(both.url).port, 10);
  await server.stop('SIGTERM');
  server = await start(next);
  await beats();
  await both.stop();
  const alone = await serve(port, [next.publicKey]);
  await alone.register();
  await beats();

  await server.stop('SIGTERM');
  server = await start(old);
  await expect(alone.register()).rejects.toThrow();
  const before = runs;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(runs).toBe(before);
}, 60_000);
