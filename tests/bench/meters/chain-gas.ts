import type { JsonRpc } from '@svc-pay/evm';

const BLOCKS_AT_ONCE = 50;

/** Gas of every transaction in the blocks after `from` up to and with `to`. */
export async function gasBetween(rpc: JsonRpc, from: bigint, to: bigint): Promise<number> {
  let gas = 0n;
  for (let first = from + 1n; first <= to; first += BigInt(BLOCKS_AT_ONCE)) {
    const count = Number(to - first + 1n < BigInt(BLOCKS_AT_ONCE) ? to - first + 1n : BigInt(BLOCKS_AT_ONCE));
    const answers = await rpc(
      Array.from({ length: count }, (_, index) => ({
        method: 'eth_getBlockByNumber',
        params: [`0x${(first + BigInt(index)).toString(16)}`, false],
      })),
    );
    for (const answer of answers) {
      if (!answer.ok || answer.result === null) throw new Error('the chain does not tell a block');
      gas += BigInt((answer.result as { gasUsed: string }).gasUsed);
    }
  }
  return Number(gas);
}
