// Runs the release command of the commit again, in a clean checkout of it, with the tools that its lock pins.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cleanCheckout } from './clean-checkout.ts';
import { readOrder } from './make-files.ts';
import { releaseProblems } from './release-ready.ts';

type Ran = { readonly ok: true } | { readonly ok: false; readonly problems: readonly string[] };

/** Inputs of the image that were fetched before; each is compared with its hash when it is used. */
const FETCHED_INPUTS = '.cache/release-inputs';

export function releaseInCleanCheckout(root: string, argv: readonly string[]): Ran {
  const order = readOrder(root);
  if (!order.ok) return { ok: false, problems: [order.problem] };
  const unready = releaseProblems(root, order.commit);
  if (unready.length > 0) return { ok: false, problems: unready };
  console.log(`installing ${order.commit.slice(0, 7)} from its lock in a clean checkout`);
  const checkout = cleanCheckout(root, order.commit);
  if (!checkout.ok) return checkout;
  const { folder, env, remove } = checkout;
  try {
    mkdirSync(path.join(folder, '.cache'), { recursive: true });
    const inputs = path.join(root, FETCHED_INPUTS);
    if (existsSync(inputs)) cpSync(inputs, path.join(folder, FETCHED_INPUTS), { recursive: true });
    const command = ['--disable-warning=ExperimentalWarning', 'tools/release/main.ts', ...argv];
    const child = spawnSync(process.execPath, command, { cwd: folder, env, stdio: 'inherit' });
    return child.status === 0
      ? { ok: true }
      : { ok: false, problems: ['no release was made; the lines above say why'] };
  } finally {
    remove();
  }
}
