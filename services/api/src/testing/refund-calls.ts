// Refunds as a merchant's server asks for them.
import { type CreatedRefund, createdRefund } from '@svc-pay/protocol/merchant';
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { type CallOptions, call } from './call.ts';
import type { TestApi } from './start-test-api.ts';

type Extra = Pick<CallOptions, 'key' | 'headers'>;
type Answered = Awaited<ReturnType<typeof call>>;

export const refusalOf = (answer: Answered) => ({ status: answer.statusCode, ...answer.json() });

export function refundCalls(api: TestApi) {
  const key = api.account.keys.test.secret;
  const { pool } = api.database;
  return {
    create: (paymentId: string, body: object = {}, extra: Extra = {}) =>
      call(api, 'POST', `/sdk/payments/${paymentId}/refunds`, { key, body, ...extra }),
    submit: (refundId: string, body: object, extra: Extra = {}) =>
      call(api, 'POST', `/sdk/refunds/${refundId}/submit`, { key, body, ...extra }),
    get: (refundId: string, extra: Extra = {}) => call(api, 'GET', `/sdk/refunds/${refundId}`, { key, ...extra }),
    list: (paymentId: string) => call(api, 'GET', `/sdk/payments/${paymentId}/refunds`, { key }),
    cancel: (refundId: string) => call(api, 'POST', `/sdk/refunds/${refundId}/cancel`, { key }),
    totalsOf: async (paymentId: string) => {
      const { rows } = await pool.query(
        'select refunded, reserved, last_sequence from svc.refund_totals where payment_id = $1',
        [paymentId],
      );
      return rows[0];
    },
  };
}

type Sign<Kind> = Extract<CreatedRefund['sign'], { readonly kind: Kind }>;
export type Prepared<Kind> = CreatedRefund & { readonly sign: Sign<Kind> };

/** A refund that was prepared, with what the wallet signs. */
export function preparedOf<Kind extends 'evm_typed_data' | 'solana_transaction'>(
  answer: Answered,
  kind: Kind,
): Prepared<Kind> {
  if (answer.statusCode !== 201) throw new Error(`${answer.statusCode}: ${answer.body}`);
  const created = createdRefund.parse(answer.json());
  if (created.sign?.kind !== kind) throw new Error('nothing to sign');
  return { ...created, sign: created.sign as Sign<Kind> };
}

export const signatureOf = (
  { sign }: Pick<Prepared<'evm_typed_data'>, 'sign'>,
  signer: PrivateKeyAccount,
): Promise<Hex> => signer.signTypedData(sign.typedData as never);
