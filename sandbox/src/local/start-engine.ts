import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type RestatePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';

export const engineFolder = (folder: string): string => path.join(folder, 'restate');

/** Starts with empty data every time: the database holds all open work, and the engine only schedules it. */
export async function startEngine(folder: string, ports: RestatePorts): Promise<RestateServer> {
  const dataDirectory = engineFolder(folder);
  await rm(dataDirectory, { recursive: true, force: true });
  return startRestate({ dataDirectory, ports, guard: killOnParentExit });
}
