// Queues a payment by signed text, claimed as by the API, of a payer who approved the program.
import { address, generateKeyPairSigner, type KeyPairSigner, none, signBytes, some } from '@solana/kit';
import { AccountState, getTokenEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { claimKey, systemClock } from '@svc-pay/core';
import { createApiStores } from '@svc-pay/postgres';
import { createTestIntent } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { DEVNET_USDC } from '../local/local-mint.ts';
import { LOCAL_PROGRAM } from '../local/local-program.ts';
import type { MessageTerms } from '../message/message-terms.ts';
import { messageText } from '../message/message-text.ts';
import { delegateOf } from '../message/program-accounts.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { AMOUNT, type QueuedTransfer, type SolanaLaneWorld } from './lane-world.ts';

export type QueuedText = Omit<QueuedTransfer, 'prepared'> & {
  readonly terms: MessageTerms;
  readonly key: KeyPairSigner;
  readonly lastValidBlockHeight: bigint;
};

type QueueTextOptions = {
  /** The signer of the text; the payer by default. */
  readonly signer?: KeyPairSigner;
  readonly approvedAtomic?: bigint;
  readonly validSeconds?: bigint;
};

export async function queueText(world: SolanaLaneWorld, options: QueueTextOptions = {}): Promise<QueuedText> {
  const { pool, caller, chain, node, actors, acceptance } = world;
  const key = await generateKeyPairSigner();
  const payer: string = key.address;
  await approve(world, payer, options.approvedAtomic ?? AMOUNT);
  const intentId = await createTestIntent(pool, caller);
  const nowSeconds = chain.ledger.unixSeconds;
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
  const terms: MessageTerms = {
    ...actors.terms(intentId),
    payer,
    program: LOCAL_PROGRAM,
    validAfterSeconds: nowSeconds - 86_400n,
    validBeforeSeconds: nowSeconds + (options.validSeconds ?? 300n),
    nonce,
  };
  const { privateKey } = (options.signer ?? key).keyPair;
  const signature = await signBytes(privateKey, new TextEncoder().encode(await messageText(terms)));
  const lifetime = await node.latestLifetime();
  const nowMs = Date.now();
  const paymentId = newId('payment', nowMs);
  const stores = createApiStores(
    { pool, url: '', ping: async () => {}, close: async () => {} },
    { clock: systemClock, cacheMs: 0 },
  );
  const { relayer, tokenProgram, decimals, program } = terms;
  const claimed = await stores.claimPayment({
    caller,
    intentId,
    paymentId,
    claimKey: claimKey({
      network: acceptance.network,
      asset: acceptance.token.address,
      payer,
      uniquePart: `0x${nonce}`,
    }),
    kind: 'solana_message',
    byContract: false,
    acceptance,
    authorization: {
      from: payer,
      to: acceptance.payTo,
      value: AMOUNT.toString(),
      validAfter: terms.validAfterSeconds.toString(),
      validBefore: terms.validBeforeSeconds.toString(),
      nonce: `0x${nonce}`,
    },
    signature: `0x${Buffer.from(signature).toString('hex')}`,
    transfer: { ...lifetime, relayer, feeRecipient: actors.platform, tokenProgram, decimals, program },
    nowMs,
  });
  if (claimed.outcome !== 'claimed') throw new Error(claimed.outcome);
  return { paymentId, intentId, payer, terms, key, lastValidBlockHeight: lifetime.lastValidBlockHeight };
}

async function approve({ chain }: SolanaLaneWorld, owner: string, amountAtomic: bigint): Promise<void> {
  await chain.fundToken(owner, AMOUNT);
  const at = await tokenAccountOf(owner, DEVNET_USDC, TOKEN_PROGRAM_ADDRESS);
  const account = chain.ledger.account(at);
  if (account === null) throw new Error('no token account');
  const data = getTokenEncoder().encode({
    mint: DEVNET_USDC,
    owner: address(owner),
    amount: AMOUNT,
    delegate: amountAtomic > 0n ? some(address((await delegateOf(LOCAL_PROGRAM)).address)) : none(),
    state: AccountState.Initialized,
    isNative: none(),
    delegatedAmount: amountAtomic,
    closeAuthority: none(),
  });
  chain.ledger.setAccount(at, { ...account, data: Uint8Array.from(data) });
}
