// Refunds on Solana, for the API: it prepares and verifies; settlement has the relayer's key.
import {
  ChainUnavailable,
  type DraftedRefund,
  mapConcurrent,
  type RefundDraft,
  type RefundFamily,
  type RefundNonce,
  type StoredRefund,
  type TransferStores,
  type VerifiedRefund,
} from '@svc-pay/core';
import { familyOf } from '@svc-pay/protocol';
import { refundReference } from '@svc-pay/protocol/solana';
import { askFirst } from '../rpc/ask-nodes.ts';
import { type Cluster, type ClusterSettingsByNetwork, openClusters } from '../transfer/open-clusters.ts';
import { isSolanaAddress, tokenAccountOf } from '../transfer/token-account.ts';
import { readTokenAccount } from '../transfer/token-account-data.ts';
import { base64Of } from '../verify/read-transaction.ts';
import { findReferred } from './find-referred.ts';
import { prepareRefund } from './prepare-refund.ts';
import { storedRefund } from './stored-refund.ts';
import { verifyRefund } from './verify-refund.ts';

export type SolanaRefundOptions = {
  readonly stores: Pick<TransferStores, 'chooseRelayer' | 'isSettlingRelayer'>;
  readonly clusters: ClusterSettingsByNetwork;
  readonly timeoutMs: number;
};

/** Shorter than a blockhash lives, 150 blocks of 0.4 s, so that nobody signs a transaction that is about to expire. */
const PREPARED_MS = 55_000;
const MOST_AT_ONCE = 8;

export function createSolanaRefunds({ stores, clusters: settings, timeoutMs }: SolanaRefundOptions): RefundFamily {
  const clusters = openClusters(settings, timeoutMs);
  const clusterOf = (network: string): Cluster => {
    const cluster = clusters.get(network);
    if (cluster === undefined) throw new ChainUnavailable(`no node of ${network} is configured`);
    return cluster;
  };
  return {
    owns: (network) => familyOf(network) === 'solana',
    kind: 'transaction',
    signs: () => true,
    isAddress: isSolanaAddress,
    // Base58 of 64 bytes.
    isTransactionId: (text) => /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text),
    canReceive: ({ network, address }, payer) => canReceive(clusterOf(network), address, payer),
    findUsed: ({ network, address }, nonces) => findUsed(clusterOf(network), address, nonces),
    draft: async (draft, nowMs): Promise<DraftedRefund> => {
      const { network } = draft.token;
      const relayer = await stores.chooseRelayer(draft.caller, network, draft.id);
      if (relayer === undefined) throw new ChainUnavailable(`no relayer pays on ${network} now`);
      return draftTransaction(clusterOf(network), draft, relayer, nowMs);
    },
    read: ({ transaction }) => transaction && `0x${Buffer.from(transaction, 'base64').toString('hex')}`,
    verify: async (refund, { network }, { transaction = '' }): Promise<VerifiedRefund> => {
      const { relayer } = storedRefund(refund).transfer;
      // Nobody would send what names a relayer that is retired.
      if (!(await stores.isSettlingRelayer(refund, network, relayer))) return { ok: false, code: 'refund_canceled' };
      return verify(clusterOf(network), refund, transaction);
    },
  };
}

async function canReceive({ nodes, mintOf }: Cluster, mint: string, owner: string): Promise<boolean> {
  const known = await mintOf(mint);
  if (known === undefined || !isSolanaAddress(owner)) return false;
  const at = await tokenAccountOf(owner, mint, known.tokenProgram);
  const [found] = await askFirst(nodes, (node) => node.accounts([at]));
  const account = found ? readTokenAccount(found) : undefined;
  return account?.owner === owner && account.mint === mint && !account.frozen;
}

/** Throws `ChainUnavailable` while a transfer under one of the nonces is not final: what it moved is not known yet. */
async function findUsed(
  { nodes, mintOf }: Cluster,
  mint: string,
  nonces: readonly RefundNonce[],
): Promise<RefundNonce | undefined> {
  const known = await mintOf(mint);
  if (known === undefined) return undefined;
  const { tokenProgram } = known;
  const made = await mapConcurrent(MOST_AT_ONCE, nonces, ({ nonce, wallet }) =>
    findReferred(nodes, refundReference(nonce), { wallets: [wallet], mint, tokenProgram }, 'confirmed'),
  );
  return nonces.find((_, index) => (made[index]?.transfers.length ?? 0) > 0);
}

async function draftTransaction(
  { nodes, mintOf }: Cluster,
  { id, token, recipient, amountAtomic, terms, nonce }: RefundDraft,
  relayer: string,
  nowMs: number,
): Promise<DraftedRefund> {
  const mint = await mintOf(token.address);
  if (mint === undefined) return { ok: false, code: 'refund_not_available' };
  const { wallet } = terms;
  const refund = { refundId: id, nonce, wallet, recipient, amountAtomic, relayer, mint: token.address, ...mint };
  const made = await prepareRefund(nodes, refund);
  if (!made.ok) return made;
  const { lifetime, wire } = made.prepared;
  return {
    ok: true,
    sign: { kind: 'solana_transaction', transaction: base64Of(wire), terms },
    validAfterSeconds: null,
    validBeforeSeconds: null,
    transfer: {
      relayer,
      ...mint,
      ...lifetime,
      reference: refundReference(nonce),
      sourceAccount: await tokenAccountOf(wallet, token.address, mint.tokenProgram),
      destinationAccount: await tokenAccountOf(recipient, token.address, mint.tokenProgram),
    },
    expiresAtMs: nowMs + PREPARED_MS,
  };
}

/** The chain lets two transactions of one nonce both move money: a database that forgot the first must not take the second. */
async function verify(cluster: Cluster, refund: StoredRefund, transaction: string): Promise<VerifiedRefund> {
  const verified = await verifyRefund(cluster.nodes, { ...storedRefund(refund), transaction });
  if (!verified.ok) return { ok: false, code: verified.code };
  const { asset, wallet, nonce, sequence } = refund;
  const own = nonce === null || sequence === null ? [] : [{ wallet, nonce, sequence }];
  if ((await findUsed(cluster, asset, own)) !== undefined) return { ok: false, code: 'refund_found_on_chain' };
  return { ok: true, submitted: { signature: verified.signature, byContract: false } };
}
