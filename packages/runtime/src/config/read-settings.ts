// Reads a whole group of settings, so that the operator sees every problem in one run.
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
    const text = environment[setting.name] || setting.fallback;
    if (text === undefined) {
      if (!setting.optional) problems.push(`${setting.name} is missing: ${setting.form}`);
      continue;
    }
    const read: ReadSetting<unknown> = setting.read(text);
    if (read.ok) values[key] = read.value;
    else problems.push(`${setting.name} must be ${read.expected}`);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values: Object.freeze(values) as ValuesOf<Group> };
}
