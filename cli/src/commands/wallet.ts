import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { typedDataSigner } from '@svc-pay/evm';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

export function walletCommand(surroundings: Surroundings): Command {
  const create = leaf(
    'create',
    'Make a private key of an EVM account in a new file that only you can read, and print its address. `--key-file` and `--payer-key-file` take such a file. The key is not encrypted: for test networks.',
    ['wallet create payer.key'],
  )
    .argument('<file>', 'where to write; an existing file is never changed')
    .action(runs<object>(surroundings, createOne));
  return new Command('wallet').description('Make keys for a test network.').addCommand(create);
}

async function createOne({ positionals: [file = ''] }: Input<object>): Promise<CommandOutcome> {
  const privateKey = `0x${randomBytes(32).toString('hex')}` as const;
  const { address } = typedDataSigner(privateKey);
  try {
    await writeNewFile(file, `${privateKey}\n`);
  } catch (problem) {
    const exists = (problem as NodeJS.ErrnoException).code === 'EEXIST';
    const message = `${harmless(file)} ${exists ? 'exists already' : 'can’t be written'}; no key was made.`;
    return failed('key_not_written', message, exists ? 'Name another file.' : 'Name a file in a folder of yours.');
  }
  return done({ address, file }, address);
}

/** A key that was not stored whole is removed: its address must never be paid. */
async function writeNewFile(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (problem) {
    await rm(file, { force: true });
    throw problem;
  }
}
