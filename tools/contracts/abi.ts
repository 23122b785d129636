// npm run contracts:abi                 compiles and writes packages/chains/evm/src/generated
// npm run contracts:abi -- --check      fails when what is committed differs from what the sources give
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Artifact, abiSource, bytecodeSource } from './abi-source.ts';
import { ARTIFACTS, GENERATED } from './config.ts';
import { buildContracts } from './forge.ts';

const CONTRACTS = [
  { source: 'PaymentProcessor', contract: 'PaymentProcessor', constant: 'paymentProcessor', file: 'payment-processor' },
  { source: 'AdminTimelock', contract: 'AdminTimelock', constant: 'adminTimelock', file: 'admin-timelock' },
  { source: 'DirectBatch', contract: 'DirectBatch', constant: 'directBatch', file: 'direct-batch' },
  { source: 'GroupedReads', contract: 'GroupedReads', constant: 'groupedReads', file: 'grouped-reads' },
  { source: 'MockUSDC', contract: 'MockUSDC', constant: 'mockUsdc', file: 'mock-usdc' },
  { source: 'OddUSDC', contract: 'OddUSDC', constant: 'oddUsdc', file: 'odd-usdc' },
  { source: 'MockPermitToken', contract: 'MockPermitToken', constant: 'mockPermitToken', file: 'mock-permit-token' },
  { source: 'Wallets', contract: 'HonestWallet', constant: 'honestWallet', file: 'honest-wallet' },
] as const;

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
buildContracts();
const stale: string[] = [];
mkdirSync(GENERATED, { recursive: true });
for (const { source, contract, constant, file } of CONTRACTS) {
  const artifact = JSON.parse(readFileSync(path.join(ARTIFACTS, `${source}.sol/${contract}.json`), 'utf8')) as Artifact;
  emit(`${file}-abi.ts`, abiSource(constant, artifact));
  emit(`${file}-bytecode.ts`, bytecodeSource(constant, artifact));
}
if (stale.length > 0) console.error(`stale: ${stale.join(', ')}; run npm run contracts:abi`);
else console.log(`${2 * CONTRACTS.length} generated files ${values.check ? 'are fresh' : 'written'}`);
process.exitCode = stale.length === 0 ? 0 : 1;

function emit(name: string, source: string): void {
  const target = path.join(GENERATED, name);
  if (!values.check) return writeFileSync(target, source);
  if (currentSource(target) !== source) stale.push(name);
}

function currentSource(target: string): string {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
}
