import { type HashTree as AgentTree, LookupPathStatus, lookup_path, reconstruct } from '@icp-sdk/core/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BuiltTree, labelOf, labels, type State, type StatePath } from './hash-tree.ts';

/** One letter: of longer labels the agent does not always know which comes first, and calls an absent one unknown. */
const label = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const leaf = fc.uint8Array({ maxLength: 8 });
const branch = fc.dictionary(label, leaf, { maxKeys: 6, noNullPrototype: true });
const forest = fc.dictionary(label, branch, { maxKeys: 8, noNullPrototype: true });
const stateOf = (trees: Record<string, Record<string, Uint8Array>>): State =>
  labels(...Object.entries(trees).map(([name, leaves]) => [name, labels(...Object.entries(leaves))] as const));
const pathOf = (...names: string[]): StatePath => names.map(labelOf);
const agentTree = (tree: unknown) => tree as AgentTree;

test('a witness has the root hash of the whole tree, shows what was asked for and proves the rest of it absent', async () => {
  const asked = fc.array(fc.tuple(label, label), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(forest, asked, async (trees, paths) => {
      const tree = new BuiltTree(stateOf(trees));
      const witness = agentTree(tree.witness(paths.map(([one, two]) => pathOf(one, two))));
      expect(Buffer.from(await reconstruct(witness)).equals(tree.rootHash)).toBe(true);
      for (const [one, two] of paths) {
        const value = trees[one]?.[two];
        const found = lookup_path([one, two], witness);
        expect(found.status).toBe(value === undefined ? LookupPathStatus.Absent : LookupPathStatus.Found);
        if (value !== undefined) expect(found).toMatchObject({ value });
      }
    }),
    { numRuns: 300 },
  );
});

test('a witness shows nothing of what was not asked for', () => {
  const tree = new BuiltTree(stateOf({ ax: { by: Uint8Array.of(1) }, cz: { dx: Uint8Array.of(2) } }));
  const witness = agentTree(tree.witness([pathOf('ax', 'by')]));
  expect(lookup_path(['ax', 'by'], witness)).toMatchObject({ value: Uint8Array.of(1) });
  expect(lookup_path(['cz', 'dx'], witness).status).toBe(LookupPathStatus.Unknown);
  expect(JSON.stringify(tree.witness([]))).toBe(JSON.stringify([4, tree.rootHash]));
});

test('a path that ends above leaves shows everything below it', () => {
  const leaves = { by: Uint8Array.of(1), cz: Uint8Array.of(2) };
  const witness = agentTree(new BuiltTree(stateOf({ ax: leaves, ez: leaves })).witness([pathOf('ax')]));
  expect(lookup_path(['ax', 'by'], witness)).toMatchObject({ value: Uint8Array.of(1) });
  expect(lookup_path(['ax', 'cz'], witness)).toMatchObject({ value: Uint8Array.of(2) });
});
