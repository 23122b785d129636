// A transaction of the payer's own: the wallet signs and sends it, and tells its hash.
import { sendingProblem } from '../ask/sending-problem.ts';
import { isWithoutGas } from '../ask/wallet-problem.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { haltIfAborted } from '../http/race.ts';
import { fieldsOf } from '../read/fields.ts';
import type { WalletCall } from '../wallet.ts';
import { askWallet } from './ask-wallet.ts';
import type { ContractCall } from './check-calls.ts';
import type { Eip1193Provider } from './eip1193.ts';

const READ_TIMEOUT_MS = 5_000;
/** So many blocks on top of a reverted transaction: it could pay only if all of them were replaced. */
const BLOCKS_ON_TOP = 3n;

/**
 * Null where the wallet told something else than a hash. Throws SvcPayError with `moneyMoved: unknown` where the wallet may
 * send it all the same: its question may still stand open when nobody waits for the answer any more.
 */
export async function sendTransaction(
  provider: Eip1193Provider,
  { to, data }: ContractCall,
  { payer, chainId }: { readonly payer: string; readonly chainId: number },
  call: WalletCall,
): Promise<string | null> {
  haltIfAborted(call.signal);
  try {
    // A wallet that was switched elsewhere meanwhile refuses by the chain id.
    const params = [{ from: payer, to, data, value: '0x0', chainId: `0x${chainId.toString(16)}` }];
    const hash = await askWallet(provider, call, {
      method: 'eth_sendTransaction',
      params,
      refusedAs: 'signature_refused',
    });
    return typeof hash === 'string' && /^0x[0-9a-fA-F]{64}$/.test(hash) ? hash : null;
  } catch (problem) {
    if (!(problem instanceof SvcPayError) && isWithoutGas(problem))
      throw new SvcPayError('insufficient_gas', { cause: problem });
    throw sendingProblem(problem);
  }
}

export type Receipt = { readonly isReverted: boolean; readonly blockNumber: bigint };

/** Undefined while the wallet tells none. */
export async function readReceipt(
  provider: Eip1193Provider,
  hash: string,
  call: WalletCall,
): Promise<Receipt | undefined> {
  const fields = fieldsOf(await read(provider, call, 'eth_getTransactionReceipt', [hash]));
  const blockNumber = quantityIn(fields?.['blockNumber']);
  const status = quantityIn(fields?.['status']);
  return blockNumber === undefined || status === undefined ? undefined : { isReverted: status === 0n, blockNumber };
}

/** Whether the transaction was taken into a block, and moved nothing, and that block is not the newest any more. */
export async function hasReverted(provider: Eip1193Provider, hash: string, call: WalletCall): Promise<boolean> {
  const receipt = await readReceipt(provider, hash, call);
  if (receipt === undefined || !receipt.isReverted) return false;
  const latest = quantityIn(await read(provider, call, 'eth_blockNumber', []));
  return latest !== undefined && latest >= receipt.blockNumber + BLOCKS_ON_TOP;
}

async function read(provider: Eip1193Provider, call: WalletCall, method: string, params: readonly unknown[]) {
  try {
    const short = { ...call, walletTimeoutMs: READ_TIMEOUT_MS };
    return await askWallet(provider, short, { method, params, refusedAs: 'connection_refused' });
  } catch {
    haltIfAborted(call.signal);
    return undefined;
  }
}

function quantityIn(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : undefined;
}
