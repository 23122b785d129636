// Bugs of the Internet Computer's part to put in on purpose.
import { blockName } from '@svc-pay/core';
import { ofNetwork, proofKey } from '@svc-pay/core/testing';
import type { IcrcBug } from './icrc-process.ts';

/** What a boundary hands out is taken as it is. */
const certificateUnchecked: IcrcBug = { isCertified: () => true };

/** A certificate counts whatever call it answers. */
const answersReplayed: IcrcBug = { isCertified: ({ certificate }) => certificate.isSigned };

/** The cursor moves in one statement, the transfers are kept in the next ones. */
const cursorEarly: IcrcBug = {
  store: (store) => ({
    ...store,
    moveCursor: async (cursor, read, nowMs) => {
      const moved = await store.moveCursor(cursor, { ...read, transfers: [] }, nowMs);
      if (moved) for (const transfer of read.transfers) await store.keep(transfer, nowMs);
      return moved;
    },
  }),
};

/** Whether a block counted before is not asked. */
const blockCountedTwice: IcrcBug = {
  store: (store, { tables }) => ({
    ...store,
    apply: (transfer, nowMs) => {
      tables.proofs.delete(proofKey(transfer.network, blockName(transfer), 0));
      return store.apply(transfer, nowMs);
    },
  }),
};

/** An intent expires at its end, whether its ledger was read or not. */
const expiryEarly: IcrcBug = {
  expire: ({ intents }, nowMs) => {
    for (const row of intents.values()) {
      const { status, expiresAtMs } = row.intent;
      if ((status === 'requires_payment' || status === 'mismatched') && expiresAtMs <= nowMs)
        row.intent = { ...row.intent, status: 'canceled' };
    }
  },
};

/** A call of a boundary has no end of its own. */
const callsWithoutEnd: IcrcBug = { waitsForEver: true };

/** The first block of an answer is not compared with the block before the cursor. */
const forkUnchecked: IcrcBug = {
  chain: (chain, { icrcCursors }) => ({
    ...chain,
    blocks: async (ledger, start, count) => {
      const { length, blocks } = await chain.blocks(ledger, start, count);
      const cursor = icrcCursors.get(ofNetwork(chain.network, ledger));
      const [first, ...others] = blocks;
      if (first === undefined || cursor?.nextIndex !== start) return { length, blocks };
      return { length, blocks: [{ ...first, parentHash: cursor.lastHash }, ...others] };
    },
  }),
};

export const ICRC_BUGS = {
  certificateUnchecked,
  answersReplayed,
  cursorEarly,
  blockCountedTwice,
  expiryEarly,
  callsWithoutEnd,
  forkUnchecked,
} as const;

export const isIcrcBug = (name: string): name is keyof typeof ICRC_BUGS => Object.hasOwn(ICRC_BUGS, name);

export const icrcBug = (name: string | undefined): IcrcBug | undefined =>
  name !== undefined && isIcrcBug(name) ? ICRC_BUGS[name] : undefined;
