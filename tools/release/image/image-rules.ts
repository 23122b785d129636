// What the image must not hold. The release is refused when one of these is broken, whatever brought the file in.
import type { Lock } from './installed-packages.ts';
import type { TarEntry } from './tar.ts';

/** Programs with which whoever breaks into a process could go on. */
const SHELL = /(?:^|\/)s?bin\/(?:ash|bash|busybox|curl|dash|env|ksh|ld\.so|npm|npx|perl|python[\d.]*|sh|wget|zsh)$/;
const TEST_FILE = /^app\/(?!.*node_modules\/).*(?:^|\/)(?:testing|tests?)\/|\.test\.[cm]?[jt]s$/;
/** Also inside a string of a program or of JSON, where a line ends in the two characters `\\n`. */
const PEM_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\s|\\[rn])+[A-Za-z0-9+/=]{20,}/;
/** A secret key of an account of ours; many payment services write theirs like this. */
const ACCOUNT_KEY = /\bsk_(?:live|test)_[A-Za-z0-9]{20,}/;
/** Anvil's mnemonic and the first keys that it gives to everybody. Comments in packages of others quote them, ours may not. */
const TEST_KEYS = [
  /(?:test ){11}junk/,
  /ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80/i,
  /59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d/i,
  /5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a/i,
];
const LARGEST_SCANNED_BYTES = 20_000_000;

export function imageProblems(entries: readonly TarEntry[], lock: Lock): string[] {
  const development = new Set(
    Object.entries(lock.packages).flatMap(([location, { dev }]) => (dev === true ? [`app/${location}/`] : [])),
  );
  return entries.flatMap((entry) => {
    const { path } = entry;
    const problems: string[] = [];
    if (SHELL.test(path)) problems.push(`${path} is a shell or a tool`);
    if (TEST_FILE.test(path)) problems.push(`${path} is a test`);
    if (packageFolders(path).some((folder) => development.has(folder)))
      problems.push(`${path} belongs to a development dependency`);
    if (entry.kind === 'file' && holdsKey(path, entry.data)) problems.push(`${path} holds a private key`);
    return problems;
  });
}

/** `app/node_modules/a/node_modules/b/c.js`: the folders of a and of b. */
function packageFolders(path: string): string[] {
  return [...path.matchAll(/node_modules\/(?:@[^/]+\/)?[^/]+\//g)].map((match) =>
    path.slice(0, match.index + match[0].length),
  );
}

function holdsKey(path: string, data: Buffer): boolean {
  if (data.length > LARGEST_SCANNED_BYTES) return false;
  const text = data.toString('latin1');
  if (PEM_KEY.test(text) || ACCOUNT_KEY.test(text)) return true;
  return !path.includes('node_modules/') && TEST_KEYS.some((key) => key.test(text));
}
