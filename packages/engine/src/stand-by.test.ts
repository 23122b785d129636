// Two processes with the same work on one engine: one on duty, the other on stand-by.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createWakeDrain, serveEngineWork } from './index.ts';
import { freePorts, startRestate } from './server/start-restate.ts';

type Keep = (cleanUp: () => Promise<void> | void) => void;

async function startPair(keep: Keep, stepMs: { readonly duty: number; readonly restMs?: number }) {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'svc-restate-'));
  const engine = await startRestate({ dataDirectory });
  keep(async () => {
    await engine.stop('SIGKILL');
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const away = `http://127.0.0.1:${(await freePorts()).node}`;
  const worked: string[] = [];
  const runs: string[] = [];
  const start = async (name: string, ms: number) => {
    const work = await serveEngineWork({
      drains: [
        {
          name: 'numbers',
          fence: async () => '1',
          step: async () => {
            worked.push(name);
            await sleep(ms, undefined, { ref: false });
            return 'idle';
          },
        },
      ],
      jobs: [
        {
          name: 'heart',
          everyMs: 100,
          run: async () => void runs.push(name),
          ...(stepMs.restMs !== undefined && {
            rest: { everyMs: stepMs.restMs, mayBegin: async () => true, begin: () => {}, end: () => {} },
          }),
        },
      ],
      host: '127.0.0.1',
      port: 0,
      identityKeys: [],
      // The first node of the cluster is unreachable.
      adminUrls: [away, engine.adminUrl],
      ingressUrls: [away, engine.ingressUrl],
      log: () => {},
    });
    keep(work.stop);
    work.keepRegistered();
    await vi.waitFor(() => expect(runs.at(-1)).toBe(name), { timeout: 10_000 });
    return work;
  };
  await start('standing by', 0);
  const duty = await start('on duty', stepMs.duty);
  await createWakeDrain([engine.ingressUrl])('numbers', 'one');
  await vi.waitFor(() => expect(worked).toEqual(['on duty']), { timeout: 10_000 });
  return { duty, worked, runs };
}

test.concurrent('what a dead process was at goes on in the other one, and so do its pulses', async ({
  onTestFinished,
}) => {
  const { duty, worked, runs } = await startPair(onTestFinished, { duty: 60_000 });
  await duty.stop();
  await vi.waitFor(() => expect(worked.at(-1)).toBe('standing by'), { timeout: 8_000 });
  await vi.waitFor(() => expect(runs.at(-1)).toBe('standing by'), { timeout: 8_000 });
});

test.concurrent('so it does when the process stands still and the machine goes on taking its connections', async ({
  onTestFinished,
}) => {
  const { duty, worked, runs } = await startPair(onTestFinished, { duty: 60_000 });
  await duty.stop();
  const sockets = new Set<Socket>();
  const frozen = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => frozen.listen(Number(new URL(duty.url).port), '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    frozen.close();
  });
  await vi.waitFor(() => expect(worked.at(-1)).toBe('standing by'), { timeout: 15_000 });
  await vi.waitFor(() => expect(runs.at(-1)).toBe('standing by'), { timeout: 8_000 });
});

test.concurrent('a process that answers keeps its work, however long it takes', async ({ onTestFinished }) => {
  const { worked, runs } = await startPair(onTestFinished, { duty: 7_000 });
  await sleep(7_500);
  expect(worked).toEqual(['on duty']);
  expect(runs.slice(-20)).not.toContain('standing by');
});

test.concurrent('the jobs of a dead process that rested go on in the other one, though none of them was running', async ({
  onTestFinished,
}) => {
  const { duty, runs } = await startPair(onTestFinished, { duty: 0, restMs: 600_000 });
  // Every job rests: no invocation shows that the process is gone.
  await sleep(1_000);
  await duty.stop();
  await vi.waitFor(() => expect(runs.at(-1)).toBe('standing by'), { timeout: 15_000 });
});
