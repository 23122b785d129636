// Writes docs/reference/x402-matrix.md from what the interop tests saw (tests/interop/results). Page and results are
// committed; the interop tests hold the results, a test beside this file holds the page.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type SeenRow = Readonly<Record<'client' | 'seller' | 'chain' | 'outcome', string>>;

const RESULTS = 'tests/interop/results';

export function x402MatrixPage(): string {
  const { devDependencies } = readJson('tests/interop/package.json') as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const rows = readdirSync(RESULTS)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => readJson(path.join(RESULTS, name)) as readonly SeenRow[]);
  const sellers = [...new Set(rows.map(({ seller }) => seller))];
  const tables = sellers.map((seller) => {
    const lines = rows
      .filter((row) => row.seller === seller)
      .map(({ client, chain, outcome }) => `| ${client} | ${chain} | ${outcome} |`);
    return `## Seller: ${seller}\n\n| Buyer | Chain | Outcome |\n|---|---|---|\n${lines.join('\n')}`;
  });
  const versions = Object.entries(devDependencies)
    .filter(([name]) => /x402|mppx/.test(name))
    .map(([name, version]) => `| \`${name}\` | ${version} |`);
  return `# Which x402 clients and sellers work together here

Published packages from the registry, unchanged, each in a process of its own: buyers pay our intents, and sellers verify and
settle through our facilitator routes. The rows are what the suite \`interop\` saw on a local chain with real processes; a
run that sees another outcome fails. \`npm run docs:x402\` writes this page from the results of the tests.

${tables.join('\n\n')}

## Packages

| Package | Version |
|---|---|
${versions.join('\n')}

## Not supported, and why

- **The official \`upto\` scheme.** On EVM it moves money through Permit2, ours through EIP-3009 with a refund in the same
  transaction. Both have the same name, so ours is never in a \`PAYMENT-REQUIRED\` header, and a payment under the official
  one is refused.
- **Wallets that are not deployed (ERC-6492).** Such a signature names a factory to call first. The relayer would pay for
  code that the payer chose, so it is refused with \`wallet_not_deployed\`
  ([errors](errors.md#wallet_not_deployed)). Deploy the wallet, then pay: its signature is then checked by the wallet itself.
- **Permit2 and gas sponsoring for tokens without EIP-3009.** Tokens that only have EIP-2612 are paid through
  [our own header](wire.md), which stock clients do not send.
`;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

if (import.meta.main) writeFileSync('docs/reference/x402-matrix.md', x402MatrixPage());
