// `keys rehash`: after a change of the pepper, hashes every stored API key under the new one.
import { createSecretBox } from '@svc-pay/core';
import { type RehashedKeys, rehashKeys } from '@svc-pay/postgres/operator';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed } from '../output/outcome.ts';

type Rehash = { readonly check?: boolean };

/** How many keys that stay under another pepper are named. */
const MAX_NAMED = 20;
const WHY = {
  old: 'under an older pepper',
  unknown: 'under none of these peppers',
  unopened: 'opened by no key in SVC_MASTER_KEYS',
};

export function keysRehashCommand(surroundings: Surroundings): Command {
  return leaf(
    'rehash',
    'Hash every stored API key with the first pepper of SVC_KEY_PEPPER, and name the keys and operators that ' +
      'another pepper has hashed. Services go on meanwhile, if all of them have both peppers. Run it again if it ' +
      'was stopped, and until it names nobody: only then may the old pepper leave SVC_KEY_PEPPER.',
    ['keys rehash', 'keys rehash --check --json'],
  )
    .option('--check', 'only count')
    .action(runs<Rehash>(surroundings, rehash));
}

async function rehash({ options, context }: Input<Rehash>): Promise<CommandOutcome> {
  return withOperation(context, ['keyPeppers', 'masterKeys'], async ({ operation, config }) => {
    const { keyPeppers: peppers, masterKeys } = config;
    const check = options.check === true;
    return told(peppers[0].number, await rehashKeys(operation, { peppers, box: createSecretBox(masterKeys), check }));
  });
}

function told(current: number, { rehashed, left, operators }: RehashedKeys): CommandOutcome {
  const data = { pepper: current, rehashed, left: left.length, keys: left.slice(0, MAX_NAMED), operators };
  const head = `${rehashed} keys were hashed anew with pepper ${current}.`;
  if (left.length === 0 && operators.length === 0)
    return done(data, `${head}\n0 keys and 0 operators are under another pepper.`);
  const text = [
    head,
    ...left.slice(0, MAX_NAMED).map(({ id, accountId, why }) => `  ${id} (${accountId}) is ${WHY[why]}`),
    ...operators.map((id) => `  ${id} has a key under another pepper`),
  ].join('\n');
  const advice =
    operators.length > 0
      ? `Keep the old pepper. An operator’s key is stored nowhere: \`${COMMAND} operators roll\` makes the next one.`
      : `Keep the old pepper, and run \`${COMMAND} keys rehash\`. A key that can’t be opened moves only by ` +
        `\`${COMMAND} keys roll\`.`;
  return {
    ...failed('keys_left', `${left.length} keys and ${operators.length} operators are under another pepper.`, advice),
    report: { data, text },
  };
}
