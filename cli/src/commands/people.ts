import { createHash, randomBytes } from 'node:crypto';
import { isoTime, isPrintableName, PERSON_ROLES, type PersonRole } from '@svc-pay/core';
import {
  createInvitation,
  createRecovery,
  disablePerson,
  listPersons,
  setOperatorView,
} from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { COMMAND, leaf, runs, type Surroundings } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless, table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';

type Invite = { readonly role: string; readonly name: string };
type List = { readonly account?: string };

const TOKEN_BYTES = 32;
const WITHOUT_URL = 'SVC_CONSOLE_URL says where people open the console; set it to get a link.';

export function peopleCommand(surroundings: Surroundings): Command {
  const invite = leaf(
    'invite',
    'Make an invitation to the console. Whoever opens its link within 72 hours registers a passkey and becomes a member of ' +
      'the account. The first owner of an account is made so.',
    ['people invite acct_… --role owner --name "Grace Hopper"'],
  )
    .argument('<account>', 'id of the account')
    .requiredOption('--role <role>', PERSON_ROLES.join(', '))
    .requiredOption('--name <name>', 'name of the person, as others see it')
    .action(runs<Invite>(surroundings, inviteOne));
  const list = leaf('list', 'Show the people of the console, oldest first, and their accounts.', [
    'people list',
    'people list --account acct_…',
  ])
    .option('--account <account>', 'of this account alone')
    .action(runs<List>(surroundings, listAll));
  const disable = leaf('disable', 'Sign a person out everywhere and refuse their passkeys, for good.', [
    'people disable psn_…',
  ])
    .argument('<person>', 'id of the person')
    .action(runs(surroundings, disableOne));
  const recover = leaf(
    'recover',
    'Make a link for a person who lost every device. When it is used, a new passkey is registered, and every passkey and ' +
      'session of before ends.',
    ['people recover psn_…'],
  )
    .argument('<person>', 'id of the person')
    .action(runs(surroundings, recoverOne));
  const operator = leaf(
    'operator',
    'Let a person see the operator’s page of the console, or no longer: networks, lanes, relayers, backlog and the last ' +
      'ledger check of the whole installation. The page changes nothing.',
    ['people operator psn_… on', 'people operator psn_… off'],
  )
    .argument('<person>', 'id of the person')
    .argument('<on|off>', 'whether the person may see it')
    .action(runs(surroundings, setOperatorOf));
  return new Command('people')
    .description('Invite people to the console, and help those who lost their devices.')
    .addCommand(invite)
    .addCommand(list)
    .addCommand(disable)
    .addCommand(recover)
    .addCommand(operator);
}

async function inviteOne({ options, positionals: [accountId = ''], context }: Input<Invite>): Promise<CommandOutcome> {
  const [name, role] = [options.name.trim(), options.role];
  if (!isPrintableName(name)) return misused('A name has 1 to 200 printable characters.');
  if (!isRole(role)) return misused(`A role is one of ${PERSON_ROLES.join(', ')}.`);
  return withOperation(context, [], async ({ operation, config }) => {
    if (config.consoleUrl === undefined) return failed('configuration', WITHOUT_URL);
    const { tokenHash, link } = newLink(config.consoleUrl);
    const made = await createInvitation(operation, { tokenHash, accountId, role, name });
    if (!made.ok)
      return made.code === 'account_unknown'
        ? failed(made.code, 'No active account has this id.', `\`${COMMAND} accounts list\` shows them.`)
        : failed(made.code, 'The account has as many people as it can have.', 'Remove somebody in the console first.');
    const { id, expiresAtMs } = made;
    return done(
      { invitation: { id, accountId, role, name, expiresAt: isoTime(expiresAtMs) }, link },
      shownLink(`Invitation for ${harmless(name)} as ${role}:`, link, expiresAtMs),
    );
  });
}

async function listAll({ options: { account }, context }: Input<List>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    const people = await listPersons(operation.pool, account);
    const text = table(
      people,
      [
        { head: 'PERSON', cell: ({ id }) => id },
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'PASSKEYS', cell: ({ passkeys }) => String(passkeys) },
        { head: 'OPERATOR', cell: ({ operatorView }) => (operatorView ? 'yes' : '') },
        { head: 'STATE', cell: ({ disabledAtMs }) => (disabledAtMs === null ? 'usable' : 'disabled') },
        {
          head: 'ACCOUNTS',
          cell: ({ memberships }) => memberships.map(({ accountId, role }) => `${accountId} ${role}`).join(', '),
        },
      ],
      context.paint,
    );
    const data = people.map(({ createdAtMs, disabledAtMs, ...person }) => ({
      ...person,
      createdAt: isoTime(createdAtMs),
      disabledAt: timeOrNull(disabledAtMs),
    }));
    return done({ people: data }, people.length === 0 ? 'There are no people yet.' : text);
  });
}

async function disableOne({ positionals: [id = ''], context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation }) => {
    if (!(await disablePerson(operation, id))) return unknownPerson();
    return done({ personId: id, disabled: true }, `${harmless(id)} is signed out everywhere and can’t sign in.`);
  });
}

async function setOperatorOf({ positionals: [id = '', word], context }: Input<unknown>): Promise<CommandOutcome> {
  if (word !== 'on' && word !== 'off') return misused('Say `on` or `off` after the id of the person.');
  return withOperation(context, [], async ({ operation }) => {
    const on = word === 'on';
    if (!(await setOperatorView(operation, id, on))) return unknownPerson();
    const words = on ? 'sees the operator’s page' : 'no longer sees the operator’s page';
    return done({ personId: id, operatorView: on }, `${harmless(id)} ${words}.`);
  });
}

async function recoverOne({ positionals: [personId = ''], context }: Input<unknown>): Promise<CommandOutcome> {
  return withOperation(context, [], async ({ operation, config }) => {
    if (config.consoleUrl === undefined) return failed('configuration', WITHOUT_URL);
    const { tokenHash, link } = newLink(config.consoleUrl);
    const made = await createRecovery(operation, { personId, tokenHash });
    if (!made.ok) return unknownPerson();
    return done(
      { recovery: { id: made.id, personId, expiresAt: isoTime(made.expiresAtMs) }, link },
      shownLink(`Recovery of ${harmless(made.name)}:`, link, made.expiresAtMs),
    );
  });
}

const isRole = (text: string): text is PersonRole => (PERSON_ROLES as readonly string[]).includes(text);

const unknownPerson = () =>
  failed('person_unknown', 'No person who is not disabled has this id.', `\`${COMMAND} people list\` shows them.`);

/** The secret is behind `#`: a browser sends it to nobody, and no log has it. */
function newLink(consoleUrl: string) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { tokenHash: createHash('sha256').update(token).digest(), link: `${consoleUrl}/invitation#${token}` };
}

const shownLink = (title: string, link: string, expiresAtMs: number) =>
  [
    title,
    '',
    link,
    '',
    `It works once, until ${shownTime(expiresAtMs)} UTC, for whoever has it: give it to that person alone.`,
  ].join('\n');
