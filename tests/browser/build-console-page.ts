// Vitest's global setup: the page of the console, built once before several files serve it.
import { buildConsole } from '@svc-pay/console/build';

export const setup = async (): Promise<void> => void (await buildConsole());
