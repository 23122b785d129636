// LiteSVM behind JSON-RPC: for load tests, and for tests that need an exact height. Slots advance when told to, or by a
// clock if `slotTimeMs` is given.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { AccountState } from '@solana-program/token';
import { localMint } from '../../local/local-mint.ts';
import { LOCAL_PROGRAM, programBytes } from '../../local/local-program.ts';
import { type NodeProxy, startNodeProxy } from '../../local/start-node-proxy.ts';
import { parseExact, printExact } from '../../rpc/exact-json.ts';
import { tokenAccountOf } from '../../transfer/token-account.ts';
import { readTokenAccount } from '../../transfer/token-account-data.ts';
import { LiteLedger } from './lite-ledger.ts';
import { LiteRefusal, type Methods, methodsOf } from './lite-methods.ts';
import { liteTokenAccount } from './lite-token-account.ts';

export type LiteChain = {
  readonly rpcUrl: string;
  readonly ledger: LiteLedger;
  readonly fundSol: (owner: string, lamports: bigint) => void;
  readonly fundToken: (owner: string, amountAtomic: bigint) => Promise<void>;
  /** The owner has no token account any more, or one that is frozen. */
  readonly blockToken: (owner: string, how: 'closed' | 'frozen') => Promise<void>;
  readonly balanceOf: (owner: string) => Promise<bigint>;
  /** A node proxy in front of the chain, with injectable faults. */
  readonly openNode: () => Promise<NodeProxy>;
  readonly stop: () => void;
};

export async function startLiteChain({ slotTimeMs }: { readonly slotTimeMs?: number } = {}): Promise<LiteChain> {
  const ledger = new LiteLedger();
  const mint = await localMint();
  ledger.setAccount(mint.address, mint);
  ledger.addProgram(LOCAL_PROGRAM, await programBytes());
  const methods = methodsOf(ledger);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(answer(methods, Buffer.concat(chunks).toString()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = slotTimeMs === undefined ? undefined : setInterval(() => ledger.advance(1n), slotTimeMs);
  const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxies: NodeProxy[] = [];
  return {
    rpcUrl,
    ledger,
    fundSol: (owner, lamports) => ledger.fund(owner, lamports),
    fundToken: async (owner, amountAtomic) => {
      const { at, ...account } = await liteTokenAccount(owner, amountAtomic);
      ledger.setAccount(at, account);
    },
    blockToken: async (owner, how) => {
      const { at, ...frozen } = await liteTokenAccount(owner, 0n, AccountState.Frozen);
      const none = { owner: SYSTEM_PROGRAM_ADDRESS, lamports: 0n, data: new Uint8Array() };
      ledger.setAccount(at, how === 'frozen' ? frozen : none);
    },
    balanceOf: async (owner) => {
      const account = ledger.account(await tokenAccountOf(owner, mint.address, mint.owner));
      return (account && readTokenAccount(account)?.amountAtomic) ?? 0n;
    },
    openNode: async () => {
      const node = await startNodeProxy({ rpcUrl });
      proxies.push(node);
      return node;
    },
    stop: () => {
      clearInterval(timer);
      for (const proxy of proxies) proxy.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

type Call = { readonly id?: unknown; readonly method?: string; readonly params?: readonly unknown[] };

function answer(methods: Methods, text: string): string {
  const asked = parseExact(text) as Call | readonly Call[];
  return Array.isArray(asked)
    ? `[${(asked as readonly Call[]).map((call) => answerTo(methods, call)).join(',')}]`
    : answerTo(methods, asked as Call);
}

function answerTo(methods: Methods, { id, method = '', params = [] }: Call): string {
  const run = methods[method];
  if (run === undefined) {
    return printExact({ jsonrpc: '2.0', id, error: { code: -32_601n, message: 'Method not found' } });
  }
  try {
    return printExact({ jsonrpc: '2.0', id, result: run(params) });
  } catch (problem) {
    const { message } = problem as Error;
    const refused = problem instanceof LiteRefusal ? { code: problem.code, data: problem.data } : { code: -32_602n };
    return printExact({ jsonrpc: '2.0', id, error: { ...refused, message } });
  }
}
