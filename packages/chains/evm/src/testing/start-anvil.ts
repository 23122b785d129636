// A bare local chain for a test file: on a free port, mining every transaction immediately. Ends with `stop()`.
import { createTestClient, type Hex, http, parseEther } from 'viem';
import { type AdminClient, openChain } from '../admin/open-chain.ts';
import { newKey as drawKey } from '../local/role-keys.ts';
import { type AnvilOptions, runAnvil } from '../local/run-anvil.ts';

export type Anvil = {
  readonly rpcUrl: string;
  /** A new account with ether. */
  readonly newAccount: () => Promise<AdminClient>;
  /** A new account with ether and its key, for programs that read a key from a file. */
  readonly newKey: () => Promise<{ readonly privateKey: Hex; readonly chain: AdminClient }>;
  readonly advance: (seconds: number) => Promise<void>;
  readonly removeCode: (address: Hex) => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startAnvil(
  options: Pick<AnvilOptions, 'blockTimeSeconds' | 'slotsInAnEpoch'> = {},
): Promise<Anvil> {
  const { rpcUrl, stop } = await runAnvil(options);
  const test = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  const newKey = async () => {
    const { privateKey, account } = drawKey();
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
    stop: () => stop(),
  };
}
