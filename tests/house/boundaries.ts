// Imports that run against the arrows, as sentences.
import { type Import, importsOf } from './imports.ts';
import { allows, ROOMS, roomOf } from './rooms.ts';
import { codeOf, isTest, type SourceTree } from './source-tree.ts';

export function forbiddenImports(tree: SourceTree): string[] {
  return importsOf(codeOf(tree)).flatMap((edge) => {
    const reason = reasonAgainst(edge);
    return reason === undefined ? [] : [`${edge.from} imports ${edge.specifier}: ${reason}`];
  });
}

function reasonAgainst({ from, specifier, to }: Import): string | undefined {
  const room = roomOf(from);
  const ours = specifier.startsWith('@svc-pay/');
  if (
    from.startsWith('tests/chaos/checker/') &&
    (ours || (to !== undefined && !to.startsWith('tests/chaos/checker/')))
  ) {
    return 'a checker imports nothing of what it checks';
  }
  if (from.startsWith('tests/bench/') && (to?.startsWith('services/') || allows(SERVICE_PACKAGES, specifier))) {
    return 'a bench reaches the services it measures from outside';
  }
  if (room === undefined && SHIPPED.some((folder) => from.startsWith(folder))) {
    return 'its package is not in the list of rooms: add it to tests/house/rooms.ts';
  }
  if (!isTest(from) && SHIPPED.some((folder) => from.startsWith(folder)) && isTesting(to ?? specifier)) {
    return 'code that ships imports nothing of testing';
  }
  if (specifier === '@svc-pay/postgres/sandbox' && room !== 'sandbox') {
    return 'only the sandbox lets people in without a passkey';
  }
  if (to !== undefined) return roomOf(to) === room ? undefined : 'rooms are entered by their package name';
  if (room === undefined || isTest(from)) return undefined;
  if (specifier === 'node:module' && from.startsWith('services/')) return 'require hides what a file imports';
  const { inside, outside } = ROOMS[room] ?? { inside: [], outside: [] };
  if (ours) return allows(withEntries(inside), specifier) ? undefined : 'against the arrows';
  if (specifier.startsWith('#') || (from.endsWith('.node.ts') && specifier.startsWith('node:'))) return undefined;
  return allows(outside, specifier) ? undefined : 'not on the list of what this room may use';
}

const SHIPPED = ['packages/', 'services/', 'sdk/', 'cli/', 'sandbox/'];

const isTesting = (target: string) => target.includes('/testing/') || target.endsWith('/testing');

const SERVICE_PACKAGES = [
  '@svc-pay/admin',
  '@svc-pay/api',
  '@svc-pay/console',
  '@svc-pay/settlement',
  '@svc-pay/webhooks',
];

const withEntries = (names: readonly string[]) => names.flatMap((name) => [name, `${name}/*`]);
