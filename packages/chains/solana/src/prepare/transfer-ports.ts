// Implements core's ports for payments by signed transactions. An unavailable chain becomes a refusal and is reported.
import {
  ChainUnavailable,
  type Clock,
  type CreateIntentPorts,
  type SettlePorts,
  type TransferPorts,
  type TransferStores,
  type TransferToPrepare,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { type ClusterSettingsByNetwork, openClusters } from '../transfer/open-clusters.ts';
import { memoOf } from '../transfer/transfer-terms.ts';
import { verifyMessage } from '../verify/verify-message.ts';
import { submittedIn } from '../verify/verify-signed.ts';
import { verifyTransfer } from '../verify/verify-transfer.ts';
import { prepareMessage } from './prepare-message.ts';
import { prepareTransfer } from './prepare-transfer.ts';

export type TransferPortOptions = {
  readonly stores: TransferStores;
  readonly clusters: ClusterSettingsByNetwork;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onProblem: (network: NetworkId, problem: unknown) => void;
};

/** Verification of authorizations that are signed texts. */
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
      const sent = submittedIn(transaction);
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
      if (acceptance === undefined)
        throw new Error('a Solana transaction was sent for an intent that offers nothing on Solana');
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
