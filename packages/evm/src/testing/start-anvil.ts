// A chain of one's own for a test file: Anvil itself, not npm's wrapper around it, on a free port, mining every
// transaction at once. Ends with `stop()`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createTestClient, type Hex, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type ChainAccount, openChain } from '../deploy/open-chain.ts';

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

export type Anvil = {
  readonly rpcUrl: string;
  /** A new account with ether. */
  readonly newAccount: () => Promise<ChainAccount>;
  /** The same with its key, for programs that read one from a file. */
  readonly newKey: () => Promise<{ readonly privateKey: Hex; readonly chain: ChainAccount }>;
  readonly advance: (seconds: number) => Promise<void>;
  readonly removeCode: (address: Hex) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type AnvilOptions = {
  /** Blocks come by the clock instead of with every transaction. */
  readonly blockTimeSeconds?: number;
  /** A block is final after two of these; 32 unless told. */
  readonly slotsInAnEpoch?: number;
};

export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const platform = `${process.platform}-${architectures[process.arch] ?? process.arch}`;
  const binary = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${platform}/bin/anvil`);
  const { blockTimeSeconds, slotsInAnEpoch } = options;
  const chosen = [
    ...(blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)]),
    ...(slotsInAnEpoch === undefined ? [] : ['--slots-in-an-epoch', String(slotsInAnEpoch)]),
  ];
  const child = spawn(binary, ['--port', '0', '--host', '127.0.0.1', '--accounts', '1', ...chosen], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const rpcUrl = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const listening = /Listening on (127\.0\.0\.1:\d+)/.exec(printed)?.[1];
      if (listening !== undefined) resolve(`http://${listening}`);
    });
    child.once('exit', () => reject(new Error(`anvil ended: ${printed}`)));
    child.once('error', reject);
  });
  const test = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  const newKey = async () => {
    const privateKey = generatePrivateKey();
    const account = privateKeyToAccount(privateKey);
    await test.setBalance({ address: account.address, value: parseEther('100') });
    return { privateKey, chain: await openChain({ rpcUrl, account, pollingIntervalMs: 20 }) };
  };
  return {
    rpcUrl,
    newAccount: async () => (await newKey()).chain,
    newKey,
    advance: async (seconds) => {
      await test.increaseTime({ seconds });
      await test.mine({ blocks: 1 });
    },
    removeCode: async (address) => test.setCode({ address, bytecode: '0x' }),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
