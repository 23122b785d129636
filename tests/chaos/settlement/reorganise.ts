// Newest blocks replaced by empty ones. What they said is noted first: whoever believed it then was not wrong.
import type { Dice } from '../harness/dice.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { SettlementWorld } from './world.ts';

const DEEPEST = 3;
const PATIENCE_MS = 4_000;
const BLOCK_SECONDS = 1;

/** As soon as there is a settlement to give up. Returns how many logs of processor and token were. */
export async function reorganise({ chain, history }: SettlementWorld, dice: Dice): Promise<number> {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body });
    return ((await answer.json()) as { result?: unknown }).result;
  };
  const depth = 1 + Math.floor(dice.roll() * DEEPEST);
  const newestLogs = async () => {
    const head = BigInt((await ask('eth_blockNumber', [])) as string);
    const fromBlock = `0x${(head - BigInt(depth) + 1n).toString(16)}`;
    const address = [chain.record.processor, chain.tokens.usdc];
    return (await ask('eth_getLogs', [{ address, fromBlock, toBlock: 'latest' }])) as unknown[];
  };
  await waitUntil(async () => (await newestLogs()).length > 0, PATIENCE_MS);
  // No block is to come between the look and the action.
  await ask('evm_setIntervalMining', [0]);
  const logs = await newestLogs();
  await ask('anvil_reorg', [depth, []]);
  await ask('evm_setIntervalMining', [BLOCK_SECONDS]);
  history.note('orphaned', { depth, logs });
  return logs.length;
}
