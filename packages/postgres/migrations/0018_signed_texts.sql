-- Payments for which the payer signed a text that a program on the chain checks. The transaction around it is the relayer's
-- own: `transfer` names its blockhash, and the program. The signature column holds the payer's signature, the nonce column
-- the text's own nonce.
alter table svc.authorizations drop constraint authorizations_transfer_check;
alter table svc.authorizations add constraint authorizations_transfer_check
  check ((kind in ('solana_transaction', 'solana_message')) = (transfer is not null));

comment on column svc.prepared_transfers.blockhash is 'Of a transaction; of a text its nonce in hex.';
comment on column svc.prepared_transfers.wire is 'The transaction without signatures, or the text.';
