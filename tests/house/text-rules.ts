// Rules about what may be written into a committed file at all.
import type { SourceTree } from './source-tree.ts';

/** Words are joined from parts, so that this file keeps its own rules. */
export const joined = (...parts: string[]) => parts.join('');

const REGISTRY_HOSTS = [
  joined('registry.npm', 'js'),
  joined('npm', 'js.org'),
  joined('registry.yarn', 'pkg'),
  joined('deb.deb', 'ian'),
  joined('pypi', '.org'),
];
const MACHINE_PATHS = new RegExp(joined('(?<![\\w.~-])/(?:wo', 'rk|ro', 'ot|ho', 'me|Us', 'ers)/[\\w.-]+'));
const UNFINISHED = new RegExp(joined('\\b(?:TO', 'DO|FIX', 'ME|X', 'XX)\\b'));
const VAGUE_NAME = /(?:^|\/)(?:utils?|helpers?|common|managers?|misc)(?:\.[a-z.]+$|\/)/;
const MAX_LINES = 400;

export function brokenTextRules(tree: SourceTree): string[] {
  return [...tree].flatMap(([file, text]) => [
    ...linesWith(file, text, (line) => REGISTRY_HOSTS.some((host) => line.includes(host)), 'names a package registry'),
    ...linesWith(file, text, (line) => MACHINE_PATHS.test(line), 'names a path of a machine'),
    ...(isSource(file) ? linesWith(file, text, (line) => UNFINISHED.test(line), 'is unfinished') : []),
    ...(VAGUE_NAME.test(file) ? [`${file} has a name that says nothing`] : []),
    ...(isShippedSource(file) && text.split('\n').length > MAX_LINES
      ? [`${file} is longer than ${MAX_LINES} lines`]
      : []),
  ]);
}

const isSource = (file: string) => /\.(?:ts|tsx|sol|sql|mjs|sh)$/.test(file) || file.startsWith('.ci/');
const isShippedSource = (file: string) => isSource(file) && !/\.test\.|\.t\.sol$|\/generated\//.test(file);

function linesWith(file: string, text: string, broken: (line: string) => boolean, rule: string): string[] {
  return text.split('\n').flatMap((line, index) => (broken(line) ? [`${file}:${index + 1} ${rule}`] : []));
}
