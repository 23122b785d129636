// Shapes of a node's answers, field by field. An answer of another shape counts as no answer. Whole numbers are bigints
// here, see exact-json.ts.
import { ChainUnavailable } from '@svc-pay/core';
import * as z from 'zod/mini';

const U64_MAX = 2n ** 64n - 1n;
export const U64 = z.bigint().check(z.gte(0n), z.lte(U64_MAX));
/** A key or a hash of 32 bytes, in base58. */
export const KEY = z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/));
/** Null: the transaction succeeded. A missing field is not null. */
const ERROR = z.union([z.null(), z.string().check(z.minLength(1)), z.record(z.string(), z.unknown())]);

const inContext = <Value extends z.ZodMiniType>(value: Value) => z.object({ context: z.object({ slot: U64 }), value });

export const LATEST_BLOCKHASH = inContext(z.object({ blockhash: KEY, lastValidBlockHeight: U64 }));

export const BLOCKHASH_VALID = inContext(z.boolean());

const STATUS = z.union([
  z.object({ slot: U64, err: ERROR, confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']) }),
  // Older nodes leave the commitment out; null confirmations mean finalized.
  z.object({ slot: U64, err: ERROR, confirmationStatus: z.nullish(z.null()), confirmations: z.null() }),
]);

/** One entry per requested id or address, in the order of the request. */
const oneForEach = <Item extends z.ZodMiniType>(item: Item, count: number) =>
  inContext(z.array(z.nullable(item)).check(z.length(count)));

export const statuses = (count: number) => oneForEach(STATUS, count);

const ACCOUNT = z.object({ owner: KEY, lamports: U64, data: z.tuple([z.base64(), z.literal('base64')]) });

export const accounts = (count: number) => oneForEach(ACCOUNT, count);

export const SIMULATION = inContext(z.object({ err: ERROR, logs: z.nullish(z.array(z.string())) }));

const TOKEN_BALANCES = z.nullish(
  z.array(
    z.object({
      accountIndex: U64,
      mint: KEY,
      /** Older nodes leave it out. */
      owner: z.nullish(KEY),
      uiTokenAmount: z.object({ amount: z.string().check(z.regex(/^\d{1,20}$/)) }),
    }),
  ),
);

const KEYS = z.array(KEY);

/** Balances refer to accounts by index: there must be one of each for every account. */
export const TRANSACTION = z
  .object({
    slot: U64,
    blockTime: z.nullish(U64),
    transaction: z.object({
      signatures: z.array(z.string()).check(z.minLength(1)),
      message: z.object({ accountKeys: z.array(KEY).check(z.minLength(1)) }),
    }),
    meta: z.object({
      err: ERROR,
      preBalances: z.array(U64),
      postBalances: z.array(U64),
      preTokenBalances: TOKEN_BALANCES,
      postTokenBalances: TOKEN_BALANCES,
      /** Accounts that the transaction takes from lookup tables. */
      loadedAddresses: z.nullish(z.object({ writable: KEYS, readonly: KEYS })),
    }),
  })
  .check(
    z.refine((told) => {
      const { meta } = told;
      const count = accountKeysIn(told).length;
      const indices = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
      const named = indices.every(({ accountIndex }) => accountIndex < BigInt(count));
      return named && meta.preBalances.length === count && meta.postBalances.length === count;
    }),
  );

export type TransactionAnswer = z.output<typeof TRANSACTION>;

type NamesAccounts = {
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  readonly meta: {
    readonly loadedAddresses?:
      | { readonly writable: readonly string[]; readonly readonly: readonly string[] }
      | null
      | undefined;
  };
};

/** Every account of the transaction, in the order of its balances: those of lookup tables come last. */
export function accountKeysIn({ transaction, meta }: NamesAccounts): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

/** The transaction as bytes, from `encoding: base64`. */
export const WIRE = z.object({
  slot: U64,
  blockTime: z.nullish(U64),
  transaction: z.tuple([z.base64(), z.literal('base64')]),
});

const SIGNATURE = z.object({
  signature: z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/)),
  slot: U64,
  err: ERROR,
});
export type SignatureAnswer = z.output<typeof SIGNATURE>;
export const SIGNATURES = z.array(SIGNATURE);

/** An error, or a result; `result` may be null but must be present. */
export const RPC_BODY = z.union([
  z.object({ error: z.object({ code: z.bigint(), message: z.string(), data: z.optional(z.unknown()) }) }),
  z.object({ error: z.nullish(z.null()), result: z.unknown() }).check(z.refine((body: object) => 'result' in body)),
]);

/** Throws `ChainUnavailable` with the paths of the wrong fields, never with their values. */
export function readAnswer<Shape extends z.ZodMiniType>(
  method: string,
  shape: Shape,
  answer: unknown,
): z.output<Shape> {
  const read = shape.safeParse(answer);
  if (read.success) return read.data;
  const places = read.error.issues.map(({ path }) => path.join('.') || 'the whole answer');
  throw new ChainUnavailable(`${method}: the node's answer has another form, at ${places.join(', ')}`);
}
