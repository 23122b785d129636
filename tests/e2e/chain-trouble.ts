// Injects chain faults into a real Anvil.
import { execute, openChain, pauseProcessor, propose, unpauseOperation } from '@svc-pay/evm';
import { createTestClient, type Hex, http, parseGwei, publicActions } from 'viem';
import type { World } from './start-world.ts';

const POLL_MS = 20;

export function chainTrouble({ chain }: World) {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).extend(publicActions);
  const open = (account: Parameters<typeof openChain>[0]['account']) =>
    openChain({ rpcUrl: chain.rpcUrl, account, pollingIntervalMs: POLL_MS });
  const [relayer] = chain.keys.relayers;
  if (relayer === undefined) throw new Error('the chain has no relayer');
  let pauses = 0;
  return {
    node,
    relayer: relayer.account.address,
    stopMining: () => node.setIntervalMining({ interval: 0 }),
    startMining: () => node.setIntervalMining({ interval: 1 }),
    /** Transactions that wait to be mined. */
    pending: async (): Promise<readonly Hex[]> =>
      (await node.getBlock({ blockTag: 'pending', includeTransactions: true })).transactions.map(({ hash }) => hash),
    /** Sends another transaction of the relayer under its next nonce, with a much higher fee. */
    useNonceElsewhere: async () => {
      const account = await open(relayer.account);
      const { address } = relayer.account;
      await account.sendTransaction({
        to: address,
        nonce: await node.getTransactionCount({ address, blockTag: 'latest' }),
        gas: 21_000n,
        maxFeePerGas: parseGwei('400'),
        maxPriorityFeePerGas: parseGwei('50'),
      });
    },
    /** Pauses the processor ahead of all waiting transactions. */
    pauseFirst: async () => {
      const guardian = await open(chain.keys.guardian.account);
      await guardian.sendTransaction({
        to: chain.record.processor,
        data: '0x8456cb59',
        gas: 100_000n,
        maxFeePerGas: parseGwei('400'),
        maxPriorityFeePerGas: parseGwei('50'),
      });
    },
    pause: async () => {
      const paused = await pauseProcessor(await open(chain.keys.guardian.account), chain.record.processor);
      if (!paused.ok) throw new Error(paused.reason);
    },
    unpause: async () => {
      pauses += 1;
      const council = await open(chain.keys.council.account);
      const operation = unpauseOperation(chain.record.processor, `unpause ${pauses}`);
      const proposed = await propose(council, chain.record, operation);
      if (!proposed.ok) throw new Error(proposed.reason);
      const executed = await execute(council, chain.record, operation);
      if (!executed.ok) throw new Error(executed.reason);
    },
  };
}
