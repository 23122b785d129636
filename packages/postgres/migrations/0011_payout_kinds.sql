-- Payouts of two kinds. `processor`: the processor divides the money by terms that are registered on chain. `direct`: the
-- payer signs to the merchant's own wallet; there is no fee, no split and nothing on chain.

-- Names this installation in the signatures that activate a direct payout, and in bound nonces.
alter table svc.installation add column id uuid not null default gen_random_uuid();

create domain svc.payout_kind as text check (value in ('processor', 'direct'));

-- A direct payout is the wallet of an account for one token of one network. Its `processor` and `merchant` are the wallet.
alter table svc.payouts
  add column kind svc.payout_kind not null default 'processor',
  add column asset text collate "C",
  -- What the wallet and its approver signed, with both signatures. API and settlement check them at every use.
  add column activation jsonb,
  -- New intents use the payout from this time on. Null: from its creation on.
  add column active_from timestamptz,
  -- When the operator was told of the activation. Null: not yet.
  add column announced_at timestamptz,
  add constraint payouts_direct_check check (
    case kind
      when 'direct' then
        asset is not null and activation is not null and active_from is not null and fee_bps = 0 and splits = '[]'
        and processor = merchant
      else asset is null and activation is null and active_from is null
    end
  );

create index payouts_unannounced on svc.payouts (payout_id) where kind = 'direct' and announced_at is null;
grant update (announced_at) on svc.payouts to svc_settlement;

-- Settlement copies the status of processor payouts from the chain. That of a direct payout is an operator's alone: whoever
-- could end one, or bring a replaced one back, would choose among the wallets of an account.
create function svc.refuse_direct_status() returns trigger
language plpgsql as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'the status of a direct payout is changed by an operator alone'
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;

create trigger payouts_direct_status before update of status on svc.payouts
  for each row when (old.kind = 'direct') execute function svc.refuse_direct_status();
