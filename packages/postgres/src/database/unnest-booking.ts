/** Entries that a booking carries, for a lateral join. A booking whose `amounts` is null carries none. */
export const unnestBooking = (booking: string, alias: string): string => `unnest(
    ${booking}.entry_ids, ${booking}.assets, ${booking}.account_names, ${booking}.parties, ${booking}.amounts, ${booking}.reverses
  ) as ${alias} (id, asset, account_name, party, amount, reverses)`;
