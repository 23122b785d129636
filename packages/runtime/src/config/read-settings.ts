// Reads a whole group of settings, so that the operator sees every problem in one run.
import { fileNameOf, readSecretFile } from './secret-file.ts';
import type { ReadSetting, Setting, Settings } from './setting.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type ValuesOf<Group extends Settings> = {
  readonly [Name in keyof Group]: Group[Name] extends Setting<infer Value> ? Value : never;
};

export type ReadSettings<Group extends Settings> =
  | { readonly ok: true; readonly values: ValuesOf<Group> }
  /** One sentence per variable, with its name and the expected form, never its value. */
  | { readonly ok: false; readonly problems: readonly string[] };

export function readSettings<Group extends Settings>(group: Group, environment: Environment): ReadSettings<Group> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [key, setting] of Object.entries(group)) {
    const found = textOf(setting, environment);
    if ('problem' in found) {
      problems.push(found.problem);
      continue;
    }
    if (found.text === undefined) {
      if (!setting.optional) problems.push(missing(setting));
      continue;
    }
    const read: ReadSetting<unknown> = setting.read(found.text);
    if (read.ok) values[key] = read.value;
    else problems.push(`${found.name} must ${found.name === setting.name ? 'be' : 'hold'} ${read.expected}`);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values: Object.freeze(values) as ValuesOf<Group> };
}

type Found = { readonly name: string; readonly text: string | undefined } | { readonly problem: string };

/** A secret is in its variable, or in the file that its variable with `_FILE` names. */
export function textOf({ name, secret, fallback }: Setting<unknown>, environment: Environment): Found {
  const text = environment[name] || undefined;
  const fileName = fileNameOf(name);
  const file = secret ? environment[fileName] || undefined : undefined;
  if (file === undefined) return { name, text: text ?? fallback };
  if (text !== undefined) return { problem: `${name} and ${fileName} are both given; one is enough` };
  const read = readSecretFile(file, environment['CREDENTIALS_DIRECTORY']);
  return read.ok ? { name: fileName, text: read.text } : { problem: `${fileName} ${read.problem}` };
}

function missing({ name, form, secret }: Setting<unknown>): string {
  return `${name} is missing: ${form}${secret ? `, or in the file that ${fileNameOf(name)} names` : ''}`;
}
