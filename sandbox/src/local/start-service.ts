import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@svc-pay/runtime/config';
import { childEnvironment } from '@svc-pay/runtime/process/config';
import type { Service } from '@svc-pay/runtime/process/find-service';
import { runServices } from '@svc-pay/runtime/process/run-services';
import type { Component } from './component-group.ts';

const PATIENCE_MS = 30_000;
const POLL_MS = 50;
const LOG_LINES = 20;

/** Starts a service and waits until `baseUrl` reports ready. Throws the end of `logFile` if the service fails. */
export async function startService(
  service: Service,
  { baseUrl, environment, logFile }: { baseUrl: string; environment: Environment; logFile: string },
): Promise<Component> {
  const log = openSync(logFile, 'w', 0o600);
  const started = { ...service, env: childEnvironment(service.name, environment) };
  const services = runServices([started], { stdio: ['ignore', log, log] });
  closeSync(log);
  const giveUp = AbortSignal.timeout(PATIENCE_MS);
  const first = await Promise.race([services.ended, untilReady(baseUrl, giveUp)]);
  if (first === 'ready') return services;
  await services.stop();
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
  throw new Error(`${service.name} ${first === 'late' ? 'was not ready in time' : 'ended'}:\n${lines.join('\n')}`);
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
