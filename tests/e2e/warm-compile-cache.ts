// Vitest `globalSetup` of the projects that start services. Node writes its compile cache only when a process exits by
// itself, but the tests kill theirs. So each service runs once here without settings: it loads all modules, reports the
// missing settings, and exits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMPILE_CACHE, mainOf } from './service-process.ts';

export async function setup(): Promise<void> {
  const services = ['api', 'settlement', 'webhooks', 'cli'] as const;
  await Promise.all(
    services.map((name) =>
      once(spawn(process.execPath, mainOf(name), { env: COMPILE_CACHE, stdio: 'ignore' }), 'exit'),
    ),
  );
}
