import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@svc-pay/config';
import { environmentWith } from '../config.ts';
import { type RunningServices, runServices } from '../service/run-services.ts';
import type { Service } from '../service/services.ts';

export type ApiStart =
  | { readonly ok: true; readonly services: RunningServices }
  | { readonly ok: false; readonly reason: string };

const PATIENCE_MS = 30_000;
const POLL_MS = 50;
const LOG_LINES = 20;

/** Starts the API and waits until it says that it is ready. Its log goes to `logFile`. */
export async function startApi(
  service: Service,
  baseUrl: string,
  environment: Environment,
  logFile: string,
): Promise<ApiStart> {
  const log = openSync(logFile, 'w', 0o600);
  const services = runServices([service], { env: environmentWith(environment), stdio: ['ignore', log, log] });
  closeSync(log);
  const giveUp = AbortSignal.timeout(PATIENCE_MS);
  const first = await Promise.race([services.ended, untilReady(baseUrl, giveUp)]);
  if (first === 'ready') return { ok: true, services };
  await services.stop();
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
  return { ok: false, reason: `the API ${first === 'late' ? 'was not ready in time' : 'ended'}:\n${lines.join('\n')}` };
}

async function untilReady(baseUrl: string, giveUp: AbortSignal): Promise<'ready' | 'late'> {
  while (!giveUp.aborted) {
    if (await isReady(baseUrl)) return 'ready';
    await sleep(POLL_MS);
  }
  return 'late';
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/ready`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
}
