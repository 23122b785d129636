// Why a token can't be chosen, in a sentence that names tokens that can. Read by a merchant's engineer on the first day, when
// most shortcodes come from a page about the other mode.
import { nearestName } from '@svc-pay/protocol/errors';
import type { Mode } from '../account/mode.ts';
import { TOKENS } from './catalogue.ts';
import { findChain } from './chain.ts';
import { findToken } from './find-token.ts';

const MAX_NAMED = 5;
const LISTED = 'GET /sdk/public/tokens lists what your account takes.';

export function tokenSentence(shortcode: string | undefined, mode: Mode, enabled: ReadonlySet<string>): string {
  const own = shortcodesOf(mode).filter((known) => enabled.has(known));
  if (own.length === 0) return `No token is enabled for your account in ${mode} mode; ask the operator to enable one.`;
  const choices = `use ${oneOf(own)}`;
  if (shortcode === undefined) return `No token of ${mode} mode is selected by this request; ${choices}. ${LISTED}`;
  const known = findToken(shortcode.toLowerCase());
  if (known === undefined) {
    const meant = nearestName(shortcode, own) ?? nearestName(shortcode, shortcodesOf(mode));
    const hint = meant === undefined ? choices : `did you mean ${meant}? Otherwise ${choices}`;
    return `There is no token with this shortcode; ${hint}. ${LISTED}`;
  }
  const modeOfToken = findChain(known.network)?.mode ?? mode;
  if (modeOfToken !== mode)
    return `${known.shortcode} is a ${modeOfToken} token and this is a ${mode} key; ${choices}, or a ${modeOfToken} key. ${LISTED}`;
  return `${known.shortcode} is not enabled for your account; ${choices}, or ask the operator to enable it. ${LISTED}`;
}

const shortcodesOf = (mode: Mode) =>
  TOKENS.filter(({ network }) => findChain(network)?.mode === mode).map(({ shortcode }) => shortcode);

function oneOf(shortcodes: readonly string[]): string {
  const named = shortcodes.slice(0, MAX_NAMED);
  return named.length === 1 ? named.join('') : `${named.slice(0, -1).join(', ')} or ${named.at(-1) ?? ''}`;
}
