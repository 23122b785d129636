// Ports for payments whose payer signs a whole transaction: preparing and verifying them.
import type { Authorization, NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { TransferOffer } from '../intent/create-intent.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { SignedTransfer } from '../payment/signed-transfer.ts';

/** A signed transaction as it reads; `messageHash` (hex) makes it unique on its chain. */
export type SubmittedTransfer = { readonly payer: string; readonly messageHash: string };

/** A transaction prepared for a wallet to sign. */
export type PreparedTransaction = {
  readonly payer: string;
  readonly network: NetworkId;
  /** Position of the acceptance that it pays. */
  readonly position: number;
  readonly transfer: SignedTransfer;
  readonly messageHash: string;
  /** Transaction bytes with empty slots for both signatures; for a text, the text itself. */
  readonly wire: Uint8Array;
};

export type TransferToPrepare = TransferOffer & { readonly payer: string };

export type PreparedTransferAnswer =
  | { readonly ok: true; readonly prepared: PreparedTransaction }
  | { readonly ok: false; readonly code: ErrorCode };

/** A text for a wallet to sign, and the authorization that its header must carry. */
export type SignableText = {
  readonly text: string;
  readonly authorization: Authorization;
  readonly relayer: string;
  readonly program: string;
  /** A transaction of the payer that approves the program; null where the approved amount is enough. */
  readonly setup: Uint8Array | null;
};

export type SignableAnswer =
  | { readonly ok: true; readonly signable: SignableText }
  | { readonly ok: false; readonly code: ErrorCode };

export type TransferToVerify = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  /** Acceptances that the transaction may pay. */
  readonly acceptances: readonly StoredAcceptance[];
  /** Base64, as submitted. */
  readonly transaction: string;
};

export type TransferVerdict =
  | {
      readonly ok: true;
      readonly acceptance: StoredAcceptance;
      readonly transfer: SignedTransfer;
      /** Transaction bytes as 0x-hex. */
      readonly bytes: string;
    }
  /** `detail` names the flaw and never contains submitted data. */
  | { readonly ok: false; readonly code: ErrorCode; readonly detail?: string };

export type TransferPorts = {
  /** Undefined when the transaction can't be decoded. No chain is asked. */
  readonly readTransfer: (transaction: string) => SubmittedTransfer | undefined;
  /** Stores the transaction before it answers. An unreachable chain gives `chain_unavailable`, never a throw. */
  readonly prepareTransfer: (wanted: TransferToPrepare) => Promise<PreparedTransferAnswer>;
  /** Prepares a text; same contract as `prepareTransfer`. */
  readonly prepareMessage: (wanted: TransferToPrepare) => Promise<SignableAnswer>;
  /** Checks the bytes, then asks the chain. Never throws when the chain can't be reached. */
  readonly verifyTransfer: (submitted: TransferToVerify) => Promise<TransferVerdict>;
};
