-- Ways to pay by transactions that the payer sends himself. The chain reader attributes money to every acceptance; a header
-- settles only those of the flow `x402`, and only those are offered to be signed.
create domain svc.flow as text check (value in ('x402', 'regular'));

alter table svc.acceptances add column flow svc.flow not null default 'x402';
