import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type MadeInvitation, type MemberOfAccount, meQuery, ROLES } from '../api/people.ts';
import { post, usePeople } from '../api/people-calls.ts';
import { ROLE_WORDS } from '../api/roles.ts';
import { useScope } from '../api/scope.ts';
import { isoOf } from '../format/time.ts';
import { Badge, Bones, Card, Heading, Problem, Time } from '../ui/bits.tsx';
import { Form, SelectField, Submit, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { SecretSheet, type ShownSecret } from '../ui/secret-sheet.tsx';
import { Sheet, SheetActions, SheetBack } from '../ui/sheet.tsx';

type Doing =
  | { readonly what: 'invite' }
  | { readonly what: 'role' | 'remove' | 'recover'; readonly member: MemberOfAccount };

const linkOf = (made: MadeInvitation, title: string, name: string): ShownSecret => ({
  title,
  text: made.link,
  about: `Give it to ${name} on a way that only ${name} reads. Whoever opens it first makes the passkey. It works once, for three days.`,
});

export function People() {
  const scope = useScope();
  const queries = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const { data, error, refetch } = usePeople(scope.accountId);
  const [doing, setDoing] = useState<Doing>();
  const [secret, setSecret] = useState<ShownSecret>();
  const close = () => setDoing(undefined);
  const done = async (made?: ShownSecret) => {
    setDoing(undefined);
    setSecret(made);
    await queries.invalidateQueries({ queryKey: ['people', scope.accountId] });
  };
  const revoke = useMutation({
    mutationFn: (invitationId: string) =>
      post(`/accounts/${scope.accountId}/people/revoke-invitation`, { invitationId }),
    onSuccess: () => done(),
  });
  return (
    <>
      <Heading
        title="People"
        about={`Who may sign in to ${scope.accountName}, in both modes. Every change is in the audit record under the person’s name.`}
      >
        <button type="button" className="button first" onClick={() => setDoing({ what: 'invite' })}>
          <Icon name="plus" /> Invite
        </button>
      </Heading>
      <div className="grid gap-6">
        {error !== null && <Problem of={error} again={() => void refetch()} />}
        {revoke.error !== null && <Problem of={revoke.error} />}
        <Card title="Members">
          {data === undefined && error === null && <Bones />}
          {data !== undefined && (
            <ul className="divide-y divide-line">
              {data.members.map((member) => (
                <li key={member.personId} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
                  <div className="min-w-40 flex-1">
                    <p className="font-medium">
                      {member.name}{' '}
                      {member.personId === me?.person.id && <span className="font-normal text-soft">(you)</span>}
                    </p>
                    <p className="text-[0.857rem] text-soft">
                      {member.lastSeenAtMs === null ? (
                        'Not signed in lately'
                      ) : (
                        <>
                          Seen <Time iso={isoOf(member.lastSeenAtMs)} />
                        </>
                      )}
                    </p>
                  </div>
                  <span className="w-24">
                    <Badge tone={member.role === 'owner' ? 'good' : 'quiet'} title={ROLE_WORDS[member.role].about}>
                      {ROLE_WORDS[member.role].word}
                    </Badge>
                  </span>
                  <div className="flex flex-wrap gap-1">
                    <button
                      type="button"
                      className="button bare small"
                      aria-label={`Role of ${member.name}`}
                      onClick={() => setDoing({ what: 'role', member })}
                    >
                      Role
                    </button>
                    <button
                      type="button"
                      className="button bare small"
                      aria-label={`Lost device of ${member.name}`}
                      onClick={() => setDoing({ what: 'recover', member })}
                    >
                      Lost device
                    </button>
                    <button
                      type="button"
                      className="button bare small grave"
                      aria-label={`Remove ${member.name}`}
                      onClick={() => setDoing({ what: 'remove', member })}
                    >
                      Remove
                    </button>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </Card>
        {data !== undefined && data.invitations.length > 0 && (
          <Card title="Open invitations">
            <ul className="divide-y divide-line">
              {data.invitations.map((one) => (
                <li key={one.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
                  <span className="min-w-40 flex-1 font-medium">{one.name}</span>
                  <span className="text-soft">{ROLE_WORDS[one.role].word}</span>
                  <span className="text-soft">
                    ends <Time iso={isoOf(one.expiresAtMs)} />
                  </span>
                  <button
                    type="button"
                    className="button bare small grave"
                    disabled={revoke.isPending}
                    onClick={() => revoke.mutate(one.id)}
                  >
                    Take back
                  </button>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
      {doing?.what === 'invite' && <InviteSheet accountId={scope.accountId} onClose={close} onDone={done} />}
      {doing?.what === 'role' && (
        <RoleSheet accountId={scope.accountId} member={doing.member} onClose={close} onDone={done} />
      )}
      {doing?.what === 'remove' && (
        <MemberSheet
          title={`Remove ${doing.member.name}`}
          action="Remove"
          path={`/accounts/${scope.accountId}/people/remove`}
          member={doing.member}
          about="The person can’t see or do anything in this account any more, at once and on every device."
          onClose={close}
          onDone={done}
        />
      )}
      {doing?.what === 'recover' && (
        <MemberSheet
          title={`Recovery link for ${doing.member.name}`}
          action="Make the link"
          path={`/accounts/${scope.accountId}/people/recover`}
          member={doing.member}
          about="Whoever opens the link becomes this person with a new passkey; all the former passkeys and sessions end then. Be sure who asks you."
          onClose={close}
          onDone={done}
        />
      )}
      {secret !== undefined && <SecretSheet secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

type SheetOf = { readonly onClose: () => void; readonly onDone: (made?: ShownSecret) => Promise<void> };
const ROLE_OPTIONS = ROLES.map((role) => [role, `${ROLE_WORDS[role].word}: ${ROLE_WORDS[role].about}`] as const);

function InviteSheet({ accountId, onClose, onDone }: SheetOf & { readonly accountId: string }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<string>('developer');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => post<MadeInvitation>(`/accounts/${accountId}/people/invite`, { name: name.trim(), role }),
    onSuccess: (made) => onDone(linkOf(made, 'Invitation link', name.trim())),
  });
  return (
    <Sheet title="Invite somebody" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <TextField
          label="Name"
          autoFocus
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.currentTarget.value)}
          hint="You get a link for this person. It ends after three days."
        />
        <SelectField label="Role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} disabled={name.trim() === ''}>
            Make the link
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

function RoleSheet({
  accountId,
  member,
  onClose,
  onDone,
}: SheetOf & { readonly accountId: string; readonly member: MemberOfAccount }) {
  const [role, setRole] = useState<string>(member.role);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => post(`/accounts/${accountId}/people/role`, { personId: member.personId, role }),
    onSuccess: () => onDone(),
  });
  return (
    <Sheet title={`Role of ${member.name}`} onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <SelectField label="Role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} disabled={role === member.role}>
            Change
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

type MemberSheetProps = SheetOf & {
  readonly title: string;
  readonly action: string;
  readonly path: string;
  readonly member: MemberOfAccount;
  readonly about: string;
};

function MemberSheet({ title, action, path, member, about, onClose, onDone }: MemberSheetProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => post<MadeInvitation | { readonly link?: undefined }>(path, { personId: member.personId }),
    onSuccess: (made) => onDone(made.link === undefined ? undefined : linkOf(made, 'Recovery link', member.name)),
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p>{about}</p>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} grave>
            {action}
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
