import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type RestatePorts, type RestateServer, startRestate } from '@svc-pay/engine/server';
import { guardAgainstOutliving } from '../service/outlive-guard.ts';

export const engineFolder = (folder: string): string => path.join(folder, 'restate');

/** Begins empty every time: what has to be done is in the database, the engine only carries it. */
export async function startEngine(folder: string, ports: RestatePorts): Promise<RestateServer> {
  const dataDirectory = engineFolder(folder);
  await rm(dataDirectory, { recursive: true, force: true });
  return startRestate({ dataDirectory, ports, guard: guardAgainstOutliving });
}
