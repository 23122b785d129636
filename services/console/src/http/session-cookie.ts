// Cookie of a session. `__Host-` binds it to this host, https and the whole path, so that no other host of the domain can set or
// read it. Browsers refuse such a cookie on plain http, which is for localhost alone.
import { readSessionToken, type SessionToken } from '@svc-pay/core';

export type SessionCookie = {
  readonly read: (header: string | undefined) => SessionToken | undefined;
  readonly set: (token: SessionToken, seconds: number) => string;
  readonly clear: string;
};

export function createSessionCookie({ secure }: { readonly secure: boolean }): SessionCookie {
  const name = secure ? '__Host-svc_console' : 'svc_console';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return {
    read: (header) => {
      const pair = header
        ?.split(';')
        .map((each) => each.trim())
        .find((each) => each.startsWith(`${name}=`));
      return pair === undefined ? undefined : readSessionToken(pair.slice(name.length + 1));
    },
    set: (token, seconds) => `${name}=${token}; Max-Age=${Math.max(0, Math.floor(seconds))}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  };
}
