import { createRequire } from 'node:module';

const libc = process.platform === 'linux' ? '-gnu' : '';

/** Surfpool comes as one package per platform. */
export const SURFPOOL_PACKAGE = `@solana/surfpool-${process.platform}-${process.arch}${libc}`;

/** Whether a local chain can run on this platform. */
export function hasLocalSolana(): boolean {
  try {
    createRequire(import.meta.url).resolve(SURFPOOL_PACKAGE);
    return true;
  } catch {
    return false;
  }
}
