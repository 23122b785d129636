// One version of everything that is ours, in the files that changesets does not know.

type Section = Record<string, string> | undefined;
type Manifest = {
  name?: string;
  version?: string;
  dependencies?: Section;
  devDependencies?: Section;
  packages?: Record<string, Manifest & { link?: boolean }>;
};

const SCOPE = '@svc-pay/';

/** A root manifest or a lock, with this version of the root, of the workspaces and of what they need of each other. */
export function withOwnVersion(json: string, version: string): string {
  const manifest = JSON.parse(json) as Manifest;
  setVersion(manifest, version);
  for (const [location, entry] of Object.entries(manifest.packages ?? {}))
    if (!location.includes('node_modules/') && entry.link !== true) setVersion(entry, version);
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function setVersion(manifest: Manifest, version: string): void {
  if (manifest.version !== undefined) manifest.version = version;
  for (const section of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(section ?? {}))
      if (section !== undefined && name.startsWith(SCOPE)) section[name] = version;
}

/** What was unreleased belongs to this version from now on. A changelog that has the version stays as it is. */
export function datedChangelog(text: string, version: string, date: string): string {
  if (hasSection(text, version)) return text;
  return text.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} (${date})\n`);
}

export function hasSection(changelog: string, version: string): boolean {
  return changelog.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
}
