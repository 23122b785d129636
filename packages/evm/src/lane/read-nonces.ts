import { numberToHex } from 'viem';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askChain, quantityOf, resultOf } from './ask-chain.ts';

/** The next nonce of each account as of that block, in their order. */
export async function readNonces(
  rpc: JsonRpc,
  accounts: readonly string[],
  blockNumber: bigint,
): Promise<readonly bigint[]> {
  const answers = await askChain(
    rpc,
    accounts.map((account) => ({ method: 'eth_getTransactionCount', params: [account, numberToHex(blockNumber)] })),
  );
  return answers.map((answer) => quantityOf(resultOf(answer)));
}
