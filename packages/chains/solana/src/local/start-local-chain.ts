// Starts the Solana chain of tests and of the sandbox: Surfpool behind a node proxy, with USDC at devnet's address and
// the program at a local address.
import { generateKeyPairSigner } from '@solana/kit';
import { DEVNET_USDC, type LocalMint, localMint } from './local-mint.ts';
import { LOCAL_PROGRAM, programBytes } from './local-program.ts';
import { runSurfpool } from './run-surfpool.ts';
import { type NodeProxy, startNodeProxy } from './start-node-proxy.ts';

export type LocalSolana = Omit<NodeProxy, 'stop'> & {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly fundSol: (owner: string, lamports: bigint) => Promise<void>;
  /** Gives the owner exactly this balance of USDC or of another mint, and a token account if it has none. */
  readonly fundToken: (owner: string, amountAtomic: bigint, mint?: string) => Promise<void>;
  /** Creates another token with six decimals and answers its address. */
  readonly addMint: () => Promise<string>;
  /** Advances the chain's clock. */
  readonly travelTo: (unixSeconds: bigint) => Promise<void>;
  /** Another endpoint of the same chain, with its own faults. */
  readonly openSecondNode: () => Promise<NodeProxy>;
  readonly stop: () => Promise<void>;
};

export type LocalSolanaOptions = {
  readonly slotTimeMs?: number;
  readonly port?: number;
  readonly wsPort?: number;
};

export async function startLocalSolana({ slotTimeMs, ...ports }: LocalSolanaOptions = {}): Promise<LocalSolana> {
  const surfpool = await runSurfpool(slotTimeMs === undefined ? {} : { slotTimeMs });
  const { rpcUrl, wsUrl } = surfpool;
  const setMint = (mint: LocalMint) =>
    surfpool.call('setAccount', mint.address, exact(mint.lamports), [...mint.data], mint.owner);
  await setMint(await localMint());
  await surfpool.call('deploy', { programId: LOCAL_PROGRAM, soBytes: [...(await programBytes())] });
  const proxies = [await startNodeProxy({ rpcUrl, wsUrl, ...ports })];
  const [first] = proxies;
  if (first === undefined) throw new Error('no proxy');
  return {
    ...first,
    pid: surfpool.pid,
    ended: surfpool.ended,
    fundSol: (owner, lamports) => surfpool.call('fundSol', owner, exact(lamports)),
    fundToken: (owner, amountAtomic, mint = DEVNET_USDC) =>
      surfpool.call('fundToken', owner, mint, exact(amountAtomic)),
    addMint: async () => {
      const { address: at } = await generateKeyPairSigner();
      await setMint(await localMint(at));
      return at;
    },
    travelTo: (unixSeconds) => surfpool.call('timeTravelToTimestamp', exact(unixSeconds * 1_000n)),
    openSecondNode: async () => {
      const second = await startNodeProxy({ rpcUrl, wsUrl });
      proxies.push(second);
      return second;
    },
    stop: async () => {
      for (const proxy of proxies) proxy.stop();
      await surfpool.stop();
    },
  };
}

/** Surfpool's interface takes doubles; an amount that a double cannot hold is refused, not rounded. */
function exact(whole: bigint): number {
  if (whole > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('more than surfpool can be told');
  return Number(whole);
}
