// The file that tells the service where its processor is: contracts/deployments/<chain id>.json.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Address, type Hex, isAddress, isHash } from 'viem';

export type DeploymentRecord = {
  readonly schema: 1;
  /** CAIP-2, `eip155:8453`. */
  readonly network: string;
  readonly chainId: number;
  readonly processor: Address;
  readonly processorVersion: string;
  readonly timelock: Address;
  readonly salt: Hex;
  readonly council: readonly Address[];
  readonly feeRecipient: Address;
  /** No log of the processor lies before this block: a mirror of its events starts here. */
  readonly fromBlock: string;
  /** Null when the code was there already. */
  readonly transactionHash: Hex | null;
};

export type ReadRecord =
  | { readonly ok: true; readonly record: DeploymentRecord }
  | { readonly ok: false; readonly code: 'record_missing' | 'record_invalid'; readonly file: string };

export const recordFile = (directory: string, chainId: number): string => path.join(directory, `${chainId}.json`);

/** A record with the processor's first block is not replaced by a record that only found the processor there. */
export async function writeDeploymentRecord(directory: string, record: DeploymentRecord): Promise<string> {
  const file = recordFile(directory, record.chainId);
  const known = await readDeploymentRecord(directory, record.chainId);
  if (known.ok && record.transactionHash === null && known.record.processor === record.processor) return file;
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${JSON.stringify(record, undefined, 2)}\n`);
  return file;
}

export async function readDeploymentRecord(directory: string, chainId: number): Promise<ReadRecord> {
  const file = recordFile(directory, chainId);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return { ok: false, code: 'record_missing', file };
  }
  const record = parseRecord(text);
  if (record === undefined || record.chainId !== chainId) return { ok: false, code: 'record_invalid', file };
  return { ok: true, record };
}

function parseRecord(text: string): DeploymentRecord | undefined {
  let value: Partial<DeploymentRecord> | null;
  try {
    value = JSON.parse(text) as Partial<DeploymentRecord> | null;
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || value.schema !== 1) return undefined;
  const addresses = [value.processor, value.timelock, value.feeRecipient, ...(value.council ?? [''])];
  const sound =
    addresses.every((address) => typeof address === 'string' && isAddress(address)) &&
    typeof value.chainId === 'number' &&
    value.network === `eip155:${value.chainId}` &&
    typeof value.processorVersion === 'string' &&
    typeof value.salt === 'string' &&
    isHash(value.salt) &&
    /^\d+$/.test(value.fromBlock ?? '');
  return sound ? (value as DeploymentRecord) : undefined;
}
