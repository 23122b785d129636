-- Payments for which the payer signed a whole transaction: it names the relayer that pays for it, and lives for a minute.

-- What it was prepared with: `relayer`, `feeRecipient`, `tokenProgram`, `decimals`, `blockhash`, `lastValidBlockHeight`,
-- `slot`. The signature column then holds the transaction as the payer signed it, the nonce column its message's digest.
alter table svc.authorizations add column transfer jsonb;
alter table svc.authorizations add constraint authorizations_transfer_check
  check ((kind = 'solana_transaction') = (transfer is not null));

-- No other lane can carry it. Null: any can.
alter table svc.settlements add column bound_relayer text collate "C";
