-- Up-to intents are settled through the internal listener, which is told an intent's id and nothing else. Exact intents are
-- not in this index and pay nothing for it.
create index intents_upto on svc.intents (id) where x402_upto;
