import { describe, expect, test } from 'vitest';
import { namedFamilies } from './family-names.ts';
import { committedFiles, NOTHING, planted } from './source-tree.ts';

const core = 'packages/core/src/settlement/planted.ts';
const route = 'services/api/src/routes/planted.ts';

test('no rule and no route names a chain family', () => {
  expect(namedFamilies(committedFiles())).toEqual([]);
});

describe('a planted name is found', () => {
  test.each([
    ['the family of a network', 'export const f = (n: NetworkId) => familyOf(n);'],
    ['the family under another name', "import { familyOf as kindOf } from '@svc-pay/protocol';"],
    ['the type of families', 'export type Ports = Record<NetworkFamily, object>;'],
    ['a chain id, which only EVM has', 'export const f = (n: NetworkId) => chainIdOf(n);'],
    ['a setup asked for its family', 'export const f = (s: NetworkSetup) => isSolana(s);'],
    ['Solana', "export const f = (family: string) => family === 'solana';"],
    ['EVM by the prefix of its networks', "export const f = (n: string) => n.startsWith('eip155:');"],
    ['the prefix alone', "export const f = (n: string) => n.split(':')[0] === 'eip155';"],
    ['a network', "export const home = 'solana:mainnet';"],
    ['a network in a template', 'export const f = (id: number) => `eip155:${id}`;'],
    ['a kind of authorization', "export const signed = { kind: 'solana_transaction' };"],
  ])('%s', (_, text) => {
    for (const path of [core, route])
      expect(namedFamilies(planted(NOTHING, { [path]: text }))).toEqual([expect.stringContaining(path)]);
  });
});

describe('what is allowed is not found', () => {
  test.each([
    ['a table of chains', 'packages/core/src/token/chain.ts', "export const chains = ['eip155:1'];"],
    ['a test', 'packages/core/src/settlement/planted.test.ts', "const network = parseNetwork('solana:devnet');"],
    ['a family’s own package', 'packages/chains/solana/src/planted.ts', "export const family = 'solana';"],
    ['a text for readers', route, "export const summary = 'Relay a signed Solana transaction';"],
    ['a word that begins as another does', core, "export const place = 'solanaceae';"],
  ])('%s', (_, path, text) => {
    expect(namedFamilies(planted(NOTHING, { [path]: text }))).toEqual([]);
  });
});
