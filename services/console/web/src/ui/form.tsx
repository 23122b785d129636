import { type ChangeEventHandler, type ComponentProps, type FormEvent, type ReactNode, useId } from 'react';

export type FieldProps = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
} & Omit<ComponentProps<'input'>, 'id' | 'className'>;

const Below = ({
  id,
  hint,
  error,
}: {
  readonly id: string;
  readonly hint: ReactNode;
  readonly error: string | undefined;
}) =>
  error === undefined && hint === undefined ? null : (
    <p id={id} className={`mt-1 text-[0.857rem] ${error === undefined ? 'text-soft' : 'text-bad'}`}>
      {error ?? hint}
    </p>
  );

export function TextField({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        className="field"
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-below`}
        autoComplete={input.autoComplete ?? 'off'}
      />
      <Below id={`${id}-below`} hint={hint} error={error} />
    </div>
  );
}

export type SelectProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Value and what is shown. */
  readonly options: readonly (readonly [string, string])[];
  readonly hint?: ReactNode;
};

export function SelectField({ label, value, onChange, options, hint }: SelectProps) {
  const id = useId();
  const choose: ChangeEventHandler<HTMLSelectElement> = (event) => onChange(event.currentTarget.value);
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      <select id={id} className="field" value={value} onChange={choose} aria-describedby={`${id}-below`}>
        {options.map(([name, shown]) => (
          <option key={name} value={name}>
            {shown}
          </option>
        ))}
      </select>
      <Below id={`${id}-below`} hint={hint} error={undefined} />
    </div>
  );
}

export type CheckProps = {
  readonly label: string;
  readonly about?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
};

export function CheckField({ label, about, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label className="flex items-start gap-2.5 py-1">
      <input
        type="checkbox"
        className="mt-0.5 size-4 flex-none accent-(--c-accent)"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span className="min-w-0">
        {label}
        {about !== undefined && <span className="block text-[0.857rem] text-soft">{about}</span>}
      </span>
    </label>
  );
}

/** A form whose submission stays in the page. */
export function Form({ onSubmit, children }: { readonly onSubmit: () => void; readonly children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="grid gap-4" onSubmit={submit} noValidate>
      {children}
    </form>
  );
}

export type SubmitProps = {
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly children: ReactNode;
  readonly grave?: boolean;
};

export const Submit = ({ busy, disabled = false, grave = false, children }: SubmitProps) => (
  <button type="submit" className={`button ${grave ? 'grave' : 'first'}`} disabled={busy || disabled} aria-busy={busy}>
    {busy ? 'One moment …' : children}
  </button>
);
