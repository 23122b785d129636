// Vitest's `globalSetup` of every project whose tests need PostgreSQL.
import type { TestProject } from 'vitest/node';
import { startTestServer } from './test-server.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
