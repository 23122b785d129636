// The program with a payer who approved it, on either virtual machine, behind one interface.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  address,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getApproveCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { LOCAL_PROGRAM } from '../local/local-program.ts';
import { startLocalSolana } from '../local/start-local-chain.ts';
import type { MessageTerms } from '../message/message-terms.ts';
import { evidenceInstruction, payInstruction } from '../message/pay-instructions.ts';
import { delegateOf } from '../message/program-accounts.ts';
import { compile, messageBudget, type SignedText } from '../message/sign-payment.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import type { CoSigned } from '../signer/co-sign.ts';
import { createLocalRelayer, type RelayerSigner } from '../signer/relayer-signer.ts';
import { budgetInstructions } from '../transfer/compute-budget.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { readTokenAccount } from '../transfer/token-account-data.ts';
import { type Actors, drawActors, signAsWallet } from './actors.ts';
import { startLiteChain } from './lite/start-lite-chain.ts';

type Sent = { readonly ok: true } | { readonly ok: false; readonly code: bigint | undefined };

type Machine = {
  readonly rpcUrl: string;
  readonly fundSol: (owner: string, lamports: bigint) => Promise<void>;
  readonly fundToken: (owner: string, amountAtomic: bigint) => Promise<void>;
  readonly nowSeconds: () => Promise<bigint>;
  readonly travelTo: (unixSeconds: bigint) => Promise<void>;
  readonly nextBlockhash: () => Promise<void>;
  readonly stop: () => Promise<void> | void;
};

export type ProgramWorld = Omit<Machine, 'rpcUrl'> & {
  readonly node: SolanaNode;
  readonly actors: Actors;
  /** Terms of a new payment to a new merchant and a new platform. */
  readonly terms: (changed?: Partial<MessageTerms>) => Promise<MessageTerms>;
  readonly instructionsOf: (terms: MessageTerms, signed: SignedText, signer?: string) => Promise<Instruction[]>;
  readonly send: (signed: CoSigned) => Promise<Sent>;
  readonly approve: (payer: KeyPairSigner, amountAtomic: bigint) => Promise<void>;
  readonly newRelayer: () => Promise<RelayerSigner>;
  readonly lamportsOf: (at: string) => Promise<bigint>;
  readonly tokensOf: (owner: string) => Promise<bigint>;
};

const SOL = 1_000_000_000n;
const LOOK_EVERY_MS = 10;
/** A blockhash lives for 150 slots, here six seconds: what one payment takes, also where other suites take the processor. */
const SLOT_MS = 40;

