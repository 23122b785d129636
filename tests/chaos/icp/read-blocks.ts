// Every block of a token ledger and of its archives, asked of the canisters by the client of their makers.
import { openLedgerClient } from '@svc-pay/icp/local';
import type { RawBlock } from '../checker/icp/ledger-evidence.ts';
import type { IcpChaosWorld } from './world.ts';

type Canister = Parameters<typeof openLedgerClient>[1];
type Range = { readonly start: bigint; readonly length: bigint };
type Answer = {
  readonly log_length: bigint;
  readonly blocks: readonly RawBlock[];
  readonly archived_blocks: readonly {
    readonly args: readonly Range[];
    readonly callback: readonly [Canister, string];
  }[];
};

const PAGE = 100n;

export async function readBlocks({ ic, ledger }: Pick<IcpChaosWorld, 'ic' | 'ledger'>): Promise<readonly RawBlock[]> {
  const ask = async (canister: Canister, args: readonly Range[]): Promise<Answer> => {
    const client = await openLedgerClient(ic, canister);
    return client.getBlocks({ args: [...args] });
  };
  const found: RawBlock[] = [];
  for (let [start, length] = [0n, 1n]; start < length; start += PAGE) {
    const told = await ask(ledger.canisterId, [{ start, length: PAGE }]);
    length = told.log_length;
    found.push(...told.blocks);
    for (const { args, callback } of told.archived_blocks) found.push(...(await ask(callback[0], args)).blocks);
  }
  return found;
}
