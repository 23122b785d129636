import { Command, Option } from 'commander';
import { accountOption, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { listAll, revokeOne, signWithOne } from './keys-change.ts';
import { createOne, rollOne } from './keys-make.ts';
import { showSealKey } from './keys-seal.ts';

export function keysCommand(surroundings: Surroundings): Command {
  const create = leaf('create', 'Make another key. A secret key signs webhooks only if no other does.', [
    'keys create --account acct_… --mode test --kind publishable',
  ])
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(
      new Option('--kind <kind>', 'publishable or secret').choices(['publishable', 'secret']).makeOptionMandatory(),
    )
    .action(runs(surroundings, createOne));
  const list = leaf('list', 'Show keys by their ends; which are usable, and which one signs webhooks.', [
    'keys list --account acct_…',
    'keys list --mode live --json',
  ])
    .addOption(accountOption())
    .addOption(modeOption())
    .action(runs(surroundings, listAll));
  const roll = leaf(
    'roll',
    'Put a new secret key beside the one that signs. The old one works, and goes on signing, until the overlap ends or `keys sign-with` switches.',
    ['keys roll --account acct_… --mode live', 'keys roll --account acct_… --mode live --overlap 0'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .option('--overlap <time>', 'how long the old key stays valid: 0 to 7d, such as 90s, 30m, 24h', '24h')
    .action(runs(surroundings, rollOne));
  const signWith = leaf('sign-with', 'Sign webhooks with this secret key from now on.', ['keys sign-with key_…'])
    .argument('<key>', 'id of the key')
    .action(runs(surroundings, signWithOne));
  const revoke = leaf('revoke', 'End a key now and for ever. The key that signs has to be replaced first.', [
    'keys revoke key_…',
  ])
    .argument('<key>', 'id of the key')
    .action(runs(surroundings, revokeOne));
  const sealKey = leaf(
    'seal-key',
    'Print the public half of the master key, for SVC_SEAL_KEY of the API. It seals the secrets of endpoints and opens nothing.',
    ['keys seal-key'],
  ).action(runs(surroundings, showSealKey));
  const group = new Command('keys').description('Make, roll and revoke API keys.');
  for (const command of [create, list, roll, signWith, revoke, sealKey]) group.addCommand(command);
  return group;
}
