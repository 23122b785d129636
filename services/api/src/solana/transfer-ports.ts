// Payments by signed transactions, behind core's ports. Trouble on the way to the chain is an answer here, and is told.
import {
  ChainUnavailable,
  type Clock,
  type CreateIntentPorts,
  type SettlePorts,
  type TransferPorts,
  type TransferToPrepare,
} from '@svc-pay/core';
import type { TransferStores } from '@svc-pay/postgres';
import type { NetworkId } from '@svc-pay/protocol';
import { memoOf, sentIn } from '@svc-pay/solana';
import { type ClusterSettingsByNetwork, openClusters } from './open-clusters.ts';
import { prepareMessage } from './prepare-message.ts';
import { prepareTransfer } from './prepare-transfer.ts';
import { verifyMessage } from './verify-message.ts';
import { verifyTransfer } from './verify-transfer.ts';

export type TransferPortOptions = {
  readonly stores: TransferStores;
  readonly clusters: ClusterSettingsByNetwork;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

/** How an authorization is verified where it is a signed text. */
export type MessagePorts = { readonly verifyMessage: SettlePorts['verifyAuthorization'] };

export function createTransferPorts(
  options: TransferPortOptions,
): TransferPorts & Pick<CreateIntentPorts, 'transferExtra'> & MessagePorts {
  const { stores, onProblem } = options;
  const clusters = openClusters(options.clusters, options.timeoutMs);
  const orUnavailable = async <Answer>(network: NetworkId, work: () => Promise<Answer>) => {
    try {
      return await work();
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      onProblem(network, problem);
      return { ok: false, code: 'chain_unavailable' } as const;
    }
  };
  const prepare = (wanted: TransferToPrepare) => {
    const { network } = wanted.acceptance;
    return orUnavailable(network, () => prepareTransfer(stores, clusters.get(network), wanted));
  };
  return {
    readTransfer: (transaction) => {
      const sent = sentIn(transaction);
      return sent && { payer: sent.payer, messageHash: sent.messageHash };
    },
    prepareTransfer: prepare,
    prepareMessage: (wanted) => {
      const { network } = wanted.acceptance;
      return orUnavailable(network, () => prepareMessage(stores, clusters.get(network), wanted, options.clock));
    },
    verifyMessage: (terms, place) => {
      const { network } = terms.acceptance;
      return orUnavailable(network, () => verifyMessage(stores, clusters.get(network), terms, place));
    },
    verifyTransfer: (sent) => {
      const [acceptance] = sent.acceptances;
      if (acceptance === undefined) throw new Error('a transaction that may pay nothing');
      return orUnavailable(acceptance.network, () => verifyTransfer(stores, clusters, sent));
    },
    transferExtra: async ({ payer, ...wanted }) => {
      const { caller, intentId, acceptance } = wanted;
      const made = payer === null ? undefined : await prepare({ ...wanted, payer });
      if (made?.ok === true) return made.extra;
      const feePayer = await stores.chooseRelayer(caller, acceptance.network, intentId);
      return feePayer === undefined ? {} : { feePayer, memo: memoOf(intentId) };
    },
  };
}