export async function startProgramWorld(machine: 'lite' | 'surfpool'): Promise<ProgramWorld> {
  const chain = machine === 'lite' ? await startLite() : await startSurfpool();
  const node = openNode(chain.rpcUrl);
  const actors = await drawActors();
  const accountOf = (owner: string) => tokenAccountOf(owner, DEVNET_USDC, TOKEN_PROGRAM_ADDRESS);
  const send = async ({ wire, transactionId }: CoSigned): Promise<Sent> => {
    const played = await node.simulate(wire);
    if (!played.ok) return refusal(played.error);
    await node.send(wire);
    for (;;) {
      // Asked before the status: what landed with its last chance is seen.
      const isLive = await node.isBlockhashLive(blockhashOf(wire));
      const [status = null] = await node.statuses([transactionId]);
      if (status !== null) return status.error === null ? { ok: true } : refusal(status.error);
      if (!isLive) throw new Error('neither landed nor failed');
      await sleep(LOOK_EVERY_MS);
    }
  };
  const newRelayer = async () => {
    const relayer = await createLocalRelayer(crypto.getRandomValues(new Uint8Array(32)));
    await chain.fundSol(relayer.address, SOL);
    return relayer;
  };
  const approve = async (payer: KeyPairSigner, amountAtomic: bigint) => {
    await chain.fundSol(payer.address, SOL);
    const instruction = getApproveCheckedInstruction({
      source: address(await accountOf(payer.address)),
      mint: DEVNET_USDC,
      delegate: address((await delegateOf(LOCAL_PROGRAM)).address),
      owner: payer,
      amount: amountAtomic,
      decimals: 6,
    });
    const transaction = compile(payer.address, [instruction], await node.latestLifetime());
    const signed = await signAsWallet(Uint8Array.from(getTransactionEncoder().encode(transaction)), payer);
    const wire = Uint8Array.from(Buffer.from(signed, 'base64'));
    const transactionId = getSignatureFromTransaction(getTransactionDecoder().decode(wire));
    const sent = await send({ wire, transactionId });
    if (!sent.ok) throw new Error(`not approved: ${sent.code}`);
  };
  await chain.fundSol(actors.relayer.address, 10n * SOL);
  await chain.fundToken(actors.payer.address, 1_000_000_000n);
  await approve(actors.payer, 1_000_000_000n);
  await chain.fundToken(actors.stranger.address, 0n);
  return {
    ...chain,
    node,
    actors,
    send,
    approve,
    newRelayer,
    terms: async (changed = {}) => {
      const { merchant, platform } = await drawActors();
      await Promise.all([merchant, platform].map((owner) => chain.fundToken(owner, 0n)));
      const nowSeconds = await chain.nowSeconds();
      return {
        ...actors.terms(`pi_${Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('hex')}`, [
          { owner: merchant, amountAtomic: 990_000n },
          { owner: platform, amountAtomic: 10_000n },
        ]),
        program: LOCAL_PROGRAM,
        validAfterSeconds: nowSeconds - 86_400n,
        validBeforeSeconds: nowSeconds + 300n,
        nonce: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex'),
        ...changed,
      };
    },
    instructionsOf: async (terms, { signature, text }, signer = terms.payer) => [
      ...budgetInstructions(messageBudget(terms.legs.length)),
      evidenceInstruction(signer, signature, text),
      await payInstruction(terms),
    ],
    lamportsOf: async (at) => (await node.accounts([at]))[0]?.lamports ?? 0n,
    tokensOf: async (owner) => {
      const [account] = await node.accounts([await accountOf(owner)]);
      return (account && readTokenAccount(account)?.amountAtomic) ?? 0n;
    },
  };
}

async function startLite(): Promise<Machine> {
  const chain = await startLiteChain();
  chain.ledger.unixSeconds = 1_800_000_000n;
  return {
    rpcUrl: chain.rpcUrl,
    fundSol: async (owner, lamports) => chain.fundSol(owner, lamports),
    fundToken: chain.fundToken,
    nowSeconds: async () => chain.ledger.unixSeconds,
    travelTo: async (unixSeconds) => {
      chain.ledger.unixSeconds = unixSeconds;
    },
    nextBlockhash: async () => chain.ledger.advance(1n),
    stop: chain.stop,
  };
}

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

async function startSurfpool(): Promise<Machine> {
  const chain = await startLocalSolana({ slotTimeMs: SLOT_MS });
  const node = openNode(chain.rpcUrl);
  return {
    rpcUrl: chain.rpcUrl,
    fundSol: chain.fundSol,
    fundToken: chain.fundToken,
    nowSeconds: async () => {
      const [clock] = await node.accounts([CLOCK]);
      if (!clock) throw new Error('no clock');
      return Buffer.from(clock.data).readBigInt64LE(32);
    },
    travelTo: chain.travelTo,
    nextBlockhash: async () => {
      const { blockhash } = await node.latestLifetime();
      while ((await node.latestLifetime()).blockhash === blockhash) await sleep(LOOK_EVERY_MS);
    },
    stop: chain.stop,
  };
}

/** The code is undefined where a program refuses without one. Throws where no program ran: nothing was refused then. */
function refusal(error: unknown): Sent {
  const { InstructionError: failed } = (error ?? {}) as { readonly InstructionError?: readonly unknown[] };
  if (failed === undefined) throw new Error(`no program judged the transaction: ${String(error)}`);
  return { ok: false, code: ((failed[1] ?? {}) as { readonly Custom?: bigint }).Custom };
}

function blockhashOf(wire: Uint8Array): string {
  const { messageBytes } = getTransactionDecoder().decode(wire);
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (lifetimeToken === undefined) throw new Error('a transaction without a blockhash');
  return lifetimeToken;
}
