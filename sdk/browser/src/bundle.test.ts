import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** What a page gets that imports these names and nothing else. */
const bundled = async (source: string) => (await chunksOf(source))[0];

/** With what it loads later. */
async function chunksOf(source: string) {
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? 'page' : undefined),
        load: (id) => (id === 'page' ? source : undefined),
      },
    ],
    // An import that can't be resolved would only be a warning.
    onLog: (_, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const [first, ...rest] = output;
  return [first, ...rest.filter((one) => one.type === 'chunk')] as const;
}

const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).pathname);

/** 29,999 before payments beside parts that strangers send were told apart, which takes 160, and what was sent earlier was remembered. */
const EVM_LIMIT_BYTES = 31_200;

test('the EVM path stays within 31,200 bytes and needs nothing of Node', async () => {
  const { code, imports } = await bundled(
    `export { createSvcPay, SvcPayError } from ${at('index.ts')}; export { evmWallet } from ${at('evm/index.ts')};`,
  );
  expect(imports).toEqual([]);
  expect(/node:|process\.env|\bBuffer\./.test(code)).toBe(false);
  expect(/solana:sign|wallet-standard|payment-signature/.test(code)).toBe(false);
  expect(gzipSync(code).length).toBeLessThanOrEqual(EVM_LIMIT_BYTES);
});

test('the Solana path stays within 30,000 bytes, and neither chain carries the other', async () => {
  const { code, imports } = await bundled(
    `export { createSvcPay, SvcPayError } from ${at('index.ts')}; export { solanaWallet } from ${at('solana/index.ts')};`,
  );
  expect(imports).toEqual([]);
  expect(/node:|process\.env|\bBuffer\./.test(code)).toBe(false);
  expect(/eth_[cs]|eip6963/.test(code)).toBe(false);
  expect(gzipSync(code).length).toBeLessThanOrEqual(30_000);
});

/** What `@icp-sdk/core` reads the same formats with takes several times as much. */
const TRANSFER_LIMIT_BYTES = 8_000;

test('what pays on the Internet Computer is loaded when it comes to paying, within 8,000 bytes', async () => {
  const output = await chunksOf(
    `export { createSvcPay, SvcPayError } from ${at('index.ts')}; export { icpWallet } from ${at('icp/index.ts')};`,
  );
  const [page] = output;
  const later = output.find(({ code }) => code.includes('DIDL'));
  expect(later).not.toBe(page);
  expect(
    output
      .map(({ code }) => code)
      .filter((code) => /node:|process\.env|\bBuffer\.|eth_[cs]|wallet-standard/.test(code)),
  ).toEqual([]);
  expect(gzipSync(page.code).length).toBeLessThanOrEqual(23_000);
  expect(gzipSync(later?.code ?? '').length).toBeLessThanOrEqual(TRANSFER_LIMIT_BYTES);
});

test('a page that only waits carries no chain', async () => {
  const { code } = await bundled(`export { createSvcPay } from ${at('index.ts')};`);
  expect(/eth_[cs]|wallet_(?:switch|add)|eip6963|0x70a08231|solana:sign|wallet-standard|DIDL/.test(code)).toBe(false);
});
