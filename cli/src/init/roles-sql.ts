// SQL that makes the roles of an installation. Run by a superuser. Running it again sets attributes and passwords anew.
import { databaseSecretOf, GROUP_OF, loginOf, PROGRAMS } from './folder-layout.ts';
import { scramVerifier } from './scram.ts';
import { type SecretFiles, secretOf } from './secrets.ts';

const HEAD = `-- Roles of SVC Pay. Run it as a superuser in the database of the installation, before \`migrate\`. Running
-- it again sets the passwords to those of the folder that it came with. Passwords are here as SCRAM verifiers:
-- nobody can log in with what this file holds.
`;

export function rolesSql(secrets: SecretFiles): string {
  // Of every group, also where a program is not run: migrations grant to all of them, and may make none.
  const groups = PROGRAMS.map((program) => GROUP_OF[program]);
  const programs = PROGRAMS.filter((program) => secrets.has(databaseSecretOf(program)));
  const logins = programs.map((program) => {
    // A URL holds it escaped, and clients send what it stands for.
    const { password } = new URL(secretOf(secrets, databaseSecretOf(program)));
    return loginSql(loginOf(program), GROUP_OF[program], scramVerifier(decodeURIComponent(password)));
  });
  return [
    HEAD,
    '-- What a service may do is granted to its group by the migrations.',
    ...groups.map((group) => create(group, 'nologin')),
    '',
    ...logins,
    '-- The operator’s role owns the schema through its group, and may create nothing outside of it.',
    `create schema if not exists svc authorization ${GROUP_OF.command};`,
    'do $$ begin',
    ...programs.map(
      (program) => `  execute format('grant connect on database %I to ${loginOf(program)}', current_database());`,
    ),
    'end $$;',
    '',
  ].join('\n');
}

const create = (role: string, kind: string) =>
  `do $$ begin if to_regrole('${role}') is null then create role ${role} ${kind}; end if; end $$;`;

function loginSql(login: string, group: string, verifier: string): string {
  return [
    create(login, 'login'),
    `alter role ${login} login inherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls`,
    `  password '${verifier}';`,
    `grant ${group} to ${login};`,
    '',
  ].join('\n');
}
