// Funds accounts of an in-memory chain that runs in another process.
import { type AskNode, askNodeAt } from '../../rpc/post-call.ts';
import { liteTokenAccount } from './lite-token-account.ts';

export type LiteFaucet = {
  readonly fundSol: (owner: string, lamports: bigint) => Promise<void>;
  /** Sets the owner's token balance. Returns the address of the token account. */
  readonly fundToken: (owner: string, amountAtomic: bigint) => Promise<string>;
  readonly advance: (slots: bigint) => Promise<void>;
};

const TIMEOUT_MS = 10_000;

export function openLiteFaucet(rpcUrl: string): LiteFaucet {
  const ask: AskNode = askNodeAt(rpcUrl, TIMEOUT_MS);
  const must = async (method: string, ...params: readonly unknown[]) => {
    const answer = await ask(method, params);
    if (!answer.ok) throw new Error(`${method}: ${answer.message}`);
  };
  return {
    fundSol: (owner, lamports) => must('lite_airdrop', owner, lamports),
    fundToken: async (owner, amountAtomic) => {
      const { at, data, ...account } = await liteTokenAccount(owner, amountAtomic);
      await must('lite_setAccount', at, { ...account, data: Buffer.from(data).toString('base64') });
      return at;
    },
    advance: (slots) => must('lite_advance', slots),
  };
}
