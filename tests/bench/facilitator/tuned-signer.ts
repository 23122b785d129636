// What the stock facilitator asks a chain with, tuned through its own signer interface: JSON-RPC batches, nonces counted
// here, gas and fees given instead of estimated, native signatures, receipts read once per block for everybody, and the code
// of a payer asked once for a settlement, which asks twice. What is left is inside of it: it recovers each signature in
// JavaScript and sends one transaction for each payment.
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalSigner } from '@svc-pay/evm';
import type { toFacilitatorEvmSigner } from '@x402/evm';
import {
  type Address,
  createPublicClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  http,
  keccak256,
  type Log,
  parseGwei,
  type RpcTransactionReceipt,
  serializeTransaction,
} from 'viem';

type FacilitatorSigner = ReturnType<typeof toFacilitatorEvmSigner>;
type Receipt = { readonly status: string; readonly logs: readonly Log[] };

const POLL_MS = 50;
const RECEIPT_MS = 60_000;
/** A transfer with authorization takes 85,000 at most. */
const GAS = 120_000n;
const FEES = { maxFeePerGas: parseGwei('100'), maxPriorityFeePerGas: parseGwei('1') };
const REMEMBERED_MS = 1_000;
const BATCH = { batchSize: 200, wait: 2 };

export async function createTunedSigner(rpcUrl: string, chainId: number, privateKey: Hex): Promise<FacilitatorSigner> {
  const key = createLocalSigner(hexToBytes(privateKey));
  const chain = defineChain({
    id: chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const client = createPublicClient({ chain, transport: http(rpcUrl, { batch: BATCH }) });
  let nonce = await client.getTransactionCount({ address: key.address });
  const receiptOf = watchReceipts(client.request as Request);

  async function send(to: Address, data: Hex): Promise<Hex> {
    const transaction = { chainId, nonce: nonce++, to, data, gas: GAS, ...FEES, type: 'eip1559' as const };
    const digest = hexToBytes(keccak256(serializeTransaction(transaction)));
    const serializedTransaction = serializeTransaction(transaction, await key.signDigest(digest));
    return client.sendRawTransaction({ serializedTransaction });
  }

  return {
    address: key.address,
    getAddresses: () => [key.address],
    readContract: client.readContract,
    verifyTypedData: client.verifyTypedData,
    getCode: rememberBriefly(client.getCode),
    sendTransaction: ({ to, data }: { to: Address; data: Hex }) => send(to, data),
    writeContract: ({ address, ...call }: { address: Address }) =>
      send(address, encodeFunctionData(call as unknown as Parameters<typeof encodeFunctionData>[0])),
    waitForTransactionReceipt: ({ hash }: { hash: Hex }) => receiptOf(hash),
  } as unknown as FacilitatorSigner;
}

type AskCode = (question: { readonly address: Address }) => Promise<Hex | undefined>;

/** The same question within a block has the same answer. */
function rememberBriefly(ask: AskCode): AskCode {
  const known = new Map<Address, { readonly atMs: number; readonly answer: Promise<Hex | undefined> }>();
  return ({ address }) => {
    const last = known.get(address);
    if (last !== undefined && performance.now() - last.atMs < REMEMBERED_MS) return last.answer;
    const answer = ask({ address });
    known.set(address, { atMs: performance.now(), answer });
    return answer;
  };
}

type Request = (call: { readonly method: string; readonly params: readonly unknown[] }) => Promise<unknown>;

/** Asks for the receipts of each new block, once for all that wait. */
function watchReceipts(request: Request): (hash: Hex) => Promise<Receipt> {
  const waiting = new Map<Hex, (receipt: Receipt) => void>();
  let next: bigint | undefined;
  let running = false;

  async function readBlocks(): Promise<void> {
    const head = BigInt((await request({ method: 'eth_blockNumber', params: [] })) as Hex);
    for (next ??= head; next <= head; next += 1n) {
      const params = [`0x${next.toString(16)}`];
      const receipts = (await request({ method: 'eth_getBlockReceipts', params })) as readonly RpcTransactionReceipt[];
      for (const { transactionHash, status, logs } of receipts) {
        const told = waiting.get(transactionHash);
        waiting.delete(transactionHash);
        told?.({ status: status === '0x1' ? 'success' : 'reverted', logs: logs as unknown as readonly Log[] });
      }
    }
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.size > 0) {
      await readBlocks();
      await sleep(POLL_MS);
    }
    running = false;
  }

  return async (hash) => {
    const told = Promise.withResolvers<Receipt>();
    waiting.set(hash, told.resolve);
    const timer = setTimeout(() => told.reject(new Error(`no receipt of ${hash}`)), RECEIPT_MS);
    if (!running) run().catch(told.reject);
    return told.promise.finally(() => clearTimeout(timer));
  };
}
