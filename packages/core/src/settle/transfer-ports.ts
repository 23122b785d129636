// Payments for which the payer signs a whole transaction: what preparing and taking them asks of the world.
import type { Authorization, NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { SignedTransfer } from './signed-transfer.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';

/** A signed transaction by its own words; `messageHash` (hex) is what makes it unique on its chain. */
export type SentTransfer = { readonly payer: string; readonly messageHash: string };

/** A transaction that a wallet was, or is to be, shown. */
export type PreparedTransaction = {
  readonly payer: string;
  readonly network: NetworkId;
  /** Of the acceptance that it pays. */
  readonly position: number;
  readonly transfer: SignedTransfer;
  readonly messageHash: string;
  /** With empty places for both signatures; of a text the text itself. */
  readonly wire: Uint8Array;
};

export type TransferToPrepare = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly acceptance: Pick<StoredAcceptance, 'position' | 'network' | 'token' | 'payTo' | 'amount' | 'payoutId'>;
  readonly payer: string;
};

export type PreparedTransferAnswer =
  | { readonly ok: true; readonly prepared: PreparedTransaction }
  | { readonly ok: false; readonly code: ErrorCode };

/** A text for a wallet to sign, and what its header must then say. */
export type SignableText = {
  readonly text: string;
  readonly authorization: Authorization;
  readonly relayer: string;
  readonly program: string;
  /** The payer's own transaction that approves the program; null where enough is approved. */
  readonly setup: Uint8Array | null;
};

export type SignableAnswer =
  | { readonly ok: true; readonly signable: SignableText }
  | { readonly ok: false; readonly code: ErrorCode };

export type TransferToVerify = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  /** Those that it may pay. */
  readonly acceptances: readonly StoredAcceptance[];
  /** Base64, as it was sent. */
  readonly transaction: string;
};

export type TransferVerdict =
  | {
      readonly ok: true;
      readonly acceptance: StoredAcceptance;
      readonly transfer: SignedTransfer;
      /** 0x-hex of its bytes. */
      readonly bytes: string;
    }
  /** `detail` names the flaw, and is never a part of what was sent. */
  | { readonly ok: false; readonly code: ErrorCode; readonly detail?: string };

export type TransferPorts = {
  /** Undefined for what can't be read. No chain is asked. */
  readonly readTransfer: (transaction: string) => SentTransfer | undefined;
  /** Stored before it is answered. Never throws for trouble on the way to the chain: that is `chain_unavailable`. */
  readonly prepareTransfer: (wanted: TransferToPrepare) => Promise<PreparedTransferAnswer>;
  /** The same of a text. */
  readonly prepareMessage: (wanted: TransferToPrepare) => Promise<SignableAnswer>;
  /** By its bytes and by the chain. Never throws for trouble on the way there. */
  readonly verifyTransfer: (sent: TransferToVerify) => Promise<TransferVerdict>;
};
