// One line of nonces per key, without a gap or a double, and under each nonce one call, whatever was offered for its gas.
import type { CaseFile, Violation } from './case-file.ts';
import { readTransaction } from './read-transaction.ts';

export function checkLanes({ record, chain, run }: CaseFile): readonly Violation[] {
  const signedOf = Map.groupBy(record.signed, ({ batch }) => batch);
  const batchOf = new Map(record.signed.map(({ transaction, batch }) => [transaction, batch]));
  const batches = new Map(record.batches.map((batch) => [batch.id, batch]));
  const living = record.batches.filter(({ status }) => status !== 'replaced' && status !== 'dropped');
  const wrong = (text: string): Violation => ({ rule: 'nonces', text });
  return [
    ...run.setting.relayers.flatMap((relayer) => {
      const nonces = living.filter((batch) => batch.relayer === relayer).map(({ nonce }) => nonce);
      const mined = chain.nonces.get(relayer) ?? 0;
      const gapless = nonces.length === mined && nonces.every((nonce, index) => nonce === index);
      return gapless ? [] : [wrong(`${relayer} has mined ${mined}; its batches have ${nonces.join(', ')}`)];
    }),
    ...living.flatMap((batch) => {
      const calls = (signedOf.get(batch.id) ?? []).map(({ raw }) => readTransaction(raw));
      const [first] = calls;
      const same = calls.every(
        ({ nonce, input, to }) => nonce === batch.nonce && input === first?.input && to === first.to,
      );
      return [
        ...(same && first !== undefined
          ? []
          : [wrong(`${batch.id}: its transactions carry different calls or nonces`)]),
        ...(batch.status === 'finalized' || batch.status === 'mined' ? [] : [wrong(`${batch.id} is ${batch.status}`)]),
      ];
    }),
    ...chain.transactions.flatMap(({ hash, from, nonce }) => {
      const batch = batches.get(batchOf.get(hash) ?? '');
      const fits = batch !== undefined && batch.relayer === from && batch.nonce === nonce && batch.transaction === hash;
      return fits ? [] : [wrong(`${hash} of ${from} under ${nonce} is not what a batch says (${batch?.id})`)];
    }),
    ...record.payments.flatMap(({ id, intent, status, batch, transaction }) =>
      // A stranger's transaction is of no batch.
      (status === 'completed' || status === 'refunded') && (batchOf.get(transaction ?? '') ?? null) !== batch
        ? [{ rule: 'nonces', intent, text: `${id} is in ${batch}, its transaction in another` }]
        : [],
    ),
  ];
}
