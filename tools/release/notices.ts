// THIRD-PARTY-NOTICES.txt: every production dependency with its licence, in full.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allowedIds, isAllowed } from './licence-rules.ts';
import { type Dependency, productionDependencies } from './production-dependencies.ts';
import { standardText } from './standard-texts.ts';

type Notices =
  | { readonly ok: true; readonly text: string; readonly count: number }
  | { readonly ok: false; readonly problems: readonly string[] };

type Manifest = { license?: unknown; licenses?: unknown; author?: unknown };
const LICENCE_FILE = /^(?:licen[cs]e|copying|unlicen[cs]e|notice|copyright)/i;
const RULE = '-'.repeat(80);

/** Refuses, naming every culprit at once, when a licence is missing, not allowed, or without its words. */
export function noticesOf(root: string, product: string): Notices {
  const dependencies = productionDependencies(root);
  const sections = dependencies.map((dependency) => sectionOf(root, dependency));
  const problems = sections.flatMap((section) => (section.ok ? [] : [section.problem]));
  if (problems.length > 0) return { ok: false, problems };
  const head = `Packages of others that ${product} uses in production: ${dependencies.length}`;
  const texts = sections.flatMap((section) => (section.ok ? [section.text] : []));
  return { ok: true, text: `${[head, ...texts].join(`\n\n${RULE}\n`)}\n`, count: dependencies.length };
}

type Section = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

function sectionOf(root: string, dependency: Dependency): Section {
  const title = `${dependency.name} ${dependency.version}`;
  const folder = path.join(root, dependency.location);
  const installed = existsSync(path.join(folder, 'package.json'));
  if (!installed && !dependency.optional) return { ok: false, problem: `${title}: not installed; run npm install` };
  const manifest: Manifest = installed ? JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) : {};
  const licence = declaredLicence(manifest) ?? dependency.lockedLicence;
  if (licence === undefined) return { ok: false, problem: `${title}: declares no licence` };
  if (!isAllowed(licence)) return { ok: false, problem: `${title}: licence "${licence}" is not on the list` };

  const shipped = installed ? shippedTexts(folder) : [];
  const words = shipped.length > 0 ? shipped.join('\n\n') : standardWords(licence, dependency, manifest);
  if (words === undefined) return { ok: false, problem: `${title}: ships no text of its licence "${licence}"` };
  return { ok: true, text: `${title}\nLicence: ${licence}\n${RULE}\n\n${words}` };
}

/** SPDX text; the two older shapes of package.json are read too. */
function declaredLicence({ license, licenses }: Manifest): string | undefined {
  if (typeof license === 'string' && license !== '') return license;
  const older = (Array.isArray(licenses) ? licenses : [license]) as readonly unknown[];
  const types = older.flatMap((entry) => {
    const type = typeof entry === 'object' && entry !== null && 'type' in entry ? entry.type : undefined;
    return typeof type === 'string' ? [type] : [];
  });
  return types.length === 0 ? undefined : types.join(' OR ');
}

function shippedTexts(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name) && !/\.(?:[cm]?[jt]s|json)$/.test(entry.name))
    .map((entry) => entry.name)
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
}

function standardWords(licence: string, dependency: Dependency, manifest: Manifest): string | undefined {
  const text = allowedIds(licence)
    .map(standardText)
    .find((words) => words !== undefined);
  if (text === undefined) return undefined;
  const author = typeof manifest.author === 'string' ? manifest.author : `the authors of ${dependency.name}`;
  return `The package ships no licence text; these are the standard words of the licence it declares.\n\nCopyright (c) ${author}\n\n${text}`;
}
