// One environment variable: how it is read, and what the reference page says about it.

export type ReadSetting<Value> =
  | { readonly ok: true; readonly value: Value }
  /** The expected form, never the given text: that may be a secret. */
  | { readonly ok: false; readonly expected: string };

export type Setting<Value> = {
  readonly name: string;
  readonly about: string;
  /** The form of the text, described for a person. */
  readonly form: string;
  readonly secret: boolean;
  /** Text used when the variable is absent or empty. A secret has no fallback. */
  readonly fallback?: string;
  readonly optional: boolean;
  readonly read: (text: string) => ReadSetting<Value>;
};

/** A group of settings, keyed by the name that the code uses. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type SettingText = { readonly name: string; readonly about: string; readonly fallback?: string };

type Form<Value> = {
  readonly form: string;
  readonly read: (text: string) => Value | undefined;
  /** For text of the right form that is refused all the same: what is expected, and the way out. */
  readonly refusalOf?: (value: Value, text: string) => string | undefined;
};

/** A setting that must be given unless it has a fallback. `read` returns undefined for text that does not fit. */
export function setting<Value>(
  { name, about, fallback }: SettingText,
  { form, read, refusalOf }: Form<Value>,
): Setting<Value> {
  return {
    name,
    about,
    form,
    secret: false,
    optional: false,
    ...(fallback !== undefined && { fallback }),
    read: (text) => {
      const value = read(text);
      if (value === undefined) return { ok: false, expected: form };
      const refusal = refusalOf?.(value, text);
      return refusal === undefined ? { ok: true, value } : { ok: false, expected: refusal };
    },
  };
}

/** Reads undefined when the variable is absent. */
export function optional<Value>(inner: Setting<Value>): Setting<Value | undefined> {
  return { ...inner, optional: true };
}

/** Marks a setting as secret on the reference page. A secret must not have a fallback. */
export function secret<Value>(inner: Setting<Value>): Setting<Value> {
  if (inner.fallback !== undefined) throw new Error(`${inner.name}: a secret has no fallback`);
  return { ...inner, secret: true };
}
