// Checks over the connection of each program that its role has the rights of its group, and no others.
import { inspectRole, type RoleFacts } from '@svc-pay/postgres/operator';
import { explainFailure } from '../command/explain-failure.ts';
import { COMMAND } from '../command/leaf.ts';
import { GROUP_OF, PROGRAMS, type Program } from '../init/folder-layout.ts';
import { type Finding, findingsOf } from './finding.ts';
import { type Installation, settingOf } from './installation.ts';
import { withDoctorDatabase } from './with-doctor-database.ts';

const SHOWN = 5;

export async function checkRoles(installation: Installation): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const program of PROGRAMS) {
    const url = settingOf(installation, program, 'SVC_DATABASE_URL');
    if (url !== undefined) findings.push(...(await checkRoleAt(program, url)));
  }
  return findings;
}

async function checkRoleAt(program: Program, url: string): Promise<readonly Finding[]> {
  try {
    return checkRole(program, await withDoctorDatabase(url, ({ pool }) => inspectRole(pool)));
  } catch (problem) {
    const { message, advice = 'Run roles.sql as a superuser.' } = explainFailure(problem);
    return [findingsOf('database', `role of ${program}`).problem(message, advice)];
  }
}

function checkRole(program: Program, facts: RoleFacts): readonly Finding[] {
  const group = GROUP_OF[program];
  const { ok, problem } = findingsOf('database', `role of ${program}`);
  const { name, attributes, memberOf, ownRights, beyond, lacking } = facts;
  const others = memberOf.filter((each) => each !== group);
  const findings = [
    ...(memberOf.includes(group)
      ? []
      : [problem(`${name} is not in ${group}.`, `Run \`grant ${group} to ${name}\` as a superuser.`)]),
    ...others.map((other) =>
      problem(
        `${name} is in ${other} too, so it may more than ${program} needs.`,
        `Run \`revoke ${other} from ${name}\`.`,
      ),
    ),
    ...attributes.map((attribute) =>
      problem(`${name} has ${attribute}.`, `Run \`alter role ${name} no${attribute}\` as a superuser.`),
    ),
    ...(ownRights === 0
      ? []
      : [
          problem(
            `${name} owns ${ownRights} objects or has rights of its own on them.`,
            `Run \`drop owned by ${name}\`.`,
          ),
        ]),
    ...(beyond.length === 0
      ? []
      : [problem(`${group} may more than this release grants: ${shown(beyond)}.`, 'Revoke it from the group.')]),
    ...(lacking.length === 0
      ? []
      : [
          problem(
            `${group} lacks rights of this release: ${shown(lacking)}.`,
            `Run \`${COMMAND} migrate\`, or grant them.`,
          ),
        ]),
  ];
  return findings.length > 0 ? findings : [ok(`${name} has the rights of ${group} and no others.`)];
}

/** Without the name of the group, which the sentence has. */
function shown(lines: readonly string[]): string {
  const names = lines.slice(0, SHOWN).map((line) => line.replace(/^\S+ /, ''));
  return `${names.join('; ')}${lines.length > SHOWN ? `; and ${lines.length - SHOWN} more` : ''}`;
}
