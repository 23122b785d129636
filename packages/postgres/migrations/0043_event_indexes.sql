-- Fewer index entries for an event. The events of a payment are found by its intent, and every intent has one
-- `payment_intent.created`, so that a list of these finds enough of them by the key of events.
--
-- A partition that already has an equal index, built without a lock before the upgrade, keeps it (docs/operate/upgrade.md).
create index events_by_type on svc.events (account_id, mode, type, id) where type <> 'payment_intent.created';
drop index svc.events_of_type;
drop index svc.events_of_payment;
