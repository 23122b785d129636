// Solana chain of the development world: a real virtual machine on this machine, with USDC at devnet's address. Starts
// empty every time.
import { createHash } from 'node:crypto';
import { createLocalRelayer, openNode } from '@svc-pay/solana';
import { DEVNET_USDC, LOCAL_PROGRAM, type LocalSolana, startLocalSolana } from '@svc-pay/solana/local';
import type { DevSecrets } from './secrets.ts';

export type DevSolana = LocalSolana & {
  readonly network: 'solana:devnet';
  readonly genesisHash: string;
  readonly program: string;
  readonly usdc: string;
  /** The 32 secret bytes as 0x-hex. */
  readonly relayerKey: string;
  readonly feeAccount: string;
  readonly merchant: string;
  readonly partner: string;
};

const RELAYER_LAMPORTS = 10_000_000_000n;

export async function startDevSolana({ chainSeed }: Pick<DevSecrets, 'chainSeed'>, port: number): Promise<DevSolana> {
  const secretOf = (name: string) => createHash('sha256').update(`${chainSeed} solana ${name}`).digest();
  const addressOf = async (name: string) => (await createLocalRelayer(secretOf(name))).address;
  const chain = await startLocalSolana({ port });
  try {
    const [relayer, feeAccount, merchant, partner] = await Promise.all(
      ['relayer', 'fee', 'merchant', 'partner'].map(addressOf),
    );
    if (!relayer || !feeAccount || !merchant || !partner) throw new Error('a Solana key is missing');
    await chain.fundSol(relayer, RELAYER_LAMPORTS);
    for (const owner of [merchant, feeAccount, partner]) await chain.fundToken(owner, 0n);
    return {
      ...chain,
      network: 'solana:devnet',
      genesisHash: await openNode(chain.rpcUrl).genesisHash(),
      program: LOCAL_PROGRAM,
      usdc: DEVNET_USDC,
      relayerKey: `0x${secretOf('relayer').toString('hex')}`,
      feeAccount,
      merchant,
      partner,
    };
  } catch (problem) {
    await chain.stop();
    throw problem;
  }
}
